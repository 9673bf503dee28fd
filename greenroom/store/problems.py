"""The problems that both store engines raise. Neither raises anything else.

First come the caller's mistakes, found before anything is written, then conflicts with stored data,
then failures of the environment. Only `OutcomeUnknown` leaves open whether the write took effect.
"""

from typing import TYPE_CHECKING

from greenroom.errors import Clause, Problem

if TYPE_CHECKING:
    from greenroom.store.base import Op
    from greenroom.store.values import Item


class InvalidDeclaration(Problem):
    """{name!r} cannot be declared: {reason}."""

    name: str
    reason: str


class InvalidItem(Problem):
    """Attribute {attribute!r} cannot be stored: {reason}."""

    attribute: str
    reason: Clause


class InvalidKey(Problem):
    """The key of table {table!r} is not valid: {reason}."""

    table: str
    reason: Clause


class InvalidExpression(Problem):
    """The expression on {attribute!r} does not fit: {reason}."""

    attribute: str
    reason: str


class InvalidQuery(Problem):
    """The query is not valid: {reason}."""

    reason: Clause


class InvalidCursor(Problem):
    """The cursor does not belong to this query. Start again without one."""


class ItemTooLarge(Problem):
    """The item of table {table!r} would have more than {most} bytes."""

    table: str
    most: int


class InvalidTransaction(Problem):
    """The transaction cannot be written: {reason}."""

    reason: str


class TokenReused(Problem):
    """The token {token!r} was used for another transaction within the last ten minutes."""

    token: str


class NoSuchTable(Problem):
    """There is no table {table!r} in this store."""

    table: str


class NotFollowed(Problem):
    """The changes of table {table!r} are not kept: the table is declared without a stream."""

    table: str


class CheckpointTooOld(Problem):
    """The changes after this checkpoint of table {table!r} are no longer kept. Start over."""

    table: str


class ConditionFailed(Problem):
    """{failed[0].op} was refused by its condition; nothing was written."""

    failed: "tuple[Failure, ...]"

    @property
    def op(self) -> "Op":
        """The first op whose condition did not hold."""
        return self.failed[0].op

    @property
    def item(self) -> "Item | None":
        """The item when that op was refused; None if there was none."""
        return self.failed[0].item


class Failure:
    """A refused op, and the item at that time."""

    __slots__ = ("item", "op")

    def __init__(self, op: "Op", item: "Item | None") -> None:
        self.op = op
        self.item = item


class InvalidUpdate(Problem):
    """The update does not fit the current item: {reason}."""

    reason: str


class Conflict(Problem):
    """Another write to the same item was in progress at each attempt; nothing was written."""


class Throttled(Problem):
    """The store receives more requests than it can serve; nothing was written."""


class StoreUnavailable(Problem):
    """The store cannot be reached: {reason}."""

    reason: str


class StoreFailing(Problem):
    """The store accepts no writes: a commit failed. It is recovering; see the log."""


class StoreFull(Problem):
    """The disk under the store is full; nothing was written: {reason}. Free some space."""

    reason: str


class OutcomeUnknown(Problem):
    """The connection was lost while writing and the write cannot safely be repeated: {reason}."""

    reason: str


class StoreCorrupt(Problem):
    """{path} is not a valid Greenroom database: {reason}."""

    path: str
    reason: str


class StoreTooNew(Problem):
    """{path} was written by a newer Greenroom (format {found}; this one knows {known})."""

    path: str
    found: int
    known: int


class StoreHeld(Problem):
    """{path} is in use by another process ({holder})."""

    path: str
    holder: str

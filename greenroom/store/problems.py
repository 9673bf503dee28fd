"""What the item store refuses. Both engines raise these and nothing of their own.

The first group is the caller's mistake and is told before anything is touched; the second is what
the data says; the third is what the world did, and only `OutcomeUnknown` leaves it open whether
the write took place.
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
        """The item as it stood when that op was refused; None where there was none."""
        return self.failed[0].item


class Failure:
    """One op that was refused, and the item as it stood."""

    __slots__ = ("item", "op")

    def __init__(self, op: "Op", item: "Item | None") -> None:
        self.op = op
        self.item = item


class InvalidUpdate(Problem):
    """The update does not fit the item as it stands: {reason}."""

    reason: str


class Conflict(Problem):
    """Another write to the same item was under way each time; nothing was written."""


class Throttled(Problem):
    """The store is asked for more than it may give just now; nothing was written."""


class StoreUnavailable(Problem):
    """The store cannot be reached: {reason}."""

    reason: str


class StoreFailing(Problem):
    """The store takes no writes: a commit failed. It tries to recover; the log says why."""


class StoreFull(Problem):
    """The disk under the store is full; nothing was written: {reason}. Make room on it."""

    reason: str


class OutcomeUnknown(Problem):
    """The connection was lost while writing and the write cannot safely be repeated: {reason}."""

    reason: str


class StoreCorrupt(Problem):
    """{path} is not a sound Greenroom database: {reason}."""

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

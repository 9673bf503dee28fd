"""The interface of the item store, with the operations and results that it uses.

Engines: `sqlite/` (one file) and `dynamo/` (DynamoDB, DynamoDB Local, ScyllaDB Alternator).
tests/contracts checks that they behave identically.

Careful: there is no filter, because a filter pays for items that it discards. An item whose TTL has
passed does not exist for any read, condition or update, even before it is removed. Reads are
eventually consistent, at half the cost, unless `consistent=True`.
"""

from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AbstractContextManager
from typing import Generic, Protocol, TypeAlias, TypeVar

from msgspec import Struct

from greenroom.errors import Problem, quoted
from greenroom.store.capacity import Cost
from greenroom.store.expressions import Action, Condition, SortRange
from greenroom.store.tables import Index, Table
from greenroom.store.values import Item


class Key(Struct, frozen=True):
    partition: str
    sort: str | None = None


class Put(Struct, frozen=True):
    """Writes the whole item and replaces an existing one."""

    table: Table
    item: Item
    condition: Condition | None = None

    def __str__(self) -> str:
        return f"Put into {self.table.name} of {_key_text(key_of(self))}"


class Update(Struct, frozen=True):
    """Changes some attributes. Creates a missing item unless all actions remove something."""

    table: Table
    key: Key
    actions: tuple[Action, ...]
    condition: Condition | None = None

    def __str__(self) -> str:
        return f"Update in {self.table.name} of {_key_text(self.key)}"


class Delete(Struct, frozen=True):
    """Has no effect if there is no item."""

    table: Table
    key: Key
    condition: Condition | None = None

    def __str__(self) -> str:
        return f"Delete from {self.table.name} of {_key_text(self.key)}"


class Check(Struct, frozen=True):
    """Writes nothing; the transaction fails unless the condition holds."""

    table: Table
    key: Key
    condition: Condition

    def __str__(self) -> str:
        return f"Check in {self.table.name} of {_key_text(self.key)}"


Op: TypeAlias = Put | Update | Delete | Check


_Model = TypeVar("_Model")
_Other = TypeVar("_Other")


class PageOf(Generic[_Model]):
    """Up to `limit` items in key order; fewer only on the last page."""

    __slots__ = ("_make_cursor", "items")

    def __init__(self, items: tuple[_Model, ...], make_cursor: Callable[[], str] | None) -> None:
        self.items = items
        self._make_cursor = make_cursor

    @property
    def has_more(self) -> bool:
        return self._make_cursor is not None

    @property
    def next(self) -> str | None:
        """The cursor of the next page, None on the last one. Computed on demand."""
        return None if self._make_cursor is None else self._make_cursor()

    def map(self, model: Callable[[_Model], _Other]) -> "PageOf[_Other]":
        return PageOf(tuple(map(model, self.items)), self._make_cursor)


Page: TypeAlias = PageOf[Item]


class Change(Struct, frozen=True):
    """What one write did to one item. `checkpoint` continues after it. `old` is None for a new
    item, and always in a table without `old_images`."""

    table: str
    key: Key
    old: Item | None
    new: Item | None
    at_ms: int
    checkpoint: str


class Store(Protocol):
    @property
    def is_local(self) -> bool:
        """Whether the store is in this process: reads do not wait, and writes take effect in the
        order of the calls."""

    async def get(self, table: Table, key: Key, *, consistent: bool = False) -> Item | None: ...

    async def batch_get(
        self, table: Table, keys: Sequence[Key], *, consistent: bool = False
    ) -> dict[Key, Item]:
        """Reads up to 100 items; missing ones are left out."""

    async def query(
        self,
        table: Table,
        partition: str,
        sort: SortRange | None = None,
        *,
        index: Index | None = None,
        limit: int,
        backward: bool = False,
        cursor: str | None = None,
        consistent: bool = False,
    ) -> Page: ...

    async def query_as(
        self,
        model: Callable[[Item], _Model],
        table: Table,
        partition: str,
        sort: SortRange | None = None,
        *,
        limit: int,
        backward: bool = False,
        consistent: bool = False,
    ) -> PageOf[_Model]:
        """As `query`, with `model` applied to each item. Results are cached, so `model` must be a
        module-level pure function that returns an immutable object."""

    async def write(self, *ops: Op, token: str | None = None) -> Item | None:
        """Writes one op, or several ops as one transaction: all or nothing.

        A transaction repeated with the same token within ten minutes takes effect once. Returns
        the current item for a lone Update, None if there is none; otherwise None.
        """

    def changes(
        self,
        table: Table,
        *,
        after: str | None = None,
        follow: bool = True,
        moved: Callable[[str], None] | None = None,
        prefixes: Sequence[str] = (),
        with_old: bool = True,
        attributes: Sequence[str] = (),
        linger: float = 0.0,
    ) -> AsyncIterator[Change]:
        """The table's changes after a checkpoint, or all kept changes without one, in order for
        each item. Waits for more; with `follow=False` ends after the newest change.

        `moved` is called with the new checkpoint when it moves without a change, as it does at the
        end of a stream's shard. A follower of a quiet table has to keep it: shards are dropped
        after a day.

        With `prefixes` only changes of items whose sort key begins with one of them; the others are
        passed over before they are decoded. Without `with_old` every change has None for the item
        before it, which is not decoded either. With `attributes` items have only those: that is
        much cheaper where few of a large item are wanted. After a change the feed waits `linger`
        seconds for more, so that one read serves many writes."""

    async def checkpoint(self, table: Table) -> str:
        """A checkpoint before every change that is made after this call. Changes from shortly
        before the call may come after it too."""

    async def scan(
        self, table: Table, *, limit: int, cursor: str | None = None, consistent: bool = False
    ) -> Page:
        """Every item of the table, page by page, in no particular order. For rebuilds and exports
        alone, never for a request: it costs as much as the table is large."""

    def counting(self) -> AbstractContextManager[Cost]:
        """Counts the cost of store calls in the block, including tasks started in it."""

    @property
    def read_only_reason(self) -> str | None:
        """Why the store is read-only; None while it accepts writes."""

    async def wait_for_data_loss(self) -> Problem:
        """Waits until acknowledged data is lost and returns the problem; otherwise never
        returns."""

    async def close(self) -> None: ...


def key_of(op: Op) -> Key:
    """The key of the op's item. `check_op` has validated the key in a Put's item."""
    if isinstance(op, Put):
        table = op.table
        sort = None if table.sort is None else op.item[table.sort]
        return Key(op.item[table.partition], sort)  # type: ignore[arg-type]
    return op.key


ItemAddress: TypeAlias = tuple[str, str, str]
"""The table's name, the partition key and the sort key; '' if the table has no sort key."""


def address_of(op: Op) -> ItemAddress:
    """As `key_of`, with the table's name, and faster."""
    table = op.table
    if isinstance(op, Put):
        sort = "" if table.sort is None else op.item[table.sort]
        return table.name, op.item[table.partition], sort  # type: ignore[return-value]
    return address_at(table, op.key)


def address_at(table: Table, key: Key) -> ItemAddress:
    return table.name, key.partition, key.sort or ""


def _key_text(key: Key) -> str:
    partition = quoted(key.partition)
    return partition if key.sort is None else f"{partition} / {quoted(key.sort)}"

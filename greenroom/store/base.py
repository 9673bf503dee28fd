"""The port: what the contexts may ask of an item store, and what they get back.

Engines: `sqlite/` (one file) and `dynamo/` (DynamoDB, DynamoDB Local, ScyllaDB Alternator). They
agree to the letter; tests/contracts holds them to it. What one would get wrong: there is no scan
and no filter (a filter reads what it throws away); an item whose TTL has passed is gone for every
read, condition and update, whether or not anything has removed it yet; and a read is eventually
consistent, at half the price, unless it says `consistent=True`.
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
    """The whole item, over whatever was there."""

    table: Table
    item: Item
    condition: Condition | None = None

    def __str__(self) -> str:
        return f"Put into {self.table.name} of {_shown(key_of(self))}"


class Update(Struct, frozen=True):
    """Some attributes of the item, which is made if it is not there: unless all that the update
    does is remove."""

    table: Table
    key: Key
    actions: tuple[Action, ...]
    condition: Condition | None = None

    def __str__(self) -> str:
        return f"Update in {self.table.name} of {_shown(self.key)}"


class Delete(Struct, frozen=True):
    """Of no effect where there is no item."""

    table: Table
    key: Key
    condition: Condition | None = None

    def __str__(self) -> str:
        return f"Delete from {self.table.name} of {_shown(self.key)}"


class Check(Struct, frozen=True):
    """Writes nothing; the transaction stands only if the condition holds."""

    table: Table
    key: Key
    condition: Condition

    def __str__(self) -> str:
        return f"Check in {self.table.name} of {_shown(self.key)}"


Op: TypeAlias = Put | Update | Delete | Check


_Model = TypeVar("_Model")
_Other = TypeVar("_Other")


class PageOf(Generic[_Model]):
    """Up to `limit` items in key order, fewer only at the end."""

    __slots__ = ("_seal", "items")

    def __init__(self, items: tuple[_Model, ...], seal: Callable[[], str] | None) -> None:
        self.items = items
        self._seal = seal

    @property
    def has_more(self) -> bool:
        return self._seal is not None

    @property
    def next(self) -> str | None:
        """Where to go on, None at the end. It is made when somebody asks: many need not know."""
        return None if self._seal is None else self._seal()

    def as_(self, model: Callable[[_Model], _Other]) -> "PageOf[_Other]":
        return PageOf(tuple(map(model, self.items)), self._seal)


Page: TypeAlias = PageOf[Item]


class Change(Struct, frozen=True):
    """What one write did to one item. `checkpoint` is where to go on after it."""

    table: str
    key: Key
    old: Item | None
    new: Item | None
    at_ms: int
    checkpoint: str


class Store(Protocol):
    @property
    def is_local(self) -> bool:
        """Whether it is in this process: reads are answered at once, and writes take effect in the
        order in which they are asked for."""

    async def get(self, table: Table, key: Key, *, consistent: bool = False) -> Item | None: ...

    async def batch_get(
        self, table: Table, keys: Sequence[Key], *, consistent: bool = False
    ) -> dict[Key, Item]:
        """What is there of up to 100 items, by key."""

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
        """As `query`, with what `model` makes of each item. It is a function of a module, makes the
        same of the same item, and what nobody changes: so it need not be asked again for an item
        that it has seen."""

    async def write(self, *ops: Op, token: str | None = None) -> Item | None:
        """One op is a conditional write, several are one transaction: all of it or nothing.

        A transaction repeated with the same token within ten minutes is done once. The answer to
        a lone Update, repeated or not, is the item as it now stands, None where there is none; to
        anything else, None.
        """

    def changes(
        self, table: Table, *, after: str | None = None, follow: bool = True
    ) -> AsyncIterator[Change]:
        """The table's changes after a checkpoint (from the oldest kept without one), in order for
        each item; waits for more, or with `follow=False` ends where the table stands."""

    def counting(self) -> AbstractContextManager[Cost]:
        """What the store calls inside the block, and the tasks started in it, cost in units."""

    @property
    def trouble(self) -> str | None:
        """Why nothing can be written at present; None while all is well."""

    async def lost(self) -> Problem:
        """Returns once what was acknowledged is not there any more, and says what is wrong. While
        all is well it does not return."""

    async def close(self) -> None: ...


def key_of(op: Op) -> Key:
    """Where the op writes. A Put's key is read from its item, which `check_op` has looked at."""
    if isinstance(op, Put):
        table = op.table
        sort = None if table.sort is None else op.item[table.sort]
        return Key(op.item[table.partition], sort)  # type: ignore[arg-type]
    return op.key


Place: TypeAlias = tuple[str, str, str]
"""A table's name and an item's keys in it, '' for a sort key that the table lacks."""


def place_of(op: Op) -> Place:
    """As `key_of`, across tables, and quicker."""
    table = op.table
    if isinstance(op, Put):
        sort = "" if table.sort is None else op.item[table.sort]
        return table.name, op.item[table.partition], sort  # type: ignore[return-value]
    return place_at(table, op.key)


def place_at(table: Table, key: Key) -> Place:
    return table.name, key.partition, key.sort or ""


def _shown(key: Key) -> str:
    partition = quoted(key.partition)
    return partition if key.sort is None else f"{partition} / {quoted(key.sort)}"

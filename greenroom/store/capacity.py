"""Counts the cost of store calls in DynamoDB's capacity units.

The SQLite engine computes the cost by the published rules below; the DynamoDB engine uses what
DynamoDB reports. Both add it to every `Cost` open in the caller's context. Neither counts a write
refused by its condition: DynamoDB bills it, but the response does not say how much.

    read         size of the items rounded up to 4 KB (a query: of all of them together);
                 half when eventually consistent; a missing item counts as 1 byte
    write        the larger of old and new item, rounded up to 1 KB
    index        nothing if the entry is unchanged; the entry's size, rounded up to 1 KB, to
                 put or remove it, the larger of the two to change it, both when its key changes
    transaction  twice the table's and the index's writes; a Check is a write of the item it reads
"""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from msgspec import Struct, field


class Units(Struct):
    read: float = 0.0
    write: float = 0.0


class Cost(Struct):
    """Units by table (`Messaging`) and index (`Messaging/Inbox`), and in total."""

    by_source: dict[str, Units] = field(default_factory=dict)

    @property
    def read_units(self) -> float:
        return sum(units.read for units in self.by_source.values())

    @property
    def write_units(self) -> float:
        return sum(units.write for units in self.by_source.values())

    def add(self, source: str, *, read: float = 0.0, write: float = 0.0) -> None:
        units = self.by_source.get(source)
        if units is None:
            units = self.by_source[source] = Units()
        units.read += read
        units.write += write


_open: ContextVar[tuple[Cost, ...]] = ContextVar("greenroom_costs", default=())


@contextmanager
def counting() -> Iterator[Cost]:
    cost = Cost()
    token = _open.set((*_open.get(), cost))
    try:
        yield cost
    finally:
        _open.reset(token)


def open_costs() -> tuple[Cost, ...]:
    return _open.get()


def read_units(size: int, *, consistent: bool) -> float:
    blocks = max(1, -(-size // 4096))
    return float(blocks) if consistent else blocks / 2


def write_units(size: int) -> float:
    return float(max(1, -(-size // 1024)))


def index_write_units(
    old: int | None, new: int | None, *, same_key: bool, same_entry: bool
) -> float:
    """From the sizes of an index entry before and after; None if there is no entry."""
    if old is None and new is None:
        return 0.0
    if old is None or new is None:
        return write_units(old or new or 0)
    if not same_key:
        return write_units(old) + write_units(new)
    return 0.0 if same_entry else write_units(max(old, new))

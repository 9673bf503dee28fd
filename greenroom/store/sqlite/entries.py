"""What an item looks like in an index, and when it expires. Pure."""

from decimal import Decimal

from msgspec import Struct

from greenroom.store.sqlite.codec import pack
from greenroom.store.sqlite.rows import Row
from greenroom.store.tables import Index, Projects, Table, projected_names
from greenroom.store.values import Item, weigh


class Entry(Struct, frozen=True):
    place: tuple[str, str]
    """The index's keys."""
    size: int
    blob: bytes


def entry_of(table: Table, index: Index, row: Row) -> Entry | None:
    """None while the item lacks one of the index's keys."""
    item = row.item
    partition = item.get(index.partition)
    sort = "" if index.sort is None else item.get(index.sort)
    if partition is None or sort is None:
        return None
    assert isinstance(partition, str)
    assert isinstance(sort, str)
    if index.projects is Projects.ALL:
        return Entry((partition, sort), row.size, row.blob)
    names = projected_names(table, index) or frozenset()
    projected = {name: value for name, value in item.items() if name in names}
    return Entry((partition, sort), weigh(projected), pack(projected))


def expires_of(table: Table, item: Item) -> int | None:
    """The second from which the item is gone; a TTL that is no number never comes."""
    if table.ttl is None:
        return None
    second = item.get(table.ttl)
    if second is None:
        return None
    if isinstance(second, bool) or not isinstance(second, int | Decimal):
        return None
    # Whole seconds are compared: it is gone once now has reached the next whole one.
    whole = (
        int(second.to_integral_value("ROUND_CEILING")) if isinstance(second, Decimal) else second
    )
    return max(-(1 << 62), min(whole, 1 << 62))

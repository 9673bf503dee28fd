"""Builds index entries and expiry times from items. Pure functions."""

from decimal import Decimal

from msgspec import Struct

from greenroom.store.sqlite.codec import pack
from greenroom.store.sqlite.rows import Row
from greenroom.store.tables import Index, Projection, Table, projected_names
from greenroom.store.values import Item, item_size


class IndexEntry(Struct, frozen=True):
    key: tuple[str, str]
    """The index's keys."""
    size: int
    blob: bytes


def entry_of(table: Table, index: Index, row: Row) -> IndexEntry | None:
    """None if the item lacks one of the index's keys."""
    item = row.item
    partition = item.get(index.partition)
    sort = "" if index.sort is None else item.get(index.sort)
    if partition is None or sort is None:
        return None
    assert isinstance(partition, str)
    assert isinstance(sort, str)
    if index.projection is Projection.ALL:
        return IndexEntry((partition, sort), row.size, row.blob)
    names = projected_names(table, index) or frozenset()
    projected = {name: value for name, value in item.items() if name in names}
    return IndexEntry((partition, sort), item_size(projected), pack(projected))


def expiry_of(table: Table, item: Item) -> int | None:
    """The second at which the item expires. A TTL that is not a number never expires."""
    if table.ttl is None:
        return None
    second = item.get(table.ttl)
    if second is None:
        return None
    if isinstance(second, bool) or not isinstance(second, int | Decimal):
        return None
    # Expiry is compared in whole seconds, so round up.
    whole = (
        int(second.to_integral_value("ROUND_CEILING")) if isinstance(second, Decimal) else second
    )
    return max(-(1 << 62), min(whole, 1 << 62))

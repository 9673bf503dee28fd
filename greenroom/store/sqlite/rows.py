"""The rows that writes have lately met, as they stand, so that a hot one (a thread, a participant)
is neither read nor unpacked again.

It can be right because this process alone writes the file (schema.hold), and only in one place. A
rollback forgets all of it. What one would get wrong: `Row.item` is shared, never handed out.
"""

from msgspec import Struct

from greenroom.store.base import Key
from greenroom.store.sqlite.codec import unpack
from greenroom.store.tables import Table
from greenroom.store.values import Item

_MOST = 4096
_LARGEST = 8192


class Row(Struct):
    """An item as it stands in the file; unpacked when somebody first asks."""

    size: int
    expires: int | None
    blob: bytes
    _item: Item | None = None

    @property
    def item(self) -> Item:
        if self._item is None:
            self._item = unpack(self.blob)
        return self._item


class Rows:
    """Two generations: what was not met again while `_MOST` others were is forgotten."""

    def __init__(self) -> None:
        self._young: dict[tuple[str, Key], Row] = {}
        self._old: dict[tuple[str, Key], Row] = {}

    def find(self, table: Table, key: Key) -> Row | None:
        place = (table.name, key)
        row = self._young.get(place)
        if row is None:
            row = self._old.get(place)
            if row is not None:
                self.keep(table, key, row)
        return row

    def keep(self, table: Table, key: Key, row: Row) -> None:
        if len(row.blob) > _LARGEST:
            self.drop(table, key)
            return
        if len(self._young) >= _MOST:
            self._old, self._young = self._young, {}
        self._young[table.name, key] = row

    def drop(self, table: Table, key: Key) -> None:
        self._young.pop((table.name, key), None)
        self._old.pop((table.name, key), None)

    def forget(self) -> None:
        self._young, self._old = {}, {}

"""Holds planned rows that are not in the file yet, and caches rows that writes used recently.

    pending     planned for the next group: the row in the file, and the row to write
    committing  the rows of the group that is being committed
    recent      rows that recent writes used (a thread, a participant): no need to read and unpack
                them again

A row is looked up in that order, and then in the file. The cache is correct because this process
alone writes the file (schema.lock_file), through one writer.

Careful: `Row.item` is shared and must never be handed out. When a group fails, everything planned
on top of it is invalid.
"""

from msgspec import Struct

from greenroom.lru import LruCache
from greenroom.store.base import ItemAddress
from greenroom.store.sqlite.codec import unpack
from greenroom.store.tables import Table
from greenroom.store.values import Item

_MOST_RECENT = 8192
_LARGEST_RECENT = 8192


class Row:
    """A packed item, unpacked on first use."""

    __slots__ = ("_item", "blob", "expires", "may_be_indexed", "size")

    def __init__(
        self,
        size: int,
        expires: int | None,
        blob: bytes,
        item: Item | None = None,
        *,
        may_be_indexed: bool = True,
    ) -> None:
        self.size = size
        self.expires = expires
        self.blob = blob
        self._item = item
        self.may_be_indexed = may_be_indexed
        """False if the row is known to be in no index."""

    @property
    def item(self) -> Item:
        if self._item is None:
            self._item = unpack(self.blob)
        return self._item


class DirtyRow(Struct):
    """A row of the next group: `before` is in the file, `after` is to be written."""

    table: Table
    before: Row | None
    after: Row | None
    assumed_new: bool = False
    """`before` is None because the row was not read."""


class Rows:
    def __init__(self) -> None:
        self._pending: dict[ItemAddress, DirtyRow] = {}
        self._committing: dict[ItemAddress, DirtyRow] = {}
        self._recent: LruCache[ItemAddress, Row] = LruCache(_MOST_RECENT)
        self.last: dict[ItemAddress, DirtyRow] = {}
        """The rows of the last committed group."""

    @property
    def committing(self) -> dict[ItemAddress, DirtyRow]:
        return self._committing

    def find(self, address: ItemAddress) -> tuple[bool, Row | None]:
        """Whether the row's state is known, and the row; None if it is deleted."""
        row = self._recent.get(address)
        if row is not None:
            return True, row
        for planned in (self._pending, self._committing):
            dirty = planned.get(address)
            if dirty is not None:
                return True, dirty.after
        return False, None

    def committed(self, address: ItemAddress) -> tuple[bool, Row | None]:
        """As `find`, for readers: only what is on disk. Careful: the file may already show some
        rows of the group that is being committed, so never read those rows from the file."""
        dirty = self._committing.get(address)
        if dirty is not None:
            return True, dirty.before  # the insert has checked what was assumed new
        dirty = self._pending.get(address)
        if dirty is not None:
            return not dirty.assumed_new, dirty.before
        row = self._recent.peek(address)
        return row is not None, row

    def remember(self, address: ItemAddress, row: Row) -> None:
        if len(row.blob) > _LARGEST_RECENT:
            self._recent.discard(address)
        else:
            self._recent.put(address, row)

    def mark_dirty(
        self,
        table: Table,
        address: ItemAddress,
        before: Row | None,
        after: Row | None,
        *,
        assumed_new: bool = False,
    ) -> None:
        dirty = self._pending.get(address)
        if dirty is None:
            self._pending[address] = DirtyRow(table, before, after, assumed_new)
        else:
            dirty.after = after
        if after is None:
            self._recent.discard(address)
        elif before is not None:  # a new row is rarely used again
            self.remember(address, after)

    def begin_commit(self) -> dict[ItemAddress, DirtyRow]:
        """Takes the pending rows, which count as committing until `group_committed`."""
        self._committing, self._pending = self._pending, {}
        return self._committing

    def removed(self, table: Table, address: ItemAddress, row: Row) -> None:
        """Records a row that the committing group removed from the file."""
        self._committing[address] = DirtyRow(table, row, None)
        self._recent.discard(address)

    def group_committed(self) -> None:
        self.last, self._committing = self._committing, {}

    def clear(self) -> None:
        last = self.last
        self.__init__()  # type: ignore[misc]
        self.last = last

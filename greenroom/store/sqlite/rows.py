"""The rows as they will stand once everything planned is in the file, and what of that the file
does not have yet.

    gathered    planned for the next group: what the file has, and what it shall have
    committing  of the group that is on its way to the disk
    hot         rows that writes have lately met (a thread, a participant), so that they are
                neither read nor unpacked again

A row is looked for in that order, and only then in the file. It can be right because this process
alone writes the file (schema.hold), and only in one place. What one would get wrong: `Row.item` is
shared, never handed out; and when a group fails, everything planned on top of it is void.
"""

from msgspec import Struct

from greenroom.store.base import Place
from greenroom.store.sqlite.codec import unpack
from greenroom.store.tables import Table
from greenroom.store.values import Item

_MOST_HOT = 4096
_LARGEST_HOT = 8192


class Row:
    """An item as it stands; unpacked when somebody first asks."""

    __slots__ = ("_item", "blob", "expires", "is_filed", "size")

    def __init__(
        self,
        size: int,
        expires: int | None,
        blob: bytes,
        item: Item | None = None,
        *,
        is_filed: bool = True,
    ) -> None:
        self.size = size
        self.expires = expires
        self.blob = blob
        self._item = item
        self.is_filed = is_filed
        """False where it is known to be in no index."""

    @property
    def item(self) -> Item:
        if self._item is None:
            self._item = unpack(self.blob)
        return self._item


class Touched(Struct):
    """A row of the next group: as it is in the file (`before`), and as it shall be."""

    table: Table
    before: Row | None
    after: Row | None
    assumed: bool = False
    """Nobody has looked whether there is nothing before."""


class Rows:
    def __init__(self) -> None:
        self._gathered: dict[Place, Touched] = {}
        self._committing: dict[Place, Touched] = {}
        # Two generations: what was not met again while `_MOST_HOT` others were is forgotten.
        self._young: dict[Place, Row] = {}
        self._old: dict[Place, Row] = {}
        self.last: dict[Place, Touched] = {}
        """The group that was committed last."""

    @property
    def committing(self) -> dict[Place, Touched]:
        return self._committing

    def find(self, place: Place) -> tuple[bool, Row | None]:
        """Whether it is known here how the row stands, and how."""
        row = self._young.get(place)
        if row is not None:
            return True, row
        for planned in (self._gathered, self._committing):
            touched = planned.get(place)
            if touched is not None:
                return True, touched.after
        row = self._old.get(place)
        if row is None:
            return False, None
        self.keep(place, row)
        return True, row

    def committed(self, place: Place) -> tuple[bool, Row | None]:
        """As `find`, of what readers may see: what is on the disk. Careful: the file may have the
        committing group already, so none of its rows is read there, or only some of them show."""
        touched = self._committing.get(place)
        if touched is not None:
            return True, touched.before  # the insert has shown that what was assumed new is new
        touched = self._gathered.get(place)
        if touched is not None:
            return not touched.assumed, touched.before
        row = self._young.get(place) or self._old.get(place)
        return row is not None, row

    def keep(self, place: Place, row: Row) -> None:
        if len(row.blob) > _LARGEST_HOT:
            self._drop(place)
            return
        if len(self._young) >= _MOST_HOT:
            self._old, self._young = self._young, {}
        self._young[place] = row

    def touch(
        self,
        table: Table,
        place: Place,
        before: Row | None,
        after: Row | None,
        *,
        assumed: bool = False,
    ) -> None:
        touched = self._gathered.get(place)
        if touched is None:
            self._gathered[place] = Touched(table, before, after, assumed)
        else:
            touched.after = after
        if after is None:
            self._drop(place)
        elif before is not None:  # a new one is seldom met again
            self.keep(place, after)

    def hand_over(self) -> dict[Place, Touched]:
        """What the file shall be given now; it counts as committing until `settle`."""
        self._committing, self._gathered = self._gathered, {}
        return self._committing

    def removed(self, table: Table, place: Place, row: Row) -> None:
        """It has been taken out of the file by the group that is handed over."""
        self._committing[place] = Touched(table, row, None)
        self._drop(place)

    def settle(self) -> None:
        self.last, self._committing = self._committing, {}

    def forget(self) -> None:
        last = self.last
        self.__init__()  # type: ignore[misc]
        self.last = last

    def _drop(self, place: Place) -> None:
        self._young.pop(place, None)
        self._old.pop(place, None)

"""The values of the project panel: tabs, their objects and fields, edits, the log.

Three tabs are edited by both sides and live here. The other four are snapshots of what is decided
elsewhere. Every accepted edit raises the version of its tab, and that version is also the version
of each field that the edit set: a field's version is the base of the next edit of it.
"""

from enum import StrEnum
from typing import TypeAlias

from msgspec import Struct

from greenroom.ids import ThreadId, UserId


class Tab(StrEnum):
    BRIEF = "brief"
    MOODBOARD = "moodboard"
    SHOTLIST = "shotlist"
    FILES = "files"
    DOCS = "docs"
    EXPENSES = "expenses"
    ACTIONS = "actions"


class ObjectKind(StrEnum):
    SECTION = "section"
    """Of the brief: a title and a text."""
    PICTURE = "picture"
    """Of the moodboard: a picture that was sent in the conversation."""
    NOTE = "note"
    """Of the moodboard: a text."""
    SHOT = "shot"
    """Of the shot list."""


FieldValue: TypeAlias = str | int | bool


class Stamp(Struct, frozen=True):
    """Who made a version of the tab, and when."""

    version: int
    by: UserId
    at_ms: int


class Field(Struct, frozen=True):
    value: FieldValue
    set: Stamp


class PanelObject(Struct, frozen=True, kw_only=True):
    id: str
    """Unique in its tab: the kind, and the tab's version that added it."""
    kind: ObjectKind
    order: str
    """Objects are sorted by it (`order_keys.py`)."""
    placed: Stamp
    """When it was added or last moved."""
    fields: dict[str, Field]
    """A field that nobody has set is not there."""


class RemovedObject(Struct, frozen=True, kw_only=True):
    """What is left of a deleted object, so that an editor is told and its place is known."""

    id: str
    order: str
    removed: Stamp


class TabState(Struct, frozen=True, kw_only=True):
    """An edited tab. Its objects are in order."""

    tab: Tab
    version: int = 0
    objects: tuple[PanelObject, ...] = ()
    removed: tuple[RemovedObject, ...] = ()
    """The latest of them, the oldest first."""


class SnapshotLine(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One line of a snapshot: a document, an expense, a card, a file."""

    id: str
    title: str
    state: str = ""
    """Where it stands, in the words of the context that wrote it, such as `accepted`."""
    amount: int | None = None
    """In minor units of the currency."""
    currency: str = ""
    by: UserId | None = None
    at_ms: int = 0


class Snapshot(Struct, frozen=True, kw_only=True):
    """A tab that follows from what is decided elsewhere."""

    tab: Tab
    version: int = 0
    lines: tuple[SnapshotLine, ...] = ()
    left_out: int = 0
    """How many further lines there are."""
    changed_ms: int = 0


class Add(Struct, frozen=True, kw_only=True, tag="add"):
    """Adds an object after another one; at the beginning with None, at the end with `END`."""

    kind: ObjectKind
    fields: dict[str, FieldValue]
    after: str | None


class SetField(Struct, frozen=True, kw_only=True, tag="set"):
    object_id: str
    field: str
    value: FieldValue
    base: int
    """The version of the field that the editor saw; 0 where it was not set."""


class Move(Struct, frozen=True, kw_only=True, tag="move"):
    """To the place after another object; to the beginning with None, to the end with `END`."""

    object_id: str
    after: str | None
    base: int
    """The version of `placed` that the editor saw."""


class Remove(Struct, frozen=True, kw_only=True, tag="remove"):
    """Wins over every edit: it names no base."""

    object_id: str


Edit: TypeAlias = Add | SetField | Move | Remove
END = ""
"""In place of an object's id: behind the last one."""


class LogEntry(Struct, frozen=True, kw_only=True):
    """One accepted edit."""

    tab: Tab
    action: str
    """`add`, `set`, `move` or `remove`."""
    object_id: str
    made: Stamp
    before: dict[str, FieldValue]
    """The fields that it changed, as they were; all fields of an object that it deleted."""
    after: PanelObject | None
    """The object as the edit left it; None where it was deleted."""
    reordered: bool = False
    """All objects got new order keys."""


class Edited(Struct, frozen=True):
    """The answer to an edit. A repeat gets the same one."""

    entry: LogEntry
    again: bool = False


class EditingPlace(Struct, frozen=True):
    """Where in the panel somebody is."""

    tab: Tab
    object_id: str | None = None
    field: str | None = None


class PanelPlace(Struct, frozen=True):
    """A tab of a thread: what is edited one after the other."""

    thread: ThreadId
    tab: Tab

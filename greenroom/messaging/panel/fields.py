"""Declares what the tabs hold: the kinds of objects, their fields, and the limits of each.

Careful: `items.py` stores fields by their position here. Add new ones at the end, and remove none.
"""

from collections.abc import Mapping
from typing import TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from greenroom.ids import is_id
from greenroom.messaging import text
from greenroom.messaging.panel.models import Add, Edit, FieldValue, ObjectKind, SetField, Tab
from greenroom.messaging.panel.problems import InvalidPanelEdit, TabNotEditable, UnknownTab

MAX_TITLE = 120
MAX_PANEL_TEXT = 2_000
MAX_CAPTION = 300
MAX_COUNT = 9_999


class TextField(Struct, frozen=True):
    most: int
    lines: bool = False
    """May have several lines."""


class CountField(Struct, frozen=True):
    most: int = MAX_COUNT


class FlagField(Struct, frozen=True):
    pass


class FileField(Struct, frozen=True):
    """The id of a picture. It is given when the object is added, and stays."""


FieldType: TypeAlias = TextField | CountField | FlagField | FileField

FIELDS: Mapping[ObjectKind, Mapping[str, FieldType]] = {
    ObjectKind.SECTION: {
        "title": TextField(MAX_TITLE),
        "text": TextField(MAX_PANEL_TEXT, lines=True),
    },
    ObjectKind.PICTURE: {"fileId": FileField(), "caption": TextField(MAX_CAPTION)},
    ObjectKind.NOTE: {
        "text": TextField(MAX_PANEL_TEXT, lines=True),
        "caption": TextField(MAX_CAPTION),
    },
    ObjectKind.SHOT: {
        "title": TextField(MAX_TITLE),
        "notes": TextField(MAX_PANEL_TEXT, lines=True),
        "count": CountField(),
        "done": FlagField(),
    },
}
KINDS: Mapping[Tab, tuple[ObjectKind, ...]] = {
    Tab.BRIEF: (ObjectKind.SECTION,),
    Tab.MOODBOARD: (ObjectKind.PICTURE, ObjectKind.NOTE),
    Tab.SHOTLIST: (ObjectKind.SHOT,),
}
"""The tabs that people edit."""
MAX_OBJECTS = 100
MAX_BYTES: Mapping[Tab, int] = {
    Tab.BRIEF: 6 * 1024,
    Tab.MOODBOARD: 4 * 1024,
    Tab.SHOTLIST: 10 * 1024,
    Tab.FILES: 2_500,
    Tab.DOCS: 2_500,
    Tab.EXPENSES: 2_500,
    Tab.ACTIONS: 2_500,
}
"""What the content of a tab may have in the store: all tabs together, with their keys, stay below
32 KB, so that one query that opens the panel costs at most 4 read units."""


def known_tab(name: str) -> Tab:
    try:
        return Tab(name)
    except ValueError:
        raise UnknownTab(tuple(Tab)) from None


def editable_tab(name: str) -> Tab:
    tab = known_tab(name)
    if tab not in KINDS:
        raise TabNotEditable(tab, tuple(KINDS))
    return tab


def check_lengths(edit: Edit) -> None:
    """Cheap: call it before anything else."""
    for value in texts_of(edit):
        text.check_length(value, MAX_PANEL_TEXT)


def texts_of(edit: Edit) -> list[str]:
    """The texts that an edit brings."""
    match edit:
        case Add(fields=fields):
            return [value for value in fields.values() if isinstance(value, str)]
        case SetField(value=str() as value):
            return [value]
    return []


def cleaned(tab: Tab, edit: Edit) -> Edit:
    """The edit as it is stored. Empty fields of a new object are left out."""
    match edit:
        case Add(kind=kind, fields=fields):
            if kind not in KINDS[tab]:
                raise InvalidPanelEdit(f"this tab has objects of the kind {_listed(KINDS[tab])}")
            found = {
                name: _cleaned(FIELDS[kind], name, value) for name, value in sorted(fields.items())
            }
            if kind is ObjectKind.PICTURE and "fileId" not in found:
                raise InvalidPanelEdit("a picture needs a fileId")
            return replace(
                edit, fields={name: value for name, value in found.items() if value != ""}
            )
        case SetField(field=name, value=value):
            known = {name: type for kind in KINDS[tab] for name, type in FIELDS[kind].items()}
            if isinstance(known.get(name), FileField):
                raise InvalidPanelEdit("a picture stays what it is; add another one")
            return replace(edit, value=_cleaned(known, name, value))
    return edit


def _cleaned(known: Mapping[str, FieldType], name: str, value: FieldValue) -> FieldValue:
    match known.get(name):
        case None:
            raise InvalidPanelEdit(f"its fields must be among {_listed(tuple(known))}")
        case TextField(most, lines) if isinstance(value, str):
            written = text.clean_or_empty(value, most)
            return written if lines else " ".join(written.split("\n"))
        case CountField(most) if type(value) is int:
            if not 0 <= value <= most:
                raise InvalidPanelEdit(f"{name} must be a number from 0 to {most:,}")
            return value
        case FlagField() if isinstance(value, bool):
            return value
        case FileField() if isinstance(value, str) and is_id(value, "fil_"):
            return value
        case field:
            raise InvalidPanelEdit(f"{name} must be {_WORDS[type(field)]}")


_WORDS: Mapping[type[object], str] = {
    TextField: "a text",
    CountField: "a whole number",
    FlagField: "true or false",
    FileField: "the id of a file",
}


def _listed(names: tuple[str, ...]) -> str:
    return ", ".join(names)

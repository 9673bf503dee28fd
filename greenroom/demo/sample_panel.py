"""The project panel of the sample booking: a brief, notes and a shot list."""

from msgspec import Struct

from greenroom.messaging.panel.models import (
    END,
    Add,
    Edit,
    FieldValue,
    Move,
    ObjectKind,
    SetField,
    Tab,
)


class SampleEdit(Struct, frozen=True):
    """An edit of a tab, a few minutes after the one before."""

    author: str
    tab: Tab
    edit: Edit


def _section(author: str, title: str, text: str) -> SampleEdit:
    return _added(author, Tab.BRIEF, ObjectKind.SECTION, {"title": title, "text": text})


def _note(author: str, text: str, caption: str) -> SampleEdit:
    return _added(author, Tab.MOODBOARD, ObjectKind.NOTE, {"text": text, "caption": caption})


def _shot(author: str, title: str, notes: str, count: int) -> SampleEdit:
    fields: dict[str, FieldValue] = {"title": title, "notes": notes, "count": count}
    return _added(author, Tab.SHOTLIST, ObjectKind.SHOT, fields)


def _added(
    author: str, tab: Tab, kind: ObjectKind, fields: dict[str, str] | dict[str, FieldValue]
) -> SampleEdit:
    return SampleEdit(author, tab, Add(kind=kind, fields=dict(fields), after=END))


BOOKING_EDITS: tuple[SampleEdit, ...] = (
    _section(
        "jonas",
        "The idea",
        "Eight pages on linen and old tiles. Soft light, no studio look. Three outfits, two "
        "portraits in close-up.",
    ),
    _section(
        "jonas",
        "Thursday: outdoor",
        "Call time 16:30 at the studio. We walk up to the viewpoint, golden hour is at 19:10.",
    ),
    _section("jonas", "Friday: studio", "From 9:00 in the north room. Maya is out by 13:00."),
    _section("maya", "Good to know", "Clean hair, no make-up. I bring the boots."),
    _note("jonas", "Tiles in blue and ochre, walls with the paint coming off.", "Colours"),
    _note("maya", "The second look, with the coat: walking, not posing.", "How it should feel"),
    _shot("jonas", "The yellow tram, from above", "Long lens, Maya on the steps.", 3),
    _shot("jonas", "Coat at the viewpoint", "Golden hour. Wind is welcome.", 6),
    _shot("jonas", "Boots on wet stone", "Only if it rains.", 2),
    _shot("maya", "Portrait in close-up", "North window, no reflector.", 4),
    _shot("jonas", "Linen, full length", "Against the tiles in the yard.", 5),
    SampleEdit(
        "maya",
        Tab.SHOTLIST,
        SetField(
            object_id="shot-1", field="title", value="The yellow tram, from the steps", base=1
        ),
    ),
    SampleEdit("jonas", Tab.SHOTLIST, Move(object_id="shot-4", after="shot-1", base=4)),
)

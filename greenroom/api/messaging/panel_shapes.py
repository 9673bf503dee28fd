"""The JSON shapes of the project panel, and edits as they are sent."""

from typing import Annotated, Literal, TypeAlias

from msgspec import UNSET, Meta, Struct, UnsetType

from greenroom.clock import iso
from greenroom.ids import ThreadId, UserId
from greenroom.messaging.panel import models
from greenroom.messaging.panel.fields import KINDS, MAX_PANEL_TEXT
from greenroom.messaging.panel.models import END, ObjectKind, Tab
from greenroom.messaging.panel.tab_history import TabHistory
from greenroom.messaging.panel.tabs import Panel as OpenedPanel

_ID = Annotated[str, Meta(min_length=1, max_length=64)]
_Version = Annotated[int, Meta(ge=0, le=2**53)]
PanelValue: TypeAlias = (
    Annotated[str, Meta(max_length=MAX_PANEL_TEXT)]
    | Annotated[int, Meta(ge=-(2**53), le=2**53)]
    | bool
)
PanelAction: TypeAlias = Literal["add", "set", "move", "remove"]


class PanelField(Struct, rename="camel"):
    """A field of an object, with the version that an edit of it names as its base."""

    value: PanelValue
    version: int
    set_by_user_id: UserId
    set_at: str


class PanelObject(Struct, rename="camel"):
    """A section of the brief, a picture or note of the moodboard, a shot of the shot list."""

    object_id: str
    kind: ObjectKind
    order: str
    placed_version: int
    fields: dict[str, PanelField]


class PanelLine(Struct, rename="camel"):
    """A line of a tab that follows from what is decided elsewhere."""

    line_id: str
    title: str
    state: str
    amount: int | None
    currency: str
    by_user_id: UserId | None
    at: str | None


class PanelTab(Struct, rename="camel"):
    """A tab: `objects` of one that people edit, otherwise `lines`."""

    tab: Tab
    version: int
    editable: bool
    objects: list[PanelObject]
    lines: list[PanelLine]
    left_out: int


class Panel(Struct, rename="camel"):
    """The project panel of a conversation."""

    thread_id: ThreadId
    tabs: list[PanelTab]


class PanelChange(Struct, rename="camel"):
    """An accepted edit, and the object as it left it."""

    tab: Tab
    version: int
    action: PanelAction
    object_id: str
    by_user_id: UserId
    at: str
    before: dict[str, PanelValue]
    object: PanelObject | None
    reordered: bool


class PanelHistory(Struct, rename="camel"):
    """The edits of a tab, the latest first."""

    changes: list[PanelChange]
    next: str | None


class AddObject(Struct, rename="camel", tag_field="action", tag="add", forbid_unknown_fields=True):
    """Adds an object."""

    kind: ObjectKind
    fields: Annotated[dict[_ID, PanelValue], Meta(max_length=20)]
    after: _ID | UnsetType | None = UNSET


class SetField(Struct, rename="camel", tag_field="action", tag="set", forbid_unknown_fields=True):
    """Changes one field of an object."""

    object_id: _ID
    field: _ID
    value: PanelValue
    base: _Version


class MoveObject(
    Struct, rename="camel", tag_field="action", tag="move", forbid_unknown_fields=True
):
    """Moves an object to another place."""

    object_id: _ID
    base: _Version
    after: _ID | UnsetType | None = UNSET


class RemoveObject(
    Struct, rename="camel", tag_field="action", tag="remove", forbid_unknown_fields=True
):
    """Deletes an object."""

    object_id: _ID


PanelEdit: TypeAlias = AddObject | SetField | MoveObject | RemoveObject


class NewPanelEdit(Struct, rename="camel", forbid_unknown_fields=True):
    """An edit of a tab of the project panel."""

    client_id: _ID
    edit: PanelEdit


def edit_of(given: PanelEdit) -> models.Edit:
    match given:
        case AddObject(kind, fields, after):
            return models.Add(kind=kind, fields=dict(fields), after=_place(after))
        case SetField(found, field, value, base):
            return models.SetField(object_id=found, field=field, value=value, base=base)
        case MoveObject(found, base, after):
            return models.Move(object_id=found, after=_place(after), base=base)
        case RemoveObject(found):
            return models.Remove(object_id=found)


def _place(after: str | UnsetType | None) -> str | None:
    return END if isinstance(after, UnsetType) else after


def panel_shape(thread: ThreadId, panel: OpenedPanel) -> Panel:
    return Panel(thread, [tab_shape(one) for one in panel.tabs])


def tab_shape(tab: models.TabState | models.Snapshot) -> PanelTab:
    if isinstance(tab, models.Snapshot):
        lines = [_line_shape(one) for one in tab.lines]
        return PanelTab(tab.tab, tab.version, False, [], lines, tab.left_out)
    objects = [_object_shape(one) for one in tab.objects]
    return PanelTab(tab.tab, tab.version, tab.tab in KINDS, objects, [], 0)


def _line_shape(line: models.SnapshotLine) -> PanelLine:
    return PanelLine(
        line_id=line.id,
        title=line.title,
        state=line.state,
        amount=line.amount,
        currency=line.currency,
        by_user_id=line.by,
        at=iso(line.at_ms) if line.at_ms else None,
    )


def _object_shape(one: models.PanelObject) -> PanelObject:
    fields = {
        name: PanelField(field.value, field.set.version, field.set.by, iso(field.set.at_ms))
        for name, field in one.fields.items()
    }
    return PanelObject(one.id, one.kind, one.order, one.placed.version, fields)


def change_shape(entry: models.LogEntry) -> PanelChange:
    return PanelChange(
        tab=entry.tab,
        version=entry.made.version,
        action=entry.action,  # type: ignore[arg-type]
        object_id=entry.object_id,
        by_user_id=entry.made.by,
        at=iso(entry.made.at_ms),
        before=entry.before,
        object=None if entry.after is None else _object_shape(entry.after),
        reordered=entry.reordered,
    )


def history_shape(page: TabHistory) -> PanelHistory:
    return PanelHistory([change_shape(one) for one in page.entries], page.next)

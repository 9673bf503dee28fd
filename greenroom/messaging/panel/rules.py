"""What an edit makes of a tab: a pure function of the tab, the edit, who made it and when.

Edits of different fields merge. An edit of a field that has changed since its base is refused with
both values. A deleted object stays deleted, whatever else is edited.
"""

from collections.abc import Sequence

from msgspec import Struct
from msgspec.structs import replace

from greenroom.clock import iso
from greenroom.ids import UserId
from greenroom.messaging.models import Kind, Thread
from greenroom.messaging.panel.fields import FIELDS, MAX_OBJECTS
from greenroom.messaging.panel.models import (
    END,
    Add,
    Edit,
    Field,
    FieldValue,
    LogEntry,
    Move,
    PanelObject,
    Remove,
    RemovedObject,
    SetField,
    Stamp,
    TabState,
)
from greenroom.messaging.panel.order_keys import MAX_KEY, between, spread
from greenroom.messaging.panel.problems import (
    EditClash,
    InvalidPanelEdit,
    PanelObjectDeleted,
    PanelObjectNotFound,
    TabFull,
)

MAX_REMOVED = 40
"""How many deleted objects a tab remembers."""
ORDER = "order"
"""The name of an object's place in a clash."""
_WITH_PANEL = frozenset({Kind.BOOKING, Kind.STUDIO})


class Applied(Struct, frozen=True):
    state: TabState
    entry: LogEntry
    """What the edit did. Where it changes nothing, the state is the same object."""


def has_panel(thread: Thread) -> bool:
    """From the moment at which the thread is bound to a booking."""
    bound = thread.leg_id or thread.lbg_id or thread.booking_id
    return thread.kind in _WITH_PANEL or bool(bound)


def applied(state: TabState, edit: Edit, by: UserId, now_ms: int) -> Applied:
    stamp = Stamp(state.version + 1, by, now_ms)
    match edit:
        case Add():
            return _added(state, edit, stamp)
        case SetField():
            return _set(state, edit, stamp)
        case Move():
            return _moved(state, edit, stamp)
        case Remove():
            return _removed(state, edit, stamp)


def _added(state: TabState, edit: Add, stamp: Stamp) -> Applied:
    if len(state.objects) >= MAX_OBJECTS:
        raise TabFull(state.tab)
    new = PanelObject(
        id=f"{edit.kind}-{stamp.version}",
        kind=edit.kind,
        order=_order_after(state, edit.after),
        placed=stamp,
        fields={name: Field(value, stamp) for name, value in edit.fields.items()},
    )
    return _changed(state, "add", stamp, new, before={})


def _set(state: TabState, edit: SetField, stamp: Stamp) -> Applied:
    found = _object(state, edit.object_id)
    if edit.field not in FIELDS[found.kind]:
        raise InvalidPanelEdit(f"its fields must be among {', '.join(FIELDS[found.kind])}")
    known = found.fields.get(edit.field)
    current = "" if known is None else known.value
    if current == edit.value:
        return Applied(state, _entry(state, "set", found, {}, _nothing(state, stamp)))
    if edit.base != (0 if known is None else known.set.version):
        made = None if known is None else known.set
        raise _clash(found.id, edit.field, None if known is None else current, edit.value, made)
    after = replace(found, fields=found.fields | {edit.field: Field(edit.value, stamp)})
    before = {} if known is None else {edit.field: known.value}
    return _changed(state, "set", stamp, after, before)


def _moved(state: TabState, edit: Move, stamp: Stamp) -> Applied:
    found = _object(state, edit.object_id)
    if edit.after == found.id:
        raise InvalidPanelEdit("an object cannot be placed after itself")
    if edit.base != found.placed.version:
        current = _id_before(state, found)
        raise _clash(found.id, ORDER, current, edit.after, found.placed)
    without = replace(state, objects=tuple(one for one in state.objects if one is not found))
    after = replace(found, order=_order_after(without, edit.after), placed=stamp)
    return _changed(state, "move", stamp, after, before={})


def _removed(state: TabState, edit: Remove, stamp: Stamp) -> Applied:
    gone = next((one for one in state.removed if one.id == edit.object_id), None)
    if gone is not None:
        entry = LogEntry(
            tab=state.tab,
            action="remove",
            object_id=gone.id,
            made=_nothing(state, stamp),
            before={},
            after=None,
        )
        return Applied(state, entry)
    found = _object(state, edit.object_id)
    left = RemovedObject(id=found.id, order=found.order, removed=stamp)
    after = replace(
        state,
        version=stamp.version,
        objects=tuple(one for one in state.objects if one is not found),
        removed=(*state.removed, left)[-MAX_REMOVED:],
    )
    before = {name: field.value for name, field in found.fields.items()}
    entry = LogEntry(
        tab=state.tab, action="remove", object_id=found.id, made=stamp, before=before, after=None
    )
    return Applied(after, entry)


def _changed(
    state: TabState, action: str, stamp: Stamp, after: PanelObject, before: dict[str, FieldValue]
) -> Applied:
    """The tab with the object as it is now, in its place."""
    others = tuple(one for one in state.objects if one.id != after.id)
    objects = tuple(sorted((*others, after), key=_by_order))
    new = replace(state, version=stamp.version, objects=objects)
    reordered = len(after.order) > MAX_KEY
    if reordered:
        new = _spread(new)
        after = _object(new, after.id)
    return Applied(new, _entry(state, action, after, before, stamp, reordered=reordered))


def _spread(state: TabState) -> TabState:
    """The same order with short keys. Deleted objects keep their place among the others."""
    everything = _everything(state)
    keys = dict(zip([one.id for one in everything], spread(len(everything)), strict=True))
    return replace(
        state,
        objects=tuple(replace(one, order=keys[one.id]) for one in state.objects),
        removed=tuple(replace(one, order=keys[one.id]) for one in state.removed),
    )


def _order_after(state: TabState, after: str | None) -> str:
    """A key right behind an object, also behind where a deleted one was."""
    everything = _everything(state)
    if after == END:
        return between(everything[-1].order if everything else None, None)
    place = 0 if after is None else _place(everything, after) + 1
    low = everything[place - 1].order if place else None
    high = everything[place].order if place < len(everything) else None
    return between(low, high)


def _everything(state: TabState) -> list[PanelObject | RemovedObject]:
    both: tuple[PanelObject | RemovedObject, ...] = (*state.objects, *state.removed)
    return sorted(both, key=_by_order)


def _place(everything: Sequence[PanelObject | RemovedObject], object_id: str) -> int:
    for place, one in enumerate(everything):
        if one.id == object_id:
            return place
    raise PanelObjectNotFound(object_id)


def _id_before(state: TabState, found: PanelObject) -> str | None:
    place = state.objects.index(found)
    return state.objects[place - 1].id if place else None


def _object(state: TabState, object_id: str) -> PanelObject:
    for one in state.objects:
        if one.id == object_id:
            return one
    for gone in state.removed:
        if gone.id == object_id:
            raise PanelObjectDeleted(object_id, gone.removed.by, iso(gone.removed.at_ms))
    raise PanelObjectNotFound(object_id)


def _clash(
    object_id: str, field: str, current: object, yours: object, made: Stamp | None
) -> EditClash:
    clash = {
        "current": current,
        "yours": yours,
        "version": 0 if made is None else made.version,
        "setByUserId": None if made is None else made.by,
        "setAt": None if made is None else iso(made.at_ms),
    }
    return EditClash(object_id, field, clash)


def _entry(
    state: TabState,
    action: str,
    after: PanelObject,
    before: dict[str, FieldValue],
    made: Stamp,
    *,
    reordered: bool = False,
) -> LogEntry:
    return LogEntry(
        tab=state.tab,
        action=action,
        object_id=after.id,
        made=made,
        before=before,
        after=after,
        reordered=reordered,
    )


def _nothing(state: TabState, stamp: Stamp) -> Stamp:
    """Of an edit that changes nothing: the tab keeps its version."""
    return replace(stamp, version=state.version)


def _by_order(one: PanelObject | RemovedObject) -> tuple[str, str]:
    return one.order, one.id

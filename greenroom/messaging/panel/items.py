"""Converts tabs, log entries and claims to items, and back.

The content of a tab is one MessagePack value, since a tab is read and written whole, and its price
is its size. In it users and stamps are listed once, and fields are stored by their position in
`fields.FIELDS`.
"""

from collections.abc import Iterable, Mapping
from typing import Any, cast

import msgspec
from msgspec import Struct

from greenroom.ids import ThreadId, UserId
from greenroom.messaging.items import at
from greenroom.messaging.panel.fields import FIELDS
from greenroom.messaging.panel.models import (
    Field,
    FieldValue,
    LogEntry,
    ObjectKind,
    PanelObject,
    RemovedObject,
    Snapshot,
    SnapshotLine,
    Stamp,
    Tab,
    TabState,
)
from greenroom.messaging.records import panel_log_key, tab_key
from greenroom.store.values import Item

_pack = msgspec.msgpack.encode


class _Object(Struct, frozen=True, array_like=True):
    id: str
    kind: str
    order: str
    placed: int
    fields: list[tuple[int, FieldValue] | None]
    """The version and the value of each."""


class _Content(Struct, frozen=True, array_like=True):
    users: list[UserId]
    stamps: dict[int, tuple[int, int]]
    """By version: the position of the user, and the time."""
    objects: list[_Object]
    removed: list[tuple[str, str, int]]


class _Lines(Struct, frozen=True, array_like=True):
    lines: tuple[SnapshotLine, ...]
    left_out: int


class _Logged(Struct, frozen=True, array_like=True):
    before: dict[str, FieldValue]
    content: bytes
    """A tab with nothing but the object as it was left."""


_content_of = msgspec.msgpack.Decoder(_Content).decode
_lines_of = msgspec.msgpack.Decoder(_Lines).decode
_logged_of = msgspec.msgpack.Decoder(_Logged).decode


def content(state: TabState) -> bytes:
    stamps = {stamp.version: stamp for stamp in _stamps(state)}
    users = sorted({stamp.by for stamp in stamps.values()})
    positions = {user: place for place, user in enumerate(users)}
    kept = {v: (positions[one.by], one.at_ms) for v, one in sorted(stamps.items())}
    objects = [_packed(one) for one in state.objects]
    removed = [(one.id, one.order, one.removed.version) for one in state.removed]
    return _pack(_Content(users, kept, objects, removed))


def _stamps(state: TabState) -> Iterable[Stamp]:
    for one in state.objects:
        yield one.placed
        yield from (field.set for field in one.fields.values())
    yield from (one.removed for one in state.removed)


def _packed(one: PanelObject) -> _Object:
    fields = [
        None if (field := one.fields.get(name)) is None else (field.set.version, field.value)
        for name in FIELDS[one.kind]
    ]
    return _Object(one.id, one.kind, one.order, one.placed.version, fields)


def state_from(tab: Tab, version: int, packed: bytes) -> TabState:
    found = _content_of(packed)
    stamps = {v: Stamp(v, found.users[user], ms) for v, (user, ms) in found.stamps.items()}
    return TabState(
        tab=tab,
        version=version,
        objects=tuple(_unpacked(one, stamps) for one in found.objects),
        removed=tuple(
            RemovedObject(id=id, order=order, removed=stamps[v]) for id, order, v in found.removed
        ),
    )


def _unpacked(one: _Object, stamps: Mapping[int, Stamp]) -> PanelObject:
    kind = ObjectKind(one.kind)
    fields = {
        name: Field(stored[1], stamps[stored[0]])
        for name, stored in zip(FIELDS[kind], one.fields, strict=False)
        if stored is not None
    }
    placed = stamps[one.placed]
    return PanelObject(id=one.id, kind=kind, order=one.order, placed=placed, fields=fields)


def snapshot_content(lines: tuple[SnapshotLine, ...], left_out: int) -> bytes:
    return _pack(_Lines(lines, left_out))


def tab_item(thread: ThreadId, tab: Tab, version: int, packed: bytes, now_ms: int) -> Item:
    key = tab_key(thread, tab)
    return at(key) | {"version": version, "changedAt": now_ms, "content": packed}


def tab_of(item: Item) -> TabState | Snapshot:
    found = cast(Mapping[str, Any], item)
    tab, version = Tab(found["sk"].removeprefix("TAB#")), int(found["version"])
    if tab in _EDITED:
        return state_from(tab, version, found["content"])
    lines = _lines_of(found["content"])
    return Snapshot(
        tab=tab,
        version=version,
        lines=lines.lines,
        left_out=lines.left_out,
        changed_ms=int(found["changedAt"]),
    )


_EDITED = frozenset({Tab.BRIEF, Tab.MOODBOARD, Tab.SHOTLIST})


def log_item(thread: ThreadId, entry: LogEntry) -> Item:
    objects = () if entry.after is None else (entry.after,)
    left = content(TabState(tab=entry.tab, objects=objects))
    item = at(panel_log_key(thread, entry.tab, entry.made.version)) | {
        "by": entry.made.by,
        "at": entry.made.at_ms,
        "action": entry.action,
        "objectId": entry.object_id,
        "content": _pack(_Logged(entry.before, left)),
    }
    return item | {"reordered": True} if entry.reordered else item


def entry_of(item: Item) -> LogEntry:
    found = cast(Mapping[str, Any], item)
    _, tab, version = found["sk"].split("#")
    logged = _logged_of(found["content"])
    left = state_from(Tab(tab), int(version), logged.content).objects
    return LogEntry(
        tab=Tab(tab),
        action=found["action"],
        object_id=found["objectId"],
        made=Stamp(int(version), found["by"], int(found["at"])),
        before=logged.before,
        after=left[0] if left else None,
        reordered=found.get("reordered", False),
    )

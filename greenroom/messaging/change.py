"""Change a frame that is in the log: the frame, a note of it for whoever comes back, the head."""

from collections.abc import Callable
from typing import TypeAlias

from msgspec.structs import replace

from greenroom.messaging import access, items, rules
from greenroom.messaging.access import Side
from greenroom.messaging.append import append, preview_of
from greenroom.messaging.context import Messaging
from greenroom.messaging.events import Event
from greenroom.messaging.models import Frame, Thread
from greenroom.messaging.problems import VersionMismatch
from greenroom.messaging.records import KEPT_MS, MESSAGING, TTL, change_key
from greenroom.messaging.turns import Planned
from greenroom.store.base import Put
from greenroom.store.expressions import F
from greenroom.store.problems import ConditionFailed, Conflict
from greenroom.store.values import Value

Changed: TypeAlias = Callable[[Frame, int], Frame]
"""From the frame and the time; the very same frame where there is nothing to change."""

_TRIES = 12
"""Against other nodes."""


async def change_frame(
    messaging: Messaging,
    side: Side,
    frame: Frame,
    changed: Changed,
    told: Callable[[Frame], Event],
    *,
    version: int | None = None,
) -> Frame:
    """With a version: only if nobody has changed it since. Those who change one message at once do
    it one after the other, each on what the one before has made of it."""
    async with messaging.heads.changing.turn(frame.id) as waited:
        if waited:
            frame = await access.message(messaging, side, frame.id)
        return await _change(messaging, side, frame, changed, told, version)


async def _change(
    messaging: Messaging,
    side: Side,
    frame: Frame,
    changed: Changed,
    told: Callable[[Frame], Event],
    version: int | None,
) -> Frame:
    for _ in range(_TRIES):
        check_version(frame, version)
        now_ms = messaging.clock.now_ms()
        after = changed(frame, now_ms)
        if after is frame:
            return frame
        after = replace(after, version=frame.version + 1)
        try:
            await _write(messaging, side.thread, after, now_ms, told(after))
        except ConditionFailed:
            frame = await access.message(messaging, side, frame.id)
            continue
        return after
    raise Conflict


def check_version(frame: Frame, version: int | None) -> None:
    if version is not None and frame.version != version:
        raise VersionMismatch(frame.version)


async def _write(
    messaging: Messaging, thread: Thread, after: Frame, now_ms: int, event: Event
) -> None:
    about: dict[str, Value] = {
        "messageId": after.id,
        "ts": after.ms,
        "at": now_ms,
        TTL: (now_ms + KEPT_MS) // 1000,
    }
    changed = Put(MESSAGING, items.frame_item(after), F("version").equals(after.version - 1))

    def plan(head: Thread, _: int) -> Planned:
        key = change_key(thread.id, head.version + 1, after.id)
        note = Put(MESSAGING, items.at(key) | about)
        if head.last_seq == after.seq:
            head = replace(head, preview=preview_of(after))
        if head.gates:
            head = replace(head, gates=rules.with_preview(head, after.seq, preview_of(after)))
        return Planned(head, (changed, note), (event,))

    await append(messaging, thread.id, plan)

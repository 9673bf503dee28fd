"""Changes a message in the log: writes the message, a change note for sync, and the head."""

from collections.abc import Awaitable, Callable
from typing import TypeAlias

from msgspec.structs import replace

from greenroom.messaging import access, items, rules
from greenroom.messaging.access import ThreadView
from greenroom.messaging.context import Messaging
from greenroom.messaging.events import Event
from greenroom.messaging.models import Message, Thread
from greenroom.messaging.new_message import preview_of
from greenroom.messaging.plan import PlannedWrite
from greenroom.messaging.problems import VersionMismatch
from greenroom.messaging.records import MESSAGING, TTL, change_key
from greenroom.messaging.update_thread import update_thread
from greenroom.store.base import Op, Put
from greenroom.store.expressions import F
from greenroom.store.problems import ConditionFailed, Conflict
from greenroom.store.values import Value

Changed: TypeAlias = Callable[[Message, int], Message]
"""From the message and the time. Returns the same object where there is nothing to change."""

PublishAs: TypeAlias = Callable[[Message, Message], Event]
"""From the message after and before the change."""

AlsoWritten: TypeAlias = Callable[[Message], Awaitable[tuple[Op, ...]]]
"""From the message before the change: ops for the same transaction. Called again where one of them
was refused."""

_TRIES = 12
"""When other nodes write at the same time."""


async def change_message(
    messaging: Messaging,
    view: ThreadView,
    message: Message,
    changed: Changed,
    publish_as: PublishAs,
    *,
    version: int | None = None,
    also: AlsoWritten | None = None,
) -> Message:
    """With a version: only if the message still has it. Concurrent changes of one message are made
    one after the other, each on the result of the one before."""
    async with messaging.changing.hold(message.id) as has_waited:
        if has_waited:
            message = await access.message(messaging, view, message.id)
        return await _change(messaging, view, message, changed, publish_as, version, also)


async def _change(
    messaging: Messaging,
    view: ThreadView,
    message: Message,
    changed: Changed,
    publish_as: PublishAs,
    version: int | None,
    also: AlsoWritten | None,
) -> Message:
    for _ in range(_TRIES):
        check_version(message, version)
        now_ms = messaging.clock.now_ms()
        after = changed(message, now_ms)
        if after is message:
            return message
        after = replace(after, version=message.version + 1)
        ops = () if also is None else await also(message)
        try:
            await _write(messaging, view.thread, after, now_ms, publish_as(after, message), ops)
        except ConditionFailed:
            message = await access.message(messaging, view, message.id)
            continue
        return after
    raise Conflict


def check_version(message: Message, version: int | None) -> None:
    if version is not None and message.version != version:
        raise VersionMismatch(message.version)


def change_note(messaging: Messaging, head: Thread, after: Message, now_ms: int) -> Put:
    """Tells devices that come back of the change, which is written with this head."""
    about: dict[str, Value] = {
        "messageId": after.id,
        "ts": after.ms,
        "at": now_ms,
        TTL: (now_ms + messaging.sync_log_ms) // 1000,
    }
    key = change_key(head.id, head.version + 1, after.id)
    return Put(MESSAGING, items.at(key) | about)


async def _write(
    messaging: Messaging,
    thread: Thread,
    after: Message,
    now_ms: int,
    event: Event,
    ops: tuple[Op, ...],
) -> None:
    changed = Put(MESSAGING, items.message_item(after), F("version").equals(after.version - 1))

    def plan(head: Thread, _: int) -> PlannedWrite:
        note = change_note(messaging, head, after, now_ms)
        head = rules.with_preview(head, after.seq, preview_of(after))
        return PlannedWrite(head, (changed, note, *ops), (event,))

    await update_thread(messaging, thread.id, plan)

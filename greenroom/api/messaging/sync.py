"""The sync source `inbox`: conversations and messages that changed."""

from collections.abc import Iterator

from msgspec import Struct

from greenroom.api.messaging import shapes
from greenroom.api.messaging.shapes import Message, Thread
from greenroom.api.sync import Known, SourceChanges
from greenroom.clock import iso
from greenroom.ids import ThreadId, UserId
from greenroom.messaging import Messaging, sync as syncing
from greenroom.messaging.thread import ThreadDetails
from greenroom.people.actor import Actor
from greenroom.store.server_clock import SLACK_MS


class ThreadChanges(Struct, rename="camel"):
    """A conversation in which something changed, as it is now."""

    thread: Thread
    messages: list[Message]
    """New messages, and messages that have changed."""
    truncated: bool
    """There are more changes: load the conversation's messages again."""


class InboxChanges(Struct, rename="camel"):
    """What changed in the inbox."""

    threads: list[ThreadChanges]
    gone: list[ThreadId]


class InboxSource:
    def __init__(self, messaging: Messaging) -> None:
        self._messaging = messaging

    async def changes(
        self, actor: Actor, position: bytes | None, known: Known, room: int
    ) -> SourceChanges:
        found = await syncing.sync(self._messaging, actor, position, room=room)
        now_ms = self._messaging.clock.now_ms()
        threads = [_shape(changed, actor, now_ms) for changed in found.threads]
        replayed = dict(_may_be_under_way(threads, iso(now_ms - SLACK_MS)))
        for changes in threads:
            seq = known.seqs.get(changes.thread.thread_id, 0)
            changes.messages = [one for one in changes.messages if _is_new(one, seq, known)]
        changed = InboxChanges(threads, list(found.gone)) if threads or found.gone else None
        return SourceChanges(
            changes=changed,
            position=found.cursor,
            more=found.more,
            reset=found.reset,
            replayed=replayed,
        )

    def position_now(self, user: UserId, last: bytes | None, room: int) -> bytes:
        return syncing.cursor_now(self._messaging, last, room=room)


def _shape(changed: syncing.Changed, actor: Actor, now_ms: int) -> ThreadChanges:
    details = ThreadDetails(changed.view, changed.members)
    messages = shapes.messages(changed.messages, actor.user, details)
    return ThreadChanges(shapes.thread(details, now_ms), messages, changed.truncated)


def _may_be_under_way(threads: list[ThreadChanges], recent: str) -> Iterator[tuple[str, int]]:
    """Messages that changed just now, whose events may still arrive."""
    for changes in threads:
        for message in changes.messages:
            if message.version > 1 or message.created_at >= recent:
                yield message.message_id, message.version


def _is_new(message: Message, seq: int, known: Known) -> bool:
    if known.sent_live.get(message.message_id, 0) >= message.version:
        return False
    return message.seq > seq or message.version > 1

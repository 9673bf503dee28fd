"""Reads a thread for sync: the head and all members in one query, then its new messages.

Careful: the first read may be eventually consistent, at half the price. Nothing is delivered from
it alone, or a cursor could go back.
"""

import asyncio

from msgspec import Struct
from msgspec.structs import replace

from greenroom.ids import ThreadId
from greenroom.messaging import items, rules
from greenroom.messaging.access import ThreadView
from greenroom.messaging.context import Messaging
from greenroom.messaging.history import as_seen
from greenroom.messaging.known_threads import GONE, KnownThread
from greenroom.messaging.models import Member, Message, State, Thread
from greenroom.messaging.records import (
    HEAD_AND_MEMBERS,
    MESSAGING,
    changed_after,
    from_ms,
    just_after,
    message_key,
    thread_partition,
    up_to_end,
)
from greenroom.people.actor import Actor
from greenroom.store.expressions import Range
from greenroom.store.values import Item

MAX_MESSAGES = 100
_FIRST_MESSAGES = 10
_FIRST_NOTES = 20


class ThreadSnapshot(Struct, frozen=True):
    """A thread as a user may see it now."""

    view: ThreadView
    members: tuple[Member, ...]

    @property
    def version(self) -> int:
        return self.view.thread.version

    @property
    def latest_ms(self) -> int:
        """When anything of it that the user sees last changed."""
        members = (member.changed_ms for member in self.members)
        return max(self.view.thread.changed_ms, self.view.mine.changed_ms, *members)


async def read_snapshot(
    messaging: Messaging, actor: Actor, thread_id: ThreadId, *, consistent: bool
) -> ThreadSnapshot | None:
    """None where the user may not see the thread, or no longer."""
    page = await messaging.store.query_as(
        items.head_or_member_of,
        MESSAGING,
        thread_partition(thread_id),
        HEAD_AND_MEMBERS,
        limit=500,
        consistent=consistent,
    )
    heads = [found for found in page.items if isinstance(found, Thread)]
    members = {found.user: found for found in page.items if isinstance(found, Member)}
    mine = members.get(actor.user)
    if not heads or mine is None or mine.state is not State.ACTIVE:
        return None
    if not rules.has_access(heads[0], actor.user, messaging.clock.now_ms()):
        return None
    view = ThreadView(rules.as_shown(heads[0], actor.user), mine)
    shown = rules.shown_members(view.thread)
    return ThreadSnapshot(
        view, tuple([as_seen(view, one) for one in members.values() if one.user in shown])
    )


async def messages_of(
    messaging: Messaging, view: ThreadView, known: KnownThread | None, low_ms: int
) -> tuple[tuple[Message, ...], bool]:
    """What is new or changed since `known`, or else since a time, and whether there is more."""
    if known is not None and known.version == view.thread.version:
        return (), False
    if known is None and view.mine.accepted_ms > low_ms:
        low_ms = 0  # they see more now than before
    if known is not None and known.partial and rules.has_accepted(view.thread, view.mine.user):
        known = replace(known, seq=0)
    (new, more), (changed, further) = await asyncio.gather(
        _new(messaging, view, known, low_ms), _changed(messaging, view, known, low_ms)
    )
    messages = {
        message.seq: message
        for message in (*changed, *new)
        if rules.shows(view.thread, view.mine.user, message.seq)
    }
    return tuple(messages[seq] for seq in sorted(messages)), more or further


async def _new(
    messaging: Messaging, view: ThreadView, known: KnownThread | None, low_ms: int
) -> tuple[tuple[Message, ...], bool]:
    if not rules.has_accepted(view.thread, view.mine.user):
        found = await _of_request(messaging, view)
        after = 0 if known is None else known.seq
        return tuple(one for one in found if one.seq > after and one.sent_ms >= low_ms), False
    if known is None:
        return await _since(messaging, view, low_ms)
    count = view.thread.last_seq - max(known.seq, view.mine.joined_seq)
    return await _last(messaging, view, min(count, MAX_MESSAGES)), count > MAX_MESSAGES


async def _of_request(messaging: Messaging, view: ThreadView) -> tuple[Message, ...]:
    """The first few messages: all that a request shows."""
    first_ms = view.mine.joined_ms if view.mine.joined_seq else 0
    gate = view.thread.gates[view.mine.user]
    if gate.away is not None:
        first_ms = max(first_ms, gate.after_ms + 1)
    page = await messaging.store.query_as(
        items.message_of,
        MESSAGING,
        thread_partition(view.thread.id),
        Range(from_ms("MSG", first_ms), up_to_end("MSG")),
        limit=gate.size,
        consistent=True,
    )
    return page.items


async def _last(messaging: Messaging, view: ThreadView, count: int) -> tuple[Message, ...]:
    """The last messages up to this head, the newest first."""
    if count <= 0:
        return ()
    page = await messaging.store.query_as(
        items.message_of,
        MESSAGING,
        thread_partition(view.thread.id),
        Range(from_ms("MSG"), just_after("MSG", view.thread.last_ms)),
        limit=count,
        backward=True,
        consistent=True,
    )
    return page.items


async def _since(
    messaging: Messaging, view: ThreadView, low_ms: int
) -> tuple[tuple[Message, ...], bool]:
    there = view.thread.last_seq - view.mine.joined_seq
    found: tuple[Message, ...] = ()
    for count in (_FIRST_MESSAGES, MAX_MESSAGES):
        found = await _last(messaging, view, min(count, there))
        if len(found) < count or found[-1].sent_ms < low_ms:
            break
    new = tuple(message for message in found if message.sent_ms >= low_ms)
    return new, len(new) == MAX_MESSAGES < there


async def _changed(
    messaging: Messaging, view: ThreadView, known: KnownThread | None, low_ms: int
) -> tuple[tuple[Message, ...], bool]:
    if known == GONE:
        return (), False  # all of it is new
    notes, more = await _notes(messaging, view, known, low_ms)
    keys = [
        message_key(view.thread.id, note["messageId"], note["ts"])  # type: ignore[arg-type]
        for note in notes
    ]
    keys = list(dict.fromkeys(keys))
    found = await messaging.store.batch_get(MESSAGING, keys, consistent=True) if keys else {}
    return tuple(map(items.message_of, found.values())), more


async def _notes(
    messaging: Messaging, view: ThreadView, known: KnownThread | None, low_ms: int
) -> tuple[list[Item], bool]:
    """The notes of changed messages: by the head's version, or from the newest back to a time."""
    after = changed_after(0 if known is None else known.version)
    notes: list[Item] = []
    for limit in (_FIRST_NOTES, MAX_MESSAGES):
        page = await messaging.store.query(
            MESSAGING,
            thread_partition(view.thread.id),
            after,
            limit=limit,
            backward=True,
            consistent=True,
        )
        notes = [note for note in page.items if known is not None or _at(note) >= low_ms]
        if len(notes) < limit or not page.has_more:
            return notes, False
    return notes, True


def _at(note: Item) -> int:
    return int(str(note["at"]))

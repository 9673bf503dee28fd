"""Reads a thread for sync: the head and everybody in it in one query, then its new messages.

Careful: the first look may be eventually consistent, at half the price. Nothing is given by what it
shows alone, or a cursor would go back.
"""

import asyncio

from msgspec import Struct
from msgspec.structs import replace

from greenroom.ids import ThreadId
from greenroom.messaging import items, rules
from greenroom.messaging.access import Side
from greenroom.messaging.context import Messaging
from greenroom.messaging.given import GONE, Given
from greenroom.messaging.history import as_seen
from greenroom.messaging.models import Frame, Member, State, Thread
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

MAX_FRAMES = 100
_FIRST_FRAMES = 10
_FIRST_NOTES = 20


class Seen(Struct, frozen=True):
    """A thread as a user may see it now."""

    side: Side
    members: tuple[Member, ...]

    @property
    def version(self) -> int:
        return self.side.thread.version

    @property
    def latest_ms(self) -> int:
        """When anything of it that the user sees was last changed."""
        members = (member.changed_ms for member in self.members)
        return max(self.side.thread.changed_ms, self.side.mine.changed_ms, *members)


async def look(
    messaging: Messaging, actor: Actor, thread_id: ThreadId, *, consistent: bool
) -> Seen | None:
    """None where the thread is not the user's to see, or no longer."""
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
    if not rules.is_let_in(heads[0], actor.user, messaging.clock.now_ms()):
        return None
    side = Side(rules.as_shown(heads[0], actor.user), mine)
    shown = rules.shown_seats(side.thread)
    return Seen(side, tuple([as_seen(side, one) for one in members.values() if one.user in shown]))


async def frames_of(
    messaging: Messaging, side: Side, known: Given | None, low_ms: int
) -> tuple[tuple[Frame, ...], bool]:
    """What is new or changed since the user was given what is known, or else since a time; and
    whether there is more of it than this."""
    if known is not None and known.version == side.thread.version:
        return (), False
    if known is None and side.mine.accepted_ms > low_ms:
        low_ms = 0  # they see now what they did not before
    if known is not None and known.partial and rules.has_accepted(side.thread, side.mine.user):
        known = replace(known, seq=0)
    (new, more), (changed, further) = await asyncio.gather(
        _new(messaging, side, known, low_ms), _changed(messaging, side, known, low_ms)
    )
    frames = {
        frame.seq: frame
        for frame in (*changed, *new)
        if rules.shows(side.thread, side.mine.user, frame.seq)
    }
    return tuple(frames[seq] for seq in sorted(frames)), more or further


async def _new(
    messaging: Messaging, side: Side, known: Given | None, low_ms: int
) -> tuple[tuple[Frame, ...], bool]:
    if not rules.has_accepted(side.thread, side.mine.user):
        found = await _of_request(messaging, side)
        after = 0 if known is None else known.seq
        return tuple(one for one in found if one.seq > after and one.sent_ms >= low_ms), False
    if known is None:
        return await _since(messaging, side, low_ms)
    count = side.thread.last_seq - max(known.seq, side.mine.joined_seq)
    return await _last(messaging, side, min(count, MAX_FRAMES)), count > MAX_FRAMES


async def _of_request(messaging: Messaging, side: Side) -> tuple[Frame, ...]:
    """The first few frames: all that a request shows."""
    first_ms = side.mine.joined_ms if side.mine.joined_seq else 0
    gate = side.thread.gates[side.mine.user]
    if gate.away is not None:
        first_ms = max(first_ms, gate.after_ms + 1)
    page = await messaging.store.query_as(
        items.frame_of,
        MESSAGING,
        thread_partition(side.thread.id),
        Range(from_ms("MSG", first_ms), up_to_end("MSG")),
        limit=rules.PENDING_MESSAGES,
        consistent=True,
    )
    return page.items


async def _last(messaging: Messaging, side: Side, count: int) -> tuple[Frame, ...]:
    """The last frames that this head knows of, the newest first."""
    if count <= 0:
        return ()
    page = await messaging.store.query_as(
        items.frame_of,
        MESSAGING,
        thread_partition(side.thread.id),
        Range(from_ms("MSG"), just_after("MSG", side.thread.last_ms)),
        limit=count,
        backward=True,
        consistent=True,
    )
    return page.items


async def _since(messaging: Messaging, side: Side, low_ms: int) -> tuple[tuple[Frame, ...], bool]:
    there = side.thread.last_seq - side.mine.joined_seq
    found: tuple[Frame, ...] = ()
    for count in (_FIRST_FRAMES, MAX_FRAMES):
        found = await _last(messaging, side, min(count, there))
        if len(found) < count or found[-1].sent_ms < low_ms:
            break
    new = tuple(frame for frame in found if frame.sent_ms >= low_ms)
    return new, len(new) == MAX_FRAMES < there


async def _changed(
    messaging: Messaging, side: Side, known: Given | None, low_ms: int
) -> tuple[tuple[Frame, ...], bool]:
    if known == GONE:
        return (), False  # all of it is new
    notes, more = await _notes(messaging, side, known, low_ms)
    keys = [
        message_key(side.thread.id, note["messageId"], note["ts"])  # type: ignore[arg-type]
        for note in notes
    ]
    keys = list(dict.fromkeys(keys))
    found = await messaging.store.batch_get(MESSAGING, keys, consistent=True) if keys else {}
    return tuple(map(items.frame_of, found.values())), more


async def _notes(
    messaging: Messaging, side: Side, known: Given | None, low_ms: int
) -> tuple[list[Item], bool]:
    """Of changed frames: by the version of the head, or from the newest back to a time."""
    after = changed_after(0 if known is None else known.version)
    notes: list[Item] = []
    for limit in (_FIRST_NOTES, MAX_FRAMES):
        page = await messaging.store.query(
            MESSAGING,
            thread_partition(side.thread.id),
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

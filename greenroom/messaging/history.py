"""Reads a thread's log page by page, in both directions or around a message, and who has seen what.

Pages are in seq order, whichever way they were read. A message's id contains its time, which leads
to its key, so no page is counted from the start.
"""

import asyncio
from bisect import bisect_left
from collections.abc import Coroutine, Iterable
from typing import Any, TypeVar

from msgspec import Struct
from msgspec.structs import replace

from greenroom.ids import MessageId, ThreadId, UserId, time_of
from greenroom.messaging import access, items, rules
from greenroom.messaging.access import ThreadView
from greenroom.messaging.context import Messaging
from greenroom.messaging.find_by_seq import find_by_seq
from greenroom.messaging.models import Away, Member, Message, Thread
from greenroom.messaging.problems import MessageNotFound
from greenroom.messaging.records import (
    MEMBERS,
    MESSAGING,
    from_ms,
    just_after,
    thread_partition,
    up_to_end,
)
from greenroom.people.actor import Actor
from greenroom.store.base import PageOf
from greenroom.store.expressions import Range

PAGE = 50
MAX_PAGE = 100
_One = TypeVar("_One")
_Other = TypeVar("_Other")
_FIRST, _LAST = from_ms("MSG"), up_to_end("MSG")


class History(Struct, frozen=True):
    messages: tuple[Message, ...]
    has_before: bool
    has_after: bool
    view: ThreadView
    members: tuple[Member, ...]


async def history(
    messaging: Messaging,
    actor: Actor,
    thread_id: ThreadId,
    *,
    before: MessageId | None = None,
    after: MessageId | None = None,
    around: MessageId | None = None,
    around_seq: int | None = None,
    limit: int = PAGE,
) -> History:
    """The newest messages, or those next to the given one (including it, for `around`)."""
    view = await access.thread(messaging, actor, thread_id)
    limit = max(1, min(limit, MAX_PAGE))
    if not rules.has_accepted(view.thread, actor.user):
        return await _request(messaging, view, before, after)
    if around_seq is not None:
        around = await find_by_seq(messaging, view, around_seq)
    if around is not None:
        half = limit // 2
        (older, more), (newer, further), people = await asyncio.gather(
            _older(messaging, view, _key_next_to(around, after=True), half + 1),
            _newer(messaging, view, _key_next_to(around, after=True), limit - half - 1),
            members(messaging, view),
        )
        return History((*older, *newer), more, further, view, people)
    if after is not None:
        (messages, further), people = await _both(
            messaging,
            _newer(messaging, view, _key_next_to(after, after=True), limit),
            members(messaging, view),
        )
        return History(messages, True, further, view, people)
    high = _LAST if before is None else _key_next_to(before, after=False)
    (messages, more), people = await _both(
        messaging, _older(messaging, view, high, limit), members(messaging, view)
    )
    return History(messages, more, before is not None, view, people)


async def _both(
    messaging: Messaging, one: Coroutine[Any, Any, _One], other: Coroutine[Any, Any, _Other]
) -> tuple[_One, _Other]:
    """Concurrently where the store is remote."""
    if not messaging.store.is_local:
        found = await asyncio.gather(one, other)
        return found[0], found[1]
    try:
        return await one, await other
    finally:
        other.close()  # where the first one failed


async def _request(
    messaging: Messaging, view: ThreadView, before: MessageId | None, after: MessageId | None
) -> History:
    """What a request shows: its first few messages."""
    (found, _), people = await _both(
        messaging,
        _newer(messaging, view, _FIRST, view.thread.gates[view.mine.user].size),
        members(messaging, view),
    )
    low = "" if after is None else _key_next_to(after, after=True)
    high = _LAST if before is None else _key_next_to(before, after=False)
    messages = tuple(
        message
        for message in found
        if message.seq <= view.thread.last_seq and low <= from_ms("MSG", message.ms) < high
    )
    return History(messages, after is not None, before is not None, view, people)


async def members(
    messaging: Messaging, view: ThreadView, *, consistent: bool = False
) -> tuple[Member, ...]:
    """The members, with as much of their cursors as the viewer may see."""
    page = await messaging.store.query_as(
        items.member_of,
        MESSAGING,
        thread_partition(view.thread.id),
        MEMBERS,
        limit=500,
        consistent=consistent,
    )
    shown = rules.shown_members(view.thread)
    return tuple([as_seen(view, member) for member in page.items if member.user in shown])


def as_seen(view: ThreadView, member: Member) -> Member:
    """Without the mutes, pins and drafts of others, and across a gate without their receipts."""
    if member.user == view.mine.user:
        read = rules.read_of(view.thread, member)
        return replace(member, read_seq=read, delivered_seq=max(read, member.delivered_seq))
    gate = view.thread.gates.get(member.user)
    if gate is not None and gate.away is not None:
        member = _as_before(member, gate.away)
        shows = rules.has_accepted(view.thread, view.mine.user)
    else:
        shows = rules.sees_receipts(view.thread, view.mine.user, member.user)
    read = rules.read_of(view.thread, member) if shows else 0
    return Member(
        thread=member.thread,
        user=member.user,
        role=member.role,
        service_role=member.service_role,
        read_seq=read,
        read_ms=member.read_ms if shows else 0,
        delivered_seq=max(read, member.delivered_seq) if shows else 0,
        changed_ms=member.changed_ms if shows else 0,
    )


def _as_before(member: Member, away: Away) -> Member:
    """With the receipts from before they left."""
    return replace(
        member,
        read_seq=away.read_seq,
        read_ms=away.read_ms,
        delivered_seq=away.delivered_seq,
        changed_ms=away.changed_ms,
    )


class Seen:
    """Who has seen which message. Most messages of a page were seen by the same people."""

    def __init__(self, thread: Thread, people: Iterable[Member]) -> None:
        self._thread = thread
        self._read = [(member.user, rules.read_of(thread, member)) for member in people]
        self._ends = sorted({read for _, read in self._read} | _visibility_changes(thread))
        self._known: dict[tuple[UserId, int], tuple[UserId, ...]] = {}

    def by(self, message: Message) -> tuple[UserId, ...]:
        author, seq = message.author, message.seq
        same = author, bisect_left(self._ends, seq)
        seen = self._known.get(same)
        if seen is None:
            seen = tuple(
                [
                    user
                    for user, read in self._read
                    if read >= seq and user != author and rules.reached(self._thread, user, seq)
                ]
            )
            self._known[same] = seen
        return seen


def _visibility_changes(thread: Thread) -> set[int]:
    """The seqs at which somebody joined, left or returned: there `rules.got` changes."""
    points = {member.joined for member in thread.members.values()}
    for member in thread.members.values():
        points |= {seq for run in member.missed for seq in (run.after, run.until)}
    for gate in thread.gates.values():
        if gate.away is not None:
            points |= {gate.away.seq, gate.after_seq}
    return points


def _key_next_to(message_id: MessageId, *, after: bool) -> str:
    """The key right before or after a message: no two of a thread have the same time."""
    ms = time_of(message_id)
    if ms is None or not message_id.startswith("msg_"):
        raise MessageNotFound
    return just_after("MSG", ms) if after else from_ms("MSG", ms)


async def _older(
    messaging: Messaging, view: ThreadView, high: str, limit: int
) -> tuple[tuple[Message, ...], bool]:
    found: tuple[Message, ...] = ()
    parts = _parts(view, _low(view), high)
    while parts and len(found) < limit:
        part = parts.pop()
        page = await _page(messaging, view, part, limit - len(found), backward=True)
        found = page.items[::-1] + found
        if page.has_more:
            return found, True
    return found, bool(parts)


async def _newer(
    messaging: Messaging, view: ThreadView, low: str, limit: int
) -> tuple[tuple[Message, ...], bool]:
    found: tuple[Message, ...] = ()
    parts = _parts(view, max(low, _low(view)), _LAST) if limit > 0 else []
    while parts and len(found) < limit:
        part = parts.pop(0)
        page = await _page(messaging, view, part, limit - len(found))
        found += page.items
        if page.has_more:
            return found, True
    return found, bool(parts)


async def _page(
    messaging: Messaging, view: ThreadView, part: Range, limit: int, *, backward: bool = False
) -> PageOf[Message]:
    return await messaging.store.query_as(
        items.message_of,
        MESSAGING,
        thread_partition(view.thread.id),
        part,
        limit=limit,
        backward=backward,
        consistent=True,
    )


def _parts(view: ThreadView, low: str, high: str) -> list[Range]:
    """The ranges between the two keys that reached the viewer, in order: one, unless the viewer was
    away in between."""
    member = view.thread.members.get(view.mine.user)
    parts: list[Range] = []
    for run in () if member is None else member.missed:
        end = just_after("MSG", run.after_ms) if run.after else _FIRST
        if low < min(end, high):
            parts.append(Range(low, min(end, high)))
        low = max(low, just_after("MSG", run.until_ms))
    if low <= high:
        parts.append(Range(low, high))
    return parts


def _low(view: ThreadView) -> str:
    gate = view.thread.gates.get(view.mine.user)
    if gate is not None and gate.away is not None:
        return just_after("MSG", gate.after_ms) if gate.after_seq else _FIRST
    return from_ms("MSG", view.mine.joined_ms) if view.mine.joined_seq else _FIRST

"""Reads everything that changed for a user since a cursor: state before + sync == state after.

Changes are found in three bounded places: rows that were lately put into the active index or the
requests, and the user's log, which lists the threads that have left the active index since or are
gone. One query reads the head and all members of each thread; messages are read only where that
differs from what the client knows.

The cursor is a server time. Reading begins `SLACK_MS` before it, so that it misses neither a write
that was under way, nor one of a clock that is a little behind, nor an event that the bus lost. The
cursor remembers what it has delivered within that time (`known_threads.py`), so that nothing comes
twice. Careful: times are comparable only while the server's clock goes forward. When it is set back
its `epoch` changes, and a cursor of an earlier epoch starts over.
"""

import asyncio
from functools import partial

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from greenroom.ids import ThreadId, UserId
from greenroom.messaging import rules
from greenroom.messaging.access import ThreadView
from greenroom.messaging.context import Messaging
from greenroom.messaging.deactivate import remove_expired_request
from greenroom.messaging.inbox_rows import LAG_MS
from greenroom.messaging.known_threads import GONE, MOST, KnownThread, KnownThreads, known_thread
from greenroom.messaging.models import Folder, Member, Message
from greenroom.messaging.records import (
    ACTIVE,
    INBOX,
    MESSAGING,
    active_since,
    inbox_key,
    since,
    thread_in,
    user_partition,
)
from greenroom.messaging.thread_metadata import with_metadata
from greenroom.messaging.thread_snapshot import ThreadSnapshot, messages_of, read_snapshot
from greenroom.people.actor import Actor
from greenroom.store.base import Page
from greenroom.store.cursors import MAX_SEALED_BYTES
from greenroom.store.server_clock import SLACK_MS, SURE_MS

PAGE = 20
_NUMBERS_BYTES = 80
"""The most that a cursor has beside what it remembers and its position in the store."""
_SOURCES = (Folder.REQUESTS.value, ACTIVE, "log")
"""In the direction in which rows move during a sync: from the requests to the active index, to its
end, and from there to the log. So no row is missed."""


class Changed(Struct, frozen=True):
    """A changed thread, as it is now."""

    view: ThreadView
    members: tuple[Member, ...]
    messages: tuple[Message, ...]
    """New, or changed since."""
    truncated: bool
    """There are more: read the thread's history again."""


class Synced(Struct, frozen=True, kw_only=True):
    threads: tuple[Changed, ...] = ()
    gone: tuple[ThreadId, ...] = ()
    cursor: bytes
    more: bool = False
    """Call again with the cursor at once."""
    reset: bool = False
    """Start over from the inbox; the cursor is valid from here on."""


class _SyncCursor(Struct, frozen=True, kw_only=True):
    epoch: int
    """The epoch of the clock of its times."""
    since_ms: int
    until_ms: int = 0
    step: int = 0
    cursor: str | None = None
    known: KnownThreads
    """What the client knew when this round began."""
    delivered: KnownThreads
    """What was delivered in this round."""
    ends_ms: int = 0
    """When the next request expires, which writes nothing; 0 where all of them have to be read to
    know."""
    next_ends_ms: int = 0
    """The same, for what this round has read so far."""
    kept_ms: int
    """How long log entries were kept when the cursor was made: a policy that keeps them longer does
    not bring back those that have expired."""

    @property
    def low_ms(self) -> int:
        return self.since_ms - SLACK_MS


class _Compared(Struct, frozen=True):
    thread: ThreadId
    changed: Changed | None = None
    gone: bool = False
    remembers: KnownThread | None = None
    """What the cursor must remember."""
    ends_ms: int | None = None
    """When the request to the user expires."""


async def sync(
    messaging: Messaging, actor: Actor, cursor: bytes | None = None, *, room: int = MAX_SEALED_BYTES
) -> Synced:
    """A page of changes since the cursor. The cursor in the answer has at most `room` bytes."""
    now_ms = messaging.clock.now_ms()
    position = None if cursor is None else _decoded(cursor)
    if position is None or not _is_valid(messaging, position, now_ms):
        return await _start_over(messaging, actor, now_ms, room)
    position = position if position.until_ms else _begin_round(messaging, position, now_ms)
    threads, at = await _candidates(messaging, actor.user, position, PAGE)
    found = await asyncio.gather(
        *(_compared(messaging, actor, thread, position) for thread in threads)
    )
    for one in found:
        if one.remembers is not None:
            position.delivered.keep(one.thread, one.remembers)
    ends_ms = min(
        [position.next_ends_ms, *(one.ends_ms for one in found if one.ends_ms is not None)]
    )
    more = at.step < len(_SOURCES)
    if more:
        goes_on = replace(at, next_ends_ms=ends_ms)
    else:
        goes_on = _new_cursor(messaging, position.until_ms, position.delivered, ends_ms)
    return Synced(
        threads=tuple(one.changed for one in found if one.changed is not None),
        gone=tuple(one.thread for one in found if one.gone),
        cursor=_encoded(goes_on, room),
        more=more,
    )


def cursor_now(
    messaging: Messaging, last: bytes | None = None, *, room: int = MAX_SEALED_BYTES
) -> bytes:
    """For a client that has everything up to now. It still knows what the last cursor remembers."""
    known, ends_ms = KnownThreads(), 0
    before = None if last is None else _decoded(last)
    if before is not None:
        known, ends_ms = before.known.joined(before.delivered), before.ends_ms
    return _encoded(_new_cursor(messaging, messaging.clock.now_ms(), known, ends_ms), room)


def _new_cursor(
    messaging: Messaging, since_ms: int, known: KnownThreads, ends_ms: int = 0
) -> _SyncCursor:
    return _SyncCursor(
        epoch=messaging.clock.epoch,
        since_ms=since_ms,
        known=known,
        delivered=KnownThreads(),
        ends_ms=ends_ms,
        kept_ms=messaging.sync_log_ms,
    )


def _begin_round(messaging: Messaging, position: _SyncCursor, now_ms: int) -> _SyncCursor:
    """A later request expires no earlier than `request_ms` from now."""
    ends_ms = 0 if position.ends_ms <= now_ms else position.ends_ms
    first_ms = min(ends_ms or now_ms + messaging.request_ms, now_ms + messaging.request_ms)
    return replace(position, until_ms=now_ms, ends_ms=ends_ms, next_ends_ms=first_ms)


def _is_valid(messaging: Messaging, position: _SyncCursor, now_ms: int) -> bool:
    if position.epoch != messaging.clock.epoch:
        return False
    return (
        -SLACK_MS
        <= now_ms - position.since_ms
        <= min(position.kept_ms, messaging.sync_log_ms) - SLACK_MS
    )


async def _start_over(messaging: Messaging, actor: Actor, now_ms: int, room: int) -> Synced:
    """The client reads its inbox after this, and so will know the current state. Changes younger
    than `SURE_MS` may be missing from what it reads, and do not count as known."""
    position = _new_cursor(messaging, now_ms, KnownThreads())
    threads, _ = await _candidates(messaging, actor.user, position, MOST)
    seen = await asyncio.gather(
        *(read_snapshot(messaging, actor, thread, consistent=False) for thread in threads)
    )
    for thread, one in zip(threads, seen, strict=True):
        if one is None:
            position.known.keep(thread, GONE)
        elif now_ms - SLACK_MS <= one.latest_ms <= now_ms - SURE_MS:
            position.known.keep(thread, known_thread(one.view, one.members))
    return Synced(cursor=_encoded(position, room), reset=True)


async def _candidates(
    messaging: Messaging, user: UserId, position: _SyncCursor, most: int
) -> tuple[list[ThreadId], _SyncCursor]:
    """Threads that may have changed, and the position to go on from."""
    found: dict[ThreadId, None] = {}
    at = position
    while at.step < len(_SOURCES) and len(found) < most:
        page = await _page(messaging, user, at)
        found |= dict.fromkeys(_thread_of(item) for item in page.items)
        at = _next(at, page.next)
    return list(found), at


async def _page(messaging: Messaging, user: UserId, position: _SyncCursor) -> Page:
    kind = _SOURCES[position.step]
    if kind == "log":
        return await messaging.store.query(
            MESSAGING,
            user_partition(user),
            since("LOG", max(0, position.low_ms)),
            limit=PAGE,
            cursor=position.cursor,
        )
    return await messaging.store.query(
        MESSAGING,
        inbox_key(user, kind),
        None if _reads_all(position) else active_since(position.low_ms - LAG_MS),
        index=INBOX,
        limit=PAGE,
        cursor=position.cursor,
    )


def _reads_all(position: _SyncCursor) -> bool:
    """All requests, because one of them may have expired."""
    return (
        _SOURCES[position.step] == Folder.REQUESTS
        and position.until_ms > 0
        and position.ends_ms == 0
    )


def _next(position: _SyncCursor, cursor: str | None) -> _SyncCursor:
    if cursor is not None:
        return replace(position, cursor=cursor)
    return replace(position, cursor=None, step=position.step + 1)


def _thread_of(item: object) -> ThreadId:
    assert isinstance(item, dict)
    return ThreadId(str(item.get("threadId") or thread_in(item["pk"])))


async def _compared(
    messaging: Messaging, actor: Actor, thread: ThreadId, position: _SyncCursor
) -> _Compared:
    """Compares the thread with what the client knows."""
    known = position.delivered.get(thread) or position.known.get(thread)
    seen = await read_snapshot(messaging, actor, thread, consistent=False)
    if not _is_unchanged(seen, known, position.low_ms):
        seen = await read_snapshot(messaging, actor, thread, consistent=True)
        if seen is None:
            messaging.deferred.add(partial(remove_expired_request, messaging, actor.user, thread))
            return _Compared(thread, gone=known != GONE, remembers=GONE)
        if not _is_unchanged(seen, known, position.low_ms):
            return await _changed(messaging, actor, seen, known, position)
    return _Compared(thread, remembers=_remembered(seen, known, position), ends_ms=_ends_ms(seen))


async def _changed(
    messaging: Messaging,
    actor: Actor,
    seen: ThreadSnapshot,
    known: KnownThread | None,
    position: _SyncCursor,
) -> _Compared:
    thread, ends_ms = seen.view.thread, _ends_ms(seen)
    if rules.is_empty_request(thread, actor.user):
        return _Compared(thread.id, remembers=_remembered(seen, known, position), ends_ms=ends_ms)
    now = known_thread(seen.view, seen.members)
    remembers = _remembered(seen, now, position)
    messages, truncated = await messages_of(messaging, seen.view, known, position.low_ms)
    if known is not None and now.digest == known.digest and not messages:
        return _Compared(thread.id, remembers=remembers, ends_ms=ends_ms)
    [view] = await with_metadata(messaging, [seen.view])
    changed = Changed(view, seen.members, messages, truncated)
    return _Compared(thread.id, changed, remembers=remembers, ends_ms=ends_ms)


def _ends_ms(seen: ThreadSnapshot | None) -> int | None:
    gate = None if seen is None else seen.view.thread.gates.get(seen.view.mine.user)
    return None if gate is None else gate.expires_ms


def _is_unchanged(seen: ThreadSnapshot | None, known: KnownThread | None, low_ms: int) -> bool:
    if seen is None:
        return known == GONE
    if known is None:
        return seen.latest_ms <= low_ms
    return known_thread(seen.view, seen.members) == known


def _remembered(
    seen: ThreadSnapshot | None, known: KnownThread | None, position: _SyncCursor
) -> KnownThread | None:
    """Nothing where the thread is older than the slack of the next cursor."""
    if seen is not None and seen.latest_ms <= position.until_ms - SLACK_MS:
        return None
    return known


class _Encoded(Struct, frozen=True, array_like=True):
    epoch: int
    since_ms: int
    until_ms: int
    step: int
    cursor: str | None
    known: bytes
    delivered: bytes
    ends_ms: int
    next_ends_ms: int
    kept_ms: int


def _encoded(position: _SyncCursor, most_bytes: int) -> bytes:
    numbers = (position.epoch, position.since_ms, position.until_ms, position.step)
    room = most_bytes - _NUMBERS_BYTES - len(position.cursor or "")
    delivered = position.delivered.encoded(room)
    encoded = _Encoded(
        *numbers,
        position.cursor,
        position.known.encoded(room - len(delivered), without=position.delivered),
        delivered,
        position.ends_ms,
        position.next_ends_ms,
        position.kept_ms,
    )
    return msgspec.msgpack.encode(encoded)


def _decoded(cursor: bytes) -> _SyncCursor | None:
    """None for a cursor of an older format."""
    try:
        found = msgspec.msgpack.decode(cursor, type=_Encoded)
    except msgspec.MsgspecError:
        return None
    return _SyncCursor(
        epoch=found.epoch,
        since_ms=found.since_ms,
        until_ms=found.until_ms,
        step=found.step,
        cursor=found.cursor,
        known=KnownThreads.decoded(found.known),
        delivered=KnownThreads.decoded(found.delivered),
        ends_ms=found.ends_ms,
        next_ends_ms=found.next_ends_ms,
        kept_ms=found.kept_ms,
    )

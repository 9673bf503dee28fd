"""Everything that changed for a user since a cursor: state before + sync == state after.

What has changed is found in three bounded places: the rows that were lately put on the fresh shelf,
or on that of the requests, and the user's log, which names the threads that have left the shelf
since, and those that are gone. One query reads the head of each and everybody in it; only where
that differs from what the user was given are messages read.

The cursor is a server time; reading begins `SLACK_MS` before it, so that neither a write that was
under way nor a clock that is a little behind is missed, nor an event that a dead bus has lost. It
remembers what it has given within that time (`given.py`), so that nothing comes twice. Careful:
times are comparable only while the server's clock goes forward; after it was set back its `epoch`
is another, and a cursor of an earlier one starts over.
"""

import asyncio
from functools import partial

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from greenroom.ids import NoticeId, ThreadId, UserId
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
    KEPT_MS,
    MESSAGING,
    active_since,
    inbox_key,
    since,
    thread_in,
    user_partition,
)
from greenroom.messaging.thread_metadata import with_metadata
from greenroom.messaging.thread_snapshot import Seen, messages_of, read_snapshot
from greenroom.people.actor import Actor
from greenroom.safety.models import ModerationNotice
from greenroom.safety.notices import NoticeChanges, notices_since
from greenroom.store.base import Page
from greenroom.store.cursors import MAX_SEALED_BYTES

SLACK_MS = 60_000
"""More than all that can be late at once: a write that is tried again, a clock that is behind."""
SURE_MS = 5000
"""What is older than this every later read shows, also one that is eventually consistent."""
PAGE = 20
_NUMBERS_BYTES = 80
"""What a sealed cursor has beside its memories and the place in the store, at most."""
_PLACES = (Folder.REQUESTS.value, ACTIVE, "log")
"""In the direction in which rows move while somebody reads: from the requests to the fresh shelf,
there to its end, and from there to the log. So none is passed by unseen."""
_NOTICES = len(_PLACES)
"""The step after those: moderation's notices, a page of them with each call."""


class Changed(Struct, frozen=True):
    """A thread of which something changed, as it is now."""

    view: ThreadView
    members: tuple[Member, ...]
    messages: tuple[Message, ...]
    """New, or changed since."""
    truncated: bool
    """There are more: read the thread's history again."""


class Synced(Struct, frozen=True, kw_only=True):
    threads: tuple[Changed, ...] = ()
    gone: tuple[ThreadId, ...] = ()
    notices: tuple[ModerationNotice, ...] = ()
    """What moderation has told the user since, and is not acknowledged; after the threads."""
    acknowledged: tuple[NoticeId, ...] = ()
    """The notices that the user has acknowledged since; after the threads."""
    cursor: str
    more: bool = False
    """Call again with the cursor at once."""
    reset: bool = False
    """Start over from the inbox; the cursor holds from here on."""


class _SyncCursor(Struct, frozen=True, kw_only=True):
    epoch: int
    """Of the clock that the times are by."""
    since_ms: int
    until_ms: int = 0
    step: int = 0
    cursor: str | None = None
    known: KnownThreads
    """What had been given when this round began."""
    met: KnownThreads
    """What has been given in it."""
    ends_ms: int = 0
    """When the next request runs out, which nothing is written for; 0 where all of them have to be
    looked at to know."""
    next_ends_ms: int = 0
    """The same, as far as this round has seen."""

    @property
    def low_ms(self) -> int:
        return self.since_ms - SLACK_MS


class _Compared(Struct, frozen=True):
    thread: ThreadId
    changed: Changed | None = None
    gone: bool = False
    keeps: KnownThread | None = None
    """What the cursor has to remember."""
    ends_ms: int | None = None
    """When the request to the user runs out."""


async def sync(messaging: Messaging, actor: Actor, cursor: str | None = None) -> Synced:
    now_ms = messaging.clock.now_ms()
    place = None if cursor is None else _unsealed(messaging, actor.user, cursor)
    if place is None or not _holds(messaging, place, now_ms):
        return await _start_over(messaging, actor, now_ms)
    place = place if place.until_ms else _begun(messaging, place, now_ms)
    threads, at = await _candidates(messaging, actor.user, place, PAGE)
    found = await asyncio.gather(
        *(_compared(messaging, actor, thread, place) for thread in threads)
    )
    for one in found:
        if one.keeps is not None:
            place.met.keep(one.thread, one.keeps)
    ends_ms = min([place.next_ends_ms, *(one.ends_ms for one in found if one.ends_ms is not None)])
    notices = NoticeChanges()
    cursor, more = at.cursor, True
    if at.step == _NOTICES:
        notices = await _notices(messaging, actor.user, at)
        cursor, more = notices.next, notices.next is not None
    if more:
        goes_on = replace(at, cursor=cursor, next_ends_ms=ends_ms)
    else:
        goes_on = _beginning(messaging, place.until_ms, place.met, ends_ms)
    return Synced(
        threads=tuple(one.changed for one in found if one.changed is not None),
        gone=tuple(one.thread for one in found if one.gone),
        notices=notices.created,
        acknowledged=tuple(one.id for one in notices.acknowledged),
        cursor=_sealed(messaging, actor.user, goes_on),
        more=more,
    )


async def _notices(messaging: Messaging, user: UserId, place: _SyncCursor) -> NoticeChanges:
    """A page of those that were not given yet, and where to go on."""
    page = await notices_since(messaging.safety, user, place.low_ms, place.cursor)
    new = [one for one in page.created if _is_new(place, one.id, one.at_ms)]
    noted = [one for one in page.acknowledged if _is_new(place, f"noted:{one.id}", one.at_ms)]
    return NoticeChanges(tuple(new), tuple(noted), page.next)


def _is_new(place: _SyncCursor, name: str, at_ms: int) -> bool:
    """Whether it was not given yet. The cursor remembers what the next round would read again, as
    it does threads, by their id."""
    if at_ms >= place.until_ms - SLACK_MS:
        place.met.keep(ThreadId(name), GONE)
    return place.known.get(ThreadId(name)) is None


def cursor_now(messaging: Messaging, user: UserId, last: str | None = None) -> str:
    """For a client that has everything up to now. What the last cursor remembers it still has."""
    known, ends_ms = KnownThreads(), 0
    if last is not None:
        before = _unsealed(messaging, user, last)
        known, ends_ms = before.known.joined(before.met), before.ends_ms
    now_ms = messaging.clock.now_ms()
    return _sealed(messaging, user, _beginning(messaging, now_ms, known, ends_ms))


def _beginning(
    messaging: Messaging, since_ms: int, known: KnownThreads, ends_ms: int = 0
) -> _SyncCursor:
    return _SyncCursor(
        epoch=messaging.clock.epoch,
        since_ms=since_ms,
        known=known,
        met=KnownThreads(),
        ends_ms=ends_ms,
    )


def _begun(messaging: Messaging, place: _SyncCursor, now_ms: int) -> _SyncCursor:
    """A request that comes from now on runs out no earlier than its time from now."""
    ends_ms = 0 if place.ends_ms <= now_ms else place.ends_ms
    first_ms = min(ends_ms or now_ms + messaging.request_ms, now_ms + messaging.request_ms)
    return replace(place, until_ms=now_ms, ends_ms=ends_ms, next_ends_ms=first_ms)


def _holds(messaging: Messaging, place: _SyncCursor, now_ms: int) -> bool:
    if place.epoch != messaging.clock.epoch:
        return False
    return -SLACK_MS <= now_ms - place.since_ms <= KEPT_MS - SLACK_MS


async def _start_over(messaging: Messaging, actor: Actor, now_ms: int) -> Synced:
    """The client reads its inbox after this, and so will have what is there now. What is younger
    than `SURE_MS` may be missing from what it reads, and is not taken for given."""
    place = _beginning(messaging, now_ms, KnownThreads())
    threads, _ = await _candidates(messaging, actor.user, place, MOST)
    seen = await asyncio.gather(
        *(read_snapshot(messaging, actor, thread, consistent=False) for thread in threads)
    )
    for thread, one in zip(threads, seen, strict=True):
        if one is None:
            place.known.keep(thread, GONE)
        elif now_ms - SLACK_MS <= one.latest_ms <= now_ms - SURE_MS:
            place.known.keep(thread, known_thread(one.view, one.members))
    return Synced(cursor=_sealed(messaging, actor.user, place), reset=True)


async def _candidates(
    messaging: Messaging, user: UserId, place: _SyncCursor, most: int
) -> tuple[list[ThreadId], _SyncCursor]:
    """Threads that may have changed, and where to go on."""
    found: dict[ThreadId, None] = {}
    at = place
    while at.step < _NOTICES and len(found) < most:
        page = await _page(messaging, user, at)
        found |= dict.fromkeys(_thread_of(item) for item in page.items)
        at = _next(at, page.next)
    return list(found), at


async def _page(messaging: Messaging, user: UserId, place: _SyncCursor) -> Page:
    kind = _PLACES[place.step]
    if kind == "log":
        return await messaging.store.query(
            MESSAGING,
            user_partition(user),
            since("LOG", max(0, place.low_ms)),
            limit=PAGE,
            cursor=place.cursor,
        )
    return await messaging.store.query(
        MESSAGING,
        inbox_key(user, kind),
        None if _looks_at_all(place) else active_since(place.low_ms - LAG_MS),
        index=INBOX,
        limit=PAGE,
        cursor=place.cursor,
    )


def _looks_at_all(place: _SyncCursor) -> bool:
    """At all requests, for one of them may have run out."""
    return _PLACES[place.step] == Folder.REQUESTS and place.until_ms > 0 and place.ends_ms == 0


def _next(place: _SyncCursor, cursor: str | None) -> _SyncCursor:
    if cursor is not None:
        return replace(place, cursor=cursor)
    return replace(place, cursor=None, step=place.step + 1)


def _thread_of(item: object) -> ThreadId:
    assert isinstance(item, dict)
    return ThreadId(str(item.get("threadId") or thread_in(item["pk"])))


async def _compared(
    messaging: Messaging, actor: Actor, thread: ThreadId, place: _SyncCursor
) -> _Compared:
    """The thread as it is now beside what the user was given of it."""
    known = place.met.get(thread) or place.known.get(thread)
    seen = await read_snapshot(messaging, actor, thread, consistent=False)
    if not _is_as_given(seen, known, place.low_ms):
        seen = await read_snapshot(messaging, actor, thread, consistent=True)
        if seen is None:
            messaging.deferred.add(partial(remove_expired_request, messaging, actor.user, thread))
            return _Compared(thread, gone=known != GONE, keeps=GONE)
        if not _is_as_given(seen, known, place.low_ms):
            return await _changed(messaging, actor, seen, known, place)
    return _Compared(thread, keeps=_kept(seen, known, place), ends_ms=_ends_ms(seen))


async def _changed(
    messaging: Messaging, actor: Actor, seen: Seen, known: KnownThread | None, place: _SyncCursor
) -> _Compared:
    thread, ends_ms = seen.view.thread, _ends_ms(seen)
    if rules.is_unasked(thread, actor.user):
        return _Compared(thread.id, keeps=_kept(seen, known, place), ends_ms=ends_ms)
    now = known_thread(seen.view, seen.members)
    keeps = _kept(seen, now, place)
    messages, truncated = await messages_of(messaging, seen.view, known, place.low_ms)
    if known is not None and now.digest == known.digest and not messages:
        return _Compared(thread.id, keeps=keeps, ends_ms=ends_ms)
    [view] = await with_metadata(messaging, [seen.view])
    changed = Changed(view, seen.members, messages, truncated)
    return _Compared(thread.id, changed, keeps=keeps, ends_ms=ends_ms)


def _ends_ms(seen: Seen | None) -> int | None:
    gate = None if seen is None else seen.view.thread.gates.get(seen.view.mine.user)
    return None if gate is None else gate.expires_ms


def _is_as_given(seen: Seen | None, known: KnownThread | None, low_ms: int) -> bool:
    if seen is None:
        return known == GONE
    if known is None:
        return seen.latest_ms <= low_ms
    return known_thread(seen.view, seen.members) == known


def _kept(seen: Seen | None, known: KnownThread | None, place: _SyncCursor) -> KnownThread | None:
    """What is older than the slack of the next cursor is known by its time."""
    if seen is not None and seen.latest_ms <= place.until_ms - SLACK_MS:
        return None
    return known


class _Sealed(Struct, frozen=True, array_like=True):
    epoch: int
    since_ms: int
    until_ms: int
    step: int
    cursor: str | None
    known: bytes
    met: bytes
    ends_ms: int
    next_ends_ms: int


def _sealed(messaging: Messaging, user: UserId, place: _SyncCursor) -> str:
    numbers = (place.epoch, place.since_ms, place.until_ms, place.step)
    room = MAX_SEALED_BYTES - _NUMBERS_BYTES - len(place.cursor or "")
    met = place.met.encoded(room)
    sealed = _Sealed(
        *numbers,
        place.cursor,
        place.known.encoded(room - len(met), without=place.met),
        met,
        place.ends_ms,
        place.next_ends_ms,
    )
    return messaging.cursors.seal_bytes(_scope(user), msgspec.msgpack.encode(sealed))


def _unsealed(messaging: Messaging, user: UserId, cursor: str) -> _SyncCursor:
    body = messaging.cursors.unseal_bytes(_scope(user), cursor)
    found = msgspec.msgpack.decode(body, type=_Sealed)
    return _SyncCursor(
        epoch=found.epoch,
        since_ms=found.since_ms,
        until_ms=found.until_ms,
        step=found.step,
        cursor=found.cursor,
        known=KnownThreads.decoded(found.known),
        met=KnownThreads.decoded(found.met),
        ends_ms=found.ends_ms,
        next_ends_ms=found.next_ends_ms,
    )


def _scope(user: UserId) -> bytes:
    return f"sync {user}".encode()

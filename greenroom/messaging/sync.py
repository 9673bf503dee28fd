"""Everything that changed for a user since a cursor: state before + sync == state after.

What has changed is found in three bounded places: the rows on the fresh shelf, those of the
requests, and the user's log, which names the threads that have left the shelf since, and those that
are gone. The cursor is a server time; reading begins `SLACK_MS` before it, so that neither a write
that was under way nor a clock that is a little behind is missed, nor what was told over a bus that
was dead before anybody noticed. What comes twice does no harm: a frame is known by its seq and
version.
"""

import asyncio

from msgspec import Struct

from greenroom.ids import ThreadId, UserId
from greenroom.messaging import access, items, rules
from greenroom.messaging.access import Side
from greenroom.messaging.context import Messaging
from greenroom.messaging.history import members
from greenroom.messaging.models import Folder, Frame, Member
from greenroom.messaging.problems import ThreadNotFound
from greenroom.messaging.records import (
    FRESH,
    INBOX,
    KEPT_MS,
    MESSAGING,
    message_key,
    shelf_key,
    since,
    thread_in,
    thread_partition,
    user_partition,
)
from greenroom.people.actor import Actor
from greenroom.store.base import Page
from greenroom.store.problems import InvalidCursor

SLACK_MS = 60_000
"""More than all that can be late at once: a write that is tried again, a clock that is behind."""
PAGE = 20
MAX_FRAMES = 100
_PLACES = (Folder.REQUESTS.value, FRESH, "log")
"""In the direction in which rows move while somebody reads: from the requests to the fresh shelf,
there to its end, and from there to the log. So none is passed by unseen."""


class Changed(Struct, frozen=True):
    """A thread of which something changed, as it is now."""

    side: Side
    members: tuple[Member, ...]
    frames: tuple[Frame, ...]
    """New, or changed since."""
    truncated: bool
    """There are more: read the thread's history again."""


class Synced(Struct, frozen=True, kw_only=True):
    threads: tuple[Changed, ...] = ()
    gone: tuple[ThreadId, ...] = ()
    cursor: str
    more: bool = False
    """Call again with the cursor at once."""
    reset: bool = False
    """Start over from the inbox; the cursor holds from here on."""


class _Place(Struct, frozen=True):
    since_ms: int
    until_ms: int
    step: int = 0
    cursor: str | None = None


async def sync(messaging: Messaging, actor: Actor, cursor: str | None = None) -> Synced:
    now_ms = messaging.clock.now_ms()
    place = None if cursor is None else _unsealed(messaging, actor.user, cursor)
    if place is None or now_ms - place.since_ms > KEPT_MS - SLACK_MS:
        fresh = _sealed(messaging, actor.user, _Place(now_ms, 0))
        return Synced(cursor=fresh, reset=True)
    if not place.until_ms:
        place = _Place(place.since_ms, now_ms)
    found: dict[ThreadId, None] = {}
    at: _Place | None = place
    while at is not None and len(found) < PAGE:
        page = await _candidates(messaging, actor.user, at)
        found |= dict.fromkeys(_thread_of(item) for item in page.items)
        at = _next(at, page.next)
    since = place.since_ms - SLACK_MS
    looked = await asyncio.gather(*(_look(messaging, actor, thread, since) for thread in found))
    goes_on = _Place(place.until_ms, 0) if at is None else at
    return Synced(
        threads=tuple(seen for _, seen in looked if isinstance(seen, Changed)),
        gone=tuple(thread for thread, seen in looked if seen is False),
        cursor=_sealed(messaging, actor.user, goes_on),
        more=at is not None,
    )


def cursor_now(messaging: Messaging, user: UserId) -> str:
    """For whoever has everything up to now."""
    return _sealed(messaging, user, _Place(messaging.clock.now_ms(), 0))


async def _candidates(messaging: Messaging, user: UserId, place: _Place) -> Page:
    kind = _PLACES[place.step]
    if kind == "log":
        logged = since("LOG", max(0, place.since_ms - SLACK_MS))
        return await messaging.store.query(
            MESSAGING,
            user_partition(user),
            logged,
            limit=PAGE,
            cursor=place.cursor,
        )
    return await messaging.store.query(
        MESSAGING,
        shelf_key(user, kind),
        index=INBOX,
        limit=PAGE,
        cursor=place.cursor,
    )


def _next(place: _Place, cursor: str | None) -> _Place | None:
    if cursor is not None:
        return _Place(place.since_ms, place.until_ms, place.step, cursor)
    if place.step + 1 == len(_PLACES):
        return None
    return _Place(place.since_ms, place.until_ms, place.step + 1)


def _thread_of(item: object) -> ThreadId:
    assert isinstance(item, dict)
    return ThreadId(str(item.get("threadId") or thread_in(item["pk"])))


async def _look(
    messaging: Messaging, actor: Actor, thread_id: ThreadId, since_ms: int
) -> tuple[ThreadId, Changed | bool]:
    """The thread if it changed, False if it is gone, True if it is as it was."""
    try:
        side = await access.thread(messaging, actor, thread_id)
    except ThreadNotFound:
        return thread_id, False
    if rules.is_unasked(side.thread, actor.user):
        return thread_id, True
    everybody = await members(messaging, side, consistent=True)
    latest = max(side.thread.changed_ms, *(member.changed_ms for member in everybody))
    if latest <= since_ms:
        return thread_id, True
    frames, truncated = await _frames(messaging, side, since_ms)
    return thread_id, Changed(side, everybody, frames, truncated)


async def _frames(
    messaging: Messaging, side: Side, since_ms: int
) -> tuple[tuple[Frame, ...], bool]:
    partition = thread_partition(side.thread.id)
    waits = not rules.has_accepted(side.thread, side.mine.user)
    if side.mine.accepted_ms > since_ms:
        since_ms = 0  # they see now what they did not before
    low = max(0, since_ms, side.mine.joined_ms if side.mine.joined_seq else 0)
    new, notes = await asyncio.gather(
        messaging.store.query_as(
            items.frame_of,
            MESSAGING,
            partition,
            since("MSG", low),
            limit=rules.PENDING_MESSAGES if waits else MAX_FRAMES,
            backward=not waits,
        ),
        messaging.store.query(
            MESSAGING,
            partition,
            since("CHG", low),
            limit=MAX_FRAMES,
            backward=True,
        ),
    )
    keys = [
        message_key(side.thread.id, note["messageId"], note["ts"])  # type: ignore[arg-type]
        for note in notes.items
    ]
    changed = await messaging.store.batch_get(MESSAGING, keys) if keys else {}
    frames = {
        frame.seq: frame
        for frame in (*map(items.frame_of, changed.values()), *new.items)
        if side.mine.joined_seq < frame.seq <= side.thread.last_seq
    }
    ordered = tuple(frames[seq] for seq in sorted(frames))
    missing = new.has_more and not waits
    return ordered, missing or notes.has_more


def _sealed(messaging: Messaging, user: UserId, place: _Place) -> str:
    parts = (str(place.since_ms), str(place.until_ms), str(place.step), place.cursor)
    return messaging.cursors.seal(f"sync {user}".encode(), parts)


def _unsealed(messaging: Messaging, user: UserId, cursor: str) -> _Place:
    parts = messaging.cursors.unseal(f"sync {user}".encode(), cursor)
    if len(parts) != 4:
        raise InvalidCursor
    since, until, step, inner = parts
    return _Place(int(since or 0), int(until or 0), int(step or 0), inner)

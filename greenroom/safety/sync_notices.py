"""The notices that came, and those that were acknowledged, since a cursor.

The cursor is a server time. Reading begins `SLACK_MS` before it, so that a late write is not
missed; the cursor remembers what it gave within that time, so that nothing comes twice.
"""

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from greenroom.ids import NoticeId, UserId
from greenroom.safety.context import Safety
from greenroom.safety.models import ModerationNotice
from greenroom.safety.notices import notices_since
from greenroom.store.given_digests import digest, fitted, split
from greenroom.store.server_clock import SLACK_MS

_NUMBERS_BYTES = 48
_SMALLEST_ROOM = 400


class SyncedNotices(Struct, frozen=True, kw_only=True):
    created: tuple[ModerationNotice, ...] = ()
    """Not acknowledged yet."""
    acknowledged: tuple[NoticeId, ...] = ()
    cursor: bytes
    more: bool = False
    reset: bool = False
    """The cursor is too old: list the notices again. The new cursor holds from here on."""


class _NoticeCursor(Struct, frozen=True, array_like=True):
    epoch: int
    """Of the clock that the times are by."""
    since_ms: int
    until_ms: int = 0
    """When this round of pages began; 0 between rounds."""
    page: str | None = None
    given: bytes = b""
    """Digests of what the round before gave within `SLACK_MS` of its end."""
    met: bytes = b""
    """The same for this round."""


async def sync_notices(
    safety: Safety, user: UserId, cursor: bytes | None, *, room: int = _SMALLEST_ROOM
) -> SyncedNotices:
    now_ms = safety.clock.now_ms()
    at = None if cursor is None else _decoded(cursor)
    if at is None or not _holds(safety, at, now_ms):
        return SyncedNotices(cursor=notice_cursor_now(safety), reset=True)
    at = at if at.until_ms else replace(at, until_ms=now_ms)
    found = await notices_since(safety, user, at.since_ms - SLACK_MS, at.page)
    given, recent_ms = split(at.given), at.until_ms - SLACK_MS
    created = [one for one in found.created if digest(one.id) not in given]
    acknowledged = [one for one in found.acknowledged if _ack_digest(one.id) not in given]
    met = [digest(one.id) for one in found.created if one.at_ms >= recent_ms]
    met += [_ack_digest(one.id) for one in found.acknowledged if one.at_ms >= recent_ms]
    given_now = at.met + b"".join(met)
    more = found.next is not None
    if more:
        after = replace(at, page=found.next, met=given_now)
    else:
        after = _NoticeCursor(at.epoch, at.until_ms, given=given_now)
    return SyncedNotices(
        created=tuple(created),
        acknowledged=tuple(one.id for one in acknowledged),
        cursor=_encoded(after, room),
        more=more,
    )


def notice_cursor_now(
    safety: Safety, last: bytes | None = None, *, room: int = _SMALLEST_ROOM
) -> bytes:
    """For a client that has every notice up to now. What the last cursor gave it still has."""
    before = None if last is None else _decoded(last)
    given = b"" if before is None else before.given + before.met
    now = _NoticeCursor(safety.clock.epoch, safety.clock.now_ms(), given=given)
    return _encoded(now, room)


def _holds(safety: Safety, at: _NoticeCursor, now_ms: int) -> bool:
    if at.epoch != safety.clock.epoch:
        return False
    return -SLACK_MS <= now_ms - at.since_ms <= safety.sync_ms - SLACK_MS


def _encoded(at: _NoticeCursor, room: int) -> bytes:
    given, met = fitted(at.given, at.met, room - _NUMBERS_BYTES - len(at.page or ""))
    return msgspec.msgpack.encode(replace(at, given=given, met=met))


def _decoded(cursor: bytes) -> _NoticeCursor | None:
    """None for a cursor of an older format."""
    try:
        return msgspec.msgpack.decode(cursor, type=_NoticeCursor)
    except msgspec.MsgspecError:
        return None


def _ack_digest(notice: NoticeId) -> bytes:
    return digest(f"acknowledged {notice}")

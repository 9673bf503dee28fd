"""The files and preferences of a user that changed since a cursor.

The cursor is a server time. Reading begins `SLACK_MS` before it, so that a late write is not
missed; the cursor remembers what it gave within that time, so that it does not come again. A file
is a state with a version: where more has changed than the cursor can remember, a client gets some
files twice.
"""

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from greenroom.files.context import Files
from greenroom.files.items import DELETED_MS
from greenroom.files.models import File, SafeMode
from greenroom.files.own_files import MAX_PAGE, Changed, changed_since
from greenroom.ids import UserId
from greenroom.store.given_digests import digest, fitted, split
from greenroom.store.server_clock import SLACK_MS

_NUMBERS_BYTES = 48
_SMALLEST_ROOM = 300
_READS = 5


class SyncedFiles(Struct, frozen=True, kw_only=True):
    files: tuple[File, ...] = ()
    """With deleted ones."""
    safe_mode: SafeMode | None = None
    """None if it has not changed."""
    cursor: bytes
    more: bool = False
    reset: bool = False
    """The cursor is too old: load what you show again. The new cursor holds from here on."""


class _Cursor(Struct, frozen=True, array_like=True):
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


async def sync_files(
    files: Files, user: UserId, cursor: bytes | None, *, room: int = _SMALLEST_ROOM
) -> SyncedFiles:
    """Reads on after files that the client has already: there may be many of them."""
    now_ms = files.clock.now_ms()
    at = None if cursor is None else _decoded(cursor)
    if at is None or not _holds(files, at, now_ms):
        return SyncedFiles(cursor=file_cursor_now(files), reset=True)
    at = at if at.until_ms else replace(at, until_ms=now_ms)
    given, changed, safe_mode = split(at.given), list[File](), None
    for _ in range(_READS):
        most = MAX_PAGE - len(changed)
        found = await changed_since(files, user, at.since_ms - SLACK_MS, at.page, most)
        changed += [file for file in found.files if _digest(file) not in given]
        if _chosen_digest(found) not in given:
            safe_mode = found.safe_mode or safe_mode
        at = replace(at, page=found.next, met=at.met + _recent_digests(found, at))
        if found.next is None or len(changed) == MAX_PAGE:
            break
    more = at.page is not None
    after = at if more else _Cursor(at.epoch, at.until_ms, given=at.met)
    return SyncedFiles(
        files=tuple(changed), safe_mode=safe_mode, cursor=_encoded(after, room), more=more
    )


def file_cursor_now(
    files: Files, last: bytes | None = None, *, room: int = _SMALLEST_ROOM
) -> bytes:
    """For a client that has every file up to now. What the last cursor gave it still has."""
    before = None if last is None else _decoded(last)
    given = b"" if before is None else before.given + before.met
    return _encoded(_Cursor(files.clock.epoch, files.clock.now_ms(), given=given), room)


def _recent_digests(found: Changed, at: _Cursor) -> bytes:
    """Of what the next round reads again."""
    recent_ms = at.until_ms - SLACK_MS
    recent = [_digest(file) for file in found.files if file.changed_ms >= recent_ms]
    return b"".join(recent) + (b"" if found.safe_mode is None else _chosen_digest(found))


def _digest(file: File) -> bytes:
    return digest(f"{file.id} {file.version}")


def _chosen_digest(found: Changed) -> bytes:
    return digest(f"{found.chosen_at} {found.safe_mode}")


def _encoded(at: _Cursor, room: int) -> bytes:
    given, met = fitted(at.given, at.met, room - _NUMBERS_BYTES - len(at.page or ""))
    return msgspec.msgpack.encode(replace(at, given=given, met=met))


def _holds(files: Files, at: _Cursor, now_ms: int) -> bool:
    if at.epoch != files.clock.epoch:
        return False
    return -SLACK_MS <= now_ms - at.since_ms <= DELETED_MS - SLACK_MS


def _decoded(cursor: bytes) -> _Cursor | None:
    """None for a cursor of an older format."""
    try:
        return msgspec.msgpack.decode(cursor, type=_Cursor)
    except msgspec.MsgspecError:
        return None

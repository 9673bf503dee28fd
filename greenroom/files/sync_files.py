"""The files and preferences of a user that changed since a cursor.

The cursor is a server time. Reading begins `SLACK_MS` before it, so that a late write is not
missed. A file is a state with a version: a client may get the same one twice.
"""

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from greenroom.files.context import Files
from greenroom.files.items import DELETED_MS
from greenroom.files.models import File, SafeMode
from greenroom.files.own_files import changed_since
from greenroom.ids import UserId
from greenroom.store.server_clock import SLACK_MS


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


async def sync_files(files: Files, user: UserId, cursor: bytes | None) -> SyncedFiles:
    now_ms = files.clock.now_ms()
    at = None if cursor is None else _decoded(cursor)
    if at is None or not _holds(files, at, now_ms):
        return SyncedFiles(cursor=file_cursor_now(files), reset=True)
    at = at if at.until_ms else replace(at, until_ms=now_ms)
    found = await changed_since(files, user, at.since_ms - SLACK_MS, at.page)
    more = found.next is not None
    after = replace(at, page=found.next) if more else _Cursor(at.epoch, at.until_ms)
    return SyncedFiles(
        files=found.files,
        safe_mode=found.safe_mode,
        cursor=msgspec.msgpack.encode(after),
        more=more,
    )


def file_cursor_now(files: Files) -> bytes:
    """For a client that has every file up to now."""
    return msgspec.msgpack.encode(_Cursor(files.clock.epoch, files.clock.now_ms()))


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

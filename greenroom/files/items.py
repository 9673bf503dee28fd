"""Files as items of the store, and the ops that create, change and delete them.

A file is written whole, under its version. Careful: every change sets `changedAt`, because the
index and sync go by it; use `changed`. `release.py` has the ops that delete files.
"""

from collections.abc import Mapping
from typing import Any

import msgspec
from msgspec.structs import replace

from greenroom.files.models import ENDED_BADLY, File, FileState, SafeMode, Storage
from greenroom.files.records import (
    CHANGED_AT,
    FILE,
    FILES,
    OWNER_KEY,
    PREFERENCES,
    TTL,
    changed_at,
    file_key,
    owner_key,
    preferences_key,
    removed_key,
    storage_key,
)
from greenroom.ids import FileId, UserId
from greenroom.store.base import Key, Op, Put, Update
from greenroom.store.expressions import Condition, F
from greenroom.store.values import Item, Value

DELETED_MS = 30 * 86_400_000
"""How long a deleted file is kept for devices that come back."""
_BYTES, _COUNT = "bytes", "files"
_SAFE_MODE = "safeMode"


def at(key: Key) -> dict[str, Value]:
    return {"pk": key.partition, "sk": key.sort}


def file_item(file: File) -> Item:
    """`content` has the whole file as JSON: only the keys and `version` are read by the store."""
    item = at(file_key(file.id))
    item |= {
        OWNER_KEY: owner_key(file.owner),
        CHANGED_AT: changed_at(file.changed_ms, file.id),
        "state": file.state.value,
        "version": file.version,
        "content": _encode(file),
    }
    if file.state is FileState.DELETED:
        item[TTL] = (file.changed_ms + DELETED_MS) // 1000
    return item


def file_of(item: Item) -> File:
    return _decode_file(_text(item["content"]))


def create_ops(file: File, quota_bytes: int) -> tuple[Op, ...]:
    """The second is refused where the user's files would exceed the quota."""
    room: Condition = F(_BYTES).at_most(quota_bytes - file.size)
    if file.size <= quota_bytes:
        room = F(_BYTES).absent() | room
    return (
        Put(FILES, file_item(file), F("pk").absent()),
        storage_op(file.owner, file.size, 1, room),
    )


def changed(before: File, now_ms: int, **fields: Any) -> File:
    """The file's next version."""
    after_ms = max(now_ms, before.changed_ms)
    return replace(before, changed_ms=after_ms, version=before.version + 1, **fields)


def change_op(after: File) -> Put:
    """Refused unless the store still has the version before `after`."""
    return Put(FILES, file_item(after), F("version").equals(after.version - 1))


def deleted(before: File, now_ms: int) -> File:
    """Keeps what is needed to find the bytes: the thread, and the list of previews."""
    after = changed(before, now_ms, state=FileState.DELETED)
    return File(
        id=after.id,
        owner=after.owner,
        name="",
        size=after.size,
        sha256="",
        thread=after.thread,
        state=after.state,
        created_ms=after.created_ms,
        changed_ms=after.changed_ms,
        upload_id=after.upload_id,
        previews=after.previews,
        use=after.use,
        version=after.version,
    )


def counts_against_quota(file: File) -> bool:
    """Not once it is deleted or refused: its bytes go."""
    return file.state is not FileState.DELETED and file.state not in ENDED_BADLY


def storage_op(user: UserId, size: int, count: int, room: Condition | None = None) -> Update:
    """Careful: a transaction can have one for each user, not more."""
    actions = (F(_BYTES).add(size), F(_COUNT).add(count))
    return Update(FILES, storage_key(user), actions, room)


def storage_of(item: Item | None) -> Storage:
    found: Mapping[str, Any] = item or {}
    return Storage(int(found.get(_BYTES, 0)), int(found.get(_COUNT, 0)))


def safe_mode_op(user: UserId, safe_mode: SafeMode, now_ms: int) -> Put:
    """It stands among the user's files, so that sync finds it without a read of its own."""
    item = at(preferences_key(user))
    item |= {
        OWNER_KEY: owner_key(user),
        CHANGED_AT: changed_at(now_ms, PREFERENCES),
        _SAFE_MODE: safe_mode.value,
    }
    return Put(FILES, item)


def is_file(item: Item) -> bool:
    return item["sk"] == FILE


def is_preferences(item: Item) -> bool:
    return item["sk"] == PREFERENCES


def safe_mode_of(item: Item | None) -> SafeMode:
    return SafeMode.BLUR if item is None else SafeMode(_text(item[_SAFE_MODE]))


class Removed(msgspec.Struct, frozen=True):
    """A picture that a moderator removed."""

    file: FileId
    at_ms: int
    hashes: tuple[str, ...]
    """Of an animation or video those of several pictures."""


def removed_op(removed: Removed) -> Put:
    key = removed_key(removed.at_ms, removed.file)
    return Put(FILES, at(key) | {"content": _encode(removed)})


def removed_of(item: Item) -> Removed:
    return _decode_removed(_text(item["content"]))


_encoder = msgspec.json.Encoder()
_decode_file = msgspec.json.Decoder(File).decode
_decode_removed = msgspec.json.Decoder(Removed).decode


def _encode(value: File | Removed) -> str:
    return _encoder.encode(value).decode()


def _text(value: Value) -> str:
    assert isinstance(value, str)
    return value

"""Announces a file: reserves its bytes in the quota, and says where to upload it.

The transaction also schedules its expiry: a file that nothing uses by then is deleted, however far
its upload has come.
"""

from hashlib import blake2b

import msgspec
from msgspec.structs import replace

from greenroom.background.models import Timer
from greenroom.background.schedule import schedule
from greenroom.files import access, items, names
from greenroom.files.context import Files
from greenroom.files.models import File, FileState, NewFile
from greenroom.files.policy import UPLOADS
from greenroom.files.problems import FileNotFound, FileTooLarge, QuotaExceeded
from greenroom.files.storage import storage
from greenroom.ids import FileId, UserId, as_letters
from greenroom.people.actor import Actor
from greenroom.store.problems import ConditionFailed

EXPIRY = "file_expiry"
"""The timer that deletes a file that nothing uses."""
_HOUR_MS = 3_600_000
_KEY_MS = 24 * _HOUR_MS
"""How long a key stands for the same file."""


async def create_file(files: Files, actor: Actor, new: NewFile, *, key: str | None = None) -> File:
    """Idempotent with a key: a retry finds the file of the first try, as it is now, and raises
    `FileNotFound` if it was deleted."""
    await files.safety.limits.spend(actor.user, UPLOADS)
    names.check(new)
    if new.size > files.policy.max_bytes:
        raise FileTooLarge(files.policy.max_bytes)
    file = _announced(files, actor, new)
    if key is not None:
        id_of_key = _id_of(actor.user, new, key)
        first = await access.load(files, id_of_key)
        if first is not None and file.created_ms - first.created_ms < _KEY_MS:
            return _still_there(first)
        file = file if first is not None else replace(file, id=id_of_key)
    if new.thread is not None and files.threads is not None:
        await files.threads.check_may_attach(actor, new.thread)
    return await _created(files, actor, file)


def _still_there(first: File) -> File:
    if first.state is FileState.DELETED:
        raise FileNotFound
    return first


async def _created(files: Files, actor: Actor, file: File) -> File:
    expiry = schedule(Timer(EXPIRY, file.id, expires_ms(files, file)))
    try:
        await files.store.write(*items.create_ops(file, files.policy.quota_bytes), expiry)
    except ConditionFailed:
        found = await access.load(files, file.id)
        if found is not None:  # a retry at the same time
            return found
        used = await storage(files, actor)
        raise QuotaExceeded(used.bytes, files.policy.quota_bytes) from None
    return file


def expires_ms(files: Files, file: File) -> int:
    """When it is deleted unless something uses it."""
    return file.created_ms + files.policy.unused_hours * _HOUR_MS


def _announced(files: Files, actor: Actor, new: NewFile) -> File:
    now_ms = files.clock.now_ms()
    return File(
        id=files.ids.file(),
        owner=actor.user,
        name=names.cleaned(new.name),
        size=new.size,
        sha256=new.sha256.lower(),
        thread=new.thread,
        keep_original=new.keep_original,
        created_ms=now_ms,
        changed_ms=now_ms,
    )


def _id_of(user: UserId, new: NewFile, key: str) -> FileId:
    """The same for a retry. Another file with the same key has another id."""
    content = msgspec.msgpack.encode((user, new, key))
    return FileId("fil_" + as_letters(blake2b(content, digest_size=16).digest()))

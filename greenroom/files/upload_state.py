"""Says how far an upload has come, and where to go on.

On a folder the bytes come one after the other (tus). On S3 the client sends parts, in any order,
straight to the bucket. The multipart upload is begun when a client first asks where to send them.

Careful: a blob must not change once it was checked, so even a small file is a multipart upload of
one part. The URL of a plain PUT would stay valid after the check; those of parts end with it.
"""

from contextlib import suppress
from typing import TypeAlias

from msgspec import Struct

from greenroom.blobs.base import (
    AppendBlobs,
    PresignedRequest,
    UploadedPart,
    UploadId,
    UploadNotFound,
)
from greenroom.files import access, items
from greenroom.files.complete_upload import finish, reload_unless_deleted
from greenroom.files.context import Files
from greenroom.files.make_blob import is_made
from greenroom.files.models import UNKNOWN_TYPE, File, FileState
from greenroom.files.part_sizes import part_size_for, part_sizes, whole_parts
from greenroom.files.problems import UploadConflict
from greenroom.files.records import original_blob
from greenroom.ids import FileId
from greenroom.people.actor import Actor
from greenroom.store.problems import ConditionFailed, Conflict

MOST_PARTS = 100
"""URLs in one answer."""
_PART_SECONDS = 3600
_TRIES = 10


class InOrder(Struct, frozen=True):
    """The next byte to send is at `offset`."""

    offset: int


class MissingPart(Struct, frozen=True):
    number: int
    size: int
    request: PresignedRequest


class InParts(Struct, frozen=True):
    part_size: int
    uploaded: tuple[int, ...]
    """The numbers of the parts that have arrived."""
    uploaded_bytes: int
    missing: tuple[MissingPart, ...]
    """The first `MOST_PARTS` of them."""


UploadState: TypeAlias = InOrder | InParts


class Uploading(Struct, frozen=True):
    file: File
    state: UploadState | None
    """None once all bytes are there."""


async def upload_state(files: Files, actor: Actor, file_id: FileId) -> Uploading:
    return await state_of(files, await access.own_file(files, actor, file_id))


async def state_of(files: Files, file: File) -> Uploading:
    """Ends an upload whose last byte has come without the server noting it, as after a kill."""
    if file.state is not FileState.UPLOADING:
        return Uploading(file, None)
    if not isinstance(files.blobs, AppendBlobs):
        return await _in_parts(files, file)
    offset = await files.blobs.appended(original_blob(file))
    if offset == file.size or (offset == 0 and await is_made(files, file)):
        with suppress(UploadConflict):  # the request with the last byte is about to do it
            return Uploading(await finish(files, file), None)
    return Uploading(file, InOrder(offset))


async def _in_parts(files: Files, file: File) -> Uploading:
    for _ in range(_TRIES):
        if file.state is not FileState.UPLOADING:
            return Uploading(file, None)
        if not file.upload_id:
            begun = await _begun(files, file)
            if begun.version == file.version + 1 and begun.upload_id:
                return Uploading(begun, _parts_state(files, begun, []))  # nothing can be there yet
            file = begun
            continue
        try:
            key, upload = original_blob(file), UploadId(file.upload_id)
            arrived = whole_parts(file, await files.blobs.uploaded_parts(key, upload))
        except UploadNotFound:
            file = await _ended(files, file)
        else:
            return Uploading(file, _parts_state(files, file, arrived))
    raise Conflict


def _parts_state(files: Files, file: File, arrived: list[UploadedPart]) -> InParts:
    key, upload = original_blob(file), UploadId(file.upload_id)
    numbers = [part.number for part in arrived]
    known = frozenset(numbers)
    left = [(number, size) for number, size in part_sizes(file) if number not in known]
    missing = [
        MissingPart(
            number,
            size,
            files.blobs.presign_part(key, upload, number, size=size, seconds=_PART_SECONDS),
        )
        for number, size in left[:MOST_PARTS]
    ]
    uploaded_bytes = sum(part.size for part in arrived)
    return InParts(file.part_size, tuple(numbers), uploaded_bytes, tuple(missing))


async def _begun(files: Files, file: File) -> File:
    """With a new multipart upload, or with that of another request at the same time."""
    key = original_blob(file)
    upload = await files.blobs.begin_multipart(key, UNKNOWN_TYPE)
    now_ms, part_size = files.clock.now_ms(), part_size_for(file.size)
    after = items.changed(file, now_ms, upload_id=upload, part_size=part_size)
    try:
        await files.store.write(items.change_op(after))
    except ConditionFailed:
        await files.blobs.abort_multipart(key, upload)
        return await reload_unless_deleted(files, file)
    return after


async def _ended(files: Files, file: File) -> File:
    """The bucket does not know the upload: it was completed, or removed because it was too old."""
    return await finish(files, file) if await is_made(files, file) else await _begun(files, file)

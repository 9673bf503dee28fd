"""Takes the next bytes of an upload, and ends it with the last one.

What has come is kept when the connection is lost: the client asks how far it has come and goes on.
"""

import hashlib
import hmac
from collections.abc import AsyncIterator

from msgspec import Struct

from greenroom.blobs.base import AppendBlobs, AppendConflict, DiscardContent, WrongSize
from greenroom.files import access
from greenroom.files.complete_upload import finish, reload_unless_deleted
from greenroom.files.context import Files
from greenroom.files.models import File, FileState
from greenroom.files.problems import (
    ChunkDamaged,
    SizeExceeded,
    UploadConflict,
    UploadFinished,
    UploadInParts,
)
from greenroom.files.records import original_blob
from greenroom.ids import FileId
from greenroom.people.actor import Actor


class Checksum(Struct, frozen=True):
    """Of the bytes of one request."""

    algorithm: str
    """As hashlib names it."""
    digest: bytes


class Appended(Struct, frozen=True):
    file: File
    offset: int
    """How many bytes are there."""


async def append_upload(
    files: Files,
    actor: Actor,
    file_id: FileId,
    offset: int,
    content: AsyncIterator[bytes],
    *,
    length: int | None = None,
    checksum: Checksum | None = None,
) -> Appended:
    """`length` is that of the content, if it is known: then nothing is read of a request that has
    too many bytes. With a checksum, bytes that do not have it are taken back."""
    file = await access.own_file(files, actor, file_id)
    blobs = files.blobs
    if not isinstance(blobs, AppendBlobs):
        raise UploadInParts
    if file.state is not FileState.UPLOADING:
        raise UploadFinished
    if offset + (length or 0) > file.size:
        raise SizeExceeded(file.size)
    try:
        arrived = await _append(blobs, file, offset, content, checksum)
    finally:
        await reload_unless_deleted(files, file)
    if arrived == file.size:
        file = await finish(files, file)
    return Appended(file, arrived)


async def _append(
    blobs: AppendBlobs,
    file: File,
    offset: int,
    content: AsyncIterator[bytes],
    checksum: Checksum | None,
) -> int:
    checked = content if checksum is None else _checked(content, checksum)
    try:
        return await blobs.append(original_blob(file), offset, checked, size=file.size)
    except AppendConflict as conflict:
        raise UploadConflict(conflict.length) from None
    except WrongSize:
        raise SizeExceeded(file.size) from None
    except DiscardContent:
        raise ChunkDamaged from None


async def _checked(content: AsyncIterator[bytes], checksum: Checksum) -> AsyncIterator[bytes]:
    """The content, unless it turns out at its end that its checksum is another."""
    hashed = hashlib.new(checksum.algorithm)
    async for piece in content:
        hashed.update(piece)
        yield piece
    if not hmac.compare_digest(hashed.digest(), checksum.digest):
        raise DiscardContent

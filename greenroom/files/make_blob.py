"""Makes the blob of a file from what was uploaded. Idempotent."""

import asyncio

from greenroom.blobs.base import AppendBlobs, AppendConflict, InvalidParts, UploadId, UploadNotFound
from greenroom.files.context import Files
from greenroom.files.models import UNKNOWN_TYPE, File
from greenroom.files.part_sizes import whole_parts
from greenroom.files.problems import UploadConflict, UploadIncomplete
from greenroom.files.records import original_blob

_TRIES = 5
_PAUSE_SECONDS = 0.1


async def make_blob(files: Files, file: File) -> None:
    """Raises `UploadIncomplete` unless all bytes are there."""
    if isinstance(files.blobs, AppendBlobs):
        await _from_appended(files, files.blobs, file)
    else:
        await _from_parts(files, file)


async def _from_appended(files: Files, blobs: AppendBlobs, file: File) -> None:
    key = original_blob(file)
    length = await blobs.appended(key)
    if length < file.size and not await is_made(files, file):
        raise UploadIncomplete(file.size - length)
    for attempt in range(_TRIES):
        try:
            await blobs.finish_append(key, UNKNOWN_TYPE)
        except UploadNotFound:
            raise UploadIncomplete(file.size) from None
        except AppendConflict as conflict:  # the request with the last byte is about to do it
            if attempt == _TRIES - 1:
                raise UploadConflict(conflict.length) from None
            await asyncio.sleep(_PAUSE_SECONDS)
        else:
            return


async def _from_parts(files: Files, file: File) -> None:
    if not file.upload_id:
        raise UploadIncomplete(file.size)
    for attempt in range(_TRIES):
        try:
            await _join_parts(files, file)
        except UploadNotFound:  # an earlier try has joined them, or the bucket has removed them
            if not await is_made(files, file):
                raise UploadIncomplete(file.size) from None
        except InvalidParts:  # one was sent again since they were listed
            if attempt == _TRIES - 1:
                raise
            continue
        return


async def _join_parts(files: Files, file: File) -> None:
    key, upload = original_blob(file), UploadId(file.upload_id)
    parts = whole_parts(file, await files.blobs.uploaded_parts(key, upload))
    missing = file.size - sum(part.size for part in parts)
    if missing:
        raise UploadIncomplete(missing)
    await files.blobs.complete_multipart(key, upload, parts)


async def is_made(files: Files, file: File) -> bool:
    head = await files.blobs.head(original_blob(file))
    return head is not None and head.size == file.size

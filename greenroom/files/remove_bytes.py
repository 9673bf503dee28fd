"""Removes the bytes of a file that was deleted or refused: the original, what has come of an
unfinished upload, and every preview. A timer calls it. Idempotent.

Previews are removed by all names that they may have: a check may have stored some without noting
it, if it was killed.
"""

import asyncio
from collections.abc import Sequence

from greenroom.background.models import Timer
from greenroom.blobs.base import AppendBlobs, UploadId
from greenroom.files import access, items
from greenroom.files.context import Files
from greenroom.files.models import File, Variant
from greenroom.files.records import blob_of, original_blob
from greenroom.ids import FileId
from greenroom.store.base import Op


async def remove_due(files: Files, timer: Timer) -> Sequence[Op]:
    file = await access.load(files, FileId(timer.id))
    if file is not None and not items.counts_against_quota(file):
        await remove(files, file)
    return ()


async def remove(files: Files, file: File) -> None:
    """Unfinished uploads first: one that ends meanwhile becomes a blob, which is deleted then."""
    blobs, key = files.blobs, original_blob(file)
    if isinstance(blobs, AppendBlobs):
        await blobs.abort_append(key)
    if file.upload_id:
        await blobs.abort_multipart(key, UploadId(file.upload_id))
    await asyncio.gather(*(blobs.delete(blob_of(file, variant)) for variant in Variant))

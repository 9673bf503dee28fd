"""Checks that a bucket can be used: writes, reads and deletes a small blob.

Careful: to a server that may not list the bucket, S3 answers 403 for a blob that is missing. So a
missing blob is asked for as well.
"""

from secrets import token_hex

from greenroom.blobs.base import BlobKey, BlobsFailing, BlobsRefused, BucketUnusable
from greenroom.blobs.s3.location import Location
from greenroom.blobs.s3.objects import Objects

_CONTENT = b"Greenroom checks that it can use this bucket."
_TYPE = "text/plain"


async def check_bucket(location: Location, objects: Objects) -> None:
    try:
        reason = await _fault(objects)
    except BlobsFailing:
        reason = f"{location.endpoint} does not answer as a bucket does"
    except BlobsRefused as refused:
        reason = refused.reason
    if reason:
        raise BucketUnusable(location.bucket, reason)


async def _fault(objects: Objects) -> str:
    """Why it cannot be used; empty if it can."""
    key = BlobKey(f"checks/{token_hex(8)}")
    await objects.put(key, _CONTENT, _TYPE)
    pieces = await objects.get(key, None)
    content = b"" if pieces is None else b"".join([piece async for piece in pieces])
    await objects.delete(key)
    if content != _CONTENT:
        return "a blob was not read as it was written"
    try:
        left = await objects.head(key)
    except BlobsRefused:
        return "the server may not list it (s3:ListBucket), so it cannot tell what is missing"
    return "" if left is None else "a blob was still there after it was deleted"

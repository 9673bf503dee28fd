"""Opens the blob store that the settings name.

The client of S3 is imported where it is used: a folder does not need it in memory.
"""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from greenroom.blobs.base import Blobs
from greenroom.blobs.folder import FolderBlobs
from greenroom.clock import Clock
from greenroom.settings import (
    DataNotWritable,
    InvalidSetting,
    Settings,
    data_folder,
    load_secret,
    variable_of,
)

if TYPE_CHECKING:
    from greenroom.blobs.s3 import Location, S3Blobs

_S3 = "s3://"


@asynccontextmanager
async def opened_blobs(settings: Settings, clock: Clock) -> AsyncIterator[Blobs]:
    """Raises `BucketUnusable` if a bucket cannot be reached, read or written."""
    if not settings.blobs:
        folder = _folder(settings, clock)
        try:
            yield folder
        finally:
            await folder.close()
        return
    async with opened_bucket(settings, clock) as bucket:
        await bucket.check()
        yield bucket


@asynccontextmanager
async def opened_bucket(settings: Settings, clock: Clock) -> "AsyncIterator[S3Blobs]":
    from greenroom.blobs.s3 import S3Blobs

    bucket = S3Blobs(_location(settings), clock)
    try:
        await bucket.open()
        yield bucket
    finally:
        await bucket.close()


def origin_of_files(settings: Settings) -> str:
    """Where browsers send and get the content of files, if not at this server; otherwise empty."""
    return _location(settings).public if settings.blobs else ""


def _location(settings: Settings) -> "Location":
    if not settings.blobs.startswith(_S3):
        reason = f"it must begin with {_S3}, not with {settings.blobs[:5]!r}"
        raise InvalidSetting(variable_of("blobs"), reason)
    from greenroom.blobs.s3 import InvalidLocation, parse_location

    try:
        return parse_location(settings.blobs)
    except InvalidLocation as reason:
        raise InvalidSetting(variable_of("blobs"), str(reason)) from None


def _folder(settings: Settings, clock: Clock) -> FolderBlobs:
    folder = data_folder(settings) / "files"
    try:
        return FolderBlobs(folder, load_secret(settings), clock)
    except OSError as error:
        raise DataNotWritable(str(folder), error.strerror or str(error)) from error

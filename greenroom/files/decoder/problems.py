"""Why a child stops: the file is not what it seems to be, or it is more than a limit allows."""

import errno
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from greenroom.files.decoder.jobs import LocationStays, MetadataStays, NeedsTime, TooManyPixels

_DISK: Final = (errno.ENOSPC, errno.EDQUOT, errno.EIO, errno.EROFS)


class NotDecodable(Exception):
    """The decoder cannot read it: it is damaged, or only looks like a file of its type."""


class Stopped(Exception):
    """The answer is known without decoding any further."""

    def __init__(self, answer: TooManyPixels | LocationStays | MetadataStays | NeedsTime) -> None:
        self.answer = answer


@contextmanager
def decoding() -> Iterator[None]:
    """Around a library that reads the file. Whatever it raises is about the file: libraries raise
    anything for files that are made to break them. Memory and disk are our own."""
    try:
        yield
    except (NotDecodable, Stopped, MemoryError):
        raise
    except Exception as error:
        if is_disk_trouble(error):
            raise
        raise NotDecodable(repr(error)) from error


def is_disk_trouble(error: Exception) -> bool:
    return isinstance(error, OSError) and error.errno in _DISK

"""Reads the `Range` header of a download (RFC 9110): one range of bytes, or the whole."""

import re
from enum import Enum

from greenroom.blobs.base import ByteRange

_ONE = re.compile(r"bytes=([0-9]{0,18})-([0-9]{0,18})", re.ASCII | re.IGNORECASE)


class Unsatisfiable(Enum):
    """No byte of the range exists: the answer is 416."""

    UNSATISFIABLE = 1


def range_in(header: str | None, size: int) -> ByteRange | Unsatisfiable | None:
    """None for the whole: without a range, with several, and with one that is not valid. RFC 9110
    allows to ignore those."""
    found = None if header is None else _ONE.fullmatch(header.strip())
    if found is None or found[1] == found[2] == "":
        return None
    if not found[1]:
        first, last = max(0, size - int(found[2])), size - 1
    else:
        first, last = int(found[1]), min(int(found[2] or size), size - 1)
        if found[2] and int(found[2]) < first:
            return None
    return ByteRange(first, last) if first <= last else Unsatisfiable.UNSATISFIABLE

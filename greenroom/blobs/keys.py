"""Says what a key of a blob may be: parts of letters, digits and `_-.~`, separated by slashes.

So a key is also a path below a folder, and needs no escaping in a URL. Keys are made from ids only:
an invalid one is a bug.
"""

import re

from greenroom.blobs.base import BlobKey

MAX_KEY = 512
"""Characters."""
MAX_PART = 128
_PART = re.compile(r"[A-Za-z0-9_~-][A-Za-z0-9_.~-]{0,127}", re.ASCII)


class InvalidBlobKey(ValueError):
    """This cannot be the key of a blob."""


def parts_of(key: BlobKey) -> list[str]:
    """The parts between the slashes. None begins with a dot, so none is `..` or a hidden file."""
    parts = key.split("/")
    if len(key) > MAX_KEY or not all(map(_PART.fullmatch, parts)):
        raise InvalidBlobKey(key[:MAX_KEY])
    return parts


def check(key: BlobKey) -> BlobKey:
    parts_of(key)
    return key

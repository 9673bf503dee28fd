"""Looks for metadata in files that no decoder here can read: it cannot be removed from them.

It looks for the bytes with which EXIF, XMP and places begin, wherever they are: a damaged file has
no structure that could be followed. Compressed metadata is not found, but it begins with a name
that is.
"""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

from greenroom.files.decoder.content_type import Guess
from greenroom.files.models import Media

_PLACES: Final = (
    *(b"\x25\x88" + kind + b"\0\x01\0\0\0" for kind in (b"\x04", b"\x0d")),  # TIFF, EXIF: GPS
    *(b"\x88\x25\0" + kind + b"\0\0\0\x01" for kind in (b"\x04", b"\x0d")),
    b"GPSLatitude",
    b"GPSCoordinates",
    b"com.apple.quicktime.location",
    b"\xa9xyz\0",
    b"loci\0\0\0\0",
    b"brobExif",  # packed: it may be a place
    b"brobxml ",
)
_ANY: Final = (
    *_PLACES,
    b"Exif\0",
    b"ns.adobe.com",
    b"<x:xmpmeta",
    b"<?xpacket",
    b"Photoshop 3.0\0",
)
_TIFF: Final = (  # a TIFF is EXIF itself: pointers to EXIF, and XMP
    *(b"\x69\x87" + kind + b"\0\x01\0\0\0" for kind in (b"\x04", b"\x0d")),
    *(b"\x87\x69\0" + kind + b"\0\0\0\x01" for kind in (b"\x04", b"\x0d")),
    *(b"\xbc\x02" + kind + b"\0" for kind in (b"\x01", b"\x07")),
    *(b"\x02\xbc\0" + kind for kind in (b"\x01", b"\x07")),
)
_BY_READER: Final = {
    "PNG": (b"eXIf", b"tEXt", b"zTXt", b"iTXt"),
    "WEBP": (b"EXIF", b"XMP "),
    "GIF": (b"XMP DataXMP",),
    "TIFF": _TIFF,
    "mov": (b"cmov", b"gpmd", b"camm"),
    "matroska": (b"LOCATION", b"location"),
    "ogg": (b"LOCATION", b"location"),
}
_CHUNK: Final = 4_000_000
_LONGEST: Final = 64
"""More bytes than any of them has."""
_FIRST, _LAST = 200_000_000, 50_000_000
"""How much of a large file is read: metadata is at its beginning or end."""


def has_metadata(path: Path, found: Guess) -> bool:
    """Of what seems to be a picture, a video or a sound, any metadata counts; of anything else only
    a place. A text, a document or an archive is sent as it is."""
    if found.holds_others:
        return False
    if found.media is not Media.OTHER:
        return _contains(path, (*_ANY, *_BY_READER.get(found.reader, ())))
    return _contains(path, _PLACES)


def _contains(path: Path, wanted: Iterable[bytes]) -> bool:
    return any(one in chunk for chunk in _chunks(path) for one in wanted)


def _chunks(path: Path) -> Iterator[bytes]:
    """Each begins with the end of the one before it."""
    with path.open("rb") as file:
        size = file.seek(0, 2)
        at, rest = 0, b""
        while at < size:
            if _FIRST <= at < size - _LAST:
                at, rest = size - _LAST, b""
            file.seek(at)
            read = file.read(_CHUNK)
            if not read:
                return
            at += len(read)
            yield rest + read
            rest = read[-_LONGEST:]

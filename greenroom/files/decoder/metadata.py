"""Looks for metadata in files that no decoder here can read: it cannot be removed from them. In
videos and sounds it looks for what ffmpeg does not tell of.

It looks for the bytes with which EXIF, XMP and places begin, wherever they are: a damaged file has
no structure that could be followed. Compressed metadata is not found, but it begins with a name
that is.
"""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

from greenroom.files.decoder import parts
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
    "matroska": (b"LOCATION", b"location", b"S_TEXT"),
    "ogg": (b"LOCATION", b"location"),
}
_PLACES_IN_BOXES: Final = (
    *(b"cmov", b"gpmd", b"camm", b"gps ", b"GPMF", b"freeGPS"),
    *(b"tx3g", b"sbtl"),  # subtitles, in which drones write where they are
)
"""In MP4 and QuickTime. Too short to be looked for in pictures and sound."""
_ANY_IN_BOXES: Final = (*_PLACES_IN_BOXES, b"uuid", b"XMP_", b"ID32")
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
    if found.media is Media.OTHER:
        return _contains(path, _PLACES)
    if found.reader == "mov" and _in_boxes(path, _PLACES_IN_BOXES):
        return True
    return _contains(path, (*_ANY, *_BY_READER.get(found.reader, ())))


def holds_more(path: Path, reader: str) -> bool:
    """Whether a video or sound has anything besides its tracks. Too much may be found: it is only
    copied without it."""
    if reader == "mov":
        is_known = all(box.is_known for box in parts.boxes(path))
        return not is_known or _in_boxes(path, (*_ANY, *_ANY_IN_BOXES))
    if reader == "wav":
        return not all(chunk.is_known for chunk in parts.chunks(path))
    return _contains(path, (*_ANY, *_BY_READER.get(reader, ())))


def holds_place(path: Path, reader: str) -> bool:
    """Besides the tracks of a video or sound."""
    if reader == "mov":
        return _in_boxes(path, (*_PLACES, *_PLACES_IN_BOXES))
    return _contains(path, _PLACES)


def _contains(path: Path, wanted: Iterable[bytes]) -> bool:
    return any(one in chunk for chunk in _chunks(path) for one in wanted)


def _in_boxes(path: Path, wanted: Iterable[bytes]) -> bool:
    """Outside the media data."""
    boxes = (box for box in parts.boxes(path) if box.kind != parts.MEDIA)
    found = (chunk for box in boxes for chunk in _chunks(path, box.start, box.end))
    return any(one in chunk for chunk in found for one in wanted)


def _chunks(path: Path, start: int = 0, end: int | None = None) -> Iterator[bytes]:
    """Each begins with the end of the one before it."""
    with path.open("rb") as file:
        end = file.seek(0, 2) if end is None else end
        at, rest = start, b""
        while at < end:
            if start + _FIRST <= at < end - _LAST:
                at, rest = end - _LAST, b""
            file.seek(at)
            read = file.read(min(_CHUNK, end - at))
            if not read:
                return
            at += len(read)
            yield rest + read
            rest = read[-_LONGEST:]

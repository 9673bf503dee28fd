"""Finds out from its first bytes what a file seems to be.

It is a guess until a decoder has proved it (`decode.py`): only then is a file a picture, a video, a
sound or a PDF. For everything else the type is what the content says, for people to read; such a
file is never shown by the server or in a browser window.
"""

from pathlib import Path
from typing import Final

import puremagic
from msgspec import Struct

from greenroom.files.decoder.jobs import UNKNOWN
from greenroom.files.decoder.text_type import text_type
from greenroom.files.decoder.zip_type import zip_type
from greenroom.files.models import Media

HEAD: Final = 65_536
_FEW = 0.35
"""Guesses with less confidence are not better than none."""


class Guess(Struct, frozen=True):
    type: str
    media: Media = Media.OTHER
    reader: str = ""
    """The format for Pillow, or for ffmpeg. A decoder reads a file in this format or not at all, so
    that it never takes it for a playlist or a script of its own."""
    holds_others: bool = False
    """A text, a document or an archive: no viewer takes it for one of the pictures in it."""


_ARCHIVES: Final = frozenset(
    {
        "application/gzip",
        "application/vnd.rar",
        "application/x-7z-compressed",
        "application/x-bzip2",
        "application/x-gzip",
        "application/x-rar",
        "application/x-rar-compressed",
        "application/x-tar",
        "application/x-xz",
        "application/zstd",
    }
)


def _picture(type: str, reader: str) -> Guess:
    return Guess(type, Media.PICTURE, reader)


def _sound(type: str, reader: str) -> Guess:
    return Guess(type, Media.SOUND, reader)


def _video(type: str, reader: str) -> Guess:
    """A sound too, if it has no video in it."""
    return Guess(type, Media.VIDEO, reader)


HEIF: Final = "heif"
_PDF = Guess("application/pdf", Media.PDF, holds_others=True)
_SIGNATURES: Final[tuple[tuple[int, bytes, Guess], ...]] = (
    (0, b"\x89PNG\r\n\x1a\n", _picture("image/png", "PNG")),
    (0, b"\xff\xd8\xff", _picture("image/jpeg", "JPEG")),
    (0, b"GIF87a", _picture("image/gif", "GIF")),
    (0, b"GIF89a", _picture("image/gif", "GIF")),
    (0, b"II*\0", _picture("image/tiff", "TIFF")),
    (0, b"MM\0*", _picture("image/tiff", "TIFF")),
    (0, b"BM", _picture("image/bmp", "BMP")),
    (0, b"%PDF-", _PDF),
    (0, b"\xef\xbb\xbf%PDF-", _PDF),
    (0, b"\x1a\x45\xdf\xa3", _video("video/webm", "matroska")),
    (0, b"OggS", _video("video/ogg", "ogg")),
    (0, b"FLV\x01", _video("video/x-flv", "flv")),
    (0, b"\x30\x26\xb2\x75\x8e\x66\xcf\x11", _video("video/x-ms-wmv", "asf")),
    (0, b"\0\0\x01\xba", _video("video/mpeg", "mpeg")),
    (0, b"fLaC", _sound("audio/flac", "flac")),
    (0, b"ID3", _sound("audio/mpeg", "mp3")),
    (0, b"#!AMR", _sound("audio/amr", "amr")),
    (0, b"caff", _sound("audio/x-caf", "caf")),
    *((0, bytes((0xFF, second)), _sound("audio/mpeg", "mp3")) for second in (0xFA, 0xFB, 0xF3)),
    *((0, bytes((0xFF, second)), _sound("audio/mpeg", "mp3")) for second in (0xF2, 0xE3, 0xE2)),
    *((0, bytes((0xFF, second)), _sound("audio/aac", "aac")) for second in (0xF0, 0xF1)),
    *((0, bytes((0xFF, second)), _sound("audio/aac", "aac")) for second in (0xF8, 0xF9)),
)
_RIFF: Final = {
    b"WEBP": _picture("image/webp", "WEBP"),
    b"AVI ": _video("video/x-msvideo", "avi"),
    b"WAVE": _sound("audio/wav", "wav"),
}
_FORM: Final = dict.fromkeys((b"AIFF", b"AIFC"), _sound("audio/aiff", "aiff"))
_BRANDS: Final = {
    b"avif": _picture("image/avif", "AVIF"),
    b"avis": _picture("image/avif", "AVIF"),
    **dict.fromkeys(
        (b"heic", b"heix", b"heim", b"heis", b"hevc", b"hevx"), _picture("image/heic", HEIF)
    ),
    **dict.fromkeys((b"mif1", b"msf1"), _picture("image/heif", HEIF)),
    b"qt  ": _video("video/quicktime", "mov"),
    b"M4A ": _sound("audio/mp4", "mov"),
    b"M4B ": _sound("audio/mp4", "mov"),
}
_MP4 = _video("video/mp4", "mov")
_OLD_QUICKTIME: Final = (b"moov", b"mdat", b"wide", b"free", b"skip", b"pnot")
_TRANSPORT_PACKET: Final = 188


def guess(path: Path) -> Guess:
    with path.open("rb") as file:
        head = file.read(HEAD)
    found = _container(head) or next(
        (what for at, magic, what in _SIGNATURES if head[at : at + len(magic)] == magic), None
    )
    if found is not None:
        return found
    if head[:4] in (b"PK\x03\x04", b"PK\x05\x06"):
        return Guess(zip_type(path), holds_others=True)
    if (text := text_type(head)) is not None:
        return Guess(text, holds_others=True)
    type = _by_puremagic(head)
    return Guess(type, holds_others=type in _ARCHIVES)


def _container(head: bytes) -> Guess | None:
    """Formats that say further on what is in them."""
    begins, kind = head[:4], head[8:12]
    if begins == b"RIFF":
        return _RIFF.get(kind)
    if begins == b"FORM":
        return _FORM.get(kind)
    if head[4:8] == b"ftyp":
        return _branded(head)
    if head[4:8] in _OLD_QUICKTIME:
        return _BRANDS[b"qt  "]
    packets = head[: _TRANSPORT_PACKET * 4 : _TRANSPORT_PACKET]
    return _video("video/mp2t", "mpegts") if packets == b"GGGG" else None


def _branded(head: bytes) -> Guess:
    """The brand comes first, then those that it is compatible with. `mif1` says only that it is a
    picture: another one says its kind."""
    end = min(int.from_bytes(head[:4]), 256)
    brands = [head[8:12], *(head[at : at + 4] for at in range(16, end, 4))]
    known = [_BRANDS[brand] for brand in brands if brand in _BRANDS]
    if brands[0] not in (b"mif1", b"msf1"):
        return _BRANDS.get(brands[0], _MP4)
    return next((one for one in known if one.type != "image/heif"), known[0])


def _by_puremagic(head: bytes) -> str:
    try:
        matches = puremagic.magic_string(head)
    except (puremagic.PureError, ValueError):
        return UNKNOWN
    types = [match.mime_type for match in matches if match.confidence >= _FEW]
    return next((type for type in types if type.startswith("application/")), UNKNOWN)

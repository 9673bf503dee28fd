"""Reads from the headers of a GIF or WebP how large its canvas is, and how many frames it has.

Pillow would decode, or set memory aside for it. Nothing of a file is read beyond the frame that is
one too many.
"""

from pathlib import Path
from typing import BinaryIO, Final

from msgspec import Struct

from greenroom.files.decoder.problems import NotDecodable

_EXTENSION, _IMAGE, _END = 0x21, 0x2C, 0x3B


class Frames(Struct, frozen=True):
    width: int
    height: int
    count: int

    @property
    def pixels(self) -> int:
        return self.width * self.height * self.count


def gif_frames(path: Path, *, most_pixels: int) -> Frames:
    """Careful: a frame may be larger than the canvas; then the canvas grows."""
    with path.open("rb") as file:
        head = _exactly(file, 13)
        found = Frames(_number(head[6:8]), _number(head[8:10]), 0)
        _skip_colors(file, head[10])
        while found.pixels <= most_pixels:
            kind = file.read(1)
            if kind == bytes([_EXTENSION]):
                file.read(1)
                _skip_blocks(file)
            elif kind == bytes([_IMAGE]):
                found = _with_frame(found, _exactly(file, 9), file)
            else:  # the end, or what comes after a file that was cut off
                break
        return found


def _with_frame(found: Frames, frame: bytes, file: BinaryIO) -> Frames:
    left, top, width, height = (_number(frame[at : at + 2]) for at in (0, 2, 4, 6))
    _skip_colors(file, frame[8])
    file.read(1)
    _skip_blocks(file)
    width, height = max(found.width, left + width), max(found.height, top + height)
    return Frames(width, height, found.count + 1)


def _skip_colors(file: BinaryIO, flags: int) -> None:
    if flags & 0x80:
        file.seek(3 << (flags & 7) + 1, 1)


def _skip_blocks(file: BinaryIO) -> None:
    while size := file.read(1):
        if size == b"\0":
            return
        file.seek(size[0], 1)


_VP8_KEY_FRAME: Final = b"\x9d\x01\x2a"


def webp_frames(path: Path, *, most_pixels: int) -> Frames:
    with path.open("rb") as file:
        head = _exactly(file, 30)
        found = _webp_canvas(head)
        if head[12:16] != b"VP8X" or not head[20] & 2:
            return found
        file.seek(30)
        found = Frames(found.width, found.height, 0)
        while found.pixels <= most_pixels and len(chunk := file.read(8)) == 8:
            found = Frames(found.width, found.height, found.count + (chunk[:4] == b"ANMF"))
            size = _number(chunk[4:])
            file.seek(size + size % 2, 1)
        return found


def _webp_canvas(head: bytes) -> Frames:
    kind = head[12:16]
    if kind == b"VP8X":
        return Frames(_number(head[24:27]) + 1, _number(head[27:30]) + 1, 1)
    if kind == b"VP8L":
        bits = _number(head[21:25])
        return Frames((bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1, 1)
    if kind == b"VP8 " and head[23:26] == _VP8_KEY_FRAME:
        return Frames(_number(head[26:28]) & 0x3FFF, _number(head[28:30]) & 0x3FFF, 1)
    raise NotDecodable("not a WebP file")


def _number(found: bytes) -> int:
    return int.from_bytes(found, "little")


def _exactly(file: BinaryIO, size: int) -> bytes:
    found = file.read(size)
    if len(found) < size:
        raise NotDecodable("the file ends too soon")
    return found

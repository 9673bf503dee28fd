"""Reads HEIC pictures with `heif-convert`, where it is installed.

It is a program of its own because the libraries for Python contain code under the GPL.
"""

import mmap
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import Final

from greenroom.files.decoder.jobs import TooManyPixels
from greenroom.files.decoder.picture import Picture, check_pixels, open_picture
from greenroom.files.decoder.problems import NotDecodable, Stopped
from greenroom.files.decoder.programs import find, run

_SECONDS: Final = 40
_MOST_TOGETHER: Final = 3
"""How many times the limit all sizes in a file may be: those of a picture, of the tiles that it is
made of, and of its thumbnails."""


def program() -> str | None:
    return find("heif-dec", "heif-convert")


def open_heif(path: Path, folder: Path, *, max_pixels: int) -> Picture:
    """Careful: the program has turned it upright, whatever its EXIF says."""
    found = program()
    if found is None:
        raise NotDecodable("heif-convert is not installed")
    _check_sizes(path, max_pixels)
    run((found, "-q", "92", str(path), str(folder / "heif.jpg")), seconds=_SECONDS)
    written = sorted(folder.glob("heif*.jpg"))  # of several pictures each has a number
    if not written:
        raise NotDecodable("there is no picture in it")
    picture = open_picture(written[0], "JPEG", max_pixels=max_pixels, ignores_orientation=True)
    for one in written:
        one.unlink()
    return picture


def _check_sizes(path: Path, max_pixels: int) -> None:
    """The program decodes all pictures in the file, and has no limit of its own."""
    together = 0
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
        for width, height in _sizes(content):
            check_pixels(width, height, 1, max_pixels)
            together += width * height
            if together > _MOST_TOGETHER * max_pixels:
                raise Stopped(TooManyPixels(together, max_pixels))


def _sizes(content: mmap.mmap) -> Iterator[tuple[int, int]]:
    """The width and height in each `ispe` of `meta/iprp/ipco`."""
    found = [(0, len(content))]
    for kind, skipped in ((b"meta", 4), (b"iprp", 0), (b"ipco", 0), (b"ispe", 4)):
        inner = [_boxes(content, kind, start, end) for start, end in found]
        found = [(start + skipped, end) for start, end in chain.from_iterable(inner)]
    for start, _ in found:
        yield (
            int.from_bytes(content[start : start + 4]),
            int.from_bytes(content[start + 4 : start + 8]),
        )


def _boxes(content: mmap.mmap, kind: bytes, at: int, end: int) -> Iterator[tuple[int, int]]:
    """Where the contents of the boxes of this kind begin and end."""
    while at + 8 <= end:
        size, head = int.from_bytes(content[at : at + 4]), 8
        if size == 1:
            size, head = int.from_bytes(content[at + 8 : at + 16]), 16
        elif size == 0:
            size = end - at
        if size < head:
            return
        if content[at + 4 : at + 8] == kind:
            yield at + head, min(at + size, end)
        at += size

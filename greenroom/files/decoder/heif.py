"""Reads HEIC pictures with `heif-convert`, where it is installed.

It is a program of its own because the libraries for Python contain code under the GPL.
"""

import re
from pathlib import Path
from typing import Final

from greenroom.files.decoder.picture import Picture, check_pixels, open_picture
from greenroom.files.decoder.problems import NotDecodable
from greenroom.files.decoder.programs import find, run

_SECONDS: Final = 40
_HEADER: Final = 1_000_000
_DIMENSIONS: Final = re.compile(rb"\x00\x00\x00\x14ispe\x00\x00\x00\x00(.{8})", re.DOTALL)


def program() -> str | None:
    return find("heif-dec", "heif-convert")


def open_heif(path: Path, folder: Path, *, max_pixels: int) -> Picture:
    """Careful: the program has turned it upright, whatever its EXIF says."""
    found = program()
    if found is None:
        raise NotDecodable("heif-convert is not installed")
    with path.open("rb") as file:
        for size in _DIMENSIONS.findall(file.read(_HEADER)):
            width, height = int.from_bytes(size[:4]), int.from_bytes(size[4:])
            check_pixels(width, height, 1, max_pixels)
    run((found, "-q", "92", str(path), str(folder / "heif.jpg")), seconds=_SECONDS)
    written = sorted(folder.glob("heif*.jpg"))  # of several pictures each has a number
    if not written:
        raise NotDecodable("there is no picture in it")
    picture = open_picture(written[0], "JPEG", max_pixels=max_pixels, ignores_orientation=True)
    for one in written:
        one.unlink()
    return picture

"""Lists the outermost parts of an MP4, QuickTime or WAV file: its boxes or chunks."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final, TypeAlias

from msgspec import Struct

_MOST: Final = 100_000
_BOXES: Final = frozenset(
    b"ftyp styp moov moof mdat mfra sidx ssix prft free skip wide".split(b" ")
)
_CHUNKS: Final = frozenset(
    (b"fmt ", b"data", b"fact", b"LIST", b"JUNK", b"PAD ", b"FLLR", b"PEAK", b"cue ", b"smpl")
)
MEDIA: Final = b"mdat"
"""The box with pictures and sound themselves."""
_Header: TypeAlias = Callable[[bytes, int], tuple[bytes, int]]
"""The kind and size of a part, from its first 16 bytes and the number of bytes that are left."""


class Part(Struct, frozen=True):
    kind: bytes
    """Empty for bytes that are no part, or for the rest of a file of very many parts."""
    start: int
    end: int
    is_known: bool


def boxes(path: Path) -> Iterator[Part]:
    """Of MP4 and QuickTime."""
    return _parts(path, 0, _box, _BOXES)


def chunks(path: Path) -> Iterator[Part]:
    """Of WAV."""
    return _parts(path, 12, _chunk, _CHUNKS)


def _parts(path: Path, start: int, header: _Header, known: frozenset[bytes]) -> Iterator[Part]:
    with path.open("rb") as file:
        whole, count = file.seek(0, 2), 0
        while start + 8 <= whole:
            file.seek(start)
            kind, size = header(file.read(16), whole - start)
            count += 1
            if size < 8 or count > _MOST:
                yield Part(b"", start, whole, is_known=False)
                return
            yield Part(kind, start, min(start + size, whole), kind in known)
            start += size


def _box(head: bytes, left: int) -> tuple[bytes, int]:
    size = int.from_bytes(head[:4])
    if size == 1:
        size = int.from_bytes(head[8:16])
    return head[4:8], size or left


def _chunk(head: bytes, left: int) -> tuple[bytes, int]:
    size = int.from_bytes(head[4:8], "little")
    return head[:4], 8 + size + size % 2

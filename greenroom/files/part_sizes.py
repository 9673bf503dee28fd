"""Divides an upload into parts, as S3 takes them. Pure, no I/O."""

from collections.abc import Iterator, Sequence

from greenroom.blobs.base import UploadedPart
from greenroom.files.models import File

_MB = 1024 * 1024
_SMALLEST = 8 * _MB
_MOST_PARTS = 10_000


def part_size_for(size: int) -> int:
    """8 MiB, or more where the file would have more than 10,000 parts. Whole MiB."""
    least = -(-size // _MOST_PARTS)
    return max(_SMALLEST, -(-least // _MB) * _MB)


def part_sizes(file: File) -> Iterator[tuple[int, int]]:
    """The number and size of each part. All but the last have the same size."""
    for number, start in enumerate(range(0, file.size, file.part_size), 1):
        yield number, min(file.part_size, file.size - start)


def whole_parts(file: File, uploaded: Sequence[UploadedPart]) -> list[UploadedPart]:
    """Those that have the right number and size. Others have to be sent again."""
    expected = dict(part_sizes(file))
    return [part for part in uploaded if expected.get(part.number) == part.size]

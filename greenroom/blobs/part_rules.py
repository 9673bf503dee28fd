"""Says which parts can be joined. S3 has these rules, and other engines the same. Pure, no I/O."""

from collections.abc import Sequence
from itertools import pairwise

from greenroom.blobs.base import InvalidParts, UploadedPart

MAX_PARTS = 10_000
MIN_PART = 5 * 2**20
"""Bytes of every part but the last."""


def check_parts(parts: Sequence[UploadedPart]) -> None:
    """Raises `InvalidParts` unless they are in order, and large enough."""
    in_order = all(one.number < other.number for one, other in pairwise(parts))
    if not parts or not in_order or parts[0].number < 1 or parts[-1].number > MAX_PARTS:
        raise InvalidParts
    if any(part.size < MIN_PART for part in parts[:-1]):
        raise InvalidParts

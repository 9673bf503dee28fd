"""Digests in a sync cursor of what it gave lately, so that the next sync does not give it again."""

from hashlib import blake2b

_DIGEST_BYTES = 6


def digest(name: str) -> bytes:
    return blake2b(name.encode(), digest_size=_DIGEST_BYTES).digest()


def split(digests: bytes) -> set[bytes]:
    return set(_in_order(digests))


def fitted(given: bytes, met: bytes, room: int) -> tuple[bytes, bytes]:
    """Those of the round before and those of this one, in `room` bytes. Where there is no room for
    all of them, the oldest are forgotten, and may be given twice."""
    most = max(0, room) // _DIGEST_BYTES * _DIGEST_BYTES
    met = met[-most:] if most else b""
    seen, left = split(met), most - len(met)
    kept = b"".join(one for one in _in_order(given) if one not in seen)
    return kept[-left:] if left else b"", met


def _in_order(digests: bytes) -> list[bytes]:
    starts = range(0, len(digests), _DIGEST_BYTES)
    return [digests[start : start + _DIGEST_BYTES] for start in starts]

"""Encodes a sort key as an opaque cursor, for pages that merge several queries."""

from base64 import urlsafe_b64decode, urlsafe_b64encode

from greenroom.store.problems import InvalidCursor

_LONGEST = 100


def encode_cursor(position: str) -> str:
    return urlsafe_b64encode(position.encode()).decode().rstrip("=")


def decode_cursor(cursor: str) -> str:
    try:
        position = urlsafe_b64decode(cursor.encode() + b"=" * (-len(cursor) % 4)).decode("ascii")
    except ValueError:
        raise InvalidCursor from None
    if not 0 < len(position) <= _LONGEST or not position.isprintable():
        raise InvalidCursor
    return position

"""Refuses JSON objects with duplicate keys: two parsers could pick different values."""

import json
from typing import Any

import msgspec

_BEFORE_COLON = (b" :", b"\t:", b"\n:", b"\r:")


class DuplicateKey(ValueError):
    pass


def check_keys(payload: bytes, *, fewest: int = 0) -> None:
    """Raises DuplicateKey. `payload` must be valid JSON. `fewest` is the number of keys it is known
    to have: if it cannot have more, no key is duplicated, and the payload is not parsed again."""
    if not fewest or _most_keys(payload) > fewest:
        json.loads(payload, object_pairs_hook=_once, parse_int=_ignored, parse_float=_ignored)


def _most_keys(payload: bytes) -> int:
    """Upper bound. A key ends with a quote and a colon, or has whitespace between the two."""
    has_blanks = any(map(payload.__contains__, _BEFORE_COLON))
    return payload.count(b":" if has_blanks else b'":')


def fewest_keys(kind: type[msgspec.Struct]) -> int:
    """How many keys an object of this kind has at least, with its tag."""
    required = sum(field.required for field in msgspec.structs.fields(kind))
    return required + (kind.__struct_config__.tag is not None)


def _once(pairs: list[tuple[str, Any]]) -> None:
    seen = set()
    for key, _ in pairs:
        if key in seen:
            raise DuplicateKey(f"The key {key[:40]!r} appears twice.")
        seen.add(key)


def _ignored(_: str) -> None:
    """Skips parsing numbers: they may have any number of digits."""

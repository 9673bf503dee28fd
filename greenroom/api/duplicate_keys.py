"""Refuses JSON in which an object has the same key twice: two readers could take different ones."""

import json
from typing import Any

import msgspec

_BEFORE_COLON = (b" :", b"\t:", b"\n:", b"\r:")


class DuplicateKey(ValueError):
    pass


def check_keys(payload: bytes, *, fewest: int = 0) -> None:
    """Raises DuplicateKey. `payload` is valid JSON. If it is known to have `fewest` keys and cannot
    have more, nothing can be there twice: most frames need no second look."""
    if not fewest or _most_keys(payload) > fewest:
        json.loads(payload, object_pairs_hook=_once, parse_int=_ignored, parse_float=_ignored)


def _most_keys(payload: bytes) -> int:
    """A key ends with a quote, and then a colon, unless there are blanks between the two."""
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
    """A number may have any number of digits; none of them is looked at."""

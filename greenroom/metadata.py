"""Checks and renders metadata: the integrator's JSON object on a thread, message or person. Pure.

It is stored as JSON text and not interpreted. `checked` limits its size and depth.
"""

from collections.abc import Mapping
from hashlib import blake2b
from typing import Any

import msgspec

from greenroom.errors import Clause, Problem

MAX_BYTES = 4096
MAX_DEPTH = 8
_encode = msgspec.json.Encoder(order="deterministic").encode


class InvalidMetadata(Problem):
    """The metadata is not valid: {reason}."""

    reason: Clause


def checked(metadata: Mapping[str, Any] | None) -> str | None:
    """As JSON text; None if it is empty."""
    if not metadata:
        return None
    if _depth(metadata, MAX_DEPTH) > MAX_DEPTH:
        raise InvalidMetadata(f"it must be nested at most {MAX_DEPTH} levels deep")
    if _least_bytes(metadata) <= MAX_BYTES:
        text = _encode(metadata)
        if len(text) <= MAX_BYTES:
            return text.decode()
    raise InvalidMetadata(f"it must have at most {MAX_BYTES:,} bytes of JSON")


def digest(text: str | None) -> str:
    """Identifies a text of metadata; empty if there is none."""
    return "" if text is None else blake2b(text.encode(), digest_size=8).hexdigest()


def _least_bytes(value: object) -> int:
    """A lower bound for the bytes of its JSON, without encoding it."""
    if isinstance(value, str):
        return len(value)
    if isinstance(value, Mapping):
        return sum(len(name) + _least_bytes(one) for name, one in value.items())
    return sum(map(_least_bytes, value)) if isinstance(value, list) else 1


def _depth(value: object, most: int) -> int:
    """How deep it is nested; stops once it is deeper than `most`."""
    if isinstance(value, Mapping):
        inner = list(value.values())
    elif isinstance(value, list):
        inner = value
    else:
        return 0
    if most == 0:
        return 1
    return 1 + max((_depth(one, most - 1) for one in inner), default=0)


def to_json(text: str | None) -> Any:
    """The stored object, for an answer."""
    return {} if text is None else msgspec.Raw(text.encode())

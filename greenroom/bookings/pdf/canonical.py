"""Hashes the content of a document: SHA-256 of its canonical JSON. Pure.

It is RFC 8785 for JSON without fractions, so that anybody can compute it again: keys sorted by
their UTF-16 units, no blanks, UTF-8, and only what must be escaped is escaped.
"""

import json
from hashlib import sha256
from typing import Final, TypeAlias

import msgspec
from msgspec import Struct

Json: TypeAlias = bool | int | str | list["Json"] | dict[str, "Json"] | None
_MOST_EXACT: Final = 2**53 - 1
"""The largest whole number that every JSON library reads exactly."""


class NotCanonical(ValueError):
    """Not a value that has one canonical form: a fraction, a huge number, half a character."""


def content_hash(content: Struct) -> str:
    return sha256_hex(canonical_json(msgspec.to_builtins(content)))


def sha256_hex(content: bytes | str) -> str:
    return sha256(content.encode() if isinstance(content, str) else content).hexdigest()


def canonical_json(value: object) -> bytes:
    text = json.dumps(_sorted(value), ensure_ascii=False, separators=(",", ":"))
    try:
        return text.encode()
    except UnicodeEncodeError as error:
        raise NotCanonical("has half a character") from error


def _sorted(value: object) -> Json:
    match value:
        case None | bool() | str():
            return value
        case int():
            if abs(value) > _MOST_EXACT:
                raise NotCanonical(f"too large: {value}")
            return value
        case list() | tuple():
            return [_sorted(one) for one in value]
        case dict():
            return {key: _sorted(value[key]) for key in sorted(value, key=_units)}
        case _:
            raise NotCanonical(f"has no canonical form: {type(value).__name__}")


def _units(key: object) -> bytes:
    if not isinstance(key, str):
        raise NotCanonical("has a key of another type")
    return key.encode("utf-16-be", "surrogatepass")

"""Adds format, length and pattern to the string schemas of a property."""

from collections.abc import Iterator
from typing import Any

from greenroom.api.openapi.property import Property

_CLOSED = {"enum", "const"}


def limited(schema: dict[str, Any], known: Property) -> dict[str, Any]:
    """Changes the schema in place and returns it."""
    limits = {
        "format": known.format,
        "maxLength": known.max_length,
        "minLength": known.min_length,
        "pattern": known.pattern,
    }
    for text in _texts_in(schema):
        for name, limit in limits.items():
            if limit is not None:
                text.setdefault(name, limit)
    return schema


def _texts_in(schema: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The string schemas in it: itself, its alternatives, the items of an array or a map."""
    if schema.get("type") == "string" and not _CLOSED & schema.keys():
        yield schema
    for inner in (*schema.get("oneOf", ()), *schema.get("anyOf", ())):
        yield from _texts_in(inner)
    for key in ("items", "additionalProperties"):
        if isinstance(schema.get(key), dict):
            yield from _texts_in(schema[key])

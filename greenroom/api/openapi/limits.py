"""Adds format, length and pattern to the schemas of a property, and the width of whole numbers."""

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


def with_widths(schema: Any) -> None:
    """Says of all whole numbers in it, in place, that they may exceed 32 bits: generators for Java
    and C# take the smaller type otherwise."""
    if isinstance(schema, list):
        for one in schema:
            with_widths(one)
    if not isinstance(schema, dict):
        return
    if schema.get("type") == "integer" and not _CLOSED & schema.keys():
        schema.setdefault("format", "int64")
        for bound in ("minimum", "maximum"):
            if bound in schema:
                schema[bound] = int(schema[bound])
    for name, inner in schema.items():
        if name not in ("example", "examples", "default"):
            with_widths(inner)


def _texts_in(schema: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The string schemas in it: itself, its alternatives, the items of an array or a map."""
    if schema.get("type") == "string" and not _CLOSED & schema.keys():
        yield schema
    for inner in (*schema.get("oneOf", ()), *schema.get("anyOf", ())):
        yield from _texts_in(inner)
    for key in ("items", "additionalProperties"):
        if isinstance(schema.get(key), dict):
            yield from _texts_in(schema[key])

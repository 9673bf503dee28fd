"""Finds the strings in a JSON schema without a length, format, pattern or enum."""

from collections.abc import Iterator, Mapping
from typing import Any

_BOUNDS = {"maxLength", "enum", "const", "format", "pattern"}
_MANY = ("oneOf", "anyOf", "allOf")
_ONE = ("items", "additionalProperties")


def texts_in(where: str, schema: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """All string schemas in it, with their paths: itself, its alternatives, those in arrays, maps
    and properties."""
    if schema.get("type") == "string" or "string" in _list(schema.get("type")):
        yield where, schema
    for key in _MANY:
        for inner in schema.get(key, ()):
            yield from texts_in(where, inner)
    for key in _ONE:
        if isinstance(schema.get(key), dict):
            yield from texts_in(f"{where}[]", schema[key])
    for name, inner in schema.get("properties", {}).items():
        yield from texts_in(f"{where}.{name}", inner)


def unbounded(schemas: Mapping[str, Mapping[str, Any]]) -> list[str]:
    found = [one for name, schema in schemas.items() for one in texts_in(name, schema)]
    assert len(found) > 80
    return [where for where, text in found if not _BOUNDS & text.keys()]


def _list(kind: Any) -> list[str]:
    return kind if isinstance(kind, list) else []

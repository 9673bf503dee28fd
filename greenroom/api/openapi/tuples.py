"""Corrects the items of `Annotated[tuple[X, ...], Meta(...)]`: Litestar takes the dots for a type.

It writes `oneOf: [X, {}]`, which no X fits, since an empty schema fits everything.
"""

from typing import Any


def with_item_types(schema: Any) -> None:
    """Changes all arrays in the schema in place."""
    if isinstance(schema, list):
        for one in schema:
            with_item_types(one)
    if isinstance(schema, dict):
        for one in schema.values():
            with_item_types(one)
        choices = _choices(schema.get("items"))
        if {} in choices and len(choices) == 2:
            schema["items"] = next(one for one in choices if one)


def _choices(items: Any) -> list[Any]:
    found = items.get("oneOf") if isinstance(items, dict) else None
    return found if isinstance(found, list) else []

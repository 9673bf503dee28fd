"""The description, format and length of a property in the OpenAPI and AsyncAPI documents.

A property is looked up first as `Schema.property`, then as `property`, so a name that means the
same everywhere is described once. A test names every property that has no description.
"""

from msgspec import Struct

from greenroom.api.params import MAX_ID


class Property(Struct, frozen=True):
    """For an array or a map, format and lengths apply to its strings."""

    description: str
    format: str | None = None
    max_length: int | None = None
    min_length: int | None = None
    pattern: str | None = None


def id_property(description: str, pattern: str | None = None) -> Property:
    return Property(description, max_length=MAX_ID, min_length=1, pattern=pattern)


def time_property(description: str) -> Property:
    return Property(f"{description} ISO 8601, in UTC.", format="date-time")


def text_property(description: str, max_length: int) -> Property:
    return Property(description, max_length=max_length)


def described(description: str) -> Property:
    return Property(description)

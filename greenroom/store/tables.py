"""The words to declare a table: once, by the context that owns it, in its `records.py`.

SQLite's DDL, DynamoDB's CreateTable, `greenroom tables` and docs/data-model.md are all derived
from these values. Every key is a string: what sorts by number or time is written so that its text
sorts (`iso()` in clock.py, zero-padded numbers). An index is sparse by nature: an item is in it
while it has the index's key attributes, and leaves it when it loses one.
"""

from enum import Enum
from typing import Any

from msgspec import Struct


class Projects(Enum):
    """What an index entry carries beside the keys of table and index."""

    ALL = "ALL"
    KEYS = "KEYS_ONLY"


class Kind(Struct, frozen=True):
    """One kind of item in a table, for whoever reads the layout: its keys and what it is."""

    partition: str
    sort: str | None
    meaning: str


class Index(Struct, frozen=True):
    name: str
    partition: str
    sort: str | None
    projects: Projects | tuple[str, ...]
    purpose: str = ""


class Table(Struct, frozen=True):
    name: str
    purpose: str
    partition: str = "pk"
    sort: str | None = "sk"
    kinds: tuple[Kind, ...] = ()
    indexes: tuple[Index, ...] = ()
    ttl: str | None = None
    """The attribute with the second (since 1970) from which the item is gone."""
    stream: bool = False
    """Whether the table's changes can be followed."""

    @property
    def key_names(self) -> tuple[str, ...]:
        return (self.partition,) if self.sort is None else (self.partition, self.sort)


def index_key_names(index: Index) -> tuple[str, ...]:
    return (index.partition,) if index.sort is None else (index.partition, index.sort)


def beside_keys(table: Table, index: Index) -> tuple[str, ...] | None:
    """What an entry carries beside the keys; None means everything. Where items expire, always
    when: else an index would show what is gone."""
    if index.projects is Projects.ALL:
        return None
    named = index.projects if isinstance(index.projects, tuple) else ()
    keys = table.key_names + index_key_names(index)
    wanted = named if table.ttl is None else (*named, table.ttl)
    return tuple(dict.fromkeys(name for name in wanted if name not in keys))


def projected_names(table: Table, index: Index) -> frozenset[str] | None:
    """The attributes of an index entry; None means every one of the item's."""
    others = beside_keys(table, index)
    return None if others is None else frozenset(table.key_names + index_key_names(index) + others)


def projection(table: Table, index: Index) -> dict[str, Any]:
    """As DynamoDB is told."""
    others = beside_keys(table, index)
    if others is None or not others:
        return {"ProjectionType": (Projects.ALL if others is None else Projects.KEYS).value}
    return {"ProjectionType": "INCLUDE", "NonKeyAttributes": list(others)}

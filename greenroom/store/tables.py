"""Declares tables, indexes and kinds of items. Each context declares its own in `records.py`.

SQLite's DDL, DynamoDB's CreateTable, `greenroom tables` and docs/data-model.md are all derived
from these values. Every key is a string; numbers and times are formatted so that their text sorts
(`iso()` in clock.py, zero-padded numbers). Indexes are sparse: an item is in an index while it has
all of the index's key attributes.
"""

import re
from collections.abc import Sequence
from enum import Enum
from functools import cached_property
from typing import Any

from msgspec import Struct

from greenroom.errors import quoted
from greenroom.store.problems import InvalidDeclaration

MAX_NAME = 255
_MOST_INDEXES = 20
_MOST_PROJECTED = 100
_NAME = re.compile(r"[a-zA-Z0-9_.-]{3,255}")
_RESERVED_TABLES = re.compile(r"tokens|declared|eras|sqlite_.*", re.IGNORECASE)
_RESERVED_INDEXES = re.compile(r"changes|expiry", re.IGNORECASE)
"""Names that the SQLite file uses itself (sqlite/schema.py), in any case."""


class Projection(Enum):
    """The attributes of an index entry besides the keys of table and index."""

    ALL = "ALL"
    KEYS = "KEYS_ONLY"


class Kind(Struct, frozen=True):
    """Documents one kind of item in a table: its keys and its meaning."""

    partition: str
    sort: str | None
    meaning: str


class Index(Struct, frozen=True):
    name: str
    partition: str
    sort: str | None
    projection: Projection | tuple[str, ...]
    purpose: str = ""

    def __post_init__(self) -> None:
        _check_name(self.name, _RESERVED_INDEXES)
        others = self.projection if isinstance(self.projection, tuple) else ()
        _check_attributes(self.name, (*index_key_names(self), *others))
        if self.partition == self.sort:
            raise InvalidDeclaration(self.name, "its partition and sort key are the same attribute")


class Table(Struct, frozen=True, dict=True):
    name: str
    purpose: str
    partition: str = "pk"
    sort: str | None = "sk"
    kinds: tuple[Kind, ...] = ()
    indexes: tuple[Index, ...] = ()
    ttl: str | None = None
    """The attribute with the second (since 1970) at which the item expires."""
    stream: bool = False
    """Whether the table has a change feed."""
    unfollowed: tuple[str, ...] = ()
    """Sort key prefixes of items that the feed leaves out, because nothing follows them."""
    old_images: bool = True
    """Whether a change tells the item before. A table without them writes much less on SQLite where
    large items change often."""

    def __post_init__(self) -> None:
        _check_name(self.name, _RESERVED_TABLES)
        _check_attributes(self.name, (*self.key_names, *(() if self.ttl is None else (self.ttl,))))
        if self.partition == self.sort:
            raise InvalidDeclaration(self.name, "its partition and sort key are the same attribute")
        if self.ttl is not None and any(self.ttl in names for names in _all_key_names(self)):
            raise InvalidDeclaration(self.name, "a key must be text, and the expiry a number")
        _check_indexes(self)

    @property
    def key_names(self) -> tuple[str, ...]:
        return (self.partition,) if self.sort is None else (self.partition, self.sort)

    def feeds(self, sort: str | None) -> bool:
        """Whether the change of an item with this sort key is in the change feed."""
        return self.stream and not (self.unfollowed and (sort or "").startswith(self.unfollowed))

    @cached_property
    def index_partitions(self) -> frozenset[str]:
        """The partition keys of its indexes. An item with none of them is in no index."""
        return frozenset(index.partition for index in self.indexes)


def index_key_names(index: Index) -> tuple[str, ...]:
    return (index.partition,) if index.sort is None else (index.partition, index.sort)


def non_key_attributes(table: Table, index: Index) -> tuple[str, ...] | None:
    """The projected attributes besides the keys; None means all. The TTL is always projected,
    otherwise an index would return expired items."""
    if index.projection is Projection.ALL:
        return None
    named = index.projection if isinstance(index.projection, tuple) else ()
    keys = table.key_names + index_key_names(index)
    wanted = named if table.ttl is None else (*named, table.ttl)
    return tuple(dict.fromkeys(name for name in wanted if name not in keys))


def projected_names(table: Table, index: Index) -> frozenset[str] | None:
    """The attributes of an index entry; None means all."""
    others = non_key_attributes(table, index)
    return None if others is None else frozenset(table.key_names + index_key_names(index) + others)


def projection_request(table: Table, index: Index) -> dict[str, Any]:
    """The `Projection` of DynamoDB's CreateTable."""
    others = non_key_attributes(table, index)
    if others is None or not others:
        return {"ProjectionType": (Projection.ALL if others is None else Projection.KEYS).value}
    return {"ProjectionType": "INCLUDE", "NonKeyAttributes": list(others)}


def check_tables(tables: Sequence[Table], prefix: str = "") -> None:
    """Raises if tables cannot share a store: SQLite's table names ignore case."""
    seen: set[str] = set()
    for table in tables:
        if table.name.lower() in seen:
            raise InvalidDeclaration(table.name, "another table has the same name")
        seen.add(table.name.lower())
        if len(prefix) + len(table.name) > MAX_NAME:
            reason = f"its name has more than {MAX_NAME} characters with the prefix"
            raise InvalidDeclaration(table.name, reason)


def _check_name(name: str, reserved: re.Pattern[str]) -> None:
    if not _NAME.fullmatch(name):
        reason = "a name must have 3 to 255 of the characters a-z, A-Z, 0-9, _, - and ."
        raise InvalidDeclaration(quoted(name), reason)
    if reserved.fullmatch(name):
        raise InvalidDeclaration(name, "the store uses that name itself")


def _check_attributes(declared: str, names: Sequence[str]) -> None:
    for name in names:
        if not 1 <= len(name.encode(errors="surrogatepass")) <= MAX_NAME:
            reason = f"the attribute {quoted(name)!r} must have 1 to {MAX_NAME} bytes"
            raise InvalidDeclaration(declared, reason)
        if any("\ud800" <= character <= "\udfff" for character in name):
            raise InvalidDeclaration(
                declared, f"the attribute {quoted(name)!r} is not valid Unicode"
            )


def _check_indexes(table: Table) -> None:
    if len(table.indexes) > _MOST_INDEXES:
        raise InvalidDeclaration(table.name, f"it must have at most {_MOST_INDEXES} indexes")
    if len({index.name.lower() for index in table.indexes}) != len(table.indexes):
        raise InvalidDeclaration(table.name, "two of its indexes have the same name")
    if (
        sum(len(non_key_attributes(table, index) or ()) for index in table.indexes)
        > _MOST_PROJECTED
    ):
        reason = f"its indexes carry more than {_MOST_PROJECTED} attributes by name"
        raise InvalidDeclaration(table.name, reason)


def _all_key_names(table: Table) -> list[tuple[str, ...]]:
    return [table.key_names, *map(index_key_names, table.indexes)]

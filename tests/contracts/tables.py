"""The tables of the store's tests, and exact comparison of values.

NOTES has every kind of index and a stream; ACCOUNTS has no sort key; VISITS has a TTL, an index and
a stream. `exact` distinguishes 1, True and Decimal("1"), which are equal in Python.
"""

from collections.abc import Mapping, Sequence, Set as AbstractSet
from decimal import Decimal
from typing import Any

import msgspec
from msgspec import Struct

from greenroom.store.base import Key, Store
from greenroom.store.expressions import SortRange
from greenroom.store.tables import Index, Projection, Table
from greenroom.store.values import Item

BY_OWNER = Index("ByOwner", "owner", "at", Projection.ALL, "A person's notes, oldest first")
BY_STATE = Index("ByState", "state", "sk", Projection.KEYS, "The notes in one state")
BY_TAG = Index("ByTag", "tag", None, ("title", "seq"), "The notes with a tag")
NOTES = Table(
    "Notes",
    "Something of everything",
    indexes=(BY_OWNER, BY_STATE, BY_TAG),
    stream=True,
)
ACCOUNTS = Table("Accounts", "A partition key and nothing else", partition="name", sort=None)
BY_PLACE = Index("ByPlace", "place", "at", Projection.ALL, "Who is at a place")
BY_HOST = Index("ByHost", "host", None, Projection.KEYS, "Who is visited")
VISITS = Table(
    "Visits",
    "What passes by itself",
    indexes=(BY_PLACE, BY_HOST),
    ttl="expiresAt",
    stream=True,
    unfollowed=("GUEST#", "DRAFT#"),
)
COUNTERS = Table("Counters", "Changes without the item before", stream=True, old_images=False)
TABLES = (NOTES, ACCOUNTS, VISITS, COUNTERS)


def exact(value: object) -> object:
    """The value with the types of all its parts, in a fixed order."""
    match value:
        case None | bool() | str() | int() | bytes():
            return (type(value).__name__, value)
        case Decimal():
            return ("Decimal", str(value))
        case Mapping():
            return ("map", *sorted((name, exact(inner)) for name, inner in value.items()))
        case AbstractSet():
            return ("set", *sorted((exact(member) for member in value), key=repr))
        case Sequence():
            return ("list", *(exact(inner) for inner in value))
    raise AssertionError(f"{value!r} is nothing that a store gives back")


def label(value: object) -> str:
    """A test id that is the same in every process, unlike the repr of a set of texts."""
    match value:
        case Struct():
            fields = ", ".join(map(label, msgspec.structs.astuple(value)))
            text = f"{type(value).__name__}({fields})"
        case tuple() | list():
            text = f"[{', '.join(map(label, value))}]"
        case dict():
            text = repr({label(name): label(inner) for name, inner in value.items()})
        case AbstractSet():
            text = "{" + ", ".join(sorted(map(label, value))) + "}"
        case None | bool() | str() | int() | float() | bytes() | Decimal():
            text = repr(value)
        case _:
            text = type(value).__name__
    return text[:60]


def note(pk: str = "p", sk: str = "s", **rest: Any) -> Item:
    return {"pk": pk, "sk": sk, **rest}


def at(pk: str = "p", sk: str = "s") -> Key:
    return Key(pk, sk)


async def walk(
    store: Store,
    table: Table,
    partition: str,
    sort: SortRange | None = None,
    *,
    index: Index | None = None,
    limit: int = 100,
    backward: bool = False,
) -> list[tuple[Item, ...]]:
    """Every page of the query, to the end."""
    pages: list[tuple[Item, ...]] = []
    cursor: str | None = None
    while True:
        page = await store.query(
            table,
            partition,
            sort,
            index=index,
            limit=limit,
            backward=backward,
            cursor=cursor,
            consistent=index is None,
        )
        pages.append(page.items)
        cursor = page.next
        if cursor is None:
            return pages


async def sort_keys(
    store: Store,
    table: Table,
    partition: str,
    sort: SortRange | None = None,
    *,
    index: Index | None = None,
    backward: bool = False,
) -> list[str]:
    pages = await walk(store, table, partition, sort, index=index, backward=backward)
    return [str(item["sk"]) for page in pages for item in page]

"""Tables and indexes that an engine could not create are refused at declaration."""

from pathlib import Path

import pytest
from msgspec import structs

from greenroom.app import TABLES
from greenroom.clock import SystemClock
from greenroom.store.dynamo import DynamoStore
from greenroom.store.problems import InvalidDeclaration
from greenroom.store.sqlite import SqliteStore
from greenroom.store.tables import Index, Projection, Table
from tests.contracts.tables import NOTES

GOOD = Index("ByOwner", "owner", "at", Projection.ALL)
BAD_NAMES = [
    "",
    "ab",
    "x" * 256,
    "x" * 65536,
    "with space",
    "é" * 4,
    "a/b",
    'a"b',
    "abc\n",
    "\ud800ab",
]
BAD_ATTRIBUTES = ["", "x" * 256, "é" * 128, "a\ud800"]


def named(name: str) -> Table:
    return Table(name, "A table")


@pytest.mark.parametrize("name", [*BAD_NAMES, "tokens", "Declared", "eras", "sqlite_x"])
def test_a_table_has_a_name_that_both_engines_take(name: str) -> None:
    with pytest.raises(InvalidDeclaration) as refused:
        named(name)
    assert len(str(refused.value)) < 300


@pytest.mark.parametrize("name", [*BAD_NAMES, "changes", "Expiry"])
def test_an_index_has_a_name_that_both_engines_take(name: str) -> None:
    with pytest.raises(InvalidDeclaration) as refused:
        structs.replace(GOOD, name=name)
    assert len(str(refused.value)) < 300


@pytest.mark.parametrize("name", ["abc", "x" * 255, "A-b_c.9"])
def test_names_at_the_limits_are_accepted(name: str) -> None:
    Table(name, "A table", indexes=(structs.replace(GOOD, name=name),))


@pytest.mark.parametrize("name", BAD_ATTRIBUTES)
@pytest.mark.parametrize("field", ["partition", "sort", "ttl"])
def test_an_attribute_that_a_table_names_is_one(field: str, name: str) -> None:
    with pytest.raises(InvalidDeclaration):
        structs.replace(NOTES, **{field: name})


@pytest.mark.parametrize("name", BAD_ATTRIBUTES)
def test_an_attribute_that_an_index_names_is_one(name: str) -> None:
    for fields in ({"partition": name}, {"sort": name}, {"projection": ("title", name)}):
        with pytest.raises(InvalidDeclaration):
            structs.replace(GOOD, **fields)


def test_keys_are_two_attributes_and_none_of_them_the_ttl() -> None:
    with pytest.raises(InvalidDeclaration):
        Table("Some", "A table", partition="pk", sort="pk")
    with pytest.raises(InvalidDeclaration):
        structs.replace(GOOD, sort="owner")
    for ttl in ("pk", "sk", "owner"):
        with pytest.raises(InvalidDeclaration):
            Table("Some", "A table", indexes=(GOOD,), ttl=ttl)


def test_a_table_has_at_most_the_indexes_that_dynamodb_allows() -> None:
    many = tuple(structs.replace(GOOD, name=f"By{n:03}") for n in range(21))
    Table("Some", "A table", indexes=many[:20])
    with pytest.raises(InvalidDeclaration):
        Table("Some", "A table", indexes=many)
    with pytest.raises(InvalidDeclaration):
        Table("Some", "A table", indexes=(GOOD, structs.replace(GOOD, name="BYOWNER")))
    wide = tuple(f"a{n}" for n in range(101))
    with pytest.raises(InvalidDeclaration):
        Table("Some", "A table", indexes=(structs.replace(GOOD, projection=wide),))


async def test_two_tables_with_the_same_name_are_refused_by_both_engines(tmp_path: Path) -> None:
    """SQLite's table names ignore case."""
    both = (named("Notes"), named("nOTES"))
    with pytest.raises(InvalidDeclaration):
        await SqliteStore.open(tmp_path / "s.db", both, clock=SystemClock(), cursor_secret=b"s")
    nowhere = "dynamodb+http://127.0.0.1:9?region=local"
    with pytest.raises(InvalidDeclaration):
        await DynamoStore.open(nowhere, both, clock=SystemClock(), cursor_secret=b"s")
    with pytest.raises(InvalidDeclaration):
        await DynamoStore.open(
            f"{nowhere}&prefix=test-", [named("x" * 255)], clock=SystemClock(), cursor_secret=b"s"
        )


async def test_sqlite_creates_every_valid_declaration(tmp_path: Path) -> None:
    odd = Table(
        "order.by-1",
        "A table",
        partition="select",
        sort='a"b',
        indexes=(Index("tokens", "é", None, ("x y",)), Index("9-9", "p.q", "#", Projection.KEYS)),
        ttl="drop table",
        stream=True,
    )
    for _ in range(2):
        store = await SqliteStore.open(
            tmp_path / "s.db", [odd, *TABLES], clock=SystemClock(), cursor_secret=b"s"
        )
        await store.close()

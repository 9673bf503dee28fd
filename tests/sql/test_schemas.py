"""The migrations of every context make the tables that it declares, on both engines."""

from pathlib import Path

import pytest

from greenroom.app import REGISTRY
from greenroom.sql.base import Database
from tests.sql_databases import differences, fresh_postgres, fresh_sqlite


async def differences_on(database: Database) -> dict[str, list[object]]:
    """Of all schemas in one database, as a server has them."""
    for schema in REGISTRY.sql_schemas:
        await database.migrate(schema)
    others = {
        one.name: [other for other in REGISTRY.sql_schemas if other is not one]
        for one in REGISTRY.sql_schemas
    }
    return {
        one.name: await differences(database, one, others[one.name]) for one in REGISTRY.sql_schemas
    }


async def test_on_sqlite(tmp_path: Path) -> None:
    async with fresh_sqlite(tmp_path) as database:
        assert not any((await differences_on(database)).values())


async def test_on_postgresql(postgresql_url: str) -> None:
    async with fresh_postgres(postgresql_url) as database:
        assert not any((await differences_on(database)).values())


def test_the_names_of_schemas_and_tables_are_given_once() -> None:
    names = [one.name for one in REGISTRY.sql_schemas]
    tables = [name for one in REGISTRY.sql_schemas for name in one.metadata.tables]
    for given in (names, tables):
        assert len(given) == len(set(given))


@pytest.mark.parametrize("schema", REGISTRY.sql_schemas or [None])
def test_migrations_are_installed_with_the_package(schema: object) -> None:
    folder = getattr(schema, "folder", None)
    assert folder is None or (folder / "__init__.py").exists()

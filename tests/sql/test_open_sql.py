"""The database that the settings name: a file in the data folder, or PostgreSQL."""

import stat
from dataclasses import replace
from pathlib import Path

import pytest

from greenroom.open_sql import opened_sql, sql_path
from greenroom.open_store import for_demo
from greenroom.settings import InvalidSetting, Settings
from greenroom.sql.problems import DatabaseNotMigrated, DatabaseTooNew, DatabaseUnavailable
from tests.contracts.sql_tables import NEXT, SCHEMA
from tests.sql_databases import fresh_postgres_url


async def test_a_file_in_the_data_folder_is_made_for_its_owner_alone(tmp_path: Path) -> None:
    settings = Settings(data=tmp_path / "data")
    async with opened_sql(settings, create_tables=False, schemas=(SCHEMA,)) as database:
        await database.migrate(NEXT)
        files = list(settings.data.glob("sql.db*"))
        assert {stat.S_IMODE(file.stat().st_mode) for file in files} == {0o600}
    with pytest.raises(DatabaseTooNew):
        async with opened_sql(settings, create_tables=False, schemas=(SCHEMA,)):
            pass


async def test_tables_in_postgresql_are_made_only_where_that_is_asked(
    postgresql_url: str, tmp_path: Path
) -> None:
    async with fresh_postgres_url(postgresql_url) as url:
        settings = Settings(data=tmp_path, sql=url)
        with pytest.raises(DatabaseNotMigrated, match="--create-tables"):
            async with opened_sql(settings, create_tables=False, schemas=(SCHEMA,)):
                pass
        async with opened_sql(settings, create_tables=True, schemas=(SCHEMA,)):
            pass
        async with opened_sql(settings, create_tables=False, schemas=(SCHEMA,)):
            pass
        with pytest.raises(DatabaseNotMigrated):
            async with opened_sql(settings, create_tables=False, schemas=(NEXT,)):
                pass
        other = replace(SCHEMA, name="others")
        with pytest.raises(DatabaseNotMigrated, match="others"):
            async with opened_sql(settings, create_tables=False, schemas=(SCHEMA, other)):
                pass


@pytest.mark.parametrize(
    ("url", "says"),
    [
        ("mysql://host/db", "must begin with"),
        ("postgresql://host", "must name a database"),
        ("postgresql://host:x/db", "must be a URL"),
        ("postgresql://host/db?schema=A-b", "lower-case"),
        ("postgresql://host/db?pool=0", "from 1 to 100"),
        ("postgresql://host/db?sslmode=require", "sslmode"),
        ("postgresql://host/db?ssl=maybe", "ssl must be"),
        ("postgresql://host/db?schema=a&schema=b", "once"),
    ],
)
async def test_a_wrong_setting_is_refused(tmp_path: Path, url: str, says: str) -> None:
    with pytest.raises(InvalidSetting, match=says):
        async with opened_sql(Settings(data=tmp_path, sql=url), create_tables=False):
            pass


@pytest.mark.parametrize(
    "where", ["postgresql://u:geheim@127.0.0.1:1/db", "postgresql://u:geheim@no-such.invalid/db"]
)
async def test_a_server_that_cannot_be_reached_is_named_without_the_password(
    tmp_path: Path, where: str
) -> None:
    with pytest.raises(DatabaseUnavailable) as refused:
        async with opened_sql(Settings(data=tmp_path, sql=where), create_tables=True):
            pass
    assert "geheim" not in str(refused.value)


def test_a_demo_has_a_database_of_its_own(tmp_path: Path) -> None:
    settings = Settings(data=tmp_path)
    assert sql_path(for_demo(settings)) == tmp_path / "demo" / "sql.db"
    file = Settings(data=tmp_path, sql="sqlite:////somewhere/else.db")
    assert sql_path(for_demo(file)) == tmp_path / "demo" / "sql.db"
    server = Settings(data=tmp_path, sql="postgresql://u:p@host/db?pool=3")
    assert for_demo(server).sql == "postgresql://u:p@host/db?pool=3&schema=greenroom_demo"

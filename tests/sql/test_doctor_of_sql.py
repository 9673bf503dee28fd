"""What `greenroom doctor` says about the SQL database."""

import os
from pathlib import Path

import pytest

from greenroom.app import REGISTRY
from greenroom.doctor import Level, check_sql
from greenroom.open_sql import opened_sql
from greenroom.settings import Settings
from tests.sql_databases import fresh_postgres_url


@pytest.mark.parametrize(("bus", "level"), [("", Level.OK), ("nats://host:4222", Level.WARN)])
async def test_a_file_is_for_one_machine(tmp_path: Path, bus: str, level: Level) -> None:
    finding = await check_sql(Settings(data=tmp_path, bus=bus), REGISTRY)
    assert finding.level is level
    assert os.listdir(tmp_path) == [], "nothing is created"


async def test_postgresql_is_asked_for_its_tables(postgresql_url: str, tmp_path: Path) -> None:
    async with fresh_postgres_url(postgresql_url) as url:
        settings = Settings(data=tmp_path, sql=url)
        async with opened_sql(settings, create_tables=True):
            pass
        assert (await check_sql(settings, REGISTRY)).level is Level.OK


async def test_postgresql_that_cannot_be_reached_is_a_failure(tmp_path: Path) -> None:
    settings = Settings(data=tmp_path, sql="postgresql://u:geheim@127.0.0.1:1/db")
    finding = await check_sql(settings, REGISTRY)
    assert finding.level is Level.FAIL
    assert "geheim" not in finding.line

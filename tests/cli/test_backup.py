"""Backups are of one moment, whatever is written meanwhile, and are restored as a whole or not."""

import asyncio
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from itertools import count
from pathlib import Path

import pytest
from sqlalchemy import Connection, func, insert, select, update

from greenroom.api.problems import DataNotEmpty, NotABackup
from greenroom.backup import backup
from greenroom.clock import SystemClock
from greenroom.open_sql import opened_sql
from greenroom.open_store import opened
from greenroom.restore import heal, restore
from greenroom.settings import InvalidSetting, RestoreUnfinished, Settings, data_folder
from greenroom.sql.base import Database
from greenroom.store.base import Put, Store
from greenroom.store.ephemeral import EPHEMERAL, doctor_key
from greenroom.store.sqlite import BackupExists
from greenroom.store.values import Item
from tests.contracts.sql_tables import ACCOUNTS, SCHEMA

FAR = 4_000_000_000


@dataclass
class Server:
    settings: Settings
    store: Store
    sql: Database

    async def put(self, name: str, number: int) -> None:
        item: Item = {"pk": "DOCTOR", "sk": name, "expiresAt": FAR, "number": number}
        await self.store.write(Put(EPHEMERAL, item))

    async def number(self, name: str) -> int:
        item = await self.store.get(EPHEMERAL, doctor_key(name))
        return 0 if item is None else int(item["number"])  # type: ignore[arg-type]

    async def decide(self, name: str, number: int) -> None:
        def work(connection: Connection) -> None:
            row = update(ACCOUNTS).where(ACCOUNTS.c.id == name).values(cents=number)
            if connection.execute(row).rowcount == 0:
                connection.execute(insert(ACCOUNTS).values(id=name, cents=number))

        await self.sql.write(work)

    async def decided(self, name: str) -> int:
        query = select(func.max(ACCOUNTS.c.cents)).where(ACCOUNTS.c.id == name)
        return await self.sql.read(lambda connection: connection.execute(query).scalar()) or 0

    async def keep_writing(self) -> None:
        """Items follow what SQL decides, and SQL names items that exist."""
        for number in count(1):
            await self.decide("card", number)
            await self.put("shadow", number)
            await self.put("thread", number)
            await self.decide("bound", number)
            path = self.settings.data / "files" / f"{number % 50}" / f"{number}"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(b"bytes")
            await self.put("file", number)


@asynccontextmanager
async def server_on(data: Path) -> AsyncIterator[Server]:
    settings = Settings(data=data)
    async with (
        opened(settings, SystemClock(), create_tables=False) as store,
        opened_sql(settings, create_tables=False, schemas=(SCHEMA,)) as sql,
    ):
        yield Server(settings, store, sql)


@pytest.fixture
async def running(tmp_path: Path) -> AsyncIterator[Server]:
    async with server_on(tmp_path / "data") as one:
        yield one


async def test_a_backup_is_of_one_moment_while_a_server_writes(
    running: Server, tmp_path: Path
) -> None:
    writing = asyncio.create_task(running.keep_writing())
    try:
        for n in range(6):
            await asyncio.sleep(0.02)
            await asyncio.to_thread(backup, running.settings, tmp_path / f"copy{n}")
    finally:
        writing.cancel()
    last = 0
    for n in range(6):
        settings = Settings(data=tmp_path / f"restored{n}")
        await asyncio.to_thread(restore, settings, tmp_path / f"copy{n}")
        async with server_on(settings.data) as copy:
            card, bound = await copy.decided("card"), await copy.decided("bound")
            assert card > last, "the server has written in between"
            assert await copy.number("shadow") in (card, card - 1)
            assert await copy.number("thread") in (bound, bound + 1)
            file = await copy.number("file")
            assert not file or (settings.data / "files" / f"{file % 50}" / f"{file}").exists()
            last = card


async def test_a_restored_folder_is_healed_and_served_from(running: Server, tmp_path: Path) -> None:
    await running.put("thread", 7)
    backup(running.settings, tmp_path / "copy")
    settings = Settings(data=tmp_path / "restored")
    restore(settings, tmp_path / "copy")
    await heal(settings)
    async with server_on(settings.data) as copy:
        assert await copy.number("thread") == 7
    assert not (settings.data / ".restoring").exists()


async def test_neither_a_backup_nor_a_restore_overwrites(running: Server, tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    backup(running.settings, copy)
    with pytest.raises(BackupExists):
        backup(running.settings, copy)
    with pytest.raises(DataNotEmpty):
        restore(running.settings, copy)
    assert sorted(os.listdir(tmp_path)) == ["copy", "data"]


@pytest.mark.parametrize("name", ["store", "sql"])
async def test_a_restore_goes_into_the_data_folder_only(
    running: Server, tmp_path: Path, name: str
) -> None:
    backup(running.settings, tmp_path / "copy")
    elsewhere = {name: f"sqlite:///{tmp_path}/elsewhere.db"}
    with pytest.raises(InvalidSetting, match="must be empty"):
        restore(Settings(data=tmp_path / "restored", **elsewhere), tmp_path / "copy")  # type: ignore[arg-type]


@pytest.mark.parametrize("missing", ["backup.json", "greenroom.db", "sql.db"])
async def test_a_backup_with_a_part_missing_is_refused(
    running: Server, tmp_path: Path, missing: str
) -> None:
    backup(running.settings, tmp_path / "copy")
    (tmp_path / "copy" / missing).unlink()
    with pytest.raises(NotABackup, match=missing):
        restore(Settings(data=tmp_path / "restored"), tmp_path / "copy")
    assert not (tmp_path / "restored").exists()


async def test_no_server_starts_where_a_restore_was_interrupted(
    running: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    backup(running.settings, tmp_path / "copy")
    settings = Settings(data=tmp_path / "restored")

    def killed(self: Path, target: Path) -> Path:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(Path, "rename", killed)
        with pytest.raises(KeyboardInterrupt):
            restore(settings, tmp_path / "copy")
    with pytest.raises(RestoreUnfinished):
        data_folder(settings)
    with pytest.raises(RestoreUnfinished):
        restore(settings, tmp_path / "copy")

"""The SQLite change log over restarts, backups and a stream that is switched off.

A follower either misses nothing or has to start over.
"""

import asyncio
import shutil
from pathlib import Path

import pytest

from greenroom.clock import SystemClock
from greenroom.store.base import Change, Put, Store
from greenroom.store.problems import CheckpointTooOld, NotFollowed
from greenroom.store.sqlite import SqliteStore, backup
from greenroom.store.tables import Table
from tests.contracts.tables import NOTES, at, note

SILENT = Table("Notes", "Not followed", indexes=NOTES.indexes, stream=False)


async def opened(path: Path, table: Table = NOTES) -> SqliteStore:
    return await SqliteStore.open(path, (table,), clock=SystemClock(), cursor_secret=b"s")


async def write(path: Path, *numbers: int, table: Table = NOTES) -> None:
    """One change for each number, in a separate opening of the store."""
    async with await opened(path, table) as store:
        for n in numbers:
            await store.write(Put(table, note(n=n)))


async def changes(store: Store, after: str | None = None) -> list[Change]:
    return [change async for change in store.changes(NOTES, after=after, follow=False)]


def numbers(found: list[Change]) -> list[object]:
    return [(change.new or {})["n"] for change in found]


async def read(path: Path, after: str | None = None) -> list[Change]:
    async with await opened(path) as store:
        return await changes(store, after)


async def test_an_item_can_be_read_as_soon_as_its_change_is_told(tmp_path: Path) -> None:
    """A commit is in the file a moment before reads show it."""
    async with await opened(tmp_path / "store.db") as store:
        after: str | None = None
        for n in range(200):
            writing = asyncio.create_task(store.write(Put(NOTES, note(n=n))))
            told: list[Change] = []
            while not told:
                await asyncio.sleep(0)
                told = await changes(store, after)
            after = told[-1].checkpoint
            item = await store.get(NOTES, at())
            assert item is not None
            assert item["n"] == n
            await writing


async def test_a_checkpoint_holds_over_restarts(tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    for life in ([1, 2], [], [3], [4, 5]):
        await write(path, *life)
    whole = await read(path)
    assert numbers(whole) == [1, 2, 3, 4, 5]
    for n, change in enumerate(whole):
        assert numbers(await read(path, change.checkpoint)) == [1, 2, 3, 4, 5][n + 1 :]


async def test_a_stream_switched_off_and_on_starts_over(tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    await write(path, 1, 2, 3)
    old = [change.checkpoint for change in await read(path)]
    await write(path, 4, table=SILENT)
    async with await opened(path) as store:
        for n in (5, 6, 7, 8):
            await store.write(Put(NOTES, note(n=n)))
        found = await changes(store)
        assert numbers(found) == [5, 6, 7, 8], "nothing of the time before, which lacks the 4"
        assert found[0].old == note(n=4)
        for checkpoint in old:
            with pytest.raises(CheckpointTooOld, match="'Notes'"):
                await changes(store, checkpoint)
        assert numbers(await changes(store, found[1].checkpoint)) == [7, 8]


async def test_a_stream_that_is_switched_off_is_not_followed(tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    await write(path, 1)
    async with await opened(path, SILENT) as store:
        with pytest.raises(NotFollowed):
            await anext(aiter(store.changes(SILENT, follow=False)))
        assert await store.get(SILENT, at()) == note(n=1)


@pytest.mark.parametrize("copy", [backup, shutil.copy])
async def test_a_checkpoint_after_the_backup_is_refused_by_the_restored_file(
    tmp_path: Path, copy: object
) -> None:
    assert callable(copy)
    path, kept = tmp_path / "store.db", tmp_path / "kept.db"
    await write(path, 1, 2)
    copy(path, kept)
    await write(path, 3, 4)
    before, at_backup, *lost = await read(path)
    shutil.copy(kept, path)
    await write(path, 30, 40, 50, 60)
    whole = await read(path)
    assert numbers(whole) == [1, 2, 30, 40, 50, 60]
    for change in lost:
        with pytest.raises(CheckpointTooOld):
            await read(path, change.checkpoint)
    assert numbers(await read(path, before.checkpoint)) == [2, 30, 40, 50, 60]
    assert numbers(await read(path, at_backup.checkpoint)) == [30, 40, 50, 60]
    assert numbers(await read(path, whole[3].checkpoint)) == [50, 60]


async def test_a_file_and_its_copy_diverge(tmp_path: Path) -> None:
    path, twin = tmp_path / "store.db", tmp_path / "twin.db"
    async with await opened(path) as store:
        await store.write(Put(NOTES, note(n=1)))
        backup(path, twin)
        for n in (2, 3):
            await store.write(Put(NOTES, note(n=n)))
        mine = await changes(store)
    await write(twin, 20, 30, 40)
    for change in mine[1:]:
        with pytest.raises(CheckpointTooOld):
            await read(twin, change.checkpoint)
    for change in (await read(twin))[1:]:
        with pytest.raises(CheckpointTooOld):
            await read(path, change.checkpoint)
    assert numbers(await read(twin, mine[0].checkpoint)) == [20, 30, 40]


async def test_the_checkpoint_before_the_first_change_holds_over_restarts(tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    async with await opened(path) as store:
        start = await store.checkpoint(NOTES)
    await write(path)
    assert numbers(await read(path, start)) == []
    await write(path, 1, 2)
    assert numbers(await read(path, start)) == [1, 2]
    await write(path, 3, table=SILENT)
    with pytest.raises(CheckpointTooOld):
        await read(path, start)


async def test_the_newest_checkpoint_is_after_the_last_change(tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    await write(path, 1, 2)
    async with await opened(path) as store:
        last = await store.checkpoint(NOTES)
        assert last == (await changes(store))[-1].checkpoint

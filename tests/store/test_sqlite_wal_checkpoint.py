"""The write-ahead log is checkpointed during commits, and stays bounded."""

import asyncio
from pathlib import Path

import apsw
import pytest

from greenroom.store.base import Put
from greenroom.store.sqlite import SqliteStore
from tests.contracts.tables import NOTES, note
from tests.store.test_sqlite_groups import opened

BIG = "x" * 3000


def log_pages(path: Path) -> int:
    log = Path(f"{path}-wal")
    return log.stat().st_size // 4096 if log.exists() else 0


async def fill(store: SqliteStore, count: int) -> None:
    for number in range(count):
        await store.write(Put(NOTES, note(sk=f"{number:05}", text=BIG)))


async def test_the_log_restarts_under_constant_writes(tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    async with await opened(path) as store:
        store._checkpoints.every_pages, store._checkpoints.most_pages = 20, 100
        writers = [fill(store, 200) for _ in range(3)]
        await asyncio.gather(*writers)
        assert log_pages(path) < 400
        page = await store.query(NOTES, "p", limit=1000)
        assert len(page.items) == 200
    assert log_pages(path) == 0


async def test_the_log_restarts_under_constant_reads(
    tmp_path: Path,
) -> None:
    path = tmp_path / "store.db"
    async with await opened(path) as store:
        store._checkpoints.every_pages, store._checkpoints.most_pages = 20, 100
        for number in range(300):
            await store.write(Put(NOTES, note(sk=f"{number:05}", text=BIG)))
            page = await store.query(NOTES, "p", limit=1, backward=True)
            assert page.items[0]["sk"] == f"{number:05}"
        assert log_pages(path) < 400
    assert log_pages(path) == 0


async def test_no_commit_waits_before_the_thread_has_moved_nearly_everything(
    tmp_path: Path,
) -> None:
    async with await opened(tmp_path / "store.db") as store:
        checkpoints = store._checkpoints
        checkpoints.every_pages = 1_000_000
        await fill(store, 20)
        checkpoints.most_pages = checkpoints._written() * 2 // 3
        checkpoints.committed()
        assert not checkpoints.is_due
        checkpoints._run()
        checkpoints.committed()
        assert checkpoints.is_due
        checkpoints.committed()
        assert not checkpoints.is_due


async def test_no_commit_waits_for_the_log_while_another_process_reads(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path = tmp_path / "store.db"
    async with await opened(path) as store:
        checkpoints = store._checkpoints
        checkpoints.every_pages = 1_000_000
        await fill(store, 2)
        reading = apsw.Connection(str(path))
        reading.execute("BEGIN")
        reading.execute('SELECT count(*) FROM "Notes"').fetchone()
        await fill(store, 15)
        checkpoints.most_pages = checkpoints._written() * 2 // 3
        checkpoints.every_pages = 5
        checkpoints._run()
        checkpoints.committed()
        assert not checkpoints.is_due  # next to nothing was moved
        ended_at = checkpoints._ended_at
        await fill(store, 40)
        assert checkpoints._ended_at == ended_at
        reading.close()
        for number in range(40):
            await store.write(Put(NOTES, note(sk=f"later{number}", text=BIG)))
        assert checkpoints._ended_at > ended_at
    assert not caplog.records


async def test_a_log_that_the_thread_cannot_move_is_moved_by_a_commit(tmp_path: Path) -> None:
    async with await opened(tmp_path / "store.db") as store:
        checkpoints = store._checkpoints
        checkpoints.every_pages, checkpoints.most_pages = 1_000_000, 20
        longest = 0
        for number in range(100):
            await store.write(Put(NOTES, note(sk=f"{number:05}", text=BIG)))
            if number >= 10:  # what the tables took when they were created has been moved
                longest = max(longest, checkpoints._written() - checkpoints._ended_at)
        assert 40 < longest < 60


async def test_committed_pages_reach_the_file_while_the_store_is_open(tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    async with await opened(path) as store:
        store._checkpoints.every_pages = 20
        before = path.stat().st_size
        await fill(store, 100)
        async with asyncio.timeout(60):
            while path.stat().st_size < before + 50 * len(BIG):  # noqa: ASYNC110
                await asyncio.sleep(0.01)


async def test_a_reader_that_holds_the_log_blocks_no_write(tmp_path: Path) -> None:
    """Such as a backup by another process."""
    path = tmp_path / "store.db"
    async with await opened(path) as store:
        store._checkpoints.every_pages, store._checkpoints.most_pages = 5, 10
        await fill(store, 5)
        reading = apsw.Connection(str(path))
        reading.execute("BEGIN")
        reading.execute('SELECT count(*) FROM "Notes"').fetchone()
        async with asyncio.timeout(60):
            await fill(store, 100)
        reading.execute("COMMIT")
        reading.close()
        await fill(store, 20)
        page = await store.query(NOTES, "p", limit=1000)
        assert len(page.items) == 100

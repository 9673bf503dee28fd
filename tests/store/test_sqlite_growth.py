"""The number of SQLite instructions of a call does not grow with the table."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from pathlib import Path

import apsw
import pytest

from greenroom.clock import ManualClock
from greenroom.store.base import Put
from greenroom.store.expressions import Bound, Prefix, Range, SortRange
from greenroom.store.sqlite import SqliteStore
from greenroom.store.tables import Index, Projection, Table

BY_DATE = Index("ByDate", "day", "date", Projection.ALL, "to page through")
LOGS = Table("Logs", "many in one partition", indexes=(BY_DATE,), stream=True)
ROWS = 2000


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[SqliteStore]:
    clock = ManualClock()
    store = await SqliteStore.open(
        tmp_path / "many.db", [LOGS], clock=clock, cursor_secret=b"secret", sweep_seconds=3600
    )
    async with store:
        rows = [{"pk": "P", "sk": f"L#{n:06d}", "day": "D"} for n in range(ROWS)]
        await asyncio.gather(*(store.write(Put(LOGS, {**row, "date": row["sk"]})) for row in rows))
        yield store


@contextmanager
def steps(connection: apsw.Connection) -> Iterator[list[int]]:
    counted = [0]

    def count() -> bool:
        counted[0] += 1
        return False

    connection.set_progress_handler(count, 1)
    try:
        yield counted
    finally:
        connection.set_progress_handler(None)


@pytest.mark.parametrize("backward", [False, True], ids=["forward", "backward"])
@pytest.mark.parametrize("index", [None, BY_DATE], ids=["table", "index"])
@pytest.mark.parametrize(
    "sort",
    [
        None,
        Prefix("L#"),
        Range("L#", "L#~"),
        Bound("<", "L#~"),
        Bound("<=", "L#~"),
        Bound(">", "L#"),
        Bound(">=", "L#"),
    ],
    ids=str,
)
async def test_the_last_page_of_a_range_is_found_as_quickly_as_the_second(
    store: SqliteStore, sort: SortRange | None, index: Index | None, backward: bool
) -> None:
    partition = "P" if index is None else "D"
    taken: list[int] = []
    cursor: str | None = None
    while True:
        with steps(store._reader.connection) as counted:
            page = await store.query(
                LOGS, partition, sort, index=index, limit=100, backward=backward, cursor=cursor
            )
        taken.append(counted[0])
        cursor = page.next
        if cursor is None:
            break
    assert len(taken) == ROWS // 100
    assert max(taken) < 1.2 * taken[1]


async def test_pages_of_entries_with_one_key_skip_no_rows(store: SqliteStore) -> None:
    rows = [{"pk": "Q", "sk": f"{n:06d}", "day": "E", "date": "same"} for n in range(ROWS)]
    await asyncio.gather(*(store.write(Put(LOGS, row)) for row in rows))
    taken: list[int] = []
    cursor: str | None = None
    for _ in range(10):
        with steps(store._reader.connection) as counted:
            page = await store.query(
                LOGS, "E", Bound("=", "same"), index=BY_DATE, limit=100, cursor=cursor
            )
        taken.append(counted[0])
        cursor = page.next
    assert max(taken) < 1.2 * taken[1]


async def test_a_long_change_log_in_which_nothing_is_old_is_not_read(store: SqliteStore) -> None:
    with steps(store._connection) as counted:
        forgotten = await store._writer.submit(lambda: store._flusher.trim(LOGS, 1000, 50))
    assert forgotten == 0
    assert counted[0] < 2 * ROWS


async def test_the_oldest_changes_go_first(store: SqliteStore) -> None:
    clock = store._flusher._clock
    assert isinstance(clock, ManualClock)
    clock.advance(seconds=10)
    assert await store._writer.submit(lambda: store._flusher.trim(LOGS, 1000, 50)) == 50
    kept = [change async for change in store.changes(LOGS, follow=False)]
    assert len(kept) == ROWS - 50
    assert kept[-1].key.sort == f"L#{ROWS - 1:06d}"

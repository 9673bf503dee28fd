"""Kills a writing process fifty times at random moments, and checks the file after each crash.

Acknowledged writes are there, no transaction is partial, and the change log and the indexes agree
with the tables. Acknowledgements go through a pipe, which outlives the process.
"""

import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from greenroom.clock import SystemClock
from greenroom.store.base import Change, Key
from greenroom.store.expressions import Bound
from greenroom.store.sqlite import SqliteStore
from greenroom.store.values import Item
from tests.contracts.tables import BY_OWNER, NOTES, TABLES, walk
from tests.store.crash_writer import PARTS, TASKS

ROOT = Path(__file__).parents[2]
KILLS = 50


def write_until_killed(path: Path, seconds: float) -> dict[int, int]:
    """The last acknowledged stamp of each task."""
    child = subprocess.Popen(
        [sys.executable, "-m", "tests.store.crash_writer", str(path)],
        cwd=ROOT,
        stdout=subprocess.PIPE,
    )
    assert child.stdout is not None
    try:
        assert child.stdout.readline() == b"ready\n"
        time.sleep(seconds)
    finally:
        child.send_signal(signal.SIGKILL)
        heard = child.stdout.read()
        child.wait()
    last: dict[int, int] = {}
    for line in heard.decode().splitlines():
        task, stamp = map(int, line.split())
        assert stamp > last.get(task, 0)
        last[task] = stamp
    return last


class Witness:
    """Follows the file over all crashes and knows what it must contain."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._stamps = dict.fromkeys(range(TASKS), 0)
        self._followed: str | None = None
        self._images: dict[Key, Item | None] = {}

    async def look(self, acknowledged: dict[int, int]) -> None:
        store = await SqliteStore.open(
            self._path, TABLES, clock=SystemClock(), cursor_secret=b"s", check=True
        )
        try:
            for task in range(TASKS):
                await self._look_at(store, task, acknowledged.get(task, 0))
            count = await store.get(NOTES, Key("all", "count"))
            total = sum(self._stamps.values())
            assert (count or {"n": 0})["n"] == total, "every transaction counted once"
            await self._follow(store)
        finally:
            await store.close()

    async def look_back(self) -> None:
        """Checks everything that was ever acknowledged, from the beginning."""
        assert sum(self._stamps.values()) > KILLS, "it was killed while it wrote, not before"
        everything, self._stamps = self._stamps, dict.fromkeys(range(TASKS), 0)
        store = await SqliteStore.open(
            self._path, TABLES, clock=SystemClock(), cursor_secret=b"s", check=True
        )
        for task, stamp in everything.items():
            await self._look_at(store, task, stamp)
        await store.close()
        assert self._stamps == everything

    async def _look_at(self, store: SqliteStore, task: int, acknowledged: int) -> None:
        found = await store.batch_get(NOTES, [Key(f"task{task}", part) for part in PARTS])
        stamps = {int(str(item["stamp"])) for item in found.values()}
        assert len(stamps) <= 1, f"a transaction of task {task} is half there: {found}"
        assert len(found) in (0, len(PARTS))
        stamp = max(stamps, default=0)
        sure = max(acknowledged, self._stamps[task])  # what was there once is there for good
        assert sure <= stamp <= sure + 1, f"task {task} was acknowledged {sure} and has {stamp}"
        since = self._stamps[task]
        pages = await walk(store, NOTES, f"log{task}", Bound(">", f"{since:09}"), limit=1000)
        logged = [item["stamp"] for page in pages for item in page]
        assert logged == list(range(since + 1, stamp + 1)), f"the log of task {task} has gaps"
        entries = await walk(store, NOTES, f"o{task}", index=BY_OWNER)
        assert [item["stamp"] for page in entries for item in page] == [stamp] * len(found)
        self._stamps[task] = stamp

    async def _follow(self, store: SqliteStore) -> None:
        """The changes since the last check lead from the previous state to the current one."""
        async for change in store.changes(NOTES, after=self._followed, follow=False):
            self._check_chained(change)
            self._followed = change.checkpoint
        for key in [Key(f"task{n}", part) for n in range(TASKS) for part in PARTS]:
            assert self._images.get(key) == await store.get(NOTES, key)

    def _check_chained(self, change: Change) -> None:
        assert change.old == self._images.get(change.key)
        self._images[change.key] = change.new


@pytest.mark.timeout(1200)
async def test_acknowledged_writes_survive_kills_and_no_transaction_is_partial(
    tmp_path: Path,
) -> None:
    path = tmp_path / "store.db"
    witness = Witness(path)
    moments = random.Random()
    for _ in range(KILLS):
        acknowledged = write_until_killed(path, moments.uniform(0.0, 0.25))
        await witness.look(acknowledged)
    await witness.look_back()

"""Writes as fast as it can until test_crash kills it.

Each task repeats one transaction, which writes a stamp to three items of its own and increments a
shared counter. Once the store has acknowledged it, the task prints "<task> <stamp>".
"""

import asyncio
import os
import sys
from pathlib import Path

from greenroom.clock import SystemClock
from greenroom.store.base import Key, Put, Update
from greenroom.store.expressions import F
from greenroom.store.sqlite import SqliteStore
from tests.contracts.tables import NOTES, TABLES, at, note

TASKS = 12
PARTS = ("a", "b", "c")


async def write_forever(store: SqliteStore, task: int, first: int) -> None:
    for stamp in range(first, first + 1_000_000):
        await store.write(
            *(
                Put(NOTES, note(f"task{task}", part, stamp=stamp, owner=f"o{task}", at=f"{stamp}"))
                for part in PARTS
            ),
            Update(NOTES, at("all", "count"), (F("n").add(1),)),
            Put(NOTES, note(f"log{task}", f"{stamp:09}", stamp=stamp)),
            token=f"{task}-{stamp}" if stamp % 7 == 0 else None,
        )
        os.write(1, f"{task} {stamp}\n".encode())


async def main(path: Path) -> None:
    store = await SqliteStore.open(
        path, TABLES, clock=SystemClock(), cursor_secret=b"s", sweep_seconds=0.05
    )
    firsts = []
    for task in range(TASKS):
        item = await store.get(NOTES, Key(f"task{task}", "a"))
        firsts.append(1 if item is None else int(str(item["stamp"])) + 1)
    os.write(1, b"ready\n")
    await asyncio.gather(*(write_forever(store, task, first) for task, first in enumerate(firsts)))


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1])))

"""Writes until files may not grow any more, then lifts the limit and writes again.

test_sqlite_file runs it in a separate process, because the limit (RLIMIT_FSIZE) is the process's.
Prints how many items were acknowledged and refused, and `afterwards` once a later write succeeds.
"""

import asyncio
import resource
import signal
import sys
from pathlib import Path

from greenroom.clock import SystemClock
from greenroom.store.base import Put
from greenroom.store.problems import StoreFull
from greenroom.store.sqlite import SqliteStore
from tests.contracts.tables import NOTES, TABLES, at, note

LIMIT = 2 * 1024 * 1024


async def main(path: Path) -> None:
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    store = await SqliteStore.open(path, TABLES, clock=SystemClock(), cursor_secret=b"s")
    _, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (LIMIT, hard))
    written = refused = 0
    for _ in range(200):
        try:
            await store.write(Put(NOTES, note("disk", f"{written:04}", body="x" * 50_000)))
            written += 1
        except StoreFull:
            refused += 1
        if refused == 5:
            break
    for n in range(written):
        assert await store.get(NOTES, at("disk", f"{n:04}")) is not None
    assert await store.get(NOTES, at("disk", f"{written:04}")) is None
    resource.setrlimit(resource.RLIMIT_FSIZE, (hard, hard))
    await store.write(Put(NOTES, note("disk", "afterwards")))
    print(written, refused, "afterwards")
    await store.close()


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1])))

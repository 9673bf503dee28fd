"""Opens a store, prints `open`, and holds it until it is killed. Run by test_sqlite_file."""

import asyncio
import sys
from pathlib import Path

from greenroom.clock import SystemClock
from greenroom.store.base import Put
from greenroom.store.sqlite import SqliteStore
from tests.contracts.tables import NOTES, TABLES, note


async def main(path: Path) -> None:
    store = await SqliteStore.open(path, TABLES, clock=SystemClock(), cursor_secret=b"s")
    await store.write(Put(NOTES, note(sk="held")))
    print("open", flush=True)
    await asyncio.sleep(600)


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1])))

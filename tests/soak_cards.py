"""Runs random bookings against the model of tests/bookings until it is stopped.

    python -m tests.soak_cards [--steps N] [--seed S] [--postgresql]

Prints its progress. On a difference it prints what was done before, and exits with 1. The printed
seed repeats a run.
"""

import argparse
import asyncio
import random
import sys
import time
from contextlib import ExitStack
from itertools import count

from greenroom.bookings.schema import SCHEMA
from greenroom.sql.base import Database
from scripts import engines
from tests.bookings.card_run import Difference, run_cards
from tests.sql_databases import fresh_postgres, temporary_sql

_BATCH = 2_000
"""Steps on one database: rows of other bookings make it no slower, but the file grows."""


async def soak(url: str | None, first_seed: int, steps: int | None) -> int:
    started, done = time.monotonic(), 0
    for seed in count(first_seed):
        if steps is not None and done >= steps:
            break
        try:
            await _batch(url, seed)
        except Difference as found:
            print(f"seed {seed}: {found}")
            return 1
        done += _BATCH
        print(f"{done} steps, {(time.monotonic() - started) / 60:.1f} minutes", flush=True)
    print(f"Cards do what the model says: {done} steps, no difference")
    return 0


async def _batch(url: str | None, seed: int) -> None:
    if url is not None:
        async with fresh_postgres(url) as postgres:
            await postgres.migrate(SCHEMA)
            await run_cards(postgres, seed, _BATCH)
        return
    sqlite: Database = temporary_sql((SCHEMA,))
    try:
        await run_cards(sqlite, seed, _BATCH)
    finally:
        await sqlite.close()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--steps", type=int, help="stop after so many (never, without)")
    parser.add_argument("--seed", type=int, default=random.randrange(2**32))
    parser.add_argument("--postgresql", action="store_true", help="instead of SQLite")
    asked = parser.parse_args()
    print(f"seed {asked.seed}", flush=True)
    with ExitStack() as stack:
        url = stack.enter_context(engines.running("postgresql")).url if asked.postgresql else None
        try:
            return asyncio.run(soak(url, asked.seed, asked.steps))
        except KeyboardInterrupt:
            return 0


if __name__ == "__main__":
    sys.exit(main())

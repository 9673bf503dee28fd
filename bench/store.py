"""`make bench-store`: the item store on SQLite compared with emulators of DynamoDB, and with
hand-written SQLite (bench/handwritten_sqlite.py) as the upper limit.

Each engine gets the same operations (bench/store_load.py) with as many in flight, in turns, in one
run; the figures are medians of the rounds. The emulators keep everything in memory; ours and the
hand-written loop fsync every commit. dynalite has no transactions: it gets the three writes one by
one.
The default is 64 in flight, as on a busy server. An emulator answers them one after the other, and
ours puts several into one commit, so the gap grows with the number in flight.
"""

import argparse
import asyncio
import statistics
import sys
import tempfile
from collections.abc import AsyncIterator, Iterator
from contextlib import ExitStack, asynccontextmanager
from pathlib import Path

import uvloop

from bench.handwritten_sqlite import HandwrittenSqlite
from bench.report import last_line, table
from bench.store_load import THREADS, Load, Rates
from greenroom.aws.retries import RetryPolicy
from greenroom.clock import SystemClock
from greenroom.store.base import Store
from greenroom.store.dynamo import DynamoStore
from greenroom.store.sqlite import SqliteStore
from scripts.engines import running

EMULATORS = ("dynamodb", "dynalite", "moto")
OURS, BARE = "greenroom (SQLite)", "bare sqlite3 loop"
SECRET = b"benchmark"
PATIENT = RetryPolicy(seconds=300, response_seconds=120)


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    options.add_argument("--rounds", type=int, default=3)
    options.add_argument("--seconds", type=float, default=2.0, help="of each kind of operation")
    options.add_argument("--in-flight", type=int, default=64)
    chosen = options.parse_args()
    with ExitStack() as stack:
        urls = {name: stack.enter_context(running(name)).url for name in EMULATORS}
        with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
            runs = runner.run(_rounds(urls, chosen.rounds, chosen.seconds, chosen.in_flight))
    _print(runs, chosen.in_flight)
    return 0


async def _rounds(
    urls: dict[str, str], rounds: int, seconds: float, in_flight: int
) -> dict[str, list[Rates]]:
    runs: dict[str, list[Rates]] = {}
    for number in range(rounds):
        print(f"round {number + 1} of {rounds}", file=sys.stderr, flush=True)
        with tempfile.TemporaryDirectory(dir=".") as folder:
            bare = HandwrittenSqlite(Path(folder), 1000, in_flight)
            runs.setdefault(BARE, []).append(bare.measure(seconds))
            bare.close()
            async with _sqlite(Path(folder)) as store:
                runs.setdefault(OURS, []).append(await _measured(store, 1000, seconds, in_flight))
        for name, url in urls.items():
            async with await DynamoStore.open(
                f"{url}&prefix=bench{number}-",
                [THREADS],
                clock=SystemClock(),
                cursor_secret=SECRET,
                create=True,
                retry=PATIENT,
            ) as store:
                rates = await _measured(
                    store, 250, seconds, in_flight, transactions=name != "dynalite"
                )
                runs.setdefault(name, []).append(rates)
    return runs


@asynccontextmanager
async def _sqlite(folder: Path) -> AsyncIterator[SqliteStore]:
    store = await SqliteStore.open(
        folder / "greenroom.db", [THREADS], clock=SystemClock(), cursor_secret=SECRET
    )
    async with store:
        yield store


async def _measured(
    store: Store, threads: int, seconds: float, in_flight: int, *, transactions: bool = True
) -> Rates:
    load = Load(store, threads=threads, in_flight=in_flight, transactions=transactions)
    await load.prepare()
    return await load.measure(seconds)


def _print(runs: dict[str, list[Rates]], in_flight: int) -> None:
    medians = {name: _median(rates) for name, rates in runs.items()}
    ours = medians[OURS]
    print(f"\noperations per second, {in_flight} in flight; in brackets: ours against it\n")
    rows = [
        [name, *(f"{theirs:,.0f} ({mine / theirs:.2f}x)" for mine, theirs in _pairs(ours, rates))]
        for name, rates in medians.items()
    ]
    print(table(["engine", "send", "inbox", "get", "mix"], rows))
    spread = ", ".join(f"{rate.mix:,.0f}" for rate in runs[OURS])
    print(f"\nour mix in each round: {spread}\n")
    fastest = max(EMULATORS, key=lambda name: medians[name].mix)
    last_line(
        {
            "vs_emulators": round(ours.mix / medians[fastest].mix, 2),
            "vs_bare": round(ours.mix / medians[BARE].mix, 3),
            "fastest_emulator": fastest,
            "mix_per_s": round(ours.mix),
            "send_per_s": round(ours.send),
            "inbox_per_s": round(ours.inbox),
            "get_per_s": round(ours.get),
            "send_vs_bare": round(ours.send / medians[BARE].send, 3),
            "rounds": len(runs[OURS]),
        }
    )


def _median(rates: list[Rates]) -> Rates:
    def middle(kind: str) -> float:
        found: list[float] = [getattr(rate, kind) for rate in rates]
        return statistics.median(found)

    return Rates(send=middle("send"), inbox=middle("inbox"), get=middle("get"), mix=middle("mix"))


def _pairs(ours: Rates, theirs: Rates) -> Iterator[tuple[float, float]]:
    return iter(
        [
            (ours.send, theirs.send),
            (ours.inbox, theirs.inbox),
            (ours.get, theirs.get),
            (ours.mix, theirs.mix),
        ]
    )


if __name__ == "__main__":
    sys.exit(main())

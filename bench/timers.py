"""`make bench-timers`: how late timers run with 100,000 pending, and what sends lose to it.

On the SQLite engine, in one process. Message sends go through the use cases, one after another from
each of 8 senders, in short rounds: with this node's timers and all of the product's followers
running (the event log), and without, in turns. In the rounds with them timers are due at a steady
rate. A timer is as late as its handler begins after its due time; the slowdown is the median over
the pairs of rounds.
"""

import argparse
import asyncio
import gc
import random
import statistics
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from secrets import token_hex

import uvloop
from msgspec import Struct
from msgspec.structs import replace

from bench.growth_data import BODY, SECRET, build_dataset
from bench.report import last_line, table
from bench.unlimited import UNLIMITED
from greenroom.api.composition import Contexts
from greenroom.api.registry import Registry
from greenroom.app import TABLES, compose
from greenroom.background.follower import Follower
from greenroom.background.models import Timer
from greenroom.background.schedule import schedule
from greenroom.background.timers import TimerHandler
from greenroom.background.worker import Worker
from greenroom.clock import SystemClock
from greenroom.ids import ThreadId
from greenroom.messaging import Messaging
from greenroom.messaging.outgoing import Outgoing
from greenroom.messaging.send import send
from greenroom.people.actor import Actor
from greenroom.serve import tune_python
from greenroom.store.base import Change, Op, Store
from greenroom.store.sqlite import SqliteStore

PENDING = 100_000
ROUNDS = 16
ROUND_SECONDS = 1.0
PER_SECOND = 63
SENDERS = 8
_DAY_MS = 86_400_000


class Lateness:
    """A timer's handler, which notes how late it begins."""

    def __init__(self, clock: SystemClock) -> None:
        self._clock = clock
        self.ms: list[int] = []

    async def handle(self, timer: Timer) -> Sequence[Op]:
        self.ms.append(self._clock.now_ms() - timer.due_ms)
        return ()


class Lag:
    """Notes how far behind the product's followers are when they handle a change."""

    def __init__(self, clock: SystemClock) -> None:
        self._clock = clock
        self.ms: list[int] = []
        self.since_ms = 0
        """Lag counts for changes from then on."""

    def noted(self, follower: Follower) -> Follower:
        async def handle(changes: Sequence[Change]) -> Sequence[Op]:
            now_ms = self._clock.now_ms()
            self.ms += [now_ms - one.at_ms for one in changes if one.at_ms >= self.since_ms]
            return await follower.handle(changes)

        return replace(follower, handle=handle)


async def fill(store: Store, clock: SystemClock) -> None:
    now_ms = clock.now_ms()
    for first in range(0, PENDING, 100):
        far = (now_ms + _DAY_MS + n for n in range(first, first + 100))
        await store.write(*(schedule(Timer("pending", f"p{ms}", ms)) for ms in far))


async def schedule_steadily(store: Store, clock: SystemClock, round_number: int) -> None:
    """Timers that are due within the round, scheduled a second before or less."""
    for n in range(int(ROUND_SECONDS * PER_SECOND)):
        due_ms = clock.now_ms() + 100 + n % 900
        await store.write(schedule(Timer("late", f"r{round_number}-{n}", due_ms)))
        await asyncio.sleep(1 / PER_SECOND)


class Sends(Struct, frozen=True):
    """A round of sends."""

    per_second: float
    cpu_us: float
    """CPU time of the process for each."""


async def send_for_a_round(messaging: Messaging, ana: Actor, threads: Sequence[ThreadId]) -> Sends:
    begun, cpu = time.perf_counter(), time.process_time()
    until, sent = begun + ROUND_SECONDS, 0

    async def keep_sending(thread: ThreadId) -> None:
        nonlocal sent
        while time.perf_counter() < until:
            await send(messaging, ana, thread, Outgoing(token_hex(16), f"{BODY} {sent}"))
            sent += 1

    await asyncio.gather(*map(keep_sending, threads))
    used_us = (time.process_time() - cpu) * 1e6
    return Sends(sent / (time.perf_counter() - begun), used_us / sent)


def worker_on(contexts: Contexts, clock: SystemClock, late: Lateness, lag: Lag, n: int) -> Worker:
    messaging, followers = contexts[Messaging], contexts[Registry].followers(contexts)
    return Worker(
        messaging.store,
        clock,
        node=f"bench{n}",
        timers={"late": TimerHandler(late.handle), "pending": TimerHandler(late.handle)},
        followers=[lag.noted(one) for one in followers],
        chance=random.Random(n),
    )


async def measure(folder: Path) -> tuple[Lateness, Lag, list[Sends], list[Sends]]:
    clock = SystemClock()
    dataset = await build_dataset(folder / "store.db", threads=SENDERS, messages=100)
    ana, threads = dataset.ana, dataset.threads
    opening = SqliteStore.open(dataset.path, TABLES, clock=clock, cursor_secret=SECRET)
    async with await opening as store:
        contexts = compose(store, clock, SECRET, rates=UNLIMITED)
        messaging = contexts[Messaging]
        await fill(store, clock)
        print(f"{PENDING} timers are pending", flush=True)
        late, lag = Lateness(clock), Lag(clock)
        alone: list[Sends] = []
        beside: list[Sends] = []
        tune_python()
        await send_for_a_round(messaging, ana, threads)  # warm
        for number in range(ROUNDS):
            gc.collect()
            alone.append(await send_for_a_round(messaging, ana, threads))
            lag.since_ms = clock.now_ms() + _DAY_MS
            async with worker_on(contexts, clock, late, lag, number):
                await asyncio.sleep(0.6)  # leases, and the changes of the round before
                lag.since_ms = clock.now_ms()
                timers = asyncio.create_task(schedule_steadily(store, clock, number))
                beside.append(await send_for_a_round(messaging, ana, threads))
                await timers
                await asyncio.sleep(1.2)
        return late, lag, alone, beside


def main() -> None:
    argparse.ArgumentParser(description=__doc__).parse_args()
    with tempfile.TemporaryDirectory() as folder:
        late, lag, alone, beside = uvloop.run(measure(Path(folder)))
    expected = ROUNDS * int(ROUND_SECONDS * PER_SECOND)
    if len(late.ms) != expected:
        sys.exit(f"{len(late.ms)} timers ran, not {expected}")
    cuts = statistics.quantiles(late.ms, n=100)
    lag_ms = statistics.quantiles(lag.ms, n=100)[98]
    pairs = list(zip(alone, beside, strict=True))
    slowdown = statistics.median(a.per_second / b.per_second for a, b in pairs)
    cpu_slowdown = statistics.median(b.cpu_us / a.cpu_us for a, b in pairs)
    rows = [
        ["timers run", str(len(late.ms))],
        ["late, median", f"{statistics.median(late.ms):.0f} ms"],
        ["late, p99", f"{cuts[98]:.0f} ms"],
        ["late, most", f"{max(late.ms)} ms"],
        ["event log behind, median", f"{statistics.median(lag.ms):.0f} ms"],
        ["event log behind, p99", f"{lag_ms:.0f} ms"],
        ["sends per second alone", f"{_median_rate(alone):.0f}"],
        ["sends per second beside timers and followers", f"{_median_rate(beside):.0f}"],
        ["CPU time for each, of that alone", f"{cpu_slowdown:.2f}"],
    ]
    print(table(["figure", "measured"], rows))
    last_line(
        {
            "pending": PENDING,
            "late_p99_ms": round(cuts[98], 1),
            "lag_ms": round(lag_ms, 1),
            "cpu_slowdown": round(cpu_slowdown, 3),
            "send_slowdown": round(slowdown, 3),
        }
    )


def _median_rate(rounds: Sequence[Sends]) -> float:
    return statistics.median(one.per_second for one in rounds)


if __name__ == "__main__":
    main()

"""`make bench-connections`: what ten thousand open sockets cost the server and its other users.

Every socket is authenticated as a different user. Two users exchange messages, first with ten
sockets open, then with all, then with ten again; the others are idle. Measured: the server's memory
per connection (resident, at rest), connections per second, and the time from one user to the other,
including the write. The idle clients are a process of their own; this one is the pair.
"""

import argparse
import asyncio
import contextlib
import gc
import statistics
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Mapping, Sequence
from pathlib import Path

import msgspec
import uvloop
from msgspec import Struct

from bench.chat_load import Conversation, Stalled, percentile
from bench.idle_clients import Opened, TooFewFiles, check_files, user
from bench.peers import Pair
from bench.peers.greenroom import SECRET, Greenroom
from bench.peers.processes import cpu_seconds, resident_bytes
from bench.report import last_line, table
from bench.unlimited import messaging_on
from greenroom.app import TABLES
from greenroom.clock import SystemClock
from greenroom.ids import UserId
from greenroom.people.join import join
from greenroom.store.sqlite import SqliteStore

SETTLE_SECONDS = 3.0
PAUSE_SECONDS = 0.005
"""Pause between a message's arrival and the next one: only idle sockets can delay it."""
PAIR = 2
OPEN_SECONDS = 120


class Round(Struct, frozen=True):
    times: list[float]
    """Seconds of each message, sorted."""
    cores: float
    """CPU cores that the server used while nobody wrote."""


class Talk(Struct, frozen=True):
    """The medians of some rounds, in milliseconds."""

    p50: float
    p99: float
    longest: float
    cores: float

    @classmethod
    def of(cls, rounds: Sequence[Round]) -> "Talk":
        return cls(
            p50=statistics.median(percentile(one.times, 50) for one in rounds) * 1000,
            p99=statistics.median(percentile(one.times, 99) for one in rounds) * 1000,
            longest=max(one.times[-1] for one in rounds) * 1000,
            cores=statistics.mean(one.cores for one in rounds),
        )


class Arrival(Struct, frozen=True):
    """Of the connections that were added to the few."""

    bytes: float
    per_s: float
    cpu_us: float


def main() -> int:
    chosen = _options().parse_args()
    try:
        check_files(chosen.connections)
        with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
            runner.run(_run(chosen))
    except (TooFewFiles, Stalled) as problem:
        _say(str(problem))
        return 1
    return 0


def _options() -> argparse.ArgumentParser:
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    options.add_argument("--connections", type=int, default=10_000)
    options.add_argument("--few", type=int, default=10)
    options.add_argument("--seconds", type=float, default=10.0, help="of each round")
    options.add_argument("--rounds", type=int, default=3)
    return options


async def _run(chosen: argparse.Namespace) -> None:
    with tempfile.TemporaryDirectory(prefix="connections-") as name:
        folder = Path(name)
        await _people(folder, chosen.connections)
        server = Greenroom(folder)
        try:
            await server.start()
            (pair,) = await server.pairs(1)
            gc.freeze()
            async with _idle_clients(server.url) as clients:
                few, arrival, many = await _measure(server, pair, clients, chosen)
            async with _idle_clients(
                server.url
            ) as clients:  # measured again, in case the machine has changed
                await clients.open(chosen.few - PAIR)
                few += await _talk(server, pair, chosen)
        finally:
            await server.stop()
    _show({chosen.few: Talk.of(few), chosen.connections: Talk.of(many)}, arrival)


async def _measure(
    server: Greenroom, pair: Pair, clients: "_IdleClients", chosen: argparse.Namespace
) -> tuple[list[Round], Arrival, list[Round]]:
    """With the few, and with all."""
    await clients.open(chosen.few - PAIR)
    few = await _talk(server, pair, chosen)
    more = chosen.connections - chosen.few
    weight, spent = resident_bytes(server.pids()), cpu_seconds(server.pids())
    opened = await clients.open(more)
    spent = cpu_seconds(server.pids()) - spent
    _say(f"{opened.open + PAIR} are open")
    await asyncio.sleep(SETTLE_SECONDS)
    weight = resident_bytes(server.pids()) - weight
    many = await _talk(server, pair, chosen)
    if closed := (await clients.open(0)).closed:
        raise Stalled(f"the server has closed {closed} connections")
    return few, Arrival(weight / more, more / opened.seconds, spent / more * 1e6), many


async def _talk(server: Greenroom, pair: Pair, chosen: argparse.Namespace) -> list[Round]:
    """One message after the other, long enough for all periodic work: idle sockets are pinged every
    30 seconds and checked every 20."""
    rounds, quiet = [], min(SETTLE_SECONDS, chosen.seconds)
    for _ in range(chosen.rounds):
        before = cpu_seconds(server.pids())
        await asyncio.sleep(quiet)
        cores = (cpu_seconds(server.pids()) - before) / quiet
        rounds.append(Round(sorted(await _round(pair, chosen.seconds)), cores))
    return rounds


async def _round(pair: Pair, seconds: float) -> list[float]:
    """How long each took."""
    conversation = Conversation(pair)
    until = time.perf_counter() + seconds
    while time.perf_counter() < until:
        conversation.begin(1, at_most=1)
        await conversation.quiet()
        await asyncio.sleep(PAUSE_SECONDS)
    return conversation.times


async def _people(folder: Path, count: int) -> None:
    """Writes the people into the file before the server starts."""
    _say(f"{count} people join")
    clock, secret = SystemClock(), SECRET.encode()
    store = await SqliteStore.open(
        folder / "greenroom.db", TABLES, clock=clock, cursor_secret=secret
    )
    async with store:
        people = messaging_on(store, clock, secret).people
        numbers = iter(range(count))

        async def some_join() -> None:
            for number in numbers:
                await join(people, f"crowd{number}", user=UserId(user(number)))

        await asyncio.gather(*(some_join() for _ in range(64)))


class _IdleClients:
    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process

    async def open(self, count: int) -> Opened:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(msgspec.json.encode({"open": count}) + b"\n")
        answer = await asyncio.wait_for(self._process.stdout.readline(), OPEN_SECONDS)
        if not answer:
            raise Stalled("the crowd has fallen apart")
        return msgspec.json.decode(answer, type=Opened)


@contextlib.asynccontextmanager
async def _idle_clients(url: str) -> AsyncIterator[_IdleClients]:
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "bench.idle_clients"),
        url.replace("http://", "ws://") + "/v1/socket",
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
    )
    try:
        yield _IdleClients(process)
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()


def _show(talks: Mapping[int, Talk], arrival: Arrival) -> None:
    rows = [
        [
            f"{count:,} open",
            f"{talk.p50:.2f}",
            f"{talk.p99:.2f}",
            f"{talk.longest:.1f}",
            f"{talk.cores:.3f}",
        ]
        for count, talk in talks.items()
    ]
    print(table(["messages, in ms", "p50", "p99", "longest", "cores at rest"], rows))
    print(f"\n{arrival.bytes / 1024:.1f} KB of the server's memory for a connection, at rest")
    print(f"{arrival.per_s:,.0f} connections a second, each with its token\n")
    few, many = talks.values()
    last_line(
        {
            "connections": max(talks),
            "bytes_per_connection": round(arrival.bytes),
            "connects_per_s": round(arrival.per_s),
            "connect_cpu_us": round(arrival.cpu_us),
            **{f"p50_ms_{count}": round(talk.p50, 2) for count, talk in talks.items()},
            **{f"p99_ms_{count}": round(talk.p99, 2) for count, talk in talks.items()},
            "ratio": round(many.p99 / few.p99, 2),
        }
    )


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())

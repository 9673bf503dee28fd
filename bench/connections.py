"""`make bench-connections`: what ten thousand open sockets cost one server, and the others on it.

Every socket is authenticated as a user of its own. Two of them write to one another, first with
ten open and then with all of them, who are idle but for the server's pings and its looks at them.
Measured are the server's memory for a connection (resident, at rest), how many come in a second,
and how long a message takes from one of the two to the other, stored in between. The crowd is a
process of its own; this one is the pair.
"""

import argparse
import asyncio
import contextlib
import gc
import statistics
import sys
import tempfile
import time
from collections.abc import AsyncIterator
from pathlib import Path

import msgspec
import uvloop
from msgspec import Struct

from bench.chat_load import Conversation, Stalled, percentile
from bench.connections_crowd import Opened, TooFewFiles, check_files, user
from bench.limitless import messaging_on
from bench.peers import Pair
from bench.peers.greenroom import SECRET, Greenroom
from bench.peers.processes import cpu_seconds, resident_bytes
from bench.report import last_line, table
from greenroom.app import TABLES
from greenroom.clock import SystemClock
from greenroom.ids import UserId
from greenroom.people.join import join
from greenroom.store.sqlite import SqliteStore

SETTLE_SECONDS = 3.0
PAUSE_SECONDS = 0.005
"""Between a message's arrival and the next one: nobody is to wait for anything but the crowd."""
PAIR = 2
OPEN_SECONDS = 120


class Talk(Struct, frozen=True):
    """Of all rounds, in milliseconds; `idle_cpu` is what the server takes of a core at rest."""

    p50: float
    p99: float
    longest: float
    idle_cpu: float


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
    options.add_argument("--seconds", type=float, default=12.0, help="of each round")
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
            async with _crowd(server.url) as crowd:
                await _measure(server, pair, crowd, chosen)
        finally:
            await server.stop()


async def _measure(
    server: Greenroom, pair: Pair, crowd: "_Crowd", chosen: argparse.Namespace
) -> None:
    gc.freeze()
    await crowd.open(chosen.few - PAIR)
    few = await _talk(server, pair, chosen)
    before = resident_bytes(server.pids())
    more = chosen.connections - chosen.few
    spent = cpu_seconds(server.pids())
    opened = await crowd.open(more)
    spent = cpu_seconds(server.pids()) - spent
    _say(f"{opened.open + PAIR} are open")
    await asyncio.sleep(SETTLE_SECONDS)
    weight = (resident_bytes(server.pids()) - before) / more
    many = await _talk(server, pair, chosen)
    still = await crowd.open(0)
    if still.closed:
        raise Stalled(f"the server has closed {still.closed} connections")
    _show(chosen, {chosen.few: few, chosen.connections: many}, weight, more / opened.seconds)
    ratio = many.p99 / few.p99
    last_line(
        {
            "connections": chosen.connections,
            "bytes_per_connection": round(weight),
            "connects_per_s": round(more / opened.seconds),
            "connect_cpu_us": round(spent / more * 1e6),
            **{
                f"{name}_ms_{count}": round(getattr(talk, name), 2)
                for count, talk in ((chosen.few, few), (chosen.connections, many))
                for name in ("p50", "p99")
            },
            "ratio": round(ratio, 2),
            "idle_cpu": round(many.idle_cpu, 3),
        }
    )


async def _talk(server: Greenroom, pair: Pair, chosen: argparse.Namespace) -> Talk:
    """One message after the other, for as long as all that is done once in a while comes round:
    idle sockets are pinged every 30 seconds, and looked at every 20."""
    times: list[list[float]] = []
    rests = []
    for _ in range(chosen.rounds):
        before = cpu_seconds(server.pids())
        await asyncio.sleep(SETTLE_SECONDS)
        rests.append((cpu_seconds(server.pids()) - before) / SETTLE_SECONDS)
        times.append(sorted(await _round(pair, chosen.seconds)))
    return Talk(
        p50=statistics.median(percentile(some, 50) for some in times) * 1000,
        p99=statistics.median(percentile(some, 99) for some in times) * 1000,
        longest=max(some[-1] for some in times) * 1000,
        idle_cpu=statistics.mean(rests),
    )


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
    """Straight into the file, before anybody serves it."""
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


class _Crowd:
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
async def _crowd(url: str) -> AsyncIterator[_Crowd]:
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "bench.connections_crowd"),
        url.replace("http://", "ws://") + "/v1/socket",
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
    )
    try:
        yield _Crowd(process)
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()


def _show(chosen: argparse.Namespace, talks: dict[int, Talk], weight: float, rate: float) -> None:
    rows = [
        [
            f"{count:,} open",
            f"{talk.p50:.2f}",
            f"{talk.p99:.2f}",
            f"{talk.longest:.1f}",
            f"{talk.idle_cpu:.3f}",
        ]
        for count, talk in talks.items()
    ]
    print(table(["messages, in ms", "p50", "p99", "longest", "cores at rest"], rows))
    print(f"\n{weight / 1024:.1f} KB of the server's memory for a connection, at rest")
    print(f"{rate:,.0f} connections a second, each with its token\n")


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())

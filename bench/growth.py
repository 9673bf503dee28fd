"""`make bench-growth`: does anything get slower as data grows, on SQLite?

Two installations, each a file of its own: in the small one a user has 100 threads and a thread has
100 messages, in the large one 100,000 and 1,000,000. Both run the same use cases in turns, one at a
time and 16 at once. A figure is the median over the rounds of the ratio of two medians.
`--before COMMIT` compares the milliseconds of another commit instead, in turns, with 5,000 and
5,000.
"""

import argparse
import asyncio
import gc
import itertools
import statistics
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from pathlib import Path
from typing import TypeAlias

import uvloop
from msgspec import Struct

from bench import growth_data
from bench.growth_before import compare
from bench.growth_data import BODY, Dataset
from bench.other_commit import NoSuchCommit, checkout
from bench.report import last_line, table
from bench.unlimited import messaging_on
from greenroom.clock import SystemClock
from greenroom.ids import ThreadId
from greenroom.messaging import Messaging
from greenroom.messaging.history import history
from greenroom.messaging.inbox import inbox
from greenroom.messaging.outgoing import Outgoing
from greenroom.messaging.send import send

WORKED_IN = 50
"""How many threads a user writes in, the same number in both installations."""
AT_ONCE = 16
SMALL = 100
COMPARED = 5_000
"""Threads and messages where two commits are compared: each turn builds them."""


class Installation(Struct):
    messaging: Messaging
    data: Dataset
    threads: tuple[ThreadId, ...]
    """The threads in which Ana writes and reads, from all over her inbox."""
    cursor: str
    sent: int = 0


Step: TypeAlias = Callable[[Installation, int], Awaitable[object]]


async def _inbox(installation: Installation, n: int) -> None:
    assert len((await inbox(installation.messaging, installation.data.ana)).rows) == 20


async def _next_page(installation: Installation, n: int) -> None:
    found = await inbox(installation.messaging, installation.data.ana, cursor=installation.cursor)
    assert len(found.rows) == 20


async def _history(installation: Installation, n: int) -> None:
    thread = installation.threads[n % len(installation.threads)]
    assert (await history(installation.messaging, installation.data.ana, thread)).messages


async def _send(installation: Installation, n: int) -> None:
    await _say(installation, installation.threads[n % len(installation.threads)])


async def _long_inbox(installation: Installation, n: int) -> None:
    assert len((await inbox(installation.messaging, installation.data.ben)).rows) == 1


async def _long_history(installation: Installation, n: int) -> None:
    assert (
        len(
            (
                await history(installation.messaging, installation.data.ben, installation.data.long)
            ).messages
        )
        == 50
    )


async def _long_around(installation: Installation, n: int) -> None:
    page = await history(
        installation.messaging,
        installation.data.ben,
        installation.data.long,
        around=installation.data.middle,
    )
    assert len(page.messages) == 50


async def _long_send(installation: Installation, n: int) -> None:
    await _say(installation, installation.data.long)


async def _say(installation: Installation, thread: ThreadId) -> None:
    installation.sent += 1
    outgoing = Outgoing(f"{installation.sent:032x}", f"{BODY} {installation.sent}")
    await send(installation.messaging, installation.data.ana, thread, outgoing)


THREADS: dict[str, Step] = {
    "inbox": _inbox,
    "inbox_next_page": _next_page,
    "history": _history,
    "send": _send,
}
MESSAGES: dict[str, Step] = {
    "inbox": _long_inbox,
    "history": _long_history,
    "history_around": _long_around,
    "send": _long_send,
}
STEPS = {f"threads_{name}": step for name, step in THREADS.items()} | {
    f"messages_{name}": step for name, step in MESSAGES.items()
}


class Ratios(Struct):
    """The ratios of each round, and the median milliseconds of small and large."""

    ratios: list[float]
    small: list[float]
    large: list[float]


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    options.add_argument("--threads", type=int)
    options.add_argument("--messages", type=int)
    options.add_argument("--rounds", type=int, default=7)
    options.add_argument("--seconds", type=float, default=1.0, help="for each kind in a round")
    options.add_argument("--least", type=int, default=20, help="times, however long they take")
    options.add_argument("--quick", action="store_true", help="5,000 and 5,000, to try it")
    options.add_argument("--before", help="a commit to compare with")
    chosen = options.parse_args()
    chosen.threads = chosen.threads or (COMPARED if chosen.before else 100_000)
    chosen.messages = chosen.messages or (COMPARED if chosen.before else 1_000_000)
    if chosen.before:
        return _compare(chosen)
    if chosen.quick:
        chosen.threads, chosen.messages = 5_000, 5_000
        chosen.rounds, chosen.seconds, chosen.least = 2, 0.05, 3
    with tempfile.TemporaryDirectory(prefix="growth-", dir=".") as folder:
        found = uvloop.run(_run(Path(folder), chosen))
    _print(found, chosen)
    return 0


def _compare(chosen: argparse.Namespace) -> int:
    names = ("threads", "messages", "seconds", "least")
    options = [text for name in names for text in (f"--{name}", str(getattr(chosen, name)))]
    try:
        with checkout(chosen.before) as tree:
            compare(tree, chosen.rounds, options)
    except NoSuchCommit as problem:
        print(problem, file=sys.stderr)
        return 1
    return 0


async def _run(folder: Path, chosen: argparse.Namespace) -> dict[str, Ratios]:
    begun = time.perf_counter()
    small = await growth_data.build_dataset(folder / "small.db", threads=SMALL, messages=SMALL)
    large = await growth_data.build_dataset(
        folder / "large.db", threads=chosen.threads, messages=chosen.messages
    )
    took, size = time.perf_counter() - begun, (folder / "large.db").stat().st_size
    print(f"filled {size / 1e6:,.0f} MB in {took:.0f} s", file=sys.stderr, flush=True)
    async with AsyncExitStack() as stack:
        sides = [await _installation(stack, data) for data in (small, large)]
        gc.collect()
        gc.freeze()
        return await _rounds(sides[0], sides[1], chosen.rounds, chosen.seconds, chosen.least)


async def _installation(stack: AsyncExitStack, data: Dataset) -> Installation:
    store = await stack.enter_async_context(await growth_data.opened(data))
    messaging = messaging_on(store, SystemClock(), growth_data.SECRET)
    await growth_data.check(messaging, data)
    settled = data.threads[: -growth_data.FRESH_ROWS]
    first = await inbox(messaging, data.ana)
    installation = Installation(
        messaging=messaging,
        data=data,
        threads=settled[:: len(settled) // WORKED_IN][:WORKED_IN],
        cursor=first.next or "",
    )
    for thread in installation.threads:  # warm up, so that no send is the first after a pause
        await _say(installation, thread)
    return installation


async def _rounds(
    small: Installation, large: Installation, rounds: int, seconds: float, least: int
) -> dict[str, Ratios]:
    found: dict[str, Ratios] = {}
    for number in range(rounds):
        print(f"round {number + 1} of {rounds}", file=sys.stderr, flush=True)
        for name, step in STEPS.items():
            for at_once in (1, AT_ONCE):
                took = await _in_turns(small, large, step, seconds, least, at_once)
                _add(found.setdefault(_named(name, at_once), Ratios([], [], [])), *took)
    return found


async def _in_turns(
    small: Installation, large: Installation, step: Step, seconds: float, least: int, at_once: int
) -> tuple[float, float]:
    """The median milliseconds of each. Which one goes first alternates."""
    took: dict[int, list[float]] = {id(small): [], id(large): []}
    until = time.perf_counter() + seconds
    for n in itertools.count():
        if n >= least and time.perf_counter() > until:
            break
        for installation in (small, large) if n % 2 else (large, small):
            begun = time.perf_counter()
            await asyncio.gather(
                *(step(installation, n * at_once + each) for each in range(at_once))
            )
            took[id(installation)].append((time.perf_counter() - begun) * 1000)
    return statistics.median(took[id(small)]), statistics.median(took[id(large)])


def _add(found: Ratios, small: float, large: float) -> None:
    found.ratios.append(large / small)
    found.small.append(small)
    found.large.append(large)


def _named(name: str, at_once: int) -> str:
    return name if at_once == 1 else f"{name}_{at_once}"


def _print(found: dict[str, Ratios], chosen: argparse.Namespace) -> None:
    ratios = {name: round(statistics.median(one.ratios), 3) for name, one in found.items()}
    print(
        f"\nmilliseconds, with {SMALL} and with {chosen.threads:,} threads, {SMALL} and "
        f"{chosen.messages:,} messages; _{AT_ONCE}: for that many at once\n"
    )
    rows = [
        [
            name,
            f"{statistics.median(one.small):.2f}",
            f"{statistics.median(one.large):.2f}",
            f"{ratios[name]:.2f}",
            f"{min(one.ratios):.2f} to {max(one.ratios):.2f}",
        ]
        for name, one in found.items()
    ]
    print(table(["what", "small", "large", "ratio", "in the rounds"], rows) + "\n")
    last_line(
        {"worst": max(ratios.values()), "threads": chosen.threads}
        | {"messages": chosen.messages, "rounds": chosen.rounds}
        | ratios
    )


if __name__ == "__main__":
    sys.exit(main())

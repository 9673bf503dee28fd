"""`make bench-dynamo`: pairs of connected users on SQLite and on a stand-in for DynamoDB, in turns.

The stand-in (bench/standin) is a process of its own that answers from memory after a set delay.
This process is the load. CPU is that of the Greenroom node alone. `--before COMMIT` measures
another commit in the same run.
"""

import argparse
import asyncio
import gc
import signal
import sys
import tempfile
from collections.abc import Sequence
from contextlib import AsyncExitStack
from pathlib import Path

import uvloop

from bench.chat_load import Delivery, Stalled, talk
from bench.dynamo_report import Case, Measured, show
from bench.other_commit import NoSuchCommit, checkout
from bench.peers import Pair
from bench.peers.greenroom import Greenroom
from bench.standin.process import StandInProcess
from bench.standin.server import Counters

SETTLE_SECONDS = 0.5
"""Pause between two measurements, for work that the last one leaves behind."""


class MeasuredNode:
    """A running Greenroom, on SQLite or on a stand-in of its own."""

    def __init__(
        self, peer: Greenroom, pairs: Sequence[Pair], standin: StandInProcess | None, note: str
    ) -> None:
        self._peer = peer
        self._pairs = pairs
        self._standin = standin
        self._note = note

    def cases(self, delays: Sequence[float], in_flight: Sequence[int]) -> list[Case]:
        if self._standin is None:
            return [Case("sqlite" + self._note, None, count) for count in in_flight]
        name = "dynamodb" + self._note
        return [Case(name, delay, count) for delay in delays for count in in_flight]

    async def measure(self, case: Case, seconds: float) -> Measured:
        if self._standin is None or case.delay is None:
            return _measured(await talk(self._peer, self._pairs, case.in_flight, seconds))
        await self._standin.delay(case.delay)
        before = await self._standin.counters()
        seen = await talk(self._peer, self._pairs, case.in_flight, seconds)
        after = await self._standin.counters()
        await self._standin.delay(0)
        return _measured(seen, before, after)


def _measured(
    seen: Delivery, before: Counters | None = None, after: Counters | None = None
) -> Measured:
    if before is None or after is None:
        return Measured(seen)
    frames = after.frames - before.frames
    calls = sum(after.calls.values()) - sum(before.calls.values())
    return Measured(
        seen,
        calls=calls / frames,
        bytes=(after.bytes - before.bytes) / frames,
        per_transaction=frames / (after.frame_transactions - before.frame_transactions),
    )


def main() -> int:
    chosen = _options().parse_args()
    try:
        with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
            runner.run(_run(chosen))
    except (NoSuchCommit, Stalled) as problem:
        _say(str(problem))
        return 1
    except asyncio.CancelledError:
        _say("ended before its time")
        return 1
    return 0


def _options() -> argparse.ArgumentParser:
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    options.add_argument("--pairs", type=int, default=10)
    options.add_argument("--in-flight", type=int, default=16, help="messages in each pair")
    options.add_argument("--seconds", type=float, default=4.0, help="of each measurement")
    options.add_argument("--rounds", type=int, default=3)
    options.add_argument("--delays", type=_delays, default=(0.0, 8.0), help="ms, such as 0,8")
    options.add_argument("--before", help="a commit to measure in the same run")
    return options


def _delays(text: str) -> tuple[float, ...]:
    return tuple(map(float, text.split(",")))


async def _run(chosen: argparse.Namespace) -> None:
    if task := asyncio.current_task():
        asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, task.cancel)
    runs: dict[Case, list[Measured]] = {}
    async with AsyncExitStack() as stack:
        nodes = await _nodes(stack, chosen)
        gc.freeze()
        for number in range(chosen.rounds):
            for case, node in in_turns(nodes, number, chosen.delays, chosen.in_flight):
                _say(f"round {number + 1} of {chosen.rounds}: {case.shown}")
                await asyncio.sleep(SETTLE_SECONDS)
                runs.setdefault(case, []).append(await node.measure(case, chosen.seconds))
    names = ("pairs", "in_flight", "seconds", "rounds", "before")
    show(runs, {name: getattr(chosen, name) for name in names})


def in_turns(
    nodes: Sequence[MeasuredNode], number: int, delays: Sequence[float], in_flight: int
) -> list[tuple[Case, MeasuredNode]]:
    """All cases, ordered so that those that differ only in the store or the checkout are adjacent.
    The sort is stable, so the nodes alternate in going first."""
    ordered = nodes if number % 2 == 0 else nodes[::-1]
    all_cases = [(case, node) for node in ordered for case in node.cases(delays, (1, in_flight))]
    return sorted(all_cases, key=lambda one: (one[0].delay or 0.0, one[0].in_flight))


async def _nodes(stack: AsyncExitStack, chosen: argparse.Namespace) -> list[MeasuredNode]:
    trees: list[tuple[str, Path | None]] = [("", None)]
    if chosen.before is not None:
        trees.append((" before", stack.enter_context(checkout(chosen.before))))
    nodes = []
    for on_dynamodb in (False, True):
        for note, tree in trees:
            standin = await stack.enter_async_context(StandInProcess()) if on_dynamodb else None
            peer = await _peer(stack, standin, tree)
            nodes.append(MeasuredNode(peer, await peer.pairs(chosen.pairs), standin, note))
    return nodes


async def _peer(
    stack: AsyncExitStack, standin: StandInProcess | None, tree: Path | None
) -> Greenroom:
    folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="bench-dynamo-")))
    peer = Greenroom(folder, store="" if standin is None else standin.url(), tree=tree)
    stack.push_async_callback(peer.stop)
    await peer.start()
    return peer


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())

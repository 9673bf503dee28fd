"""The load of `make bench-chat`: each pair keeps a number of messages in flight, and sends the next
when one arrives. The texts are in bench/chat_texts.py.
"""

import asyncio
import itertools
import math
import time
from collections.abc import Sequence

from msgspec import Struct

from bench.chat_texts import Body, number_in, plain
from bench.peers import Pair, Peer
from bench.peers.processes import busy_seconds, cpu_seconds, resident_bytes

STALL_SECONDS = 30
PAGE = 50


class Stalled(Exception):
    """A message did not arrive, arrived twice, or a thread was not as long as it should be."""


class Delivery(Struct, frozen=True):
    """The figures of one measurement. Times in milliseconds."""

    per_s: float
    p50: float
    p99: float
    cpu_per_1000: float
    resident_mb: float
    others_cpu: float
    """CPU cores used by neither the server nor the load; close to 0 in a good run."""


class Spent(Struct, frozen=True):
    """CPU seconds so far."""

    server: float
    load: float
    machine: float

    @classmethod
    def by(cls, peer: Peer) -> "Spent":
        return cls(cpu_seconds(peer.pids()), time.process_time(), busy_seconds())


def percentile(ordered: Sequence[float], percent: float) -> float:
    """The smallest value that at least `percent` of the sorted list do not exceed."""
    return ordered[max(0, math.ceil(len(ordered) * percent / 100) - 1)]


class Conversation:
    """One pair that exchanges messages. `times` has the seconds of each message that arrived."""

    def __init__(self, pair: Pair, body: Body = plain) -> None:
        self.times: list[float] = []
        self.strange = 0
        self._pair = pair
        self._body = body
        self._numbers = itertools.count(1)
        self._under_way: dict[int, float] = {}
        self._left = 0
        self._arrived = asyncio.Event()
        pair.listen(self._hear)

    def begin(self, in_flight: int, *, at_most: int | None = None) -> None:
        """Keep `in_flight` under way until `end`, or until so many have been sent."""
        self._left = 2**62 if at_most is None else at_most
        for _ in range(min(in_flight, self._left)):
            self._send()

    async def end(self) -> None:
        """Stop sending, and wait for messages in flight."""
        self._left = 0
        await self.quiet()

    async def quiet(self) -> None:
        """Wait until no message is in flight."""
        while self._under_way:
            self._arrived.clear()
            try:
                await asyncio.wait_for(self._arrived.wait(), STALL_SECONDS)
            except TimeoutError:
                raise Stalled(f"{len(self._under_way)} messages did not arrive") from None
        if self.strange:
            raise Stalled(f"{self.strange} messages arrived that were not under way")

    def _send(self) -> None:
        self._left -= 1
        number = next(self._numbers)
        self._under_way[number] = time.perf_counter()
        self._pair.send(self._body(number))

    def _hear(self, text: str) -> None:
        now = time.perf_counter()
        at = self._under_way.pop(number_in(text), None)
        if at is None:
            self.strange += 1
            return
        self.times.append(now - at)
        self._arrived.set()
        if self._left > 0:
            self._send()


async def fill(pairs: Sequence[Pair], count: int, in_flight: int) -> None:
    """Give each thread `count` messages."""
    conversations = [Conversation(pair) for pair in pairs]
    for conversation in conversations:
        conversation.begin(in_flight, at_most=count)
    await asyncio.gather(*(conversation.quiet() for conversation in conversations))


async def talk(
    peer: Peer, pairs: Sequence[Pair], in_flight: int, seconds: float, body: Body = plain
) -> Delivery:
    """Send for `seconds`, after a warm-up of a fifth of that."""
    conversations = [Conversation(pair, body) for pair in pairs]
    for conversation in conversations:
        conversation.begin(in_flight)
    await asyncio.sleep(seconds / 5)
    for conversation in conversations:
        conversation.times.clear()
    before, begun = Spent.by(peer), time.perf_counter()
    await asyncio.sleep(seconds)
    took, after = time.perf_counter() - begun, Spent.by(peer)
    times = sorted(itertools.chain(*(conversation.times for conversation in conversations)))
    resident = resident_bytes(peer.pids())
    await asyncio.gather(*(conversation.end() for conversation in conversations))
    if not times:
        raise Stalled(f"nothing arrived within {seconds} seconds")
    server = after.server - before.server
    others = after.machine - before.machine - server - (after.load - before.load)
    return Delivery(
        per_s=len(times) / took,
        p50=percentile(times, 50) * 1000,
        p99=percentile(times, 99) * 1000,
        cpu_per_1000=server * 1000 * 1000 / len(times),
        resident_mb=resident / 2**20,
        others_cpu=max(0.0, others / took),
    )


async def read(pairs: Sequence[Pair], seconds: float) -> float:
    """How often per second the newest of a thread are read, by one reader in each pair.

    A page counts by what is in it: Synapse now and then leaves an event out.
    """
    begun = time.perf_counter()
    until, done = begun + seconds, 0.0

    async def reader(pair: Pair) -> None:
        nonlocal done
        while time.perf_counter() < until:
            try:
                found = await asyncio.wait_for(pair.last(PAGE), STALL_SECONDS)
            except TimeoutError:
                raise Stalled(f"a thread's newest {PAGE} messages did not come") from None
            if not PAGE * 0.9 <= found <= PAGE:
                raise Stalled(f"a thread's newest {PAGE} messages were {found}")
            done += found / PAGE

    await asyncio.gather(*(reader(pair) for pair in pairs))
    return done / (time.perf_counter() - begun)

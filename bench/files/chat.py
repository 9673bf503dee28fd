"""The time of a chat message while uploads run, and without them, in turn."""

import asyncio
import contextlib
import statistics
import time
from collections.abc import AsyncIterator, Callable

from msgspec import Struct

from bench.chat_load import Conversation, percentile
from bench.files import uploaders
from bench.peers import Pair

PAUSE_SECONDS = 0.005
SETTLE_SECONDS = 1.0


class Chat(Struct, frozen=True):
    """The p99 of each round, in milliseconds."""

    alone: list[float]
    beside_uploads: list[float]

    @property
    def ratio(self) -> float:
        """The median of the rounds: the speed of a machine may change from one to the next."""
        pairs = zip(self.beside_uploads, self.alone, strict=True)
        return statistics.median(beside / alone for beside, alone in pairs)


async def measure(
    url: str,
    pair: Pair,
    *,
    uploads: int,
    mb_per_s: float,
    rounds: int,
    seconds: float,
    say: Callable[[str], None],
) -> Chat:
    found = Chat([], [])
    for _ in range(rounds):
        found.alone.append(await _p99_ms(pair, seconds))
        async with _running(url, uploads, mb_per_s):
            found.beside_uploads.append(await _p99_ms(pair, seconds))
        say(f"p99 {found.alone[-1]:.2f} ms, with uploads {found.beside_uploads[-1]:.2f} ms")
    return found


async def _p99_ms(pair: Pair, seconds: float) -> float:
    await asyncio.sleep(min(SETTLE_SECONDS, seconds))
    conversation = Conversation(pair)
    until = time.perf_counter() + seconds
    while time.perf_counter() < until:
        conversation.begin(1, at_most=1)
        await conversation.quiet()
        await asyncio.sleep(PAUSE_SECONDS)
    return percentile(sorted(conversation.times), 99) * 1000


@contextlib.asynccontextmanager
async def _running(url: str, count: int, mb_per_s: float) -> AsyncIterator[None]:
    with contextlib.ExitStack() as stack:
        uploads = uploaders.running(url, count, mb_per_s)
        await asyncio.to_thread(stack.enter_context, uploads)
        yield

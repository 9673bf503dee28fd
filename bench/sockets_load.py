"""The load of `make bench-sockets`: each connection keeps a number of frames in flight, and sends
the next when one comes back.
"""

import asyncio
import itertools
import time
from collections import deque
from collections.abc import Sequence

from msgspec import Struct
from picows import WSFrame, WSListener, WSMsgType, WSTransport, ws_connect

from bench.chat_load import STALL_SECONDS, Stalled, percentile
from bench.peers.processes import busy_seconds, cpu_seconds

FRAME_BYTES = 120
_HEAD = b'{"type":"send","id":17,"threadId":"thr_01k75q8h3c9m2n4p6r8t0v2x4z","body":"'
FRAME = _HEAD + b"x" * (FRAME_BYTES - len(_HEAD) - 2) + b'"}'


class Echoes(Struct, frozen=True):
    """The figures of one measurement. Times in milliseconds, CPU in microseconds."""

    per_s: float
    p50: float
    p99: float
    server_us: float
    """The server's CPU time for one echo, which hardly depends on other load."""
    others: float
    """CPU cores used by neither the server nor the load."""


class Echoed(WSListener):
    """`times` has the seconds of each frame that came back."""

    def __init__(self) -> None:
        self.times: list[float] = []
        self._sent: deque[float] = deque()
        self._transport: WSTransport | None = None
        self._goes_on = False
        self._quiet = asyncio.Event()

    def on_ws_connected(self, transport: WSTransport) -> None:
        self._transport = transport

    def on_ws_frame(self, transport: WSTransport, frame: WSFrame) -> None:
        now = time.perf_counter()
        self.times.append(now - self._sent.popleft())
        if self._goes_on:
            self._sent.append(now)
            transport.send(WSMsgType.TEXT, FRAME)
        elif not self._sent:
            self._quiet.set()

    def begin(self, in_flight: int) -> None:
        assert self._transport is not None
        self._goes_on = True
        self._quiet.clear()
        for _ in range(in_flight):
            self._sent.append(time.perf_counter())
            self._transport.send(WSMsgType.TEXT, FRAME)

    async def end(self) -> None:
        """Waits for frames in flight."""
        self._goes_on = False
        try:
            await asyncio.wait_for(self._quiet.wait(), STALL_SECONDS)
        except TimeoutError:
            raise Stalled(f"{len(self._sent)} frames did not come back") from None

    def close(self) -> None:
        if self._transport is not None:
            self._transport.disconnect()


async def connected(url: str, count: int) -> list[Echoed]:
    return [(await ws_connect(Echoed, url))[1] for _ in range(count)]  # type: ignore[misc]


async def measured(
    connections: Sequence[Echoed], pid: int, in_flight: int, seconds: float
) -> Echoes:
    """Measures for `seconds`, after a warm-up of a fifth of that."""
    for connection in connections:
        connection.begin(in_flight)
    await asyncio.sleep(seconds / 5)
    for connection in connections:
        connection.times.clear()
    begun, before = time.perf_counter(), _spent(pid)
    await asyncio.sleep(seconds)
    took, after = time.perf_counter() - begun, _spent(pid)
    times = sorted(itertools.chain(*(connection.times for connection in connections)))
    for connection in connections:
        await connection.end()
    if not times:
        raise Stalled(f"nothing came back within {seconds} seconds")
    server, load, machine = (late - early for late, early in zip(after, before, strict=True))
    return Echoes(
        per_s=len(times) / took,
        p50=percentile(times, 50) * 1e3,
        p99=percentile(times, 99) * 1e3,
        server_us=server * 1e6 / len(times),
        others=max(0.0, (machine - server - load) / took),
    )


def _spent(pid: int) -> tuple[float, float, float]:
    """CPU seconds so far: the server's, ours, and the machine's."""
    return cpu_seconds([pid]), time.process_time(), busy_seconds()

"""A NATS server that can be killed, and restarts on the same port."""

import asyncio
import random
import signal
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from scripts.engines import nats
from scripts.engines.process import Engine

_PORTS = range(12_000, 30_000)
"""Below the system's ephemeral ports: after a kill the port must still be free."""


class Bus:
    def __init__(self) -> None:
        self._port = _free_port()
        self._engine: Engine | None = nats.start_at(self._port)
        self._turn = asyncio.Lock()
        self.url = self._engine.url
        self.restarts = 0

    async def restart(self, seconds: float) -> None:
        async with self.away():
            await asyncio.sleep(seconds)

    @asynccontextmanager
    async def away(self) -> AsyncIterator[None]:
        """Killed on entry, restarted on exit."""
        async with self._turn:
            self._kill()
            yield
            self._engine = nats.start_at(self._port)
            self.restarts += 1

    @asynccontextmanager
    async def dead(self) -> AsyncIterator[None]:
        """Accepts connections and answers nothing; killed and restarted on exit."""
        async with self._turn:
            self._signal(signal.SIGSTOP)
            yield
        await self.restart(0)

    async def pause(self, seconds: float) -> None:
        async with self._turn:
            self._signal(signal.SIGSTOP)
            try:
                await asyncio.sleep(seconds)
            finally:
                self._signal(signal.SIGCONT)

    def _signal(self, number: signal.Signals) -> None:
        if self._engine is not None:
            self._engine.process.send_signal(number)

    def close(self) -> None:
        self._kill()

    def _kill(self) -> None:
        if self._engine is not None:
            self._engine.process.kill()
            self._engine.process.wait()
            self._engine = None


def _free_port() -> int:
    for port in random.sample(_PORTS, 100):
        with socket.socket() as probe:
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
            return port
    raise RuntimeError("no port is free")

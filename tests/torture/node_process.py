"""A node in a process of its own, which is restarted when it ends.

Careful: a stopped process does not end on SIGTERM, and another process may take the port of a
killed one, so every start has a new address.
"""

import asyncio
import multiprocessing
import os
import signal
import time
from collections.abc import Callable, Mapping
from multiprocessing.connection import Connection
from multiprocessing.context import ForkServerProcess
from pathlib import Path
from typing import TypeAlias

from tests.torture.server import serve

Serve: TypeAlias = Callable[[Mapping[str, str], Path, "Connection[str, None]"], None]
_UP_SECONDS = 120
_END_SECONDS = 30
_LOOK_SECONDS = 0.02
_SHOWN = 2000
_fork = multiprocessing.get_context("forkserver")
_fork.set_forkserver_preload(["__main__", "tests.torture.server"])


class NodeProcess:
    def __init__(
        self,
        name: str,
        folder: Path,
        given: Mapping[str, str],
        *,
        serve: Serve = serve,
        restarts: bool = True,
    ) -> None:
        self.name = name
        self.url: str | None = None
        self.log = folder / f"{name}.log"
        self.kills = 0
        self.crashes = 0
        """How often it ended by itself once it was up; should stay 0."""
        self.up_times: list[tuple[float, float]] = []
        """When it was up, in seconds of the system's clock."""
        self._up_since: float | None = None
        self._serve = serve
        self._restarts = restarts
        self._given = {"GREENROOM_PORT": "0", **given}
        self._process: ForkServerProcess | None = None
        self._spawned = asyncio.Event()
        self._up = asyncio.Event()
        self._turn = asyncio.Lock()
        self._powered = asyncio.Event()
        self._powered.set()
        self._keeper: asyncio.Task[None] | None = None

    def start(self) -> None:
        self._keeper = asyncio.create_task(self._keep())

    async def up(self) -> None:
        try:
            async with asyncio.timeout(_UP_SECONDS):
                await self._up.wait()
        except TimeoutError:
            said = self.log.read_text()[-_SHOWN:] if self.log.exists() else "nothing"
            raise RuntimeError(f"{self.name} does not come up. It said: {said}") from None

    async def kill(self, *, young: bool = False, frozen_seconds: float = 0) -> None:
        """Waits until it is up; with `young` only until the process exists."""
        async with self._turn:
            await (self._spawned.wait() if young else self.up())
            if frozen_seconds:
                self._signal(signal.SIGSTOP)
                await asyncio.sleep(frozen_seconds)
            self._signal(signal.SIGKILL)
            self.kills += 1
            self._gone()

    async def cut(self, cut: Callable[[], None], power_on: Callable[[], None]) -> None:
        """Kills it and its disk, and starts it again when the disk is back."""
        async with self._turn:
            await self.up()
            assert self._process is not None
            process = self._process
            self._powered.clear()
            await asyncio.to_thread(cut)
            self._signal(signal.SIGKILL)
            self.kills += 1
            self._gone()
            await asyncio.to_thread(power_on)
            await _end_of(process)
            self._powered.set()

    async def pause(self, seconds: float) -> None:
        async with self._turn:
            self._signal(signal.SIGSTOP)
            await asyncio.sleep(seconds)
            self._signal(signal.SIGCONT)

    async def stop(self) -> int | None:
        """Stops it with SIGTERM, or SIGKILL if that takes too long. Returns the exit code."""
        if self._keeper is not None:
            self._keeper.cancel()
            await asyncio.wait([self._keeper])
        if self._process is None:
            return None
        self._gone()
        self._signal(signal.SIGCONT)
        self._signal(signal.SIGTERM)
        try:
            async with asyncio.timeout(_END_SECONDS):
                await _end_of(self._process)
        except TimeoutError:
            self._signal(signal.SIGKILL)
            await _end_of(self._process)
        return self._process.exitcode

    async def _keep(self) -> None:
        while True:
            await self._powered.wait()
            address = await self._spawn()
            assert self._process is not None
            if address:
                self.url = address
                self._up_since = time.time()
                self._up.set()
            await _end_of(self._process)
            if address and self._process.exitcode != -signal.SIGKILL:
                self.crashes += 1
            self._gone()
            if not self._restarts:
                return
            await asyncio.sleep(0.1 if address else 0.5)

    async def _spawn(self) -> str:
        """The address, or nothing if the process ends before it has one."""
        heard, told = _fork.Pipe(duplex=False)
        self._process = _fork.Process(target=self._serve, args=(self._given, self.log, told))
        self._process.start()
        told.close()
        self._spawned.set()
        with heard:
            while self._process.exitcode is None:
                if heard.poll():
                    try:
                        return str(heard.recv())
                    except EOFError:
                        break
                await asyncio.sleep(_LOOK_SECONDS)
        return ""

    def _signal(self, number: int) -> None:
        if self._process is not None and self._process.exitcode is None:
            assert self._process.pid is not None
            os.kill(self._process.pid, number)

    def _gone(self) -> None:
        if self._up_since is not None:
            self.up_times.append((self._up_since, time.time()))
        self.url = self._up_since = None
        self._up.clear()
        self._spawned.clear()


async def _end_of(process: ForkServerProcess) -> None:
    while process.exitcode is None:  # noqa: ASYNC110 (it has no event)
        await asyncio.sleep(_LOOK_SECONDS)

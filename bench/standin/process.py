"""Runs the stand-in as a process of its own, and reads its counters."""

import asyncio
import sys
from types import TracebackType

import aiohttp
import msgspec

from bench.standin.server import Counters

START_SECONDS = 60


class StandInProcess:
    def __init__(self) -> None:
        self._process: asyncio.subprocess.Process | None = None
        self._http: aiohttp.ClientSession | None = None
        self.place = ""

    async def __aenter__(self) -> "StandInProcess":
        self._process = await asyncio.create_subprocess_exec(
            sys.executable, "-m", "bench.standin.server", stdout=asyncio.subprocess.PIPE
        )
        assert self._process.stdout is not None
        started = asyncio.wait_for(self._process.stdout.readline(), START_SECONDS)
        self.place = (await started).decode().strip()
        self._http = aiohttp.ClientSession(f"http://{self.place}")
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._http is not None:
            await self._http.close()
        if self._process is not None and self._process.returncode is None:
            self._process.terminate()
            await self._process.wait()

    def url(self, prefix: str = "") -> str:
        """As GREENROOM_STORE names it."""
        return f"dynamodb+http://{self.place}?region=local&prefix={prefix}"

    async def counters(self) -> Counters:
        assert self._http is not None
        async with self._http.get("/counters") as answer:
            return msgspec.json.decode(await answer.read(), type=Counters)

    async def delay(self, ms: float) -> None:
        """Lets each answer wait so long from now on."""
        assert self._http is not None
        async with self._http.post(f"/delay/{ms}") as answer:
            answer.raise_for_status()

"""Work that goes on after an answer. It is lost when the process ends; a sweep does it then."""

import asyncio
from collections.abc import Coroutine

_TURNS = 2


class Tasks:
    def __init__(self) -> None:
        self._running: set[asyncio.Task[None]] = set()
        self.turns = asyncio.Semaphore(_TURNS)
        """For work that is not urgent."""

    def start(self, work: Coroutine[None, None, None]) -> None:
        task = asyncio.create_task(work)
        self._running.add(task)
        task.add_done_callback(self._running.discard)

    async def finish(self, seconds: float = 5.0) -> None:
        """Waits for what is running; cancels what takes too long."""
        if not self._running:
            return
        _, late = await asyncio.wait(set(self._running), timeout=seconds)
        for task in late:
            task.cancel()
        await asyncio.gather(*late, return_exceptions=True)

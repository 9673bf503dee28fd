"""Gives slots to jobs, like a semaphore. Owners get them in turns, however many jobs one has."""

import asyncio
from collections import deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager


class Slots:
    def __init__(self, count: int) -> None:
        self._free = count
        self._waiting: dict[str, deque[asyncio.Future[None]]] = {}
        """By owner. The first one is next."""

    @property
    def waiting(self) -> int:
        """Jobs that wait for a slot."""
        return sum(not turn.done() for turns in self._waiting.values() for turn in turns)

    @asynccontextmanager
    async def slot(self, owner: str) -> AsyncIterator[None]:
        await self._take(owner)
        try:
            yield
        finally:
            self._leave()

    async def _take(self, owner: str) -> None:
        if self._free:
            self._free -= 1
            return
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.setdefault(owner, deque()).append(turn)
        try:
            await turn
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled():  # it was given a slot at the same moment
                self._leave()
            raise

    def _leave(self) -> None:
        while self._waiting:
            owner = next(iter(self._waiting))
            turns = self._waiting.pop(owner)
            turn = turns.popleft()
            if turns:
                self._waiting[owner] = turns  # behind the others
            if not turn.done():
                turn.set_result(None)
                return
        self._free += 1

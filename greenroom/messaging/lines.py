"""Who is writing to a thread just now, and in which order, where the store keeps the order itself.

Each write is planned on top of the one before, while that is still on its way to the disk. When one
is refused, so are those that rest on it: they wait for the last of them to come back, and then go
again, called one after the other, in the order in which they first came. What one would get wrong:
whoever comes meanwhile has to wait behind them; and whoever was called may be too late, because
somebody before them was refused again.

A version is no proof by itself: what was planned as the next one and refused has the same number
as what was written instead. So nobody may plan on what the store has while others are under way.
"""

import asyncio
from collections.abc import Coroutine
from heapq import heappop, heappush
from itertools import count
from typing import Any

from greenroom.ids import ThreadId


class _Line:
    __slots__ = ("broken", "called", "calling", "refusals", "under_way", "waiting")

    def __init__(self) -> None:
        self.under_way = 0
        self.refusals = 0
        self.broken = False
        """Somebody was refused: nobody goes who is not called."""
        self.calling = False
        """The last of those who rested on it is back."""
        self.called = False
        """Somebody was, and has not gone yet."""
        self.waiting: list[tuple[int, asyncio.Future[int]]] = []


class Lines:
    def __init__(self) -> None:
        self._lines: dict[ThreadId, _Line] = {}
        self._places = count()
        self._leaving: set[asyncio.Task[None]] = set()

    def is_busy(self, thread: ThreadId) -> bool:
        return thread in self._lines

    def is_shared(self, thread: ThreadId) -> bool:
        """Whether others than the one who asks are under way."""
        line = self._lines.get(thread)
        return line is not None and line.under_way > 1

    def enter_alone(self, thread: ThreadId) -> bool:
        """For what can wait: whether nobody else is there."""
        if thread in self._lines:
            return False
        line = self._lines[thread] = _Line()
        line.under_way = 1
        return True

    async def enter(self, thread: ThreadId) -> int:
        """Returns when it is one's turn, with one's place. From here to the write nothing may
        wait."""
        place = next(self._places)
        line = self._lines.get(thread)
        if line is None:
            line = self._lines[thread] = _Line()
        if line.broken:
            await self._turn(thread, line, place, _wait(line, place))
        else:
            line.under_way += 1
        return place

    async def go_again(self, thread: ThreadId, place: int) -> None:
        """Instead of leaving: returns when it is one's turn once more."""
        line = self._lines[thread]
        call = _wait(line, place)
        self.refuse(thread)
        self.leave(thread)
        await self._turn(thread, line, place, call)

    def refuse(self, thread: ThreadId) -> None:
        """Somebody's write came to nothing, and so will what rests on it."""
        if line := self._lines.get(thread):
            line.refusals += 1
            line.broken, line.calling = True, False

    def leave(self, thread: ThreadId) -> None:
        line = self._lines[thread]
        line.under_way -= 1
        if line.under_way:
            return
        if not line.broken:
            del self._lines[thread]
        elif not line.calling:
            line.calling = True
            self._call_next(thread, line)

    def leave_after(self, thread: ThreadId, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.get_running_loop().create_task(work)
        self._leaving.add(task)
        task.add_done_callback(lambda _: self._left(thread, task))

    def _left(self, thread: ThreadId, task: asyncio.Task[None]) -> None:
        self._leaving.discard(task)
        if not task.cancelled():
            task.exception()  # the store is closed, or broken: nothing more is written there
        self.leave(thread)

    async def _turn(
        self, thread: ThreadId, line: _Line, place: int, call: asyncio.Future[int]
    ) -> None:
        while True:
            try:
                refusals = await call
            finally:
                if call.done() and not call.cancelled():
                    line.called = False
                    # Once this one has written, or waits again, or is gone.
                    asyncio.get_running_loop().call_soon(self._call_next, thread, line)
            if refusals == line.refusals:
                line.under_way += 1
                return
            call = _wait(line, place)

    def _call_next(self, thread: ThreadId, line: _Line) -> None:
        if line.called or not line.calling:
            return
        while line.waiting:
            _, call = heappop(line.waiting)
            if not call.done():
                call.set_result(line.refusals)
                line.called = True
                return
        line.broken = line.calling = False
        if not line.under_way:
            del self._lines[thread]


def _wait(line: _Line, place: int) -> asyncio.Future[int]:
    call: asyncio.Future[int] = asyncio.get_running_loop().create_future()
    heappush(line.waiting, (place, call))
    return call

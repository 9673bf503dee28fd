"""One at a time for each thread; whoever comes meanwhile goes together, in the order of coming.

What one would get wrong: whoever is cancelled while it waits has asked for nothing, but what is
under way goes on; so the work is done by a task of its own, never by one of those who ask.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from typing import TypeAlias

from msgspec import Struct

from greenroom.ids import ThreadId
from greenroom.messaging.events import Event
from greenroom.messaging.models import Thread
from greenroom.store.base import Op

MOST_TOGETHER = 32


class PlannedWrite(Struct, frozen=True):
    thread: Thread
    """The head as it becomes; its version is raised by `append`, not by the plan."""
    ops: tuple[Op, ...]
    """What is written with it."""
    events: tuple[Event, ...] = ()
    """What is told once it is written, beside what the heads themselves tell (`events.between`)."""
    silent: bool = False
    """Nobody is to notice: no row moves, and nothing of it shows as changed."""


Plan: TypeAlias = Callable[[Thread, int], PlannedWrite]
"""From the head and the moment: now, or just after the thread's last message if that is later."""


class PendingWrite:
    """What somebody wants, and how they hear of it."""

    __slots__ = ("_answer", "plan")

    def __init__(self, plan: Plan, answer: asyncio.Future[Thread]) -> None:
        self.plan = plan
        self._answer = answer

    @property
    def is_gone(self) -> bool:
        """Nobody waits for it any more."""
        return self._answer.done()

    def answer_with(self, thread: Thread) -> None:
        if not self._answer.done():
            self._answer.set_result(thread)

    def refuse(self, problem: Exception) -> None:
        if not self._answer.done():
            self._answer.set_exception(problem)

    def give_up(self) -> None:
        """Nobody will do it: we are being stopped."""
        self._answer.cancel()


Work: TypeAlias = Callable[[Sequence[PendingWrite]], Awaitable[None]]
"""Answers each of them."""


class ThreadBatcher:
    def __init__(self) -> None:
        self._waiting: dict[ThreadId, list[PendingWrite]] = {}
        self._tasks: set[asyncio.Task[None]] = set()

    def is_busy(self, thread: ThreadId) -> bool:
        return thread in self._waiting

    def ask(
        self,
        thread: ThreadId,
        plan: Plan,
        work: Work,
    ) -> asyncio.Future[Thread]:
        """The answer that `work` gives, when it is this one's turn."""
        loop = asyncio.get_running_loop()
        answer: asyncio.Future[Thread] = loop.create_future()
        waiting = self._waiting.get(thread)
        if waiting is not None:
            waiting.append(PendingWrite(plan, answer))
            return answer
        self._waiting[thread] = [PendingWrite(plan, answer)]
        # It begins with the loop's next round: whatever else this one brings goes along.
        task = loop.create_task(self._run(thread, work))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return answer

    async def _run(self, thread: ThreadId, work: Work) -> None:
        some: list[PendingWrite] = []
        try:
            while waiting := self._waiting[thread]:
                some, self._waiting[thread] = waiting[:MOST_TOGETHER], waiting[MOST_TOGETHER:]
                try:
                    await work(some)
                except Exception as bug:
                    for one in some:
                        one.refuse(bug)
        finally:
            for one in (*some, *self._waiting.pop(thread)):
                one.give_up()


class KeyedLock:
    """One at a time for each name, in the order of coming."""

    def __init__(self) -> None:
        self._turns: dict[str, tuple[asyncio.Lock, int]] = {}

    @asynccontextmanager
    async def turn(self, name: str) -> AsyncIterator[bool]:
        """Whether somebody else was there before."""
        lock, others = self._turns.get(name, (asyncio.Lock(), 0))
        self._turns[name] = (lock, others + 1)
        try:
            async with lock:
                yield others > 0
        finally:
            lock, left = self._turns[name]
            if left == 1:
                del self._turns[name]
            else:
                self._turns[name] = (lock, left - 1)

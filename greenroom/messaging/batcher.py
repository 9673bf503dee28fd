"""Collects the writes to each thread: one batch at a time, in the order of arrival.

Careful: a caller that is canceled while it waits has written nothing, but a batch under way goes
on. So a task of its own writes the batches, never one of the callers.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import TypeAlias

from greenroom.ids import ThreadId
from greenroom.messaging.models import Thread
from greenroom.messaging.plan import Plan

MAX_BATCH_WRITES = 32


class PendingWrite:
    """A plan, and the future that its caller waits for."""

    __slots__ = ("_answer", "plan")

    def __init__(self, plan: Plan, answer: asyncio.Future[Thread]) -> None:
        self.plan = plan
        self._answer = answer

    @property
    def is_done(self) -> bool:
        """Answered, or its caller no longer waits."""
        return self._answer.done()

    def resolve(self, thread: Thread) -> None:
        if not self._answer.done():
            self._answer.set_result(thread)

    def reject(self, problem: Exception) -> None:
        if not self._answer.done():
            self._answer.set_exception(problem)

    def cancel(self) -> None:
        """The process is being stopped."""
        self._answer.cancel()


WriteBatch: TypeAlias = Callable[[Sequence[PendingWrite]], Awaitable[None]]
"""Resolves or rejects each of them."""


class ThreadBatcher:
    def __init__(self) -> None:
        self._waiting: dict[ThreadId, list[PendingWrite]] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._loop: asyncio.AbstractEventLoop | None = None
        """Kept, because each look-up is a system call."""

    def is_busy(self, thread: ThreadId) -> bool:
        return thread in self._waiting

    def submit(
        self, thread: ThreadId, plan: Plan, write_batch: WriteBatch
    ) -> asyncio.Future[Thread]:
        """Queues the plan. `write_batch` will be called with it, and gives its answer."""
        loop = self._loop = self._loop or asyncio.get_running_loop()
        answer: asyncio.Future[Thread] = loop.create_future()
        waiting = self._waiting.get(thread)
        if waiting is not None:
            waiting.append(PendingWrite(plan, answer))
            return answer
        self._waiting[thread] = [PendingWrite(plan, answer)]
        # The task begins in the loop's next round, so that writes of this round join the batch.
        task = loop.create_task(self._run(thread, write_batch))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return answer

    async def _run(self, thread: ThreadId, write_batch: WriteBatch) -> None:
        batch: list[PendingWrite] = []
        try:
            while waiting := self._waiting[thread]:
                batch = waiting[:MAX_BATCH_WRITES]
                self._waiting[thread] = waiting[MAX_BATCH_WRITES:]
                try:
                    await write_batch(batch)
                except Exception as bug:
                    for one in batch:
                        one.reject(bug)
        finally:
            for one in (*batch, *self._waiting.pop(thread)):
                one.cancel()

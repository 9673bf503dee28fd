"""Runs requests with the same ordering key in order.

A request leaves its queue when it has ended, or earlier, once later requests can no longer overtake
it.
"""

import asyncio
from collections.abc import Coroutine
from typing import Any

from msgspec import Struct


class _QueuedTask(Struct, frozen=True):
    key: str
    before: asyncio.Future[None] | None
    """Done when this request may start; None if it is the first."""
    left: asyncio.Future[None]
    """Done when the next request may start."""


class OrderedTasks:
    __slots__ = ("_last", "_queued")

    def __init__(self) -> None:
        self._last: dict[str, asyncio.Future[None]] = {}
        """For each queue, the future that its next request waits for."""
        self._queued: dict[asyncio.Task[None], _QueuedTask] = {}

    def __contains__(self, key: str) -> bool:
        """Whether a request in this queue still blocks the next one."""
        return key in self._last

    @property
    def is_in_use(self) -> bool:
        return bool(self._queued)

    def start(self, key: str, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        loop = asyncio.get_running_loop()
        before = self._last.get(key)
        task = loop.create_task(work if before is None else _after(before, work))
        self._last[key] = left = loop.create_future()
        self._queued[task] = _QueuedTask(key, before, left)
        return task

    def leave(self, task: asyncio.Task[None] | None) -> None:
        """Lets the next request start. Does nothing for a task that has left its queue."""
        queued = None if task is None else self._queued.pop(task, None)
        if queued is None:
            return
        if self._last.get(queued.key) is queued.left:
            del self._last[queued.key]
        if queued.before is None or queued.before.done():
            _let_start(queued.left)
        else:  # canceled while waiting: later requests wait for the one before it
            self._last.setdefault(queued.key, queued.left)
            queued.before.add_done_callback(lambda _: self._pass_on(queued))

    def _pass_on(self, queued: _QueuedTask) -> None:
        if self._last.get(queued.key) is queued.left:
            del self._last[queued.key]
        _let_start(queued.left)


def _let_start(left: asyncio.Future[None]) -> None:
    if not left.done():
        left.set_result(None)


async def _after(before: asyncio.Future[None], work: Coroutine[Any, Any, None]) -> None:
    try:
        await asyncio.shield(before)  # canceling this request must not let others start
    except asyncio.CancelledError:
        work.close()
        raise
    await work

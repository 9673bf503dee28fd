"""Starts requests that must not overtake one another, each once the one before it lets it start.

A request leaves its line when it has ended, or earlier, when nothing that follows can overtake it.
"""

import asyncio
from collections.abc import Coroutine
from typing import Any

from msgspec import Struct


class _Place(Struct, frozen=True):
    line: str
    before: asyncio.Future[None] | None
    """Done when this request may start; None where it is the first."""
    left: asyncio.Future[None]
    """Done when the next request may start."""


class Lines:
    __slots__ = ("_last", "_places")

    def __init__(self) -> None:
        self._last: dict[str, asyncio.Future[None]] = {}
        """What the next request of each line waits for."""
        self._places: dict[asyncio.Task[None], _Place] = {}

    def __contains__(self, line: str) -> bool:
        """Whether somebody in the line has not let the next start yet."""
        return line in self._last

    def start(self, line: str, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        loop = asyncio.get_running_loop()
        before = self._last.get(line)
        task = loop.create_task(_after(before, work))
        self._last[line] = left = loop.create_future()
        self._places[task] = _Place(line, before, left)
        return task

    def leave(self, task: asyncio.Task[None] | None) -> None:
        """Lets the next request start. Does nothing for a task that is in no line any more."""
        place = None if task is None else self._places.pop(task, None)
        if place is None:
            return
        if self._last.get(place.line) is place.left:
            del self._last[place.line]
        if place.before is None or place.before.done():
            _let_start(place.left)
        else:  # cancelled while it waited: those behind it wait for the one before it
            self._last.setdefault(place.line, place.left)
            place.before.add_done_callback(lambda _: self._pass_on(place))

    def _pass_on(self, place: _Place) -> None:
        if self._last.get(place.line) is place.left:
            del self._last[place.line]
        _let_start(place.left)


def _let_start(left: asyncio.Future[None]) -> None:
    if not left.done():
        left.set_result(None)


async def _after(before: asyncio.Future[None] | None, work: Coroutine[Any, Any, None]) -> None:
    try:
        if before is not None:
            await asyncio.shield(before)  # cancelling this request must not let others start
    except asyncio.CancelledError:
        work.close()
        raise
    await work

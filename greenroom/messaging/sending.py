"""Keeps track of the messages that this node is sending: tries of the same message take turns.

A message counts once as said, however often it is tried. While nobody knows whether a try was
written, its text counts; the next try takes that back before it counts again.
"""

import asyncio
from collections import deque
from typing import TypeAlias

from greenroom.ids import ThreadId, UserId

Name: TypeAlias = tuple[ThreadId, UserId, str]
"""Of a message: its thread, its author, and the client's own id for it."""

_MOST_DOUBTS = 10_000


class Sending:
    def __init__(self) -> None:
        self._under_way: dict[Name, deque[asyncio.Future[None]] | None] = {}
        """With the tries that wait, if there are any."""
        self._doubts: dict[Name, bytes] = {}

    def is_under_way(self, name: Name) -> bool:
        return name in self._under_way

    def begin(self, name: Name) -> None:
        """Only where no other try is under way. The caller must call `end` afterwards."""
        self._under_way[name] = None

    async def begin_after_others(self, name: Name) -> None:
        """Where another try is under way: waits for it, and for those that came before."""
        turn = asyncio.get_running_loop().create_future()
        waiting = self._under_way[name]
        if waiting is None:
            waiting = self._under_way[name] = deque()
        waiting.append(turn)
        try:
            await turn
        except asyncio.CancelledError:
            if not turn.cancelled():  # it was this one's turn already
                self.end(name)
            raise

    def end(self, name: Name) -> None:
        """Lets the next try begin, if one waits."""
        waiting = self._under_way[name]
        while waiting:
            turn = waiting.popleft()
            if not turn.done():
                turn.set_result(None)
                return
        del self._under_way[name]

    def doubt(self, name: Name, digest: bytes) -> None:
        """A try with this content may have been written, and its text counts."""
        self._doubts[name] = digest
        if len(self._doubts) > _MOST_DOUBTS:
            del self._doubts[next(iter(self._doubts))]

    def is_doubted(self, name: Name) -> bool:
        return name in self._doubts

    def take_doubt(self, name: Name, digest: bytes) -> bool:
        """Whether there was such a try. Another content under the same name is none."""
        if self._doubts.get(name) != digest:
            return False
        del self._doubts[name]
        return True

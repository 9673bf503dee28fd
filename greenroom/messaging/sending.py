"""Keeps track of the messages that this node is sending: tries of the same message take turns.

A message counts once as said, however often it is tried. While nobody knows whether a try was
written, its text counts; the next try takes that back before it counts again.
"""

import asyncio

from greenroom.store.base import Key

_MOST_DOUBTS = 10_000


class Sending:
    """Messages are named by the keys of their claims."""

    def __init__(self) -> None:
        self._under_way: dict[Key, asyncio.Future[None] | None] = {}
        """With what other tries wait for, if there are any."""
        self._doubts: dict[Key, bytes] = {}

    def is_under_way(self, claim: Key) -> bool:
        return claim in self._under_way

    async def ended(self, claim: Key) -> None:
        """Returns when the try that is under way has ended. Another may have begun since."""
        end = self._under_way[claim]
        if end is None:
            end = self._under_way[claim] = asyncio.get_running_loop().create_future()
        await asyncio.wait([end])

    def begin(self, claim: Key) -> None:
        """Only where no other try is under way. The caller must call `end` afterwards."""
        self._under_way[claim] = None

    def end(self, claim: Key) -> None:
        end = self._under_way.pop(claim)
        if end is not None:
            end.set_result(None)

    def doubt(self, claim: Key, digest: bytes) -> None:
        """A try with this content may have been written, and its text counts."""
        self._doubts[claim] = digest
        if len(self._doubts) > _MOST_DOUBTS:
            del self._doubts[next(iter(self._doubts))]

    def is_doubted(self, claim: Key) -> bool:
        return claim in self._doubts

    def take_doubt(self, claim: Key, digest: bytes) -> bool:
        """Whether there was such a try. Another content under the same name is none."""
        if self._doubts.get(claim) != digest:
            return False
        del self._doubts[claim]
        return True

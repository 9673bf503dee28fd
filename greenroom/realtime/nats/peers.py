"""Tracks which other nodes are alive, by their heartbeats.

A node that is killed between a commit and its publish has not published the event and cannot report
it. So when heartbeats stop without a goodbye, this node assumes a gap.

Careful: if this process itself was paused, it has seen no heartbeats, and nobody has died.
"""

from collections.abc import Callable
from time import monotonic

HERE_SECONDS = 5.0
"""Between two heartbeats of a node."""
SILENT_SECONDS = 15.0
"""Without a heartbeat, after which a node counts as dead."""


class Peers:
    def __init__(self, now: Callable[[], float] = monotonic) -> None:
        self._now = now
        self._heard: dict[bytes, float] = {}
        self._looked = now()

    def heard_from(self, name: bytes) -> None:
        self._heard[name] = self._now()

    def remove(self, name: bytes) -> None:
        """The node left in order, after it had sent everything."""
        self._heard.pop(name, None)

    def reset(self) -> None:
        """Gives every known node the full time again: heartbeats could not arrive."""
        self._looked = self._now()
        self._heard = dict.fromkeys(self._heard, self._looked)

    def take_silent(self) -> int:
        """Removes dead nodes and returns how many. Call it once per heartbeat interval."""
        now, looked = self._now(), self._looked
        if now - looked > 2 * HERE_SECONDS:
            self.reset()
        self._looked = now
        silent = [name for name, heard in self._heard.items() if now - heard > SILENT_SECONDS]
        for name in silent:
            del self._heard[name]
        return len(silent)

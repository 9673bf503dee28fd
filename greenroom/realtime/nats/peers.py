"""The other nodes on the bus, for as long as they say that they are there.

One that is killed between a commit and the telling has told nobody, and cannot say so any more. So
when one falls silent without a goodbye, everybody here may have missed something. What one would
get wrong: whoever stood still themselves has heard nobody, and nobody has died of that.
"""

from collections.abc import Callable
from time import monotonic

HERE_SECONDS = 5.0
"""Between two words of a node that it is there."""
SILENT_SECONDS = 15.0
"""Without one, after which it is taken for dead."""


class Peers:
    def __init__(self, now: Callable[[], float] = monotonic) -> None:
        self._now = now
        self._heard: dict[bytes, float] = {}
        self._looked = now()

    def heard_from(self, name: bytes) -> None:
        self._heard[name] = self._now()

    def remove(self, name: bytes) -> None:
        """It has said goodbye, and before that all that it had to say."""
        self._heard.pop(name, None)

    def reset(self) -> None:
        """Nobody could be heard. They have as much time as ever to say that they are there."""
        self._looked = self._now()
        self._heard = dict.fromkeys(self._heard, self._looked)

    def take_silent(self) -> int:
        """How many, since the last look. One looks as often as one says that one is there."""
        now, looked = self._now(), self._looked
        if now - looked > 2 * HERE_SECONDS:
            self.reset()
        self._looked = now
        silent = [name for name, heard in self._heard.items() if now - heard > SILENT_SECONDS]
        for name in silent:
            del self._heard[name]
        return len(silent)

"""Caches, per node, which pairs of users are blocked: every message asks.

A write on this node invalidates an entry at once, a write on another node when the bus announces
it. If the bus loses that message, entries expire after a few seconds anyway. Careful: do not cache
an answer that was read from the store while a block was being written.
"""

from greenroom.ids import UserId
from greenroom.lru import LruCache

_TRUSTED_MS = 3_000
_MAX_PAIRS = 50_000


class BlockCache:
    def __init__(self) -> None:
        self._known: LruCache[tuple[UserId, UserId], tuple[int, bool]] = LruCache(_MAX_PAIRS)
        self.changes = 0
        """Counts invalidations. A reader compares it before and after its read."""

    def known(self, one: UserId, other: UserId, now_ms: int) -> bool | None:
        """None if it is not cached."""
        found = self._known.get((one, other) if one < other else (other, one))
        if found is None or not 0 <= now_ms - found[0] < _TRUSTED_MS:
            return None
        return found[1]

    def keep(self, one: UserId, other: UserId, is_blocked: bool, now_ms: int, changes: int) -> None:
        if changes != self.changes:
            return
        self._known.put((one, other) if one < other else (other, one), (now_ms, is_blocked))

    def forget(self, one: UserId, other: UserId) -> None:
        self.changes += 1
        self._known.discard((one, other) if one < other else (other, one))

    def forget_all(self) -> None:
        self.changes += 1
        self._known.clear()

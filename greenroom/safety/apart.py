"""Which pairs are kept apart, as this node has lately seen it: every message asks.

A block that is made or lifted here is forgotten with its write, and one from another node when the
bus brings word of it. Should that word be lost, what is kept here is trusted for a few seconds and
no longer. What one would get wrong: an answer that was on its way from the store while a block was
made must not be kept.
"""

from collections import OrderedDict

from greenroom.ids import UserId

_TRUSTED_MS = 3_000
_MOST = 50_000


class Apart:
    def __init__(self) -> None:
        self._known: OrderedDict[tuple[UserId, UserId], tuple[int, bool]] = OrderedDict()
        self.changes = 0
        """How often something was forgotten: whoever reads compares it before keeping."""

    def known(self, one: UserId, other: UserId, now_ms: int) -> bool | None:
        """None where nobody knows."""
        found = self._known.get((one, other) if one < other else (other, one))
        if found is None or not 0 <= now_ms - found[0] < _TRUSTED_MS:
            return None
        return found[1]

    def keep(self, one: UserId, other: UserId, are_apart: bool, now_ms: int, changes: int) -> None:
        if changes != self.changes:
            return
        pair = (one, other) if one < other else (other, one)
        self._known[pair] = (now_ms, are_apart)
        self._known.move_to_end(pair)
        if len(self._known) > _MOST:
            self._known.popitem(last=False)

    def forget(self, one: UserId, other: UserId) -> None:
        self.changes += 1
        self._known.pop((one, other) if one < other else (other, one), None)

    def forget_all(self) -> None:
        self.changes += 1
        self._known.clear()

"""Limits how many files of one user are checked at once, so that nobody holds up the others.

A file beyond the limit is tried again a moment later. The moments of one user follow each other at
a distance: so hundreds of waiting files cost a few reads a second.
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from greenroom.files.check_timer import CHECK, LARGE_CHECK
from greenroom.ids import UserId

_DISTANCE_MS = 100
_FORGET_AT = 1000


def most_at_once(decoders: int) -> dict[str, int]:
    """Of one user, by kind of check. A node runs 16 checks at once, and 4 of large files."""
    return {CHECK: min(8, decoders + 1), LARGE_CHECK: 2}


class CheckTurns:
    def __init__(self, most: Mapping[str, int]) -> None:
        """`most` is by kind of check: how many of one user run at once on this node."""
        self._most = most
        self._running: Counter[tuple[str, UserId]] = Counter()
        self._next_ms: dict[tuple[str, UserId], int] = {}

    def has_room(self, kind: str, owner: UserId) -> bool:
        return self._running[kind, owner] < self._most[kind]

    @contextmanager
    def running(self, kind: str, owner: UserId) -> Iterator[None]:
        self._running[kind, owner] += 1
        try:
            yield
        finally:
            self._running[kind, owner] -= 1
            if not self._running[kind, owner]:
                del self._running[kind, owner]

    def later_ms(self, kind: str, owner: UserId, now_ms: int) -> int:
        """When a file for which there is no room is tried again."""
        if len(self._next_ms) > _FORGET_AT:
            self._next_ms = {who: at for who, at in self._next_ms.items() if at > now_ms}
        later_ms = max(now_ms, self._next_ms.get((kind, owner), 0)) + _DISTANCE_MS
        self._next_ms[kind, owner] = later_ms
        return later_ms

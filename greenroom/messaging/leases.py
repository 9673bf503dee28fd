"""Tracks when this node's leases end, so that none is renewed more often than necessary.

Careful: a user may hold the same lease on several nodes, with one screen on each. The item has an
attribute for each holder, named after it.
"""

import secrets

from greenroom.ids import UserId
from greenroom.lru import LruCache

_RENEW = 0.6
"""A lease is renewed once this part of it has passed."""
_MAX_LEASES = 50_000


HOLDER = "on "
"""The prefix of the attributes that say until when a node holds the lease."""


class Leases:
    def __init__(self) -> None:
        self.holder = HOLDER + secrets.token_hex(4)
        self._until: LruCache[tuple[str, UserId], int] = LruCache(_MAX_LEASES)

    def is_due(self, partition: str, user: UserId, now_ms: int, lasts_ms: int) -> bool:
        until = self._until.get((partition, user)) or 0
        return not now_ms < until - lasts_ms * (1 - _RENEW) <= now_ms + lasts_ms

    def note(self, partition: str, user: UserId, until_ms: int) -> None:
        self._until.put((partition, user), until_ms)

    def end(self, partition: str, user: UserId) -> bool:
        """Whether there was one."""
        return self._until.discard((partition, user)) is not None

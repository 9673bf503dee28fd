"""Until when this node's leases run, so that none is written more often than it has to be.

What one would get wrong: a user may hold the same lease on several nodes, one screen on each. The
item has an attribute for each of them, named after its `holder`.
"""

import secrets
from collections import OrderedDict

from greenroom.ids import UserId

_RENEW = 0.6
"""A lease is written again once this part of it has passed."""
_MOST = 50_000


HOLDER = "on "
"""How the name of an attribute begins that says until when a node holds the lease."""


class Leases:
    def __init__(self) -> None:
        self.holder = HOLDER + secrets.token_hex(4)
        self._until: OrderedDict[tuple[str, UserId], int] = OrderedDict()

    def is_due(self, partition: str, user: UserId, now_ms: int, lasts_ms: int) -> bool:
        until = self._until.get((partition, user), 0)
        return not now_ms < until - lasts_ms * (1 - _RENEW) <= now_ms + lasts_ms

    def note(self, partition: str, user: UserId, until_ms: int) -> None:
        self._until[partition, user] = until_ms
        self._until.move_to_end((partition, user))
        if len(self._until) > _MOST:
            self._until.popitem(last=False)

    def end(self, partition: str, user: UserId) -> bool:
        """Whether there was one."""
        return self._until.pop((partition, user), None) is not None

"""The safety context: the ports and caches that its use cases take as their first argument.

Messaging implements `Enforcer`, which applies decisions to threads; app.py sets it. Without one,
decisions stay pending until `enforce_pending` runs with one.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol

from greenroom.clock import Clock
from greenroom.ids import FileId, Ids, ThreadId, UserId
from greenroom.people import People
from greenroom.safety.block_cache import BlockCache
from greenroom.safety.events import SafetyEvent
from greenroom.safety.limits import Limits
from greenroom.safety.models import Case
from greenroom.safety.recent_activity import RecentActivity
from greenroom.safety.rules import DEFAULT_RULES, RuleSet
from greenroom.store.base import Store
from greenroom.store.cursors import CursorCodec


class Enforcer(Protocol):
    """All methods are idempotent: after a crash each may be called again with the same case."""

    async def check_release(self, case: Case) -> None:
        """Raises `CannotRelease` while the held text cannot be added to its thread."""

    async def release(self, case: Case) -> bool:
        """Adds a held text to its thread. False if that is no longer possible: it is discarded."""

    async def remove(self, case: Case) -> None:
        """Discards a held message, turns a sent one into a tombstone, or locks the thread."""

    async def takes_part(self, thread: ThreadId, user: UserId) -> bool:
        """Whether the user is a participant, other than as support."""

    async def set_band(self, file: FileId, band: int, by: UserId, at_ms: int) -> None:
        """Sets the band of a file as it was decided then. A later decision stands."""

    async def close_requests(self, user: UserId) -> None:
        """Declines the user's pending requests."""


def discard(event: SafetyEvent) -> None:
    pass


@dataclass(frozen=True)
class Safety:
    store: Store
    people: People
    clock: Clock
    ids: Ids
    limits: Limits
    cursors: CursorCodec
    recent_activity: RecentActivity = field(default_factory=RecentActivity)
    block_cache: BlockCache = field(default_factory=BlockCache)
    rule_set: RuleSet = DEFAULT_RULES
    sync_ms: int = 30 * 86_400_000
    """How old a sync cursor may be."""
    enforcer: Enforcer | None = None
    publish: Callable[[SafetyEvent], None] = discard
    """Called after the commit."""

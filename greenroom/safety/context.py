"""What the safety context works with. Use cases are functions that take it first.

What a decision means for threads is messaging's work: `enforcer` is filled by app.py (with
`dataclasses.replace`, once messaging stands on this context). Where there is none, what was decided
waits until `redo` finds one.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol

from greenroom.clock import Clock
from greenroom.ids import Ids, ThreadId, UserId
from greenroom.people import People
from greenroom.safety.apart import Apart
from greenroom.safety.events import SafetyEvent
from greenroom.safety.limits import Limits
from greenroom.safety.memory import Memory
from greenroom.safety.models import Case
from greenroom.safety.rules import POLICY, Policy
from greenroom.store.base import Store


class Enforcer(Protocol):
    """Each may be called again with the same case after a crash, and then changes nothing."""

    async def check_release(self, case: Case) -> None:
        """Refuses with `CannotRelease` while a held text could not enter its thread."""

    async def release(self, case: Case) -> bool:
        """Let a held text into its thread; one that can no longer enter is thrown away: False."""

    async def remove(self, case: Case) -> None:
        """Take the message away (a held one for good, a sent one to a tombstone), or close the
        thread."""

    async def takes_part(self, thread: ThreadId, user: UserId) -> bool:
        """Whether the user is in the thread, other than to support it."""

    async def fold(self, user: UserId) -> None:
        """Close what the user has pending: the requests at other people's gates."""


def _nobody(event: SafetyEvent) -> None:
    pass


@dataclass(frozen=True)
class Safety:
    store: Store
    people: People
    clock: Clock
    ids: Ids
    limits: Limits
    memory: Memory = field(default_factory=Memory)
    apart: Apart = field(default_factory=Apart)
    policy: Policy = POLICY
    enforcer: Enforcer | None = None
    tell: Callable[[SafetyEvent], None] = _nobody
    """Called after the commit."""

"""What a change of a thread writes: the new head, the items beside it, and the events.

Careful: a plan may be called more than once, when another node wrote first, when a refusal may
rest on a stale head, and when another plan of the same transaction was refused.
"""

from collections.abc import Callable
from typing import TypeAlias

from msgspec import Struct

from greenroom.messaging.events import Event
from greenroom.messaging.models import Thread
from greenroom.store.base import Op


class PlannedWrite(Struct, frozen=True):
    thread: Thread
    """The new head; `update_thread` raises its version, not the plan."""
    ops: tuple[Op, ...]
    """What is written with it."""
    events: tuple[Event, ...] = ()
    """Published after the commit, beside what follows from the heads (`events_from_diff`)."""
    silent: bool = False
    """Nobody is to notice: no row moves, and nothing of it shows as changed."""


Plan: TypeAlias = Callable[[Thread, int], PlannedWrite]
"""From the head and the time: now, or just after the thread's last message if that is later."""

"""The values that timers, followers and leases are made of."""

from collections.abc import Mapping
from enum import Enum

from msgspec import Struct, field

from greenroom.store.base import Change
from greenroom.store.values import Value


class Timer(Struct, frozen=True):
    """At this time, once, do this. There is one timer for each kind and id: scheduling it again
    replaces it."""

    kind: str
    id: str
    due_ms: int
    payload: Mapping[str, Value] = field(default_factory=dict)


class TimerRow(Struct, frozen=True):
    """A timer as it is stored."""

    timer: Timer
    next_ms: int
    """When it is tried next; its due time until it has failed."""
    tries: int = 0
    """How often it has failed."""
    error: str = ""
    is_set_aside: bool = False


class Lease(Struct, frozen=True):
    """Who works on something. It holds for as long as its owner renews its own node item."""

    name: str
    owner: str
    """Empty after it was given up."""
    version: int


class Stage(Enum):
    """What a follower is doing."""

    CLEARING = "clearing"
    """Rebuilds: drops what was set aside, which the scan covers."""
    SCANNING = "scanning"
    """Rebuilds: goes through the table."""
    SWEEPING = "sweeping"
    """Rebuilds: removes results whose source is gone."""
    FOLLOWING = "following"
    NEEDS_REBUILD = "needs_rebuild"
    """The feed no longer has the changes after its checkpoint."""

    @property
    def is_rebuild(self) -> bool:
        return self in (Stage.CLEARING, Stage.SCANNING, Stage.SWEEPING)


class FollowerState(Struct, frozen=True):
    name: str
    version: int
    """Moves with every write. A writer that has seen another one writes nothing."""
    stage: Stage
    checkpoint: str | None
    """Where to go on in the feed; None for the oldest change that is kept."""
    cursor: str | None = None
    """Where to go on in the scan of a rebuild."""
    sweep: int = 0
    """Which of its result tables is being swept."""
    applied_ms: int = 0
    """When the last change was made that it has applied."""
    next_number: int = 1
    """Of the next change that is set aside."""
    set_aside: int = 0


class SetAside(Struct, frozen=True):
    """A change that waits for somebody to look at it, or stands behind one of the same item."""

    number: int
    change: Change
    error: str
    """Empty for a change that only stands behind another one."""
    at_ms: int
    is_rebuild: bool = False
    """The item came from a rebuild's scan and not from the feed."""
    is_cut: bool = False
    """The item was too large to be kept here: a replay reads it from its table."""

"""A clock that follows the machine's clock but does not jump when that is set.

    now_ms()   counts by the monotonic clock from the server's start
    a drift    of a few seconds is corrected gradually
    a jump     is ignored until it has lasted for `HOLD_MS`, so a clock that is wrong for a few
               minutes has no effect. Then the time is set. `epoch` changes if the time may have
               gone back or other nodes do not know of it yet

One item in the store holds the latest time, so that neither a restart nor another node starts
earlier. All nodes share it: a node whose own clock is wrong uses the others' time.

Careful: times of different epochs cannot be compared. A sync cursor holds its epoch and starts over
in another one.
"""

import logging
import secrets
import time
from collections.abc import Callable
from contextlib import suppress
from functools import partial

from msgspec import Struct

from greenroom.clock import Clock
from greenroom.store.base import Key, Put, Store
from greenroom.store.expressions import F
from greenroom.store.problems import ConditionFailed
from greenroom.store.tables import Table
from greenroom.store.values import Item

JUMP_MS = 10_000
"""A larger difference is a jump, not a drift."""
HOLD_MS = 300_000
"""How long a jump must last before the time is set."""
START_MS = 15_000
"""The same, on a node that has just started and is alone."""
SLEW_MS = 500
"""The maximum correction of a drift per synchronization."""
PEER_SEEN_MS = 60_000
"""A node seen within this time counts as running."""
LOCAL_SECONDS = 20
SHARED_SECONDS = 5
"""How often the item is written. A node that starts late is at most this far behind."""
SLACK_MS = 60_000
"""How far before its cursor a sync reads: longer than a retried write and a slow clock together
can be late."""
SURE_MS = 5000
"""What is older than this is in every later read, also an eventually consistent one."""
_STEADY = getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC)
_log = logging.getLogger(__name__)


steady_ns = partial(time.clock_gettime_ns, _STEADY)
"""Monotonic nanoseconds that also count while the machine sleeps."""


class _SavedTime(Struct, frozen=True):
    """The stored item."""

    at_ms: int
    epoch: int
    node: str
    drift_ms: int
    """How far that node's own clock was ahead."""
    began_ms: int


class _Correction(Struct, frozen=True):
    """The time to use from now on."""

    offset_ms: int
    epoch: int
    began_ms: int


class ServerClock:
    """A `Clock`. Call `synchronize` at start and then every few seconds."""

    def __init__(self, wall: Clock, steady: Callable[[], int] = steady_ns) -> None:
        """`steady` counts nanoseconds."""
        self._wall = wall
        self._steady_ns = steady
        self._offset_ms = wall.now_ms() - self._steady()
        self._node = secrets.token_hex(4)
        self._started_ms = self._steady()
        self._has_started = False
        self._jumped_ms: int | None = None
        """When the machine's clock jumped, by the steady clock."""
        self._jump_ms = 0
        self._peer_seen_ms: int | None = None
        """When another node was last seen, by the steady clock."""
        self._peer_agreed = False
        """Whether that node's own clock agreed with the server's time."""
        self._next_epoch_ms: int | None = None
        """When the epoch changes again, since other nodes learn of a new time late."""
        self.epoch = 0
        self.began_ms = 0

    def now_ms(self) -> int:
        return self._offset_ms + self._steady_ns() // 1_000_000

    def _steady(self) -> int:
        return self._steady_ns() // 1_000_000

    @property
    def drift_ms(self) -> int:
        """How far the machine's clock is ahead."""
        return self._wall.now_ms() - self.now_ms()

    async def synchronize(self, store: Store, table: Table, key: Key) -> None:
        item = await store.get(table, key, consistent=True)
        saved = None if item is None else _saved_time(item)
        if saved is not None:
            self._adopt(saved, alone=store.is_local)
        set_ = self._corrected(saved, alone=store.is_local)
        at_ms = set_.offset_ms + self._steady()
        reached = {
            "pk": key.partition,
            "sk": key.sort,
            "at": at_ms,
            "epoch": set_.epoch,
            "began": set_.began_ms,
            "node": self._node,
            "drift": self._wall.now_ms() - at_ms,
        }
        same = F("pk").absent() if saved is None else F("epoch").equals(saved.epoch)
        with suppress(ConditionFailed):  # another node has set the time: adopted next time
            await store.write(Put(table, reached, same))
            self._offset_ms, self.epoch, self.began_ms = set_.offset_ms, set_.epoch, set_.began_ms

    def _adopt(self, saved: _SavedTime, *, alone: bool) -> None:
        """Never starts earlier than the stored time."""
        behind_ms = saved.at_ms - self.now_ms()
        if not self._has_started:
            self.epoch, self.began_ms = saved.epoch, saved.began_ms
            if not alone or 0 < behind_ms <= JUMP_MS:
                self._offset_ms += behind_ms
            return
        if saved.node != self._node:
            self._peer_seen_ms = self._steady()
            self._peer_agreed = abs(saved.drift_ms) <= JUMP_MS
        if saved.epoch != self.epoch or behind_ms > 0:
            self._offset_ms += behind_ms
            self.epoch, self.began_ms = saved.epoch, saved.began_ms

    def _corrected(self, saved: _SavedTime | None, *, alone: bool) -> _Correction:
        """The corrected time."""
        is_start, self._has_started = not self._has_started, True
        if alone and is_start and saved is not None and saved.at_ms - self.now_ms() > JUMP_MS:
            _log.warning("the machine's clock is behind the time before the restart")
            return _Correction(self._offset_ms, saved.epoch + 1, self.now_ms())
        if self._next_epoch_ms is not None and self._steady() >= self._next_epoch_ms:
            self._next_epoch_ms = None
            return _Correction(self._offset_ms, self.epoch + 1, self.began_ms)
        drift_ms = self.drift_ms
        if abs(drift_ms) <= JUMP_MS:
            self._jumped_ms = None
            slewed_ms = self._offset_ms + max(-SLEW_MS, min(SLEW_MS, drift_ms))
            return _Correction(slewed_ms, self.epoch, self.began_ms)
        if not self._has_lasted(drift_ms, alone=alone) or self._others_agree():
            return _Correction(self._offset_ms, self.epoch, self.began_ms)
        _log.warning(
            "the machine's clock was set by %.0f s: the server's time follows it", drift_ms / 1000
        )
        self._jumped_ms = None
        if not alone:
            self._next_epoch_ms = self._steady() + 2 * SHARED_SECONDS * 1000
        if drift_ms > 0 and alone:
            return _Correction(self._offset_ms + drift_ms, self.epoch, self.began_ms)
        return _Correction(self._offset_ms + drift_ms, self.epoch + 1, self.now_ms() + drift_ms)

    def _has_lasted(self, drift_ms: int, *, alone: bool) -> bool:
        now_ms = self._steady()
        if self._jumped_ms is None or abs(drift_ms - self._jump_ms) > JUMP_MS:
            _log.warning(
                "the machine's clock is off by %.0f s: it may have been set", drift_ms / 1000
            )
            self._jumped_ms, self._jump_ms = now_ms, drift_ms
        is_first_alone = not alone and self._peer_seen_ms is None
        is_start = self._jumped_ms - self._started_ms < START_MS
        hold_ms = START_MS if is_first_alone and is_start else HOLD_MS
        return now_ms - self._jumped_ms >= hold_ms

    def _others_agree(self) -> bool:
        """Another node's clock agrees with the server's time, so this node's clock is wrong."""
        if self._peer_seen_ms is None or self._steady() - self._peer_seen_ms > PEER_SEEN_MS:
            return False
        return self._peer_agreed


def _saved_time(item: Item) -> _SavedTime:
    at_ms, epoch, drift_ms, began_ms = (
        int(str(item[name])) for name in ("at", "epoch", "drift", "began")
    )
    return _SavedTime(at_ms, epoch, str(item["node"]), drift_ms, began_ms)

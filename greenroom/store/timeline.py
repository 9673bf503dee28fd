"""The server's time: it follows the machine's clock, but does not jump when that is set.

    now_ms()   counts steadily from where the server began, whatever becomes of the machine's clock
    a drift    of a few seconds is made up for little by little
    a jump     counts for nothing until it has lasted for `HOLD_MS`; a clock that was wrong for a
               few minutes leaves no trace. Then the time is set, and if it may have gone back, or
               other nodes do not know of it yet, `epoch` is another one

One item in the store has the time that was reached, so that neither a restart nor another node
begins earlier. All nodes share it: a node whose clock alone is wrong goes by the others' time.
Careful: times of different epochs cannot be compared. A sync cursor keeps its epoch and starts over
in another.
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
"""A difference beyond this is no drift."""
HOLD_MS = 300_000
"""For how long a jump has to last before it counts."""
START_MS = 15_000
"""The same, on a node that has just started and finds that it is alone."""
SLEW_MS = 500
"""How much of a drift is made up for at a time."""
MET_MS = 60_000
"""A node that was seen within this time is there."""
LOCAL_SECONDS = 20
SHARED_SECONDS = 5
"""How often the item is written. Nodes that start late are no further behind than this."""
_STEADY = getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC)
_log = logging.getLogger(__name__)


steady_ns = partial(time.clock_gettime_ns, _STEADY)
"""Nanoseconds that only go forward, also while the machine sleeps."""


class _Kept(Struct, frozen=True):
    """The item, as it was found."""

    at_ms: int
    epoch: int
    node: str
    drift_ms: int
    """How far that node's own clock was from it."""
    began_ms: int


class _Set(Struct, frozen=True):
    """Where the time is to be."""

    offset_ms: int
    epoch: int
    began_ms: int


class Timeline:
    """A `Clock`. `follow` is called at the start, and from then on every few seconds."""

    def __init__(self, wall: Clock, steady: Callable[[], int] = steady_ns) -> None:
        """`steady` counts nanoseconds."""
        self._wall = wall
        self._steady_ns = steady
        self._offset_ms = wall.now_ms() - self._steady()
        self._node = secrets.token_hex(4)
        self._started_ms = self._steady()
        self._has_started = False
        self._jumped_ms: int | None = None
        """Since when the machine's clock has been somewhere else, by the steady one."""
        self._jump_ms = 0
        self._met_ms: int | None = None
        """When another node was last seen, by the steady clock."""
        self._met_agreed = False
        """Whether that node's own clock was as the server's time."""
        self._again_ms: int | None = None
        """When the epoch moves on once more, since other nodes learn late of a new time."""
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

    async def follow(self, store: Store, table: Table, key: Key) -> None:
        item = await store.get(table, key, consistent=True)
        kept = None if item is None else _kept(item)
        if kept is not None:
            self._learn(kept, alone=store.is_local)
        set_ = self._corrected(kept, alone=store.is_local)
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
        same = F("pk").absent() if kept is None else F("epoch").equals(kept.epoch)
        with suppress(ConditionFailed):  # another node has set the time: it is learnt next time
            await store.write(Put(table, reached, same))
            self._offset_ms, self.epoch, self.began_ms = set_.offset_ms, set_.epoch, set_.began_ms

    def _learn(self, kept: _Kept, *, alone: bool) -> None:
        """The time never begins earlier than where it was left, or where the others are."""
        behind_ms = kept.at_ms - self.now_ms()
        if not self._has_started:
            self.epoch, self.began_ms = kept.epoch, kept.began_ms
            if not alone or 0 < behind_ms <= JUMP_MS:
                self._offset_ms += behind_ms
            return
        if kept.node != self._node:
            self._met_ms = self._steady()
            self._met_agreed = abs(kept.drift_ms) <= JUMP_MS
        if kept.epoch != self.epoch or behind_ms > 0:
            self._offset_ms += behind_ms
            self.epoch, self.began_ms = kept.epoch, kept.began_ms

    def _corrected(self, kept: _Kept | None, *, alone: bool) -> _Set:
        """As it should be."""
        is_start, self._has_started = not self._has_started, True
        if alone and is_start and kept is not None and kept.at_ms - self.now_ms() > JUMP_MS:
            _log.warning("the clock is behind the time that was reached before the restart")
            return _Set(self._offset_ms, kept.epoch + 1, self.now_ms())
        if self._again_ms is not None and self._steady() >= self._again_ms:
            self._again_ms = None
            return _Set(self._offset_ms, self.epoch + 1, self.began_ms)
        drift_ms = self.drift_ms
        if abs(drift_ms) <= JUMP_MS:
            self._jumped_ms = None
            slewed_ms = self._offset_ms + max(-SLEW_MS, min(SLEW_MS, drift_ms))
            return _Set(slewed_ms, self.epoch, self.began_ms)
        if not self._has_lasted(drift_ms, alone=alone) or self._others_agree():
            return _Set(self._offset_ms, self.epoch, self.began_ms)
        _log.warning("the clock was set by %.0f s: the server's time follows it", drift_ms / 1000)
        self._jumped_ms = None
        if not alone:
            self._again_ms = self._steady() + 2 * SHARED_SECONDS * 1000
        if drift_ms > 0 and alone:
            return _Set(self._offset_ms + drift_ms, self.epoch, self.began_ms)
        return _Set(self._offset_ms + drift_ms, self.epoch + 1, self.now_ms() + drift_ms)

    def _has_lasted(self, drift_ms: int, *, alone: bool) -> bool:
        now_ms = self._steady()
        if self._jumped_ms is None or abs(drift_ms - self._jump_ms) > JUMP_MS:
            _log.warning("the clock is off by %.0f s: it may have been set", drift_ms / 1000)
            self._jumped_ms, self._jump_ms = now_ms, drift_ms
        is_first_alone = not alone and self._met_ms is None
        is_start = self._jumped_ms - self._started_ms < START_MS
        hold_ms = START_MS if is_first_alone and is_start else HOLD_MS
        return now_ms - self._jumped_ms >= hold_ms

    def _others_agree(self) -> bool:
        """Another node's clock is as the server's time: then it is ours that is wrong."""
        if self._met_ms is None or self._steady() - self._met_ms > MET_MS:
            return False
        return self._met_agreed


def _kept(item: Item) -> _Kept:
    at_ms, epoch, drift_ms, began_ms = (
        int(str(item[name])) for name in ("at", "epoch", "drift", "began")
    )
    return _Kept(at_ms, epoch, str(item["node"]), drift_ms, began_ms)

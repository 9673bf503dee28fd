"""Runs the timers of the shards that this node leases, when they are due.

    due index ──poll──> waiting (by due time, in memory) ──> running ──> row removed
                                                                    └──> tried later, or set aside

A poll looks `AHEAD_MS` into the future, so that a timer starts when it is due and not when it is
found. The row is read again just before: it may have been canceled or moved in between.

A handler has to be idempotent, since a node may die after the handler and before the row is gone.
What it returns as ops is written together with the removal of the row, and only if nobody has
canceled or moved the timer: those take effect once.
"""

import asyncio
import heapq
import logging
import random
from collections import Counter, defaultdict, deque
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from typing import TypeAlias

import msgspec
from msgspec import Struct

from greenroom.background.models import Timer, TimerRow
from greenroom.background.records import (
    SHARDS,
    TIMERS,
    TIMERS_DUE,
    due_at,
    due_key,
    kind_in,
    retry_timer,
    timer_key,
    timer_row,
    unchanged,
)
from greenroom.background.retries import STORE_TROUBLE, backoff_ms, describe
from greenroom.clock import Clock
from greenroom.errors import Problem, Unavailable
from greenroom.store.base import Check, Delete, Key, Op, Put, Store, Update, key_of
from greenroom.store.expressions import Bound, F
from greenroom.store.problems import ConditionFailed

POLL_SECONDS = 0.4
AHEAD_MS = 600
UNKNOWN_MS = 60_000
"""When a timer is looked at again whose kind this node does not know: one that is being upgraded
may meet what another has scheduled."""
COOL_MS = 1_000
"""When a timer is tried again after the store could not be written."""
BLIND_MS = 5_000
"""How long polls may fail before timers count as late."""
_SHORTEST_SECONDS = 0.02
_PAGE = 200
_PAGES = 5
_MAX_WAITING = 1_000
_MAX_WAITING_OF_KIND = 200
_log = logging.getLogger(__name__)

Handle: TypeAlias = Callable[[Timer], Awaitable[Sequence[Op]]]


class TimerHandler(Struct, frozen=True):
    handle: Handle
    max_tries: int = 12
    """Failures until the timer is set aside: with the pauses below, after about two hours."""
    first_pause_ms: int = 2_000
    longest_pause_ms: int = 3_600_000
    seconds: float = 30.0
    """How long one try may take."""
    max_running: int = 16
    """At once on a node, so that a slow kind leaves room for the others."""
    on_dropped: Callable[[Timer], Awaitable[None]] | None = None
    """Called when an operator drops a timer that was set aside: what it was for will not happen.
    May be called again after a kill."""


class TimerCounts(Struct):
    """For metrics."""

    run: int = 0
    failed: int = 0
    set_aside: int = 0


def lease_name(shard: int) -> str:
    return f"timers/{shard}"


LEASE_NAMES = tuple(lease_name(shard) for shard in range(SHARDS))


class _Found(Struct, frozen=True, order=True):
    """A row of the due index."""

    next_ms: int
    partition: str
    shard: int

    @property
    def kind(self) -> str:
        return kind_in(self.partition)


class TimerRunner:
    def __init__(
        self,
        store: Store,
        clock: Clock,
        handlers: Mapping[str, TimerHandler],
        *,
        holds: Callable[[str], bool],
        chance: random.Random,
        max_running: int = 64,
    ) -> None:
        """`holds` says whether this node has a lease."""
        self._store = store
        self._clock = clock
        self._handlers = handlers
        self._holds = holds
        self._chance = chance
        self._max_running = max_running
        self._found: dict[str, _Found] = {}
        """By partition key: what waits or runs here, so that a poll passes over it."""
        self._paused_until: dict[str, int] = {}
        """Until when a timer is left alone, without anything in the store that says so."""
        self._early: list[_Found] = []
        """A heap of what is not due yet."""
        self._ready: defaultdict[str, deque[_Found]] = defaultdict(deque)
        self._running: dict[asyncio.Task[None], _Found] = {}
        self._running_of: Counter[str] = Counter()
        self._walks: dict[int, tuple[Bound, str]] = {}
        """By shard: where a walk goes on that had more to read than one poll reads."""
        self._has_more = False
        """Whether the last poll left due timers where they were."""
        self._wake = asyncio.Event()
        self._polled_ms = clock.now_ms()
        """When the due timers were last found."""
        self.counts = TimerCounts()

    @property
    def late_ms(self) -> int:
        """How long the oldest due timer waits that has not finished here; or, where due timers
        cannot be found, since when."""
        now_ms = self._clock.now_ms()
        started = [found.next_ms for found in self._running.values()]
        ready = [found.next_ms for kind in self._ready.values() for found in kind]
        blind_ms = now_ms - self._polled_ms
        waits_ms = [now_ms - next_ms for next_ms in (*started, *ready)]
        return max(0, *waits_ms, blind_ms if blind_ms > BLIND_MS else 0)

    @property
    def due(self) -> int:
        """Timers that are ready or running here."""
        return len(self._running) + sum(map(len, self._ready.values()))

    async def run(self) -> None:
        """Until it is canceled. What is running then goes on: `finish` waits for it."""
        while True:
            try:
                await self.poll()
            except Exception as error:  # the store cannot be read just now
                _log.warning("timers could not be polled: %s", describe(error))
            await self._pause()

    def wake(self, due_ms: int) -> None:
        """A hint that this node has scheduled a timer: one that is due before the next poll."""
        if due_ms <= self._clock.now_ms() + AHEAD_MS:
            self._wake.set()

    async def poll(self) -> None:
        """Finds what is due and starts it."""
        self._wake.clear()
        self._has_more = False
        self._drop_lost_shards()
        held = [shard for shard in range(SHARDS) if self._holds(lease_name(shard))]
        await asyncio.gather(*map(self._walk, held))
        self._polled_ms = self._clock.now_ms()
        self._start_due()

    async def finish(self, shard: int | None = None, *, seconds: float = 10.0) -> None:
        """Waits for what is running; cancels what takes too long."""
        tasks = [task for task, row in self._running.items() if shard in (None, row.shard)]
        if not tasks:
            return
        _, late = await asyncio.wait(tasks, timeout=seconds)
        for task in late:
            task.cancel()
        await asyncio.gather(*late, return_exceptions=True)

    async def settle(self) -> None:
        """Until nothing that was found is ready or running."""
        while self._running or any(self._ready.values()):
            self._start_due()
            if self._running:
                await asyncio.wait(self._running, return_when=asyncio.FIRST_COMPLETED)
            else:
                await asyncio.sleep(0)

    async def _pause(self) -> None:
        """Until the next poll. In the meantime what was found early becomes due."""
        now = asyncio.get_running_loop().time
        soonest, latest = now() + _SHORTEST_SECONDS, now() + POLL_SECONDS
        while True:
            ends = soonest if self._wake.is_set() else latest
            left = min(ends - now(), self._until_next())
            if ends <= now():
                return
            if self._wake.is_set():
                await asyncio.sleep(left)
            else:
                with suppress(TimeoutError):
                    await asyncio.wait_for(self._wake.wait(), left)
            self._start_due()

    def _until_next(self) -> float:
        """Seconds until the next of those found early is due."""
        if not self._early:
            return POLL_SECONDS
        return max(0.001, (self._early[0].next_ms - self._clock.now_ms()) / 1000)

    async def _walk(self, shard: int) -> None:
        """Reads the shard's due rows, beyond those of kinds that have enough to do here."""
        now_ms = self._clock.now_ms()
        until = Bound("<=", due_at(now_ms + AHEAD_MS))
        until, cursor = self._walks.pop(shard, (until, None))
        for _ in range(_PAGES):
            if len(self._found) >= _MAX_WAITING:
                self._has_more = True
                return
            page = await self._store.query(
                TIMERS, due_key(shard), until, index=TIMERS_DUE, limit=_PAGE, cursor=cursor
            )
            for item in page.items:
                self._take(_Found(int(str(item["dueAt"])), str(item["pk"]), shard), now_ms)
            cursor = page.next
            if cursor is None:
                return
        self._has_more = True
        if cursor is not None:
            self._walks[shard] = until, cursor

    def _take(self, found: _Found, now_ms: int) -> None:
        if found.partition in self._found or self._is_paused(found.partition, now_ms):
            return
        if len(self._ready[found.kind]) >= _MAX_WAITING_OF_KIND:
            self._has_more = True
            return
        self._found[found.partition] = found
        heapq.heappush(self._early, found)
        if found.next_ms <= now_ms:
            self._move_due_to_ready(now_ms)

    def _is_paused(self, partition: str, now_ms: int) -> bool:
        if self._paused_until.get(partition, 0) > now_ms:
            return True
        self._paused_until.pop(partition, None)
        return False

    def _move_due_to_ready(self, now_ms: int) -> None:
        while self._early and self._early[0].next_ms <= now_ms:
            found = heapq.heappop(self._early)
            self._ready[found.kind].append(found)

    def _start_due(self) -> None:
        """Starts what is ready, in turns between the kinds."""
        self._move_due_to_ready(self._clock.now_ms())
        started = True
        while started:
            started = False
            for kind, ready in self._ready.items():
                if ready and self._has_room(kind):
                    self._start(ready.popleft())
                    started = True

    def _has_room(self, kind: str) -> bool:
        handler = self._handlers.get(kind)
        most = 1 if handler is None else handler.max_running
        return len(self._running) < self._max_running and self._running_of[kind] < most

    def _start(self, found: _Found) -> None:
        task = asyncio.create_task(self._run_one(found))
        self._running[task] = found
        self._running_of[found.kind] += 1
        task.add_done_callback(self._ended)

    def _ended(self, task: asyncio.Task[None]) -> None:
        found = self._running.pop(task)
        self._running_of[found.kind] -= 1
        self._found.pop(found.partition, None)
        if not task.cancelled() and (error := task.exception()) is not None:
            self._paused_until[found.partition] = self._clock.now_ms() + COOL_MS
            if not isinstance(error, STORE_TROUBLE):
                _log.error("timer %s: %s", found.partition, describe(error), exc_info=error)
        self._start_due()
        if self._has_more and len(self._ready[found.kind]) < _MAX_WAITING_OF_KIND // 4:
            self._wake.set()

    def _drop_lost_shards(self) -> None:
        """What waits in shards that are not ours any more."""
        kept = {shard for shard in range(SHARDS) if self._holds(lease_name(shard))}
        running = {found.partition for found in self._running.values()}
        self._early = [found for found in self._early if found.shard in kept]
        heapq.heapify(self._early)
        for kind, ready in self._ready.items():
            self._ready[kind] = deque(found for found in ready if found.shard in kept)
        self._found = {
            partition: found
            for partition, found in self._found.items()
            if found.shard in kept or partition in running
        }
        self._walks = {shard: walk for shard, walk in self._walks.items() if shard in kept}

    async def _run_one(self, found: _Found) -> None:
        if not self._holds(lease_name(found.shard)):
            return
        key = Key(found.partition, "TIMER")
        item = await self._store.get(TIMERS, key, consistent=True)
        if item is None:  # canceled; or run already, and the index does not know it yet
            return
        row = timer_row(item)
        if row.is_set_aside or row.next_ms > self._clock.now_ms():
            return
        handler = self._handlers.get(row.timer.kind)
        if handler is None:
            await self._postpone(row)
        else:
            await self._try(handler, row)

    async def _try(self, handler: TimerHandler, row: TimerRow) -> None:
        try:
            ops = await self._handle(handler, row.timer)
            await self._store.write(*removal(row, ops))
        except STORE_TROUBLE:
            raise
        except ConditionFailed as refusal:
            if not _is_about(refusal, row):
                await self._failed(handler, row, refusal)
            elif refusal.item is None:  # the handler's own transaction has removed it
                self.counts.run += 1
        except Exception as error:
            await self._failed(handler, row, error)
        else:
            self.counts.run += 1

    async def _handle(self, handler: TimerHandler, timer: Timer) -> Sequence[Op]:
        limit = asyncio.timeout(handler.seconds)
        try:
            async with limit:
                return await handler.handle(timer)
        except TimeoutError:
            if limit.expired():
                raise TimeoutError(f"it took longer than {handler.seconds:g} seconds") from None
            raise

    async def _failed(self, handler: TimerHandler, row: TimerRow, error: Exception) -> None:
        timer, tries = row.timer, row.tries + 1
        is_last = tries >= handler.max_tries
        pause = backoff_ms(
            tries,
            first_ms=handler.first_pause_ms,
            longest_ms=handler.longest_pause_ms,
            chance=self._chance,
        )
        self.counts.failed += 1
        self.counts.set_aside += is_last
        log = _log.error if is_last else _log.warning
        outcome = "is set aside" if is_last else f"is tried again in {pause / 1000:.1f} s"
        trace = None if isinstance(error, Problem | Unavailable) else error
        log("timer %s %s %s: %s", timer.kind, timer.id, outcome, describe(error), exc_info=trace)
        next_ms = self._clock.now_ms() + pause
        await self._write_unless_changed(
            retry_timer(row, next_ms, describe(error), is_last=is_last)
        )

    async def _postpone(self, row: TimerRow) -> None:
        _log.warning("no handler for timers of the kind %s", row.timer.kind)
        later = F("dueAt").set(due_at(self._clock.now_ms() + UNKNOWN_MS))
        key = timer_key(row.timer.kind, row.timer.id)
        await self._write_unless_changed(Update(TIMERS, key, (later,), unchanged(row)))

    async def _write_unless_changed(self, op: Update) -> None:
        try:
            await self._store.write(op)
        except ConditionFailed:
            _log.debug("%s: it was canceled or moved in the meantime", op)


def removal(row: TimerRow, ops: Sequence[Op]) -> tuple[Op, ...]:
    """The ops that end a timer, all of them only if it is as it was. A handler that schedules its
    own timer again moves it."""
    key = timer_key(row.timer.kind, row.timer.id)
    own = [op for op in ops if op.table.name == TIMERS.name and key_of(op) == key]
    others = [op for op in ops if op not in own]
    if not own:
        return (Delete(TIMERS, key, unchanged(row)), *others)
    (again,) = own
    if not isinstance(again, Put | Delete) or isinstance(again, Check):
        raise TypeError(f"a handler cannot return {again}")
    return (msgspec.structs.replace(again, condition=unchanged(row)), *others)


def _is_about(refusal: ConditionFailed, row: TimerRow) -> bool:
    """Whether the timer itself had changed, and not what its handler wanted to write."""
    key = timer_key(row.timer.kind, row.timer.id)
    return any(
        failure.op.table.name == TIMERS.name and key_of(failure.op) == key
        for failure in refusal.failed
    )

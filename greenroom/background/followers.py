"""Follows a table's change feed and writes the result of each batch together with its checkpoint.

    feed ──> batch of changes ──handle──> ops ─┐
                                               ├─ one transaction, under the state's version
                    checkpoint after the batch ┘

So a follower may be killed anywhere without losing or repeating a change, and a node that was
replaced without knowing it writes nothing: the version that it has read is gone.

A batch that cannot be handled is divided until one change is left. That one is tried a few times
and then set aside; later changes of its item are set aside behind it, so that order per item holds
when they are replayed. The rest goes on.
"""

import asyncio
import logging
import random
from collections import Counter
from collections.abc import Sequence
from time import monotonic

import msgspec
from msgspec import Struct

from greenroom.background.batch_writer import BatchWriter, Sleep, within
from greenroom.background.change_reader import Batch, ChangeReader
from greenroom.background.follower import Follower
from greenroom.background.models import FollowerState, Stage
from greenroom.background.progress import (
    Progress,
    StateChanged,
    create,
    load,
    load_state,
    save,
    with_set_aside,
)
from greenroom.background.rebuild import Rebuild
from greenroom.background.retries import backoff_ms, describe
from greenroom.clock import Clock
from greenroom.store.base import Change, Op, Store
from greenroom.store.problems import CheckpointTooOld

IDLE_SECONDS = 5.0
"""How often a follower without changes looks whether a rebuild was requested."""
_RELOAD_SECONDS = 0.05
MOVED_SECONDS = 5.0
"""How often a checkpoint is written that has moved past changes of items that are not followed."""
_log = logging.getLogger(__name__)


class FollowerCounts(Struct):
    """For metrics."""

    applied: int = 0
    failed: int = 0
    set_aside: int = 0
    stage: Stage | None = None
    is_caught_up: bool = False
    behind_since_ms: int | None = None
    """When the oldest change was made that is not applied yet; None when caught up."""


class FollowerRunner:
    def __init__(
        self,
        store: Store,
        clock: Clock,
        follower: Follower,
        *,
        chance: random.Random,
        sleep: Sleep = asyncio.sleep,
    ) -> None:
        self._store = store
        self._clock = clock
        self._follower = follower
        self._chance = chance
        self._sleep = sleep
        self._writer = BatchWriter(follower, chance, sleep)
        self._progress = Progress(FollowerState(follower.name, 0, Stage.FOLLOWING, None), Counter())
        self._moved: str | None = None
        """A checkpoint further on than the one that is written."""
        self._written_at = 0.0
        self._outages = 0
        self.counts = FollowerCounts()

    @property
    def name(self) -> str:
        return self._follower.name

    @property
    def lag_ms(self) -> int:
        """How long ago the oldest change was made that is not applied yet; 0 when caught up."""
        since_ms = self.counts.behind_since_ms
        return 0 if since_ms is None else max(0, self._clock.now_ms() - since_ms)

    async def run(self) -> None:
        """Until it is canceled, which may be at any moment."""
        while True:
            try:
                await self._round(follow=True)
            except StateChanged:
                await self._sleep(_RELOAD_SECONDS)
            except CheckpointTooOld:
                await self._ask_for_rebuild()
            except Exception as error:  # an outage, or a bug: what was not written comes again
                await self._wait_out(error)

    async def catch_up(self) -> None:
        """Until the feed has no more changes."""
        while True:
            try:
                if await self._round(follow=False):
                    return
            except StateChanged:
                continue
            except CheckpointTooOld:
                await self._ask_for_rebuild()

    async def _round(self, *, follow: bool) -> bool:
        """Whether there is nothing left to do, for one that does not follow."""
        progress = await load(self._store, self._follower.name)
        if progress is None:
            await self._begin()
            return False
        self._progress = progress
        self.counts.stage = progress.state.stage
        if progress.state.stage is not Stage.FOLLOWING:
            self._fall_behind(progress.state.applied_ms)
        if progress.state.stage.is_rebuild:
            await Rebuild(self._store, self._clock, self._follower, self._writer, progress).run()
            return False
        if progress.state.stage is Stage.NEEDS_REBUILD:
            await self._sleep(IDLE_SECONDS if follow else 0)
            return True
        await self._follow(progress.state, follow=follow)
        return True

    async def _begin(self) -> None:
        if self._follower.rebuild is None or not self._follower.begins_with_scan:
            await create(self._store, self._follower.name, Stage.FOLLOWING, None)
        else:
            checkpoint = await self._store.checkpoint(self._follower.table)
            await create(self._store, self._follower.name, Stage.SCANNING, checkpoint)

    async def _follow(self, state: FollowerState, *, follow: bool) -> None:
        self._moved = None
        feed = ChangeReader(self._store, self._follower, state.checkpoint, follow=follow)
        async with feed as reader:
            while True:
                self._measure(reader.oldest_ms)
                batch = await reader.take(seconds=IDLE_SECONDS)
                if batch is not None:
                    self._measure(batch.changes[0].at_ms if batch.changes else None)
                    await self._apply(batch)
                elif self._moved is not None:
                    await self._write_moved()
                elif not reader.is_at_end:
                    await self._check_version()
                self._outages = 0
                if batch is None and reader.is_at_end:
                    return

    def _measure(self, oldest_ms: int | None) -> None:
        counts, writer = self.counts, self._writer
        counts.is_caught_up = oldest_ms is None
        counts.behind_since_ms = oldest_ms
        counts.failed, counts.set_aside = writer.failed, writer.set_aside

    async def _check_version(self) -> None:
        state = await load_state(self._store, self._follower.name)
        if state is None or state.version != self._progress.state.version:
            raise StateChanged

    async def _apply(self, batch: Batch) -> None:
        await self._writer.write_all(batch.changes, self._write_changes, self._set_aside)
        if batch.checkpoint != self._progress.state.checkpoint:
            self._moved = batch.checkpoint
            if monotonic() - self._written_at > MOVED_SECONDS:
                await self._write_moved()

    async def _write_moved(self) -> None:
        await self._save(msgspec.structs.replace(self._progress.state, checkpoint=self._moved))

    async def _write_changes(self, changes: Sequence[Change]) -> None:
        blocked = self._progress.blocked
        free = [change for change in changes if not blocked[change.key]]
        behind = [change for change in changes if blocked[change.key]]
        ops: Sequence[Op] = ()
        if free:
            ops = await within(self._follower.seconds, self._follower.handle(free))
        await self._pass(changes, [(change, "") for change in behind], ops)

    async def _set_aside(self, change: Change, error: str) -> None:
        await self._pass([change], [(change, error)], ())

    async def _pass(
        self, changes: Sequence[Change], aside: list[tuple[Change, str]], ops: Sequence[Op]
    ) -> None:
        """Moves the checkpoint past the changes, with what follows from them."""
        last = changes[-1]
        state = msgspec.structs.replace(
            self._progress.state, checkpoint=last.checkpoint, applied_ms=last.at_ms
        )
        state, puts = with_set_aside(state, aside, self._clock.now_ms(), is_rebuild=False)
        await self._save(state, *ops, *puts)
        self._progress.blocked.update(change.key for change, _ in aside)
        self.counts.applied += len(changes)

    async def _save(self, after: FollowerState, *ops: Op) -> None:
        state = await save(self._store, self._progress.state, after, *ops)
        self._progress = Progress(state, self._progress.blocked)
        self._moved, self._written_at = None, monotonic()

    async def _ask_for_rebuild(self) -> None:
        _log.error(
            "%s is too far behind: the changes after its checkpoint are no longer kept. Rebuild it",
            self._follower.name,
        )
        after = msgspec.structs.replace(self._progress.state, stage=Stage.NEEDS_REBUILD)
        try:
            await self._save(after)
        except StateChanged:
            return
        self.counts.stage = Stage.NEEDS_REBUILD
        self._fall_behind(after.applied_ms)

    def _fall_behind(self, since_ms: int = 0) -> None:
        """It applies nothing now, so its lag grows, whether or not there are changes."""
        if self.counts.behind_since_ms is None:
            self.counts.is_caught_up = False
            self.counts.behind_since_ms = since_ms or self._clock.now_ms()

    async def _wait_out(self, error: Exception) -> None:
        self._outages += 1
        self._fall_behind()
        pause = backoff_ms(
            self._outages,
            first_ms=self._follower.first_pause_ms,
            longest_ms=self._follower.longest_pause_ms,
            chance=self._chance,
        )
        _log.warning("%s waits: %s", self._follower.name, describe(error))
        await self._sleep(pause / 1000)

"""Runs this node's share of the timers, followers and leased jobs.

worker = Worker(store, clock, node=…, timers={…}, followers=(…,), chance=random.Random())
async with worker:
    …
"""

import asyncio
import logging
import random
from collections.abc import Mapping, Sequence
from contextlib import suppress
from types import TracebackType

from greenroom.background import timers as timer_runner
from greenroom.background.follower import Follower, lease_name
from greenroom.background.followers import FollowerRunner
from greenroom.background.leased_jobs import LeasedJob, job_lease, repeat
from greenroom.background.leases import RENEW_MS, LeaseKeeper
from greenroom.background.retries import describe
from greenroom.background.timers import LEASE_NAMES, TimerHandler, TimerRunner
from greenroom.clock import Clock
from greenroom.store.base import Store

_log = logging.getLogger(__name__)


class Worker:
    def __init__(
        self,
        store: Store,
        clock: Clock,
        *,
        node: str,
        timers: Mapping[str, TimerHandler],
        followers: Sequence[Follower],
        jobs: Sequence[LeasedJob] = (),
        chance: random.Random,
        is_alone: bool = False,
    ) -> None:
        """`node` is a name that no other process has, nor had. `is_alone`: no other process can
        have the store open."""
        if bad := [kind for kind in timers if not kind or "#" in kind]:
            raise ValueError(f"a kind of timer cannot be named {bad[0]!r}")
        self._store = store
        self._clock = clock
        self._chance = chance
        self._followers = {lease_name(follower.name): follower for follower in followers}
        if len(self._followers) != len(followers):
            raise ValueError("two followers have one name")
        if lease_name("timers") in self._followers:
            raise ValueError("a follower cannot be named 'timers'")  # as commands name the timers
        self._jobs = {job_lease(job.name): job for job in jobs}
        if len(self._jobs) != len(jobs):
            raise ValueError("two jobs have one name")
        self._leases = LeaseKeeper(
            store,
            clock,
            node,
            (LEASE_NAMES, tuple(self._followers), tuple(self._jobs)),
            finish=self._finish,
            is_alone=is_alone,
        )
        self.timers = TimerRunner(store, clock, timers, holds=self._leases.holds, chance=chance)
        self.followers: dict[str, FollowerRunner] = {}
        """By lease: those that run on this node."""
        self._following: dict[str, asyncio.Task[None]] = {}
        """By lease: the followers and jobs that run on this node."""
        self._tasks: list[asyncio.Task[None]] = []

    async def __aenter__(self) -> "Worker":
        self._tasks = [
            asyncio.create_task(self._keep_leases()),
            asyncio.create_task(self.timers.run()),
        ]
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.stop()

    async def stop(self) -> None:
        """Waits for timers that are running, and leaves its share to the other nodes at once."""
        keep, poll = self._tasks
        await _ended(poll)
        for name in list(self._following):
            await self._end_follower(name)
        await self.timers.finish()
        await _ended(keep)
        with suppress(Exception):  # the store may be gone; then the others wait for the time
            await self._leases.leave()

    def wake(self, due_ms: int) -> None:
        """To be called after a timer was scheduled on this node for soon."""
        self.timers.wake(due_ms)

    async def _keep_leases(self) -> None:
        while True:
            try:
                await self._leases.renew()
            except Exception as error:
                _log.warning("leases could not be renewed: %s", describe(error))
            await self._follow_leased()
            await asyncio.sleep(RENEW_MS / 1000)

    async def _follow_leased(self) -> None:
        held = self._leases.held()
        for name in [name for name in self._following if name not in held]:
            await self._end_follower(name)
        for name, follower in self._followers.items():
            if name in held and name not in self._following:
                runner = FollowerRunner(self._store, self._clock, follower, chance=self._chance)
                self.followers[name] = runner
                self._following[name] = asyncio.create_task(runner.run())
        for name, job in self._jobs.items():
            if name in held and name not in self._following:
                self._following[name] = asyncio.create_task(repeat(job))

    async def _end_follower(self, name: str) -> None:
        self.followers.pop(name, None)
        task = self._following.pop(name, None)
        if task is not None:
            await _ended(task)

    async def _finish(self, lease: str) -> None:
        """Ends the work on a lease that another node is to have."""
        if lease in self._following:
            await self._end_follower(lease)
        elif lease in LEASE_NAMES:
            await self.timers.finish(timer_runner.LEASE_NAMES.index(lease))


async def _ended(task: asyncio.Task[None]) -> None:
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)

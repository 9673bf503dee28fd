"""A leased job is repeated by one node, and by another one when that has stopped."""

import asyncio
import random
from collections import Counter, defaultdict
from pathlib import Path

from greenroom.background.leased_jobs import LeasedJob
from greenroom.background.worker import Worker
from greenroom.clock import SystemClock
from tests.stores import fresh_store
from tests.world import TABLES


async def test_one_node_runs_a_leased_job_at_a_time(tmp_path: Path) -> None:
    runs: Counter[str] = Counter()
    runs_on = defaultdict[str, asyncio.Event](asyncio.Event)
    clock = SystemClock()
    async with fresh_store(f"sqlite:///{tmp_path}/store.db", TABLES, clock) as store:

        def node(name: str) -> Worker:
            async def run() -> None:
                runs[name] += 1
                runs_on[name].set()

            job = LeasedJob("count", 0.01, run)
            return Worker(
                store,
                clock,
                node=name,
                timers={},
                followers=(),
                jobs=(job,),
                chance=random.Random(1),
            )

        first, second = node("first"), node("second")
        async with first:
            await asyncio.wait_for(runs_on["first"].wait(), 10)
            async with second:
                await asyncio.sleep(0.2)
                assert runs["second"] == 0
                await first.stop()
                await asyncio.wait_for(runs_on["second"].wait(), 10)
                before = runs["first"]
                await asyncio.sleep(0.1)
                assert runs["first"] == before

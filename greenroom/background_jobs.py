"""Runs jobs in the background: each is repeated for as long as the server runs."""

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager

from greenroom.api.registry import Job
from greenroom.errors import Problem
from greenroom.logs import RepeatedErrors

_log = logging.getLogger(__name__)
_repeats = RepeatedErrors(_log)


@asynccontextmanager
async def running_jobs(jobs: Sequence[Job]) -> AsyncIterator[None]:
    tasks = [asyncio.create_task(_every(job.seconds, job.run), name=job.name) for job in jobs]
    try:
        yield
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def _every(seconds: float, work: Callable[[], Awaitable[object]]) -> None:
    while True:
        try:
            await work()
        except Problem as problem:  # the store may be out of reach for a while
            _repeats.error(problem.code, f"Retrying a background job after {problem!r}")
        except Exception:
            _log.exception("A background job failed and is tried again.")
        await asyncio.sleep(seconds)

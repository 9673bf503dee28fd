"""Jobs that one node of the cluster repeats: the one that has the job's lease."""

import asyncio
import logging
from collections.abc import Awaitable, Callable

from msgspec import Struct

from greenroom.background.retries import describe

_log = logging.getLogger(__name__)


class LeasedJob(Struct, frozen=True):
    """Two nodes may run it at once for a moment, when the lease changes hands."""

    name: str
    seconds: float
    run: Callable[[], Awaitable[object]]


def job_lease(name: str) -> str:
    return f"jobs/{name}"


async def repeat(job: LeasedJob) -> None:
    """Until it is canceled."""
    while True:
        try:
            await job.run()
        except Exception as error:  # a store or database may be out of reach for a while
            _log.warning("the job %s is tried again: %s", job.name, describe(error))
        await asyncio.sleep(job.seconds)

"""Runs blocking disk work in threads, and translates its failures."""

import asyncio
import logging
import time
from collections.abc import Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from typing import Any, TypeVar

from greenroom.blobs.base import BlobsFailing

T = TypeVar("T")
_THREADS = 8
_LOG_SECONDS = 60
_log = logging.getLogger(__name__)


class DiskThreads:
    """A slow disk holds up these threads, and nothing else.

    The content of uploads has one thread for all: writes to the page cache gain nothing from more,
    and threads that compete for Python's lock would hold up the event loop.
    """

    def __init__(self) -> None:
        self._pool = ThreadPoolExecutor(_THREADS, thread_name_prefix="blobs")
        self._writer = ThreadPoolExecutor(1, thread_name_prefix="blob-writes")
        self._logged_at: dict[int | None, float] = {}
        """By error number."""

    async def run(self, work: Callable[..., T], *args: Any) -> T:
        """A thread cannot be stopped: a cancelled caller waits for the end of the work, so that
        nothing else touches the same files meanwhile."""
        return await self._run_in(self._pool, work, *args)

    async def write(self, work: Callable[..., T], *args: Any) -> T:
        """Like `run`, for work that writes content and does not wait until it is on disk."""
        return await self._run_in(self._writer, work, *args)

    async def _run_in(self, pool: ThreadPoolExecutor, work: Callable[..., T], *args: Any) -> T:
        loop = asyncio.get_running_loop()
        working = loop.run_in_executor(pool, partial(work, *args))
        try:
            return await asyncio.shield(working)
        except asyncio.CancelledError:
            await _ended(working)
            raise
        except OSError as error:
            self._log(error)
            raise BlobsFailing from error

    def _log(self, error: OSError) -> None:
        """Once a minute: a full disk refuses each of many requests."""
        now = time.monotonic()
        if now - self._logged_at.get(error.errno, -_LOG_SECONDS) >= _LOG_SECONDS:
            self._logged_at[error.errno] = now
            _log.error("The folder of files cannot be used: %s", error)

    def close(self) -> None:
        self._pool.shutdown()
        self._writer.shutdown()


async def to_its_end(work: Coroutine[Any, Any, T]) -> T:
    """Finishes the work even if the caller is cancelled meanwhile."""
    task = asyncio.create_task(work)
    try:
        return await asyncio.shield(task)
    except asyncio.CancelledError:
        await _ended(task)
        raise


async def _ended(work: asyncio.Future[Any]) -> None:
    while not work.done():
        with suppress(asyncio.CancelledError):
            await asyncio.wait((work,))
    if not work.cancelled():
        work.exception()  # seen, so that it is not logged as forgotten

"""The one writer: whatever has gathered while the last commit was on its way to the disk is
applied and committed as one group.

Statements run on the event loop's thread, where they take microseconds; only COMMIT, which waits
for the disk, runs in a thread of its own. So the loop never waits for the disk, and Python's lock
changes hands once per group rather than once per statement (docs/decisions/0004). What one would
get wrong: nobody may touch the writer's connection while a commit is under way.
"""

import asyncio
import errno
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeAlias

import apsw

from greenroom.errors import Problem
from greenroom.store.problems import OutcomeUnknown, StoreFull, StoreUnavailable

Job: TypeAlias = Callable[[], Any]
"""Runs inside the group's transaction. Raises a Problem only before it has changed anything."""

_MOST_IN_GROUP = 512


class Writer:
    def __init__(
        self,
        connection: apsw.Connection,
        *,
        before_commit: Callable[[], None],
        after_commit: Callable[[], None],
        after_rollback: Callable[[], None],
    ) -> None:
        self._connection = connection
        self._before_commit = before_commit
        self._after_commit = after_commit
        self._after_rollback = after_rollback
        self._loop = asyncio.get_running_loop()
        self._thread = ThreadPoolExecutor(1, "greenroom-commit")
        self._waiting: list[tuple[Job, asyncio.Future[Any]]] = []
        self._busy = False
        self._broken: str | None = None
        self._closing: asyncio.Future[None] | None = None
        self.commits = 0
        self.is_open = False
        """Whether a group is under way, and the connection nobody else's to use."""

    def submit(self, job: Job) -> asyncio.Future[Any]:
        """The job's answer, once it is on the disk."""
        future: asyncio.Future[Any] = self._loop.create_future()
        if self._broken is not None or self._closing is not None:
            future.set_exception(StoreUnavailable(self._broken or "it is being closed"))
            return future
        self._waiting.append((job, future))
        if not self._busy:
            self._busy = True
            self._loop.call_soon(self._run_group)
        return future

    async def close(self) -> None:
        """Lets everything accepted reach the disk first."""
        self._closing = self._loop.create_future()
        if not self._busy:
            self._closing.set_result(None)
        await self._closing
        self._thread.shutdown()

    def _run_group(self) -> None:
        group = self._waiting[:_MOST_IN_GROUP]
        self._waiting = self._waiting[_MOST_IN_GROUP:]
        try:
            answers = self._apply(group)
        except Exception as error:  # a bug in one job must not stop the writer for all
            self._fail(group, error)
            return
        commit = self._thread.submit(self._commit)
        commit.add_done_callback(
            lambda done: self._loop.call_soon_threadsafe(
                self._committed, group, answers, done.exception()
            )
        )

    def _commit(self) -> None:
        self._connection.execute("COMMIT")

    def _apply(self, group: list[tuple[Job, asyncio.Future[Any]]]) -> list[Any]:
        self.is_open = True
        self._connection.execute("BEGIN IMMEDIATE")
        answers: list[Any] = []
        for job, _ in group:
            try:
                answers.append(job())
            except Problem as refusal:
                answers.append(refusal)
        self._before_commit()
        return answers

    def _committed(
        self,
        group: list[tuple[Job, asyncio.Future[Any]]],
        answers: list[Any],
        error: BaseException | None,
    ) -> None:
        if isinstance(error, apsw.Error) and _is_full(self._connection, error):
            self._fail(group, error)
            return
        if error is not None:
            # The disk may or may not have it. Whoever reads the file again will know; we do not.
            self._broken = f"a commit failed: {error}"
            self._settle(group, [OutcomeUnknown(str(error))] * len(group))
            self._go_on()
            return
        self.commits += 1
        self.is_open = False
        self._settle(group, answers)
        self._after_commit()
        self._go_on()

    def _fail(self, group: list[tuple[Job, asyncio.Future[Any]]], error: Exception) -> None:
        """Nothing of the group is written; each of it gets another try, alone."""
        told = _translated(self._connection, error)
        if self._connection.in_transaction:
            self._connection.execute("ROLLBACK")
        self._after_rollback()
        if len(group) > 1:
            answers = [self._alone(job) for job, _ in group]
        else:
            answers = [told]
        self.is_open = False
        self._settle(group, answers)
        self._after_commit()
        self._go_on()

    def _alone(self, job: Job) -> Any:
        try:
            self._connection.execute("BEGIN IMMEDIATE")
            answer = job()
            self._before_commit()
            self._connection.execute("COMMIT")
        except Problem as refusal:
            self._connection.execute("ROLLBACK")
            return refusal
        except Exception as error:
            told = _translated(self._connection, error)
            if self._connection.in_transaction:
                self._connection.execute("ROLLBACK")
            self._after_rollback()
            return told
        return answer

    def _settle(self, group: list[tuple[Job, asyncio.Future[Any]]], answers: list[Any]) -> None:
        for (_, future), answer in zip(group, answers, strict=True):
            if future.done():
                continue  # whoever asked was cancelled; the write stands all the same
            if isinstance(answer, Exception):
                future.set_exception(answer)
            else:
                future.set_result(answer)

    def _go_on(self) -> None:
        if self._broken is not None:
            rest, self._waiting = self._waiting, []
            self._settle(rest, [StoreUnavailable(self._broken)] * len(rest))
        if self._waiting:
            self._loop.call_soon(self._run_group)
            return
        self._busy = False
        if self._closing is not None:
            self._closing.set_result(None)


def _translated(connection: apsw.Connection, error: Exception) -> Exception:
    if not isinstance(error, apsw.Error):
        return error
    if _is_full(connection, error):
        return StoreFull(str(error))
    return StoreUnavailable(str(error))


def _is_full(connection: apsw.Connection, error: apsw.Error) -> bool:
    """A quota and a limit on a file's size are full disks too, but SQLite knows only ENOSPC."""
    if isinstance(error, apsw.IOError):
        return connection.system_errno in (errno.EDQUOT, errno.EFBIG)
    return isinstance(error, apsw.FullError)

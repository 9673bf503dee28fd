"""Commits writes in groups: all writes that arrive during one commit form the next group.

Planning (plan.py) and the group's statements (flush.py) run on the event loop's thread, where they
take microseconds. Only COMMIT, which waits for the disk, runs in its own thread. So the loop never
waits for the disk, and the GIL changes hands once per group (docs/decisions/0004).

Careful: nothing may use the writer's connection during a commit, so writes that arrive then are
planned right after it, before the callers of the committed group resume. A write is planned on top
of those before it, so when a group fails everything after it is planned again.
"""

import asyncio
import errno
from collections.abc import Callable
from functools import partial
from queue import SimpleQueue
from threading import Thread
from typing import Any, TypeAlias

import apsw
from msgspec import Struct

from greenroom.errors import Problem
from greenroom.store.problems import OutcomeUnknown, StoreFull, StoreUnavailable
from greenroom.store.sqlite.flush import Flusher
from greenroom.store.sqlite.plan import Planner, Write, WriteResult
from greenroom.store.sqlite.rows import Rows
from greenroom.store.sqlite.wal_checkpoint import WalCheckpointer

MaintenanceTask: TypeAlias = Callable[[], Any]
"""Runs inside the transaction, after the group's own rows."""


class Job(Struct):
    """A write or a maintenance task, and the future of its caller."""

    what: Write | MaintenanceTask
    future: asyncio.Future[Any]
    outcome: Any = None
    """A write's result or error; a maintenance task's return value."""


Done: TypeAlias = Callable[[BaseException | None], None]


class CommitThread:
    """Runs commits one after the other in a thread. An executor would take the GIL from the event
    loop more often."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._work: SimpleQueue[tuple[Callable[[], None], Done] | None] = SimpleQueue()
        self._thread = Thread(target=self._run, name="greenroom-commit", daemon=True)
        self._thread.start()

    def run(self, commit: Callable[[], None], done: Done) -> None:
        """Calls `done` on the loop, with the commit's error if it had one."""
        self._work.put((commit, done))

    def stop(self) -> None:
        """Waits for the commits that were submitted."""
        self._work.put(None)
        self._thread.join()

    def _run(self) -> None:
        while (work := self._work.get()) is not None:
            commit, done = work
            error: BaseException | None = None
            try:
                commit()
            except BaseException as raised:
                error = raised
            self._loop.call_soon_threadsafe(done, error)
            del work, commit, done, error


class Writer:
    def __init__(
        self,
        connection: apsw.Connection,
        planner: Planner,
        flusher: Flusher,
        rows: Rows,
        checkpoints: WalCheckpointer,
        after_commit: Callable[[], None],
        on_failure: Callable[[str], None],
    ) -> None:
        self._connection = connection
        self._planner = planner
        self._flusher = flusher
        self._rows = rows
        self._checkpoints = checkpoints
        self._after_commit = after_commit
        self._on_failure = on_failure
        self._loop = asyncio.get_running_loop()
        self._thread = CommitThread(self._loop)
        self._waiting: list[Job] = []
        self._busy = False
        self._broken: str | None = None
        self._closing: asyncio.Future[None] | None = None
        self.commits = 0
        self.committed_writes = 0
        self.is_open = False
        """Whether a group is being committed. Nothing else may use the connection then."""

    def submit(self, what: Write | MaintenanceTask) -> asyncio.Future[Any]:
        """The future is done once the write is on disk."""
        job = Job(what, self._loop.create_future())
        if self._broken is not None or self._closing is not None:
            job.future.set_exception(StoreUnavailable(self._broken or "the store is being closed"))
            return job.future
        if not self.is_open:
            self._plan(job)
        self._waiting.append(job)
        if not self._busy:
            self._busy = True
            self._loop.call_soon(self._run_group)
        return job.future

    async def close(self) -> None:
        """Waits until everything accepted is on disk."""
        self._closing = self._loop.create_future()
        if not self._busy:
            self._closing.set_result(None)
        await self._closing
        self.end()

    def end(self) -> None:
        """Stops the thread of a writer that accepts no more writes."""
        self._thread.stop()

    def _plan(self, job: Job, *, read_all: bool = False) -> None:
        if isinstance(job.what, Write):
            try:
                job.outcome = self._planner.plan(job.what, read_all=read_all)
            except Exception as refusal:  # a bug must not stop the writer for everyone
                job.outcome = refusal

    def _run_group(self) -> None:
        group, self._waiting = self._waiting, []
        try:
            self._write_group_checked(group)
        except Exception as error:
            self._fail(group, error)
            return
        self._thread.run(self._commit, partial(self._committed, group))

    def _write_group_checked(self, group: list[Job]) -> None:
        """Plans the group again, reading every row, if a row assumed new exists."""
        try:
            self._write_group(group)
        except apsw.ConstraintError:
            self._roll_back()
            for job in group:
                self._plan(job, read_all=True)
            self._write_group(group)

    def _write_group(self, group: list[Job]) -> None:
        """Writes the group's rows and leaves the transaction open."""
        self.is_open = True
        if self._connection.in_transaction:
            self._connection.execute("ROLLBACK")  # the read transaction of reader.py
        self._connection.execute("BEGIN IMMEDIATE")
        self._flusher.flush()
        for job in group:
            if not isinstance(job.what, Write):
                job.outcome = job.what()

    def _commit(self) -> None:
        self._connection.execute("COMMIT")
        if self._checkpoints.is_due:
            self._checkpoints.within()

    def _committed(self, group: list[Job], error: BaseException | None) -> None:
        if isinstance(error, apsw.Error) and _is_full(self._connection, error):
            self._fail(group, error)
            return
        if error is not None:
            self._break(group, error)
            return
        self.commits += 1
        self.committed_writes += len(group)
        self._checkpoints.committed()
        self.is_open = False
        self._rows.group_committed()
        self._planner.mark_committed()
        for job in self._waiting:
            self._plan(job)
        _settle(group)
        self._after_commit()
        self._next_group()

    def _break(self, group: list[Job], error: BaseException) -> None:
        """The group may or may not be on disk. recovery.py reads the file again to find out, and
        opens a new writer. This one accepts no more writes."""
        self._broken = f"a commit failed: {error}"
        _refuse(group, OutcomeUnknown(str(error)))
        self._on_failure(self._broken)
        self._next_group()

    def _next_group(self) -> None:
        if self._broken is not None:
            rest, self._waiting = self._waiting, []
            _refuse(rest, StoreUnavailable(self._broken))
        if self._waiting:
            # One loop iteration later: the next writes of the callers just answered join the group.
            self._loop.call_soon(self._loop.call_soon, self._run_group)
            return
        self._busy = False
        if self._closing is not None:
            self._closing.set_result(None)

    def _fail(self, group: list[Job], error: Exception) -> None:
        """Nothing of the group was written. Retries each job alone, and plans the waiting jobs
        again."""
        problem = _translated(self._connection, error)
        try:
            self._roll_back()
            for job in group:
                if len(group) == 1:
                    job.outcome = problem
                else:
                    self._retry_alone(job)
        except Exception as worse:  # the rollback or a commit failed
            self._break(group, worse)
            return
        self.is_open = False
        _settle(group)
        for job in self._waiting:
            self._plan(job)
        self._after_commit()
        self._next_group()

    def _retry_alone(self, job: Job) -> None:
        self._plan(job, read_all=True)
        if isinstance(job.what, Write) and isinstance(job.outcome, Exception):
            return
        is_written = False
        try:
            self._write_group([job])
            is_written = True
            self._commit()
            self._rows.group_committed()
            self._planner.mark_committed()
        except Exception as error:
            job.outcome = _translated(self._connection, error)
            if is_written and not isinstance(job.outcome, StoreFull):
                raise
            self._roll_back()

    def _roll_back(self) -> None:
        if self._connection.in_transaction:
            self._connection.execute("ROLLBACK")
        self._planner.reset()


def _settle(group: list[Job]) -> None:
    for job in group:
        outcome, future = job.outcome, job.future
        if isinstance(outcome, WriteResult):
            if outcome.bill and isinstance(job.what, Write):
                outcome.charge(job.what)
            outcome = outcome.answer
        if future.done():
            continue  # the caller was canceled; the write stands
        if isinstance(outcome, Exception):
            future.set_exception(outcome)
        else:
            future.set_result(outcome)


def _refuse(group: list[Job], problem: Problem) -> None:
    for job in group:
        job.outcome = problem
    _settle(group)


def _translated(connection: apsw.Connection, error: Exception) -> Exception:
    if not isinstance(error, apsw.Error):
        return error
    if _is_full(connection, error):
        return StoreFull(str(error))
    return StoreUnavailable(str(error))


def _is_full(connection: apsw.Connection, error: apsw.Error) -> bool:
    """SQLite reports only ENOSPC as a full disk, not a quota or a file size limit."""
    if isinstance(error, apsw.IOError):
        return connection.system_errno in (errno.EDQUOT, errno.EFBIG)
    return isinstance(error, apsw.FullError)

"""The one writer: whatever has gathered while the last commit was on its way to the disk is given
to the file and committed as one group.

Planning (plan.py) and the group's statements (flush.py) run on the event loop's thread, where they
take microseconds; only COMMIT, which waits for the disk, runs in a thread of its own. So the loop
never waits for the disk, and Python's lock changes hands once per group (docs/decisions/0004).
What one would get wrong: nobody may touch the writer's connection while a commit is under way, so
whatever comes then is planned right after it, before anybody hears of it; and a write is planned on
top of those before it, so when a group fails all that came after it is planned anew.
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
from greenroom.store.sqlite.checkpoint import Checkpoints
from greenroom.store.sqlite.flush import Flusher
from greenroom.store.sqlite.plan import Planned, Planner, Write
from greenroom.store.sqlite.rows import Rows

Chore: TypeAlias = Callable[[], Any]
"""Runs inside the transaction, after the group's own rows."""


class Job(Struct):
    """A write or a chore, and who waits for it."""

    what: Write | Chore
    future: asyncio.Future[Any]
    outcome: Any = None
    """A write's plan or its refusal; a chore's answer."""


Done: TypeAlias = Callable[[BaseException | None], None]


class CommitThread:
    """Runs commits one after the other in a thread, with less overhead than an executor: each
    commit takes Python's lock from the event loop twice."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._work: SimpleQueue[tuple[Callable[[], None], Done] | None] = SimpleQueue()
        self._thread = Thread(target=self._run, name="greenroom-commit", daemon=True)
        self._thread.start()

    def run(self, commit: Callable[[], None], done: Done) -> None:
        """Calls `done` on the loop, with the commit's error if it had one."""
        self._work.put((commit, done))

    def stop(self) -> None:
        """Waits for what was given to it."""
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
        checkpoints: Checkpoints,
        after_commit: Callable[[], None],
        broke: Callable[[str], None],
    ) -> None:
        self._connection = connection
        self._planner = planner
        self._flusher = flusher
        self._rows = rows
        self._checkpoints = checkpoints
        self._after_commit = after_commit
        self._broke = broke
        self._loop = asyncio.get_running_loop()
        self._thread = CommitThread(self._loop)
        self._waiting: list[Job] = []
        self._busy = False
        self._broken: str | None = None
        self._closing: asyncio.Future[None] | None = None
        self.commits = 0
        self.is_open = False
        """Whether a group is under way, and the connection nobody else's to use."""

    def submit(self, what: Write | Chore) -> asyncio.Future[Any]:
        """The answer, once it is on the disk."""
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
        """Lets everything accepted reach the disk first."""
        self._closing = self._loop.create_future()
        if not self._busy:
            self._closing.set_result(None)
        await self._closing
        self.end()

    def end(self) -> None:
        """Of one that takes nothing any more."""
        self._thread.stop()

    def _plan(self, job: Job, *, looks: bool = False) -> None:
        if isinstance(job.what, Write):
            try:
                job.outcome = self._planner.plan(job.what, looks=looks)
            except Exception as refusal:  # or a bug, which must not stop the writer for all
                job.outcome = refusal

    def _run_group(self) -> None:
        group, self._waiting = self._waiting, []
        try:
            self._give_carefully(group)
        except Exception as error:
            self._fail(group, error)
            return
        self._thread.run(self._commit, partial(self._committed, group))

    def _give_carefully(self, group: list[Job]) -> None:
        """Once more, with a look at every row, where something was there that was taken to be
        new."""
        try:
            self._give(group)
        except apsw.ConstraintError:
            self._roll_back()
            for job in group:
                self._plan(job, looks=True)
            self._give(group)

    def _give(self, group: list[Job]) -> None:
        """The group's rows to the file, in a transaction that is left open."""
        self.is_open = True
        if self._connection.in_transaction:
            self._connection.execute("ROLLBACK")  # the reads' own (reader.py): nothing is in it
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
        self._checkpoints.committed()
        self.is_open = False
        self._rows.settle()
        for job in self._waiting:
            self._plan(job)
        _settle(group)
        self._after_commit()
        self._go_on()

    def _break(self, group: list[Job], error: BaseException) -> None:
        """The disk may or may not have it. Reading the file again tells (recovery.py),
        with a writer of their own; this one takes nothing any more."""
        self._broken = f"a commit failed: {error}"
        _refuse(group, OutcomeUnknown(str(error)))
        self._broke(self._broken)
        self._go_on()

    def _go_on(self) -> None:
        if self._broken is not None:
            rest, self._waiting = self._waiting, []
            _refuse(rest, StoreUnavailable(self._broken))
        if self._waiting:
            # A round later: what those who were just answered send next goes along.
            self._loop.call_soon(self._loop.call_soon, self._run_group)
            return
        self._busy = False
        if self._closing is not None:
            self._closing.set_result(None)

    def _fail(self, group: list[Job], error: Exception) -> None:
        """Nothing of the group is written; each of it gets another try, alone. What was planned on
        top of it is planned anew."""
        told = _translated(self._connection, error)
        try:
            self._roll_back()
            for job in group:
                if len(group) == 1:
                    job.outcome = told
                else:
                    self._alone(job)
        except Exception as worse:  # nothing can be taken back, or a commit failed
            self._break(group, worse)
            return
        self.is_open = False
        _settle(group)
        for job in self._waiting:
            self._plan(job)
        self._after_commit()
        self._go_on()

    def _alone(self, job: Job) -> None:
        self._plan(job, looks=True)
        if isinstance(job.what, Write) and isinstance(job.outcome, Exception):
            return
        given = False
        try:
            self._give([job])
            given = True
            self._commit()
            self._rows.settle()
        except Exception as error:
            job.outcome = _translated(self._connection, error)
            if given and not isinstance(job.outcome, StoreFull):
                raise
            self._roll_back()

    def _roll_back(self) -> None:
        if self._connection.in_transaction:
            self._connection.execute("ROLLBACK")
        self._planner.start_over()


def _settle(group: list[Job]) -> None:
    for job in group:
        outcome, future = job.outcome, job.future
        if isinstance(outcome, Planned):
            if outcome.bill and isinstance(job.what, Write):
                outcome.charge(job.what)
            outcome = outcome.answer
        if future.done():
            continue  # whoever asked was cancelled; the write stands all the same
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
    """A quota and a limit on a file's size are full disks too, but SQLite knows only ENOSPC."""
    if isinstance(error, apsw.IOError):
        return connection.system_errno in (errno.EDQUOT, errno.EFBIG)
    return isinstance(error, apsw.FullError)

"""Runs all writes to the SQLite file in one thread, and commits those that wait together.

    BEGIN IMMEDIATE   SAVEPOINT  work 1  RELEASE   SAVEPOINT  work 2  RELEASE   COMMIT

A work that raises is rolled back to its savepoint, and the others are committed. Nobody gets an
answer before the commit.
"""

import asyncio
import queue
import sqlite3
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, Engine

from greenroom.sql.problems import DatabaseOutcomeUnknown
from greenroom.sql.sqlite.connections import driver_of
from greenroom.sql.sqlite.errors import translated, translating

_MOST = 64


@dataclass(eq=False)
class Job:
    """A work, and the future that gets its result."""

    work: Callable[[Connection], Any]
    done: "asyncio.Future[Any]"
    result: Any = None
    error: BaseException | None = None


class _Ended(Exception):
    """SQLite has rolled back the whole transaction, because of one of its works."""


class Writer:
    def __init__(self, engine: Callable[[], Engine]) -> None:
        self._engine = engine
        self._jobs: queue.SimpleQueue[Job | None] = queue.SimpleQueue()
        self._thread: threading.Thread | None = None
        self._connection: Connection | None = None
        self._is_stopping = False
        self.commits = 0

    def submit(self, job: Job) -> None:
        if self._thread is None:
            self._thread = threading.Thread(target=self._run, name="sql-writer", daemon=True)
            self._thread.start()
        self._jobs.put(job)

    def stop(self) -> None:
        """Ends the thread after the jobs that wait."""
        self._jobs.put(None)

    def join(self) -> None:
        if self._thread is not None:
            self._thread.join()

    def _run(self) -> None:
        while not self._is_stopping:
            jobs = [job for job in self._next_jobs() if not job.done.cancelled()]
            if jobs:
                self._commit(jobs)
                _answer(jobs)
        if self._connection is not None:
            self._connection.close()

    def _next_jobs(self) -> list[Job]:
        """Waits for one, and takes those that wait behind it."""
        jobs: list[Job] = []
        with suppress(queue.Empty):
            while len(jobs) < _MOST and not self._is_stopping:
                job = self._jobs.get(block=not jobs)
                if job is None:
                    self._is_stopping = True
                else:
                    jobs.append(job)
        return jobs

    def _commit(self, jobs: Sequence[Job]) -> None:
        try:
            self._run_together(jobs)
        except _Ended:
            for job in jobs:
                self._commit([job])
        except Exception as error:
            problem = translated(error)
            for job in jobs:
                job.result, job.error = None, problem

    def _run_together(self, jobs: Sequence[Job]) -> None:
        connection = self._opened()
        driver = driver_of(connection)
        run = _run_alone if len(jobs) == 1 else _run_in_savepoint
        transaction = connection.begin()
        try:
            driver.execute("BEGIN IMMEDIATE")
            for job in jobs:
                run(job, connection)
            _commit(driver)
            self.commits += 1
        finally:
            transaction.close()  # rolls back what is not committed

    def _opened(self) -> Connection:
        if self._connection is None:
            with translating():
                self._connection = self._engine().connect()
        return self._connection


def _run_alone(job: Job, connection: Connection) -> None:
    job.result, job.error = job.work(connection), None


def _run_in_savepoint(job: Job, connection: Connection) -> None:
    driver = driver_of(connection)
    driver.execute("SAVEPOINT work")
    job.error = None
    try:
        job.result = job.work(connection)
    except Exception as error:
        if not driver.in_transaction:
            raise _Ended from error
        job.error = translated(error)
        driver.execute("ROLLBACK TO work")
    driver.execute("RELEASE work")


def _commit(driver: sqlite3.Connection) -> None:
    try:
        driver.execute("COMMIT")
    except sqlite3.OperationalError as error:
        if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_IOERR:
            raise
        # The commit may be in the log, to be found when the file is opened again.
        raise DatabaseOutcomeUnknown(str(error)) from error


def _answer(jobs: Sequence[Job]) -> None:
    """Tells the waiting tasks, with one wake-up of the event loop."""
    with suppress(RuntimeError):  # the loop is closed: nobody waits
        jobs[0].done.get_loop().call_soon_threadsafe(_resolve, jobs)


def _resolve(jobs: Sequence[Job]) -> None:
    for job in jobs:
        if job.done.cancelled():
            continue
        if job.error is None:
            job.done.set_result(job.result)
        else:
            job.done.set_exception(job.error)

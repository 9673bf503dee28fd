"""Runs reads of the SQLite file in a few threads, each on a snapshot of what is committed."""

import queue
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from pathlib import Path
from typing import TypeVar

from sqlalchemy import Connection, Engine

from greenroom.sql.sqlite.connections import driver_of, engine_to_read
from greenroom.sql.sqlite.errors import translating

T = TypeVar("T")
_THREADS = 4


class Readers:
    def __init__(self, path: Path) -> None:
        self._path = path
        self._idle: queue.SimpleQueue[Connection] = queue.SimpleQueue()
        self.threads = ThreadPoolExecutor(_THREADS, "sql-reader")

    @cached_property
    def _engine(self) -> Engine:
        return engine_to_read(self._path)

    def run(self, work: Callable[[Connection], T]) -> T:
        """Called in one of the threads."""
        with translating():
            connection = self._connection()
            try:
                with connection.begin():
                    driver = driver_of(connection)
                    driver.execute("BEGIN")
                    return work(connection)
            finally:
                self._idle.put(connection)

    def close(self) -> None:
        self.threads.shutdown()
        while not self._idle.empty():
            self._idle.get().close()

    def _connection(self) -> Connection:
        try:
            return self._idle.get_nowait()
        except queue.Empty:
            return self._engine.connect()

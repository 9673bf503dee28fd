"""Temporary folders in which files are checked. They are removed, also those of killed processes.

work/
├─ lock                held while a process makes its folder: no other takes it for abandoned
└─ {random}/           of one process, which holds a lock on it
   ├─ lock
   └─ {random}/        of one check
"""

import asyncio
import fcntl
import os
import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from secrets import token_hex

_PRIVATE = 0o700


class WorkFolder:
    """Nothing is created before the first use."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._lock = -1
        self._own: Path | None = None

    @asynccontextmanager
    async def check(self) -> AsyncIterator[Path]:
        """An empty folder, which is removed at the end with everything in it."""
        folder = await asyncio.to_thread(self._make)
        try:
            yield folder
        finally:
            await asyncio.to_thread(shutil.rmtree, folder, ignore_errors=True)

    def close(self) -> None:
        if self._own is not None:
            shutil.rmtree(self._own, ignore_errors=True)
            os.close(self._lock)
            self._own = None

    def _make(self) -> Path:
        own = self._own or self._begin()
        folder = own / token_hex(8)
        folder.mkdir(_PRIVATE)
        return folder

    def _begin(self) -> Path:
        self._folder.mkdir(_PRIVATE, parents=True, exist_ok=True)
        beginning = _locked(self._folder / "lock")
        try:
            if self._own is None:  # no other thread was first
                own = self._folder / token_hex(8)
                own.mkdir(_PRIVATE)
                self._lock = _locked(own / "lock")
                self._own = own
                self._remove_abandoned()
            return self._own
        finally:
            os.close(beginning)

    def _remove_abandoned(self) -> None:
        for other in self._folder.iterdir():
            if other != self._own and _is_abandoned(other):
                shutil.rmtree(other, ignore_errors=True)


def _locked(path: Path) -> int:
    """Waits for the lock, which ends with the process or when it is closed."""
    lock = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    fcntl.flock(lock, fcntl.LOCK_EX)
    return lock


def _is_abandoned(folder: Path) -> bool:
    """Whether the process that made it has ended."""
    with suppress(OSError):
        lock = os.open(folder / "lock", os.O_RDWR | os.O_CLOEXEC)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return True
        finally:
            os.close(lock)
    return False

"""The disk as tests use it: mounted, cut off, and mounted again with what survived."""

import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from scripts.engines.requirements import Unavailable, command
from tests.disk.media import Kept

_SECONDS = 30


class NoDisk(Exception):
    """FUSE is not available."""


class Disk:
    def __init__(self, folder: Path) -> None:
        """`folder` holds the mount point and the socket; it is not on the disk itself."""
        self.root = folder / "disk"
        self.root.mkdir()
        control = folder / "disk.socket"
        self._log = folder / "disk.log"
        with self._log.open("wb") as log:
            command = [sys.executable, "-m", "tests.disk.mount", str(self.root), str(control)]
            self._process = subprocess.Popen(command, stdout=log, stderr=log)
        self._wait(lambda: control.exists() and self.is_mounted)
        self._socket = socket.socket(socket.AF_UNIX)
        self._socket.connect(str(control))
        self._lines = self._socket.makefile("rw")

    @property
    def is_mounted(self) -> bool:
        return os.path.ismount(self.root)

    def cut(self, kept: Kept, seed: str) -> int:
        """Stops all reads and writes; returns how many bytes were not synced."""
        asked = self._ask(do="cut", kept=kept.value, seed=seed, after=0)
        unsynced: int = asked["unsynced"]
        return unsynced

    def cut_after(self, steps: int, kept: Kept, seed: str) -> None:
        """Cuts the power after this many changes and syncs."""
        self._ask(do="cut", kept=kept.value, seed=seed, after=steps)

    @property
    def is_cut(self) -> bool:
        return bool(self._ask(do="state")["is_cut"])

    @property
    def steps(self) -> int:
        count: int = self._ask(do="state")["steps"]
        return count

    def power_on(self) -> None:
        """Mounts what survived. Programs that used the disk must be dead or dying."""
        self._ask(do="release")
        self._unmount()
        self._wait(lambda: self.is_mounted)

    def fail(self, how: str) -> None:
        """Makes every sync fail (`error`), and drop its data (`lose`) or the whole file
        (`destroy`); '' ends it."""
        self._ask(do="fail", how=how)

    def failed(self) -> int:
        count: int = self._ask(do="state")["failed"]
        return count

    def limit(self, free: int | None) -> None:
        """Limits the free space to this many bytes; None for no limit."""
        used = self._ask(do="state")["used"]
        self._ask(do="capacity", bytes=1 << 40 if free is None else used + free)

    def close(self) -> None:
        """Also works while a file is open: unmounts lazily, and ends the process."""
        subprocess.run(["fusermount3", "-u", "-z", str(self.root)], capture_output=True)
        self._process.terminate()
        self._process.wait(_SECONDS)
        self._lines.close()
        self._socket.close()

    def _unmount(self) -> None:
        def unmounted() -> bool:
            done = subprocess.run(["fusermount3", "-u", str(self.root)], capture_output=True)
            return done.returncode == 0

        self._wait(unmounted)  # a process that was killed takes a moment to let go

    def _ask(self, **asked: Any) -> dict[str, Any]:
        self._lines.write(json.dumps(asked) + "\n")
        self._lines.flush()
        answer: dict[str, Any] = json.loads(self._lines.readline())
        return answer

    def _wait(self, done: Any) -> None:
        end = time.monotonic() + _SECONDS
        while not done():
            if self._process.poll() is not None or time.monotonic() > end:
                raise RuntimeError(f"the disk does not answer: {self._log.read_text()[-2000:]}")
            time.sleep(0.01)


def why_there_is_none() -> str | None:
    """Why no disk can be mounted on this machine; None if one can."""
    if find_spec("mfusepy") is None:
        return "mfusepy is not installed"
    try:
        command("fusermount3", debian="fuse3")
    except Unavailable as reason:
        return str(reason)
    if not os.access("/dev/fuse", os.R_OK | os.W_OK):
        return "/dev/fuse cannot be opened"
    return None


@contextmanager
def mounted(folder: Path) -> Iterator[Disk]:
    if reason := why_there_is_none():
        raise NoDisk(reason)
    disk = Disk(folder)
    try:
        yield disk
    finally:
        disk.close()

"""A server and its disk, which lose their power together."""

import multiprocessing
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from multiprocessing.connection import Connection
from multiprocessing.context import ForkServerProcess
from pathlib import Path

from tests.disk.disk import Disk, mounted
from tests.disk.media import Kept
from tests.torture.server import serve

_SECONDS = 60
_fork = multiprocessing.get_context("forkserver")
_fork.set_forkserver_preload(["tests.torture.server"])
Serve = Callable[[Mapping[str, str], Path, "Connection[str, None]"], None]


class Machine:
    def __init__(self, disk: Disk, folder: Path, serve: Serve = serve) -> None:
        self.disk = disk
        self.data = disk.root / "data"
        self.log = folder / "server.log"
        self._serve = serve
        self._process: ForkServerProcess | None = None

    def start(self) -> str | None:
        """Returns the address; None if the server ended or the power was cut first."""
        heard, told = _fork.Pipe(duplex=False)
        given = {"GREENROOM_PORT": "0", "GREENROOM_DATA": str(self.data)}
        self._process = _fork.Process(target=self._serve, args=(given, self.log, told))
        self._process.start()
        told.close()
        end = time.monotonic() + _SECONDS
        with heard:
            while time.monotonic() < end:
                if heard.poll(0.01):
                    try:
                        return str(heard.recv())
                    except EOFError:
                        return None
                if self.disk.is_cut or self._process.exitcode is not None:
                    return None
        raise AssertionError("it neither starts nor ends")

    def read(self, name: str) -> bytes:
        """A file of the server; empty if the power is cut before it is read. A thread reads it: a
        frozen disk answers nobody until `cut` has released it."""
        found: list[bytes] = []

        def read() -> None:
            with suppress(OSError):
                found.append((self.data / name).read_bytes())

        reading = threading.Thread(target=read, daemon=True)
        reading.start()
        while reading.is_alive() and not self.disk.is_cut:
            reading.join(0.05)
        return b"".join(found)

    @property
    def has_ended(self) -> bool:
        return self._process is None or self._process.exitcode is not None

    def cut(self, kept: Kept, seed: str) -> None:
        if not self.disk.is_cut:
            self.disk.cut(kept, seed)
        self.kill()
        self.disk.power_on()
        assert self._process is not None
        self._process.join(_SECONDS)

    def kill(self) -> None:
        self._signal(signal.SIGKILL)

    def end(self) -> None:
        """Kills the process and waits for it."""
        self.kill()
        assert self._process is not None
        self._process.join(_SECONDS)

    def stop(self) -> int | None:
        """Stops the server as an operator does; returns the exit code."""
        self._signal(signal.SIGTERM)
        assert self._process is not None
        self._process.join(_SECONDS)
        return self._process.exitcode

    def said(self) -> str:
        return self.log.read_text() if self.log.exists() else ""

    def _signal(self, number: signal.Signals) -> None:
        if self._process is not None and self._process.exitcode is None:
            assert self._process.pid is not None
            with suppress(ProcessLookupError):  # it has just ended by itself
                os.kill(self._process.pid, number)


@contextmanager
def machine(folder: Path, serve: Serve = serve) -> Iterator[Machine]:
    with mounted(folder) as disk:
        found = Machine(disk, folder, serve)
        try:
            yield found
        finally:
            found.kill()

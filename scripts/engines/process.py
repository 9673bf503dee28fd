"""Starts an engine's process on a free loopback port, waits for it, and stops it by its pid.

Another process may take the free port before the engine binds it; then the engine ends at once, and
another port is tried. On Linux the engine ends with the process that started it.
"""

import contextlib
import ctypes
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from scripts.engines.requirements import FOLDER, Unavailable

_PATIENCE_SECONDS = 60
_DIE_WITH_PARENT = 1


@dataclass(frozen=True)
class Engine:
    url: str
    process: subprocess.Popen[bytes]

    def wait(self) -> None:
        self.process.wait()

    def stop(self) -> None:
        self.process.terminate()
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


def launch(
    name: str,
    argv: Callable[[int], Sequence[str]],
    *,
    url: str,
    folder: Path | None = None,
    at: int | None = None,
) -> Engine:
    """Run `argv(port)` and wait until it listens. `url` has `{port}` where the port goes. `at` is
    the port of an engine that was stopped and comes back."""
    FOLDER.mkdir(exist_ok=True)
    log = FOLDER / f"{name}.log"
    for _ in range(3):
        [port] = [at] if at else free_ports(1)
        with log.open("wb") as output:
            process = subprocess.Popen(
                argv(port),
                cwd=folder,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                preexec_fn=end_with_parent,
            )
        if _listens(process, port):
            return Engine(url.format(port=port), process)
        process.kill()
        process.wait()
    raise Unavailable(f"{name} does not start; see {log}")


def free_ports(count: int) -> list[int]:
    with contextlib.ExitStack() as stack:
        probes = [stack.enter_context(socket.socket()) for _ in range(count)]
        for probe in probes:
            probe.bind(("127.0.0.1", 0))
        return [probe.getsockname()[1] for probe in probes]


def _listens(process: subprocess.Popen[bytes], port: int) -> bool:
    deadline = time.monotonic() + _PATIENCE_SECONDS
    while time.monotonic() < deadline and process.poll() is None:
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
            return True
        time.sleep(0.05)
    return False


def end_with_parent() -> None:
    """Called in a new process."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_DIE_WITH_PARENT, signal.SIGTERM)

"""The demo server for the browser tests: a real process that can be killed and restarted."""

import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

_READY = re.compile(r"http://\S+")


class DemoServer:
    """`greenroom demo` with its own data folder. It keeps its port over restarts."""

    def __init__(self, data: Path, *, command: str = "demo", **environment: str) -> None:
        self._data = data
        self._command = command
        self._environment = environment
        self._port = 0
        self._process: subprocess.Popen[str] | None = None
        self._log = tempfile.TemporaryFile("w+")  # noqa: SIM115  closed with the process
        self.url = ""

    def start(self) -> "DemoServer":
        self._process = process = subprocess.Popen(
            [sys.executable, "-m", "greenroom", self._command],
            stdout=subprocess.PIPE,
            stderr=self._log,
            text=True,
            env={
                "PATH": os.environ["PATH"],
                "GREENROOM_DATA": str(self._data),
                "GREENROOM_PORT": str(self._port),
                **self._environment,
            },
        )
        assert process.stdout is not None
        for line in process.stdout:
            if found := _READY.search(line):
                self.url = found.group()
                break
        else:
            self._log.seek(0)
            raise AssertionError(f"the server ended with {process.wait()}: {self._log.read()}")
        self._port = int(self.url.rpartition(":")[2])
        threading.Thread(
            target=process.stdout.read, daemon=True
        ).start()  # so that the pipe never fills up
        return self

    def kill(self) -> None:
        """Kills the process, as in a power failure."""
        self._stop(signal.SIGKILL)

    def stop(self) -> None:
        self._stop(signal.SIGTERM)

    def _stop(self, how: signal.Signals) -> None:
        if self._process is None:
            return
        self._process.send_signal(how)
        try:
            self._process.wait(30)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._process = None


def seeded_data(folder: Path) -> Path:
    """A data folder with the demo's seed data, to be copied."""
    DemoServer(folder).start().stop()
    return folder


def copy_data(data: Path, to: Path) -> Path:
    shutil.copytree(data, to)
    return to

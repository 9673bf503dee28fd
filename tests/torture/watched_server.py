"""Greenroom as a process that can be killed and restarted, with the memory of all its processes."""

import os
import socket
import subprocess
import sys
import threading
from collections import Counter
from contextlib import suppress
from pathlib import Path

from bench.peers.greenroom import SECRET

_ROOT = Path(__file__).parents[2]
_PAUSE_SECONDS = 0.02
_ALL_EVERY = 5
"""Reading the memory of all processes takes a few milliseconds of CPU."""
_KINDS = {"greenroom.files.decoder": "decoder", "greenroom.files.vision": "rater"}


class WatchedServer:
    """Restarted on the same port, on the same data. `blobs` is as in GREENROOM_BLOBS; empty means a
    folder."""

    def __init__(self, data: Path, blobs: str = "") -> None:
        self.data = data
        self._blobs = blobs
        self._port = _free_port()
        self.url = f"http://127.0.0.1:{self._port}"
        self._process: subprocess.Popen[str] | None = None
        self._peak = 0
        self.peak_of_all: Counter[str] = Counter()
        """Bytes by kind of process, when they were most together. Shared memory counts once."""
        self._ends = threading.Event()
        self._watcher = threading.Thread(target=self._watch, daemon=True)

    def __enter__(self) -> "WatchedServer":
        self._start()
        self._watcher.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ends.set()
        self._watcher.join()
        self._kill()

    def restart(self) -> None:
        self._peak = self.peak_bytes()
        self._kill()
        self._start()

    def peak_bytes(self) -> int:
        """Of the server's own process. The kernel's high-water mark (VmHWM) is exact, but lost with
        the process."""
        assert self._process is not None
        return max(self._peak, _memory(self._process.pid, "status", "VmHWM"))

    def _watch(self) -> None:
        turn = 0
        while not self._ends.wait(_PAUSE_SECONDS):
            if self._process is None:
                continue
            self._peak = max(self._peak, _memory(self._process.pid, "status", "VmRSS"))
            if (turn := turn + 1) % _ALL_EVERY == 0:
                found = _memory_by_kind(self._process.pid)
                self.peak_of_all = max(self.peak_of_all, found, key=Counter.total)

    def _kill(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            if self._process.stdout is not None:
                self._process.stdout.close()

    def _start(self) -> None:
        given = {
            "GREENROOM_PORT": str(self._port),
            "GREENROOM_DATA": str(self.data),
            "GREENROOM_SECRET": SECRET,
            **({"GREENROOM_BLOBS": self._blobs} if self._blobs else {}),
        }
        self._process = subprocess.Popen(
            [sys.executable, "-m", "bench.peers.greenroom_server"],
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, **given},
            cwd=_ROOT,
        )
        assert self._process.stdout is not None
        if not self._process.stdout.readline().strip():
            raise RuntimeError("the server does not start")


def _memory_by_kind(pid: int) -> Counter[str]:
    found: Counter[str] = Counter()
    for one in _tree(pid):
        found[_kind(one)] += _memory(one, "smaps_rollup", "Pss:")
    return found


def _tree(pid: int) -> list[int]:
    """The process and everything below it."""
    found = [pid]
    for one in found:
        with suppress(OSError):
            for thread in Path(f"/proc/{one}/task").iterdir():
                with suppress(OSError):
                    found += [int(child) for child in (thread / "children").read_text().split()]
    return found


def _kind(pid: int) -> str:
    with suppress(OSError):
        words = Path(f"/proc/{pid}/cmdline").read_bytes().decode(errors="replace").split("\0")
        for word in words:
            for module, kind in _KINDS.items():
                if word.startswith(module):
                    return kind
        if "bench.peers.greenroom_server" not in words:
            return Path(words[0]).name or "ended"
    return "server"


def _memory(pid: int, file: str, name: str) -> int:
    """A value of /proc/PID/FILE, in bytes; 0 if the process is gone."""
    try:
        lines = Path(f"/proc/{pid}/{file}").read_text().splitlines()
    except OSError:
        return 0
    return next((int(line.split()[1]) * 1024 for line in lines if line.startswith(name)), 0)


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
    return port

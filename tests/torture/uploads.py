"""Uploads a large file by tus while the server and the client are killed, and compares the bytes.

    python -m tests.torture.uploads [--mb 1000] [--server-kills 3] [--client-kills 2] [--seconds 20]

The kills are spread evenly over the upload. The server's memory is watched throughout. The last
line is JSON, and the exit code is 1 if a byte differs or the server needed 200 MB or more.
"""

import argparse
import contextlib
import filecmp
import hashlib
import json
import os
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from msgspec import Struct

from bench.files.client import FilesClient
from bench.peers.greenroom import SECRET

MOST_MB = 200
"""Memory of the server's process."""
USER = "usr_uploader"
_UP_SECONDS = 120
_END_SECONDS = 900
_ROOT = Path(__file__).parents[2]


class Outcome(Struct, frozen=True):
    mb: int
    server_kills: int
    client_kills: int
    killed_at: list[float]
    """What part of the file had arrived at each kill."""
    seconds: float
    peak_mb: float
    """Resident memory of the server's process, at its highest."""
    is_same: bool

    @property
    def is_good(self) -> bool:
        return self.is_same and self.peak_mb < MOST_MB


def run(mb: int, server_kills: int, client_kills: int, seconds: float) -> Outcome:
    with tempfile.TemporaryDirectory(prefix="uploads-") as name:
        folder = Path(name)
        source = _random_file(folder / "source", mb)
        with _Server(folder) as server:
            return _interrupted(server, folder, source, server_kills, client_kills, seconds)


def _interrupted(
    server: "_Server",
    folder: Path,
    source: Path,
    server_kills: int,
    client_kills: int,
    seconds: float,
) -> Outcome:
    size = source.stat().st_size
    client = FilesClient(server.url, USER)
    created = client.create("big.bin", size, _sha256(source))
    file = created["file"]["fileId"]
    arrived = server.data / "files/.appends/users" / USER / "files" / file
    begun, killed_at = time.monotonic(), []
    with _Sender(server.url + created["upload"]["url"], source, seconds) as sender:
        for victim, part in _plan(server_kills, client_kills):
            _wait_for(arrived, int(size * part), sender)
            killed_at.append(round(arrived.stat().st_size / size, 3))
            (server if victim == "server" else sender).restart()
        sender.wait()
    took = time.monotonic() - begun
    client.wait_until_ready(file, pause=0.2)
    copy = folder / "copy"
    urllib.request.urlretrieve(server.url + client.download_url(file), copy)
    is_same = filecmp.cmp(source, copy, shallow=False)
    peak_mb = server.peak_bytes() / 1_000_000
    mb = size // 1_000_000
    return Outcome(mb, server_kills, client_kills, killed_at, took, peak_mb, is_same)


def _plan(server_kills: int, client_kills: int) -> list[tuple[str, float]]:
    """Who is killed, and after what part of the file; the server first, then in turn."""
    total = server_kills + client_kills
    victims = [
        "client" if number % 2 and number // 2 < client_kills else "server"
        for number in range(total)
    ]
    return [(victim, (number + 1) / (total + 1)) for number, victim in enumerate(victims)]


def _wait_for(path: Path, size: int, sender: "_Sender") -> None:
    deadline = time.monotonic() + _END_SECONDS
    while time.monotonic() < deadline:
        with contextlib.suppress(FileNotFoundError):
            if path.stat().st_size >= size:
                return
        if sender.has_ended:
            raise RuntimeError("the upload ended before it was interrupted: use more --seconds")
        time.sleep(0.002)
    raise RuntimeError(f"the upload does not reach {size} bytes")


class _Server:
    """Restarted on the same port, on the same data. Its memory is looked at 50 times a second."""

    def __init__(self, folder: Path) -> None:
        self.data = folder / "data"
        self._port = _free_port()
        self.url = f"http://127.0.0.1:{self._port}"
        self._process: subprocess.Popen[str] | None = None
        self._peak = 0
        self._ends = threading.Event()
        self._watcher = threading.Thread(target=self._watch, daemon=True)

    def __enter__(self) -> "_Server":
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
        """The kernel's own high-water mark (VmHWM) is exact, but lost with the process."""
        assert self._process is not None
        return max(self._peak, _memory(self._process.pid, "VmHWM"))

    def _watch(self) -> None:
        while not self._ends.wait(0.02):
            if self._process is not None:
                self._peak = max(self._peak, _memory(self._process.pid, "VmRSS"))

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


class _Sender:
    """The process with the tus client."""

    def __init__(self, url: str, source: Path, seconds: float) -> None:
        self._command = [
            *(sys.executable, "-m", "tests.torture.tus_client", url),
            *(str(source), str(seconds)),
        ]
        self._process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> "_Sender":
        self._start()
        return self

    def __exit__(self, *_: object) -> None:
        assert self._process is not None
        self._process.kill()
        self._process.wait()

    @property
    def has_ended(self) -> bool:
        assert self._process is not None
        return self._process.poll() is not None

    def restart(self) -> None:
        assert self._process is not None
        self._process.kill()
        self._process.wait()
        self._start()

    def wait(self) -> None:
        assert self._process is not None
        if self._process.wait(_END_SECONDS) != 0:
            raise RuntimeError("the client has failed")

    def _start(self) -> None:
        self._process = subprocess.Popen(self._command, stdout=subprocess.DEVNULL, cwd=_ROOT)


def _random_file(path: Path, mb: int) -> Path:
    with path.open("wb") as file:
        for _ in range(mb):
            file.write(os.urandom(1_000_000))
    return path


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _memory(pid: int, name: str) -> int:
    """A value of /proc/PID/status, in bytes; 0 if the process is gone."""
    try:
        lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    except OSError:
        return 0
    return next((int(line.split()[1]) * 1024 for line in lines if line.startswith(name)), 0)


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
    return port


def main(arguments: Sequence[str] | None = None) -> int:
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    options.add_argument("--mb", type=int, default=1000)
    options.add_argument("--server-kills", type=int, default=3)
    options.add_argument("--client-kills", type=int, default=2)
    options.add_argument("--seconds", type=float, default=20.0, help="at least, for the upload")
    chosen = options.parse_args(arguments)
    found = run(chosen.mb, chosen.server_kills, chosen.client_kills, chosen.seconds)
    shown: dict[str, Any] = {name: getattr(found, name) for name in found.__struct_fields__}
    print(json.dumps(shown), flush=True)
    return 0 if found.is_good else 1


if __name__ == "__main__":
    sys.exit(main())

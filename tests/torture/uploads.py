"""Uploads a large file while the server and the client are killed, and compares the bytes.

    python -m tests.torture.uploads [--blobs folder|s3|both] [--mb 1000] [--server-kills 3]
                                    [--client-kills 2] [--seconds 20]

To a folder by tus, to S3 (SeaweedFS) in parts. The kills are spread evenly over the upload. The
server is killed twice more: when it has joined what was uploaded and is about to note that, and
while it checks the file. The memory of the server and of its other processes is watched throughout.
For each upload a line of JSON is printed. The exit code is 1 if a byte differs, if bytes that had
arrived were lost, or if the server needed 200 MB or more.
"""

import argparse
import contextlib
import filecmp
import hashlib
import os
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, Literal
from urllib.parse import urlsplit

import msgspec
from msgspec import Struct
from obstore.store import S3Store

from bench.files.client import FilesClient
from greenroom.blobs.s3 import parse_location
from scripts import engines
from tests.files.pictures import photo
from tests.torture.parts_client import COMPLETING, FROM, PartsClient
from tests.torture.tus_client import upload as upload_by_tus
from tests.torture.watched_server import WatchedServer

MOST_MB = 200
"""Memory of the server's process."""
USER = "usr_uploader"
_END_SECONDS = 900
_ROOT = Path(__file__).parents[2]


class Kill(Struct, frozen=True):
    victim: Literal["server", "client"]
    during: Literal["upload", "completion", "check"]
    arrived: float
    """What part of the file had arrived."""


class Outcome(Struct, frozen=True):
    protocol: str
    mb: int
    kills: list[Kill]
    seconds: float
    peak_mb: float
    """Resident memory of the server's process, at its highest."""
    total_peak_mb: float
    """Memory of all processes of the server together; what they share counts once."""
    processes_mb: dict[str, float]
    """Of each kind, at that moment."""
    resumed_at: list[float]
    """What part of the file had arrived, by the server's answer, whenever the client went on."""
    is_same: bool

    @property
    def is_good(self) -> bool:
        return self.is_same and self.has_lost_nothing and self.peak_mb < MOST_MB

    @property
    def has_lost_nothing(self) -> bool:
        return self.resumed_at == sorted(self.resumed_at)


def run(mb: int, server_kills: int, client_kills: int, seconds: float, blobs: str = "") -> Outcome:
    """`blobs` is as in GREENROOM_BLOBS; empty means a folder."""
    with tempfile.TemporaryDirectory(prefix="uploads-") as name:
        folder = Path(name)
        source = _random_file(folder / "source", mb)
        with WatchedServer(folder / "data", blobs) as server:
            client = FilesClient(server.url, USER)
            _start_other_processes(client, folder / "photo.jpg")
            plan = _plan(server_kills, client_kills)
            return _interrupted(server, client, folder, source, plan, seconds, blobs)


def _interrupted(
    server: WatchedServer,
    client: FilesClient,
    folder: Path,
    source: Path,
    plan: Sequence[tuple[Literal["server", "client"], float]],
    seconds: float,
    blobs: str,
) -> Outcome:
    size = source.stat().st_size
    created = client.create("big.bin", size, _sha256(source))
    file = created["file"]["fileId"]
    arrived = _arrived(server, client, created)
    begun, kills = time.monotonic(), []
    with _Sender(_command(client, created, source, seconds)) as sender:
        for victim, part in plan:
            _wait_for(arrived, int(size * part), sender)
            kills.append(Kill(victim, "upload", round(arrived() / size, 3)))
            (server if victim == "server" else sender).restart()
        sender.wait_until_it_completes()
        _wait_until_joined(server, blobs, file)
        kills.append(Kill("server", "completion", 1.0))
        server.restart()
        _wait_for_the_check(client, file)
        kills.append(Kill("server", "check", 1.0))
        server.restart()
        sender.wait()
    took = time.monotonic() - begun
    client.wait_until_ready(file, pause=0.2)
    copy = folder / "copy"
    url = client.download_url(file)
    urllib.request.urlretrieve(server.url + url if url.startswith("/") else url, copy)
    processes = server.peak_of_all
    return Outcome(
        protocol=created["upload"]["protocol"],
        mb=size // 1_000_000,
        kills=kills,
        seconds=round(took, 1),
        peak_mb=_in_mb(server.peak_bytes()),
        total_peak_mb=_in_mb(processes.total()),
        processes_mb={kind: _in_mb(found) for kind, found in processes.items()},
        resumed_at=[round(offset / size, 3) for offset in sender.offsets],
        is_same=filecmp.cmp(source, copy, shallow=False),
    )


def _start_other_processes(client: FilesClient, path: Path) -> None:
    """With a picture: the decoder, and the rater if its model is built."""
    path.write_bytes(photo(1200, 900))
    created = client.create(path.name, path.stat().st_size, _sha256(path))
    with contextlib.redirect_stdout(None):
        if created["upload"]["protocol"] == "tus":
            upload_by_tus(client.url + created["upload"]["url"], path, 0)
        else:
            PartsClient(client.url, created["file"]["fileId"], USER).upload(path, 0)
    client.wait_until_ready(created["file"]["fileId"])


def _command(client: FilesClient, created: Any, source: Path, seconds: float) -> list[str]:
    if created["upload"]["protocol"] == "tus":
        module, given = "tus_client", [client.url + created["upload"]["url"]]
    else:
        module, given = "parts_client", [client.url, created["file"]["fileId"], USER]
    return [sys.executable, "-m", f"tests.torture.{module}", *given, str(source), str(seconds)]


def _arrived(server: WatchedServer, client: FilesClient, created: Any) -> Callable[[], int]:
    """How many bytes have arrived: of whole parts, for an upload in parts."""
    file = created["file"]["fileId"]
    if created["upload"]["protocol"] == "parts":
        return lambda: int(client.call("GET", f"/v1/files/{file}/upload")["upload"]["offset"])
    path = server.data / "files/.appends" / _key(file)
    return lambda: path.stat().st_size if path.exists() else 0


def _plan(server_kills: int, client_kills: int) -> list[tuple[Literal["server", "client"], float]]:
    """Who is killed, and after what part of the file: in turn, the one with more kills first."""
    total = server_kills + client_kills
    left: dict[Literal["server", "client"], int] = {"client": client_kills, "server": server_kills}
    plan = []
    for number in range(total):
        victim = max(left, key=lambda name: left[name])
        left[victim] -= 1
        plan.append((victim, (number + 1) / (total + 1)))
    return plan


def _wait_for(arrived: Callable[[], int], size: int, sender: "_Sender") -> None:
    deadline = time.monotonic() + _END_SECONDS
    while time.monotonic() < deadline:
        if arrived() >= size:
            return
        if sender.has_ended:
            raise RuntimeError("the upload ended before it was interrupted: use more --seconds")
        time.sleep(0.002)
    raise RuntimeError(f"the upload does not reach {size} bytes")


def _wait_until_joined(server: WatchedServer, blobs: str, file: str) -> None:
    """Until the blob is there. The server has not noted it yet, or has just done so."""
    deadline = time.monotonic() + _END_SECONDS
    is_joined = _in_bucket(blobs, file) if blobs else (server.data / "files" / _key(file)).exists
    while not is_joined():
        if time.monotonic() > deadline:
            raise RuntimeError("the upload is not completed")


def _in_bucket(blobs: str, file: str) -> Callable[[], bool]:
    place = parse_location(blobs)
    access = urlsplit(blobs)
    bucket = S3Store(
        place.bucket,
        endpoint=place.endpoint,
        region=place.region,
        access_key_id=access.username,
        secret_access_key=access.password,
        client_options={"allow_http": True},
    )

    def is_there() -> bool:
        try:
            bucket.head(place.prefix + _key(file))
        except FileNotFoundError:
            return False
        return True

    return is_there


def _key(file: str) -> str:
    return f"users/{USER}/files/{file}"


def _wait_for_the_check(client: FilesClient, file: str) -> None:
    deadline = time.monotonic() + _END_SECONDS
    while (state := client.call("GET", f"/v1/files/{file}")["state"]) != "checking":
        if state != "uploading":
            raise RuntimeError("the check ended before it was interrupted: use more --mb")
        if time.monotonic() > deadline:
            raise RuntimeError("the upload is not completed")
        time.sleep(0.002)


class _Sender:
    """The process that uploads."""

    def __init__(self, command: Sequence[str]) -> None:
        self._command = command
        self._process: subprocess.Popen[str] | None = None
        self._completes = threading.Event()
        self._readers: list[threading.Thread] = []
        self.offsets: list[int] = []

    def __enter__(self) -> "_Sender":
        self._start()
        return self

    def __exit__(self, *_: object) -> None:
        self._kill()

    @property
    def has_ended(self) -> bool:
        assert self._process is not None
        return self._process.poll() is not None

    def restart(self) -> None:
        self._kill()
        self._start()

    def wait_until_it_completes(self) -> None:
        if not self._completes.wait(_END_SECONDS):
            raise RuntimeError("the upload does not come to its end")

    def wait(self) -> None:
        assert self._process is not None
        if self._process.wait(_END_SECONDS) != 0:
            raise RuntimeError("the client has failed")
        self._readers[-1].join()

    def _kill(self) -> None:
        assert self._process is not None
        self._process.kill()
        self._process.wait()
        self._readers[-1].join()

    def _start(self) -> None:
        self._process = subprocess.Popen(
            self._command, stdout=subprocess.PIPE, text=True, cwd=_ROOT
        )
        reader = threading.Thread(target=self._read, args=(self._process,), daemon=True)
        self._readers.append(reader)
        reader.start()

    def _read(self, process: "subprocess.Popen[str]") -> None:
        assert process.stdout is not None
        with process.stdout:
            for line in process.stdout:
                if line.startswith(COMPLETING):
                    self._completes.set()
                elif line.startswith(FROM):
                    self.offsets.append(int(line.removeprefix(FROM)))


def _random_file(path: Path, mb: int) -> Path:
    with path.open("wb") as file:
        for _ in range(mb):
            file.write(os.urandom(1_000_000))
    return path


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _in_mb(size: int) -> float:
    return round(size / 1_000_000, 1)


@contextlib.contextmanager
def _blobs(name: str) -> Iterator[str]:
    if name == "folder":
        yield ""
        return
    with engines.running("seaweedfs") as engine:
        yield engine.url


def main(arguments: Sequence[str] | None = None) -> int:
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    options.add_argument("--blobs", choices=("folder", "s3", "both"), default="both")
    options.add_argument("--mb", type=int, default=1000)
    options.add_argument("--server-kills", type=int, default=3)
    options.add_argument("--client-kills", type=int, default=2)
    options.add_argument("--seconds", type=float, default=20.0, help="at least, for the upload")
    chosen = options.parse_args(arguments)
    is_good = True
    for name in ("folder", "s3") if chosen.blobs == "both" else (chosen.blobs,):
        with _blobs(name) as blobs:
            found = run(chosen.mb, chosen.server_kills, chosen.client_kills, chosen.seconds, blobs)
        print(msgspec.json.encode(found).decode(), flush=True)
        is_good = is_good and found.is_good
    return 0 if is_good else 1


if __name__ == "__main__":
    sys.exit(main())

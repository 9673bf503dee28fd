"""Uploads and downloads one large file, in turn with a bare copy of the same file."""

import hashlib
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import median
from typing import Any

from msgspec import Struct

from bench.files import bare_copy
from bench.files.client import FilesClient
from bench.files.transfer import answer, ask, connect, receive_bytes, send_file


class Transfers(Struct, frozen=True):
    """Seconds of each round."""

    size: int
    upload: list[float]
    bare_upload: list[float]
    download: list[float]
    bare_download: list[float]

    @property
    def upload_vs_bare(self) -> float:
        return median(self.bare_upload) / median(self.upload)

    @property
    def download_vs_bare(self) -> float:
        return median(self.bare_download) / median(self.download)

    def mb_per_s(self, seconds: Sequence[float]) -> float:
        return self.size / median(seconds) / 1_000_000


def measure(
    client: FilesClient, folder: Path, source: Path, rounds: int, say: Callable[[str], None]
) -> Transfers:
    """A first round warms up both, and compares what arrives with the source."""
    size, digest = source.stat().st_size, sha256_of(source)
    found = Transfers(size, [], [], [], [])
    arrived = hashlib.sha256()
    with bare_copy.running(folder) as bare:
        _round(client, bare, source, digest, arrived.update)
        if arrived.hexdigest() != digest:
            raise RuntimeError("the download is not what was uploaded")
        for _ in range(rounds):
            times = _round(client, bare, source, digest, _discard)
            for name, seconds in times.items():
                getattr(found, name).append(seconds)
            say(", ".join(f"{name} {seconds:.2f} s" for name, seconds in times.items()))
    return found


def _round(
    client: FilesClient,
    bare: str,
    source: Path,
    digest: str,
    take: Callable[[memoryview], object],
) -> dict[str, float]:
    """Careful: what runs first pays for what the disk has not finished. So nothing is written
    between an upload and the bare one, and the server is at rest before a download."""
    size = source.stat().st_size
    bare_upload = bare_copy.upload_seconds(bare, source)
    created = client.create(source.name, size, digest)
    upload = _upload_seconds(client.url, created, source, size)
    file = created["file"]["fileId"]
    client.wait_until_ready(file, pause=0.1)
    bare_download = bare_copy.download_seconds(bare, size, _discard)
    download = _download_seconds(client, file, size, take)
    client.delete(file)
    return {
        "upload": upload,
        "bare_upload": bare_upload,
        "download": download,
        "bare_download": bare_download,
    }


def _discard(_: memoryview) -> None:
    """The client's own disk is not measured."""


def _upload_seconds(url: str, created: Any, source: Path, size: int) -> float:
    begun = time.perf_counter()
    with connect(url) as connection:
        headers = {
            "Tus-Resumable": "1.0.0",
            "Upload-Offset": "0",
            "Content-Type": "application/offset+octet-stream",
            "Content-Length": str(size),
        }
        ask(connection, "PATCH", created["upload"]["url"], headers)
        send_file(connection, source)
        found = answer(connection)
    if found.status != 204:
        raise RuntimeError(f"the upload was answered with {found.status}")
    return time.perf_counter() - begun


def _download_seconds(
    client: FilesClient, file: str, size: int, take: Callable[[memoryview], object]
) -> float:
    url = client.download_url(file)
    begun = time.perf_counter()
    with connect(client.url) as connection:
        ask(connection, "GET", url, {})
        found = answer(connection)
        if found.status != 200:
            raise RuntimeError(f"the download was answered with {found.status}")
        receive_bytes(connection, size, found.begun, take)
    return time.perf_counter() - begun


def sha256_of(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()

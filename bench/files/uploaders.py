"""Uploads that run beside a chat: a process of its own, until it is killed.

    python -m bench.files.uploaders URL COUNT MB_PER_S

Each is a user's file of 1 GB, sent at a steady rate. It prints a line once all are under way.
"""

import random
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

from bench.files.client import FilesClient
from bench.files.transfer import ask, connect

_SIZE = 1_000_000_000
_PIECE = 64 * 1024
_CHECKSUM = "0" * 64
"""It is never compared: no upload comes to its end."""


@contextmanager
def running(url: str, count: int, mb_per_s: float) -> Iterator[None]:
    command = [sys.executable, "-m", "bench.files.uploaders", url, str(count), str(mb_per_s)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            if process.stdout.readline() != "all run\n":
                raise RuntimeError("the uploads do not run")
            yield
            if process.poll() is not None:
                raise RuntimeError("the uploads have ended")
        finally:
            process.kill()


def _upload(url: str, number: int, mb_per_s: float, begun: threading.Barrier) -> None:
    client = FilesClient(url, f"usr_uploads{number}x{time.time_ns() % 10**9}")
    created = client.create(f"video{number}.mp4", _SIZE, _CHECKSUM)
    piece = bytes(_PIECE)
    with connect(url) as connection:
        headers = {
            "Tus-Resumable": "1.0.0",
            "Upload-Offset": "0",
            "Content-Type": "application/offset+octet-stream",
            "Content-Length": str(_SIZE),
        }
        ask(connection, "PATCH", created["upload"]["url"], headers)
        connection.sendall(piece)
        begun.wait()
        pause = _PIECE / (mb_per_s * 1_000_000)
        at = time.monotonic() + random.random() * pause  # uploads are not in step
        time.sleep(max(0.0, at - time.monotonic()))
        while True:
            connection.sendall(piece)
            at += pause
            time.sleep(max(0.0, at - time.monotonic()))


def main(url: str, count: int, mb_per_s: float) -> None:
    begun = threading.Barrier(count + 1)
    for number in range(count):
        threading.Thread(target=_upload, args=(url, number, mb_per_s, begun), daemon=True).start()
    begun.wait(60)
    print("all run", flush=True)
    threading.Event().wait()


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), float(sys.argv[3]))

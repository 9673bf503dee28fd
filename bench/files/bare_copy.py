"""The least that a server can do: it moves a file between a socket and the disk, and nothing else.

A process of its own. The client sends one line, `put SIZE` or `get`, and then the bytes go one way.
"""

import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from bench.files.transfer import connect, receive_bytes, receive_file, send_file


@contextmanager
def running(folder: Path) -> Iterator[str]:
    command = [sys.executable, "-m", "bench.files.bare_copy", str(folder / "bare")]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            yield process.stdout.readline().strip()
        finally:
            process.kill()


def upload_seconds(url: str, source: Path) -> float:
    """Until the server says that the file is on its disk."""
    begun = time.perf_counter()
    with connect(url) as connection:
        connection.sendall(f"put {source.stat().st_size}\n".encode())
        send_file(connection, source)
        if connection.recv(1) != b"k":
            raise ConnectionError("the copy failed")
    return time.perf_counter() - begun


def download_seconds(url: str, size: int, take: Callable[[memoryview], object]) -> float:
    begun = time.perf_counter()
    with connect(url) as connection:
        connection.sendall(b"get\n")
        receive_bytes(connection, size, b"", take)
    return time.perf_counter() - begun


def serve(path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        print(f"http://127.0.0.1:{listener.getsockname()[1]}", flush=True)
        while True:
            connection, _ = listener.accept()
            with connection:
                _answer(connection, path)


def _answer(connection: socket.socket, path: Path) -> None:
    line = b""
    while not line.endswith(b"\n"):
        line += connection.recv(1)
    if line.startswith(b"put"):
        receive_file(connection, path, int(line.split()[1]))
        connection.sendall(b"k")
    else:
        send_file(connection, path)


if __name__ == "__main__":
    serve(Path(sys.argv[1]))

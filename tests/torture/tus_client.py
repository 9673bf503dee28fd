"""A tus client that goes on until the file is uploaded, whatever happens to the server.

    python -m tests.torture.tus_client URL FILE SECONDS

It remembers nothing: a client that was killed and started again asks the server how far it has
come, and prints `from` with the answer. It prints `completing` before it sends the last bytes. The
upload takes at least so many seconds, so that a test can interrupt it.
"""

import socket
import sys
import time
from pathlib import Path
from urllib.parse import urlsplit

from tests.torture.pace import Pace
from tests.torture.parts_client import COMPLETING, FROM

_PIECE = 256 * 1024
_RETRY_SECONDS = 0.1
_TIMEOUT_SECONDS = 30


class NotYet(Exception):
    """The server does not take the upload at the moment."""


def upload(url: str, path: Path, seconds: float) -> None:
    size = path.stat().st_size
    while True:
        try:
            offset = _offset(url)
            print(f"{FROM}{offset}", flush=True)
            if offset == size or _send_rest(url, path, offset, size, seconds) == size:
                return
        except (OSError, NotYet) as reason:
            print(f"again: {reason!r}", flush=True)
            time.sleep(_RETRY_SECONDS)


def _offset(url: str) -> int:
    with _connected(url) as connection:
        connection.sendall(_head("HEAD", url, {}))
        return int(_answer(connection, 200)["upload-offset"])


def _send_rest(url: str, path: Path, offset: int, size: int, seconds: float) -> int:
    headers = {
        "Upload-Offset": str(offset),
        "Content-Type": "application/offset+octet-stream",
        "Content-Length": str(size - offset),
    }
    with _connected(url) as connection, path.open("rb", buffering=0) as file:
        connection.sendall(_head("PATCH", url, headers))
        file.seek(offset)
        pace = Pace(seconds, size)
        while piece := file.read(_PIECE):
            if file.tell() == size:
                print(COMPLETING, flush=True)
            connection.sendall(piece)
            pace.wait(len(piece))
        return int(_answer(connection, 204)["upload-offset"])


def _connected(url: str) -> socket.socket:
    parts = urlsplit(url)
    return socket.create_connection((parts.hostname, parts.port), _TIMEOUT_SECONDS)


def _head(method: str, url: str, headers: dict[str, str]) -> bytes:
    parts = urlsplit(url)
    given = {"Host": parts.netloc, "Tus-Resumable": "1.0.0", "Connection": "close", **headers}
    lines = "".join(f"{name}: {text}\r\n" for name, text in given.items())
    return f"{method} {parts.path}?{parts.query} HTTP/1.1\r\n{lines}\r\n".encode()


def _answer(connection: socket.socket, wanted: int) -> dict[str, str]:
    received = b""
    while b"\r\n\r\n" not in received:
        piece = connection.recv(65_536)
        if not piece:
            raise ConnectionError("no answer")
        received += piece
    first, *lines = received.partition(b"\r\n\r\n")[0].decode("latin-1").split("\r\n")
    if int(first.split()[1]) != wanted:
        raise NotYet(first)
    pairs = (line.partition(":") for line in lines)
    return {name.lower(): text.strip() for name, _, text in pairs}


if __name__ == "__main__":
    upload(sys.argv[1], Path(sys.argv[2]), float(sys.argv[3]))

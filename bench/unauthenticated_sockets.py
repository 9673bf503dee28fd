"""What a socket takes before it has authenticated: `python -m bench.unauthenticated_sockets`.

Each of 500 clients opens a socket, sends all but the end of a frame of 128 KB, and waits.
"""

import os
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

_SOCKETS = 500
_UPGRADE = (
    b"GET /v1/socket HTTP/1.1\r\nHost: greenroom\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    b"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
)
_SIZE = 127 * 1024
_FRAME = b"\x81\xff" + _SIZE.to_bytes(8, "big") + bytes(4) + b"x" * (_SIZE - 1)


def _resident_kb(pid: int) -> int:
    pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") // 1024


def _waiting(port: int) -> socket.socket:
    connection = socket.create_connection(("127.0.0.1", port))
    connection.sendall(_UPGRADE)
    connection.recv(4096)
    connection.setblocking(False)
    return connection


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        server = subprocess.Popen(
            [sys.executable, "-m", "greenroom", "serve"],
            stdout=subprocess.PIPE,
            text=True,
            env={"PATH": os.environ["PATH"], "GREENROOM_DATA": folder, "GREENROOM_PORT": "0"},
        )
        assert server.stdout is not None
        port = int(server.stdout.readline().rpartition(":")[2])
        held = [_waiting(port) for _ in range(10)]
        before = _resident_kb(server.pid)
        held += (more := [_waiting(port) for _ in range(_SOCKETS)])
        for connection in more:
            _push(connection)
        time.sleep(2)
        taken = _resident_kb(server.pid) - before
        print(f"{taken / _SOCKETS:.1f} KB for each of {_SOCKETS} sockets without a token")
        server.terminate()
        server.wait()


def _push(connection: socket.socket) -> None:
    sent, ends = 0, time.monotonic() + 0.005
    while sent < len(_FRAME) and time.monotonic() < ends:
        try:
            sent += connection.send(_FRAME[sent:])
        except BlockingIOError:
            time.sleep(0.001)
        except OSError:
            return


if __name__ == "__main__":
    main()

"""Moves a file over a socket with plain `send` and `recv`: the client of both that are compared."""

import os
import socket
from collections.abc import Callable
from pathlib import Path

from msgspec import Struct

PIECE = 1024 * 1024
_HEAD_BYTES = 64 * 1024


class Answer(Struct, frozen=True):
    status: int
    headers: dict[str, str]
    begun: bytes
    """What has come of the body."""


def connect(url: str) -> socket.socket:
    host, _, port = url.removeprefix("http://").rpartition(":")
    connection = socket.create_connection((host, int(port)), 60)
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return connection


def send_file(connection: socket.socket, path: Path) -> None:
    with path.open("rb", buffering=0) as file:
        while piece := file.read(PIECE):
            connection.sendall(piece)


def receive_file(connection: socket.socket, path: Path, size: int) -> None:
    """Written and synced: then it is safely there."""
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    try:
        receive_bytes(connection, size, b"", lambda piece: os.write(descriptor, piece))
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def receive_bytes(
    connection: socket.socket, size: int, begun: bytes, take: Callable[[memoryview], object]
) -> None:
    """Passes what comes to `take`, and keeps nothing."""
    buffer = bytearray(PIECE)
    view = memoryview(buffer)
    take(memoryview(begun))
    left = size - len(begun)
    while left:
        count = connection.recv_into(buffer)
        if not count:
            raise ConnectionError(f"{left} bytes are missing")
        take(view[:count])
        left -= count


def ask(connection: socket.socket, method: str, target: str, headers: dict[str, str]) -> None:
    given = {"Host": "greenroom", **headers}
    lines = "".join(f"{name}: {text}\r\n" for name, text in given.items())
    connection.sendall(f"{method} {target} HTTP/1.1\r\n{lines}\r\n".encode())


def answer(connection: socket.socket) -> Answer:
    received = b""
    while b"\r\n\r\n" not in received:
        piece = connection.recv(_HEAD_BYTES)
        if not piece:
            raise ConnectionError("no answer")
        received += piece
    head, _, begun = received.partition(b"\r\n\r\n")
    first, *lines = head.decode("latin-1").split("\r\n")
    pairs = (line.partition(":") for line in lines)
    headers = {name.lower(): text.strip() for name, _, text in pairs}
    return Answer(int(first.split()[1]), headers, begun)

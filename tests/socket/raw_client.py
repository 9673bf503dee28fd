"""A low-level client for misbehaviour: raw frames, no reading, no close frame."""

import asyncio
import base64
import json
import os
import socket
import struct
from collections.abc import Mapping
from contextlib import suppress
from types import MappingProxyType
from typing import Any

SECONDS = 20
CONTINUATION, TEXT, BINARY, CLOSE, PING, PONG = 0, 1, 2, 8, 9, 10


class Refused(Exception):
    """The handshake was refused, with status, headers and body."""

    def __init__(self, status: int, headers: dict[str, str], body: bytes) -> None:
        super().__init__(status, body)
        self.status, self.headers, self.body = status, headers, body


class RawClient:
    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader = reader
        self.writer = writer
        self.headers: dict[str, str] = {}

    @classmethod
    async def connect(
        cls,
        port: int,
        path: str = "/v1/socket",
        headers: Mapping[str, str] = MappingProxyType({}),
        *,
        most_unread: int = 2**16,
    ) -> "RawClient":
        connection = socket.socket()
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, most_unread)
        connection.setblocking(False)
        await asyncio.get_running_loop().sock_connect(connection, ("127.0.0.1", port))
        streams = await asyncio.open_connection(sock=connection, limit=most_unread)
        raw = cls(*streams)
        await raw._shake_hands(path, headers)
        return raw

    async def _shake_hands(self, path: str, headers: Mapping[str, str]) -> None:
        key = base64.b64encode(os.urandom(16)).decode()
        sent = {
            "Host": "greenroom",
            "Upgrade": "websocket",
            "Connection": "Upgrade",
            "Sec-WebSocket-Version": "13",
            "Sec-WebSocket-Key": key,
            **headers,
        }
        lines = [f"GET {path} HTTP/1.1", *(f"{name}: {value}" for name, value in sent.items())]
        self.writer.write("\r\n".join([*lines, "", ""]).encode("latin-1"))
        head = (await self._timed(self.reader.readuntil(b"\r\n\r\n"))).decode("latin-1")
        first, *rest = head.strip().split("\r\n")
        self.headers = {
            name.lower(): value.strip() for name, _, value in (line.partition(":") for line in rest)
        }
        status = int(first.split()[1])
        if status != 101:
            length = int(self.headers.get("content-length", "-1"))
            body = await self._timed(
                self.reader.read() if length < 0 else self.reader.readexactly(length)
            )
            self.abort()
            raise Refused(status, self.headers, body)

    # Sending.

    def text(self, *frames: object) -> None:
        """Sends all frames in one write."""
        self.writer.write(b"".join(framed(TEXT, json.dumps(one).encode()) for one in frames))

    def send(self, kind: int, payload: bytes, *, fin: bool = True, rsv: int = 0) -> None:
        self.writer.write(framed(kind, payload, fin=fin, rsv=rsv))

    def abort(self) -> None:
        """Drops the connection without a close frame."""
        self.writer.transport.abort()

    def pause(self) -> None:
        """Stops reading."""
        transport: Any = self.writer.transport
        transport.pause_reading()

    def resume(self) -> None:
        transport: Any = self.writer.transport
        transport.resume_reading()

    # Receiving.

    async def next(self) -> tuple[int, bytes]:
        """The opcode and payload of the next frame."""
        head = await self._timed(self.reader.readexactly(2))
        length = head[1] & 0x7F
        if length == 126:
            length = struct.unpack("!H", await self._timed(self.reader.readexactly(2)))[0]
        elif length == 127:
            length = struct.unpack("!Q", await self._timed(self.reader.readexactly(8)))[0]
        return head[0] & 0x0F, await self._timed(self.reader.readexactly(length))

    async def frame(self) -> Any:
        """The next text frame."""
        while True:
            kind, payload = await self.next()
            assert kind != CLOSE, payload
            if kind == TEXT:
                return json.loads(payload)

    async def answer(self, number: int) -> Any:
        """The reply to a request; skips other frames before it."""
        while True:
            frame = await self.frame()
            if frame["type"] in ("ack", "problem") and frame.get("id") == number:
                return frame

    async def closed(self) -> tuple[int, str]:
        """Skips other frames, waits for the end, and returns code and reason of the close frame."""
        while True:
            kind, payload = await self.next()
            if kind == CLOSE:
                self.send(CLOSE, payload[:2])
                with suppress(ConnectionResetError):
                    await self._timed(self.reader.read())
                self.abort()
                return struct.unpack("!H", payload[:2])[0], payload[2:].decode()

    async def _timed(self, reading: Any) -> Any:
        return await asyncio.wait_for(reading, SECONDS)


def framed(kind: int, payload: bytes, *, fin: bool = True, rsv: int = 0) -> bytes:
    """Masked with zeroes, which is allowed and leaves the payload unchanged."""
    first = (0x80 if fin else 0) | rsv << 4 | kind
    if len(payload) < 126:
        head = struct.pack("!BB", first, 0x80 | len(payload))
    elif len(payload) < 2**16:
        head = struct.pack("!BBH", first, 0x80 | 126, len(payload))
    else:
        head = struct.pack("!BBQ", first, 0x80 | 127, len(payload))
    return head + bytes(4) + payload

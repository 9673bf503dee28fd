"""Upgrades HTTP connections to WebSockets: uvicorn reads the request, then picows takes over.

picows is about twice as fast as the WebSocket implementations of ASGI servers and needs half the
memory (`make bench-sockets`; docs/decisions/0008).

Careful: uvicorn sets us as the transport's protocol only after calling us, so we can switch to
picows only then. The protocols receive bytes in different ways, so nothing may be read in between.
"""

import asyncio
import logging
import re
import socket
from functools import partial
from typing import Any

from picows import WSAutoPingStrategy
from picows.picows import WSProtocol  # type: ignore[attr-defined]

from greenroom.api.ws.socket_server import SocketServer
from greenroom.api.ws.transport import MOST_BYTES, PicowsTransport, accept_upgrade

_HANDSHAKE_SECONDS = 10
_KERNEL_BYTES = 64 * 1024
"""The kernel's buffers for a socket, in each direction (it allocates twice as much). Without a
limit they grow to megabytes for a client that floods us or does not read."""
_KERNEL_BYTES_WAITING = 4 * 1024
MOST_BYTES_WAITING = 12 * 1024
"""Limit for a client that has not authenticated: enough for the longest accepted token."""
_CONNECTION = re.compile(rb"(?im)^connection:[^\r\n]*")


class _QuietLogger(logging.LoggerAdapter[logging.Logger]):
    """Quiets picows, which logs every connection and reports client errors as our own."""

    def info(self, msg: object, *args: object, **how: Any) -> None:
        self.debug(msg, *args, **how)

    def error(self, msg: object, *args: object, **how: Any) -> None:
        self.debug(msg, *args, **how)


_log = _QuietLogger(logging.getLogger("greenroom.socket"), {})


class UpgradeProtocol(asyncio.Protocol):
    """The WebSocket protocol class that uvicorn creates for each upgrade request."""

    def __init__(self, server: SocketServer, **_: Any) -> None:
        self._server = server
        self._transport: asyncio.Transport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = transport  # type: ignore[assignment]

    def data_received(self, request: bytes) -> None:
        assert self._transport is not None
        self._transport.pause_reading()
        # Firefox sends `keep-alive, Upgrade`, but picows only accepts `Upgrade`.
        plain = _CONNECTION.sub(b"connection: Upgrade", request)
        asyncio.get_running_loop().call_soon(self._start_picows, self._transport, plain)

    def _start_picows(self, transport: asyncio.Transport, request: bytes) -> None:
        if transport.is_closing():
            return
        _set_kernel_buffers(transport.get_extra_info("socket"), _KERNEL_BYTES_WAITING)
        waiting = UnauthenticatedProtocol(transport)
        protocol = _socket_protocol(self._server, waiting)
        waiting.protocol = protocol
        transport.set_protocol(waiting)
        protocol.connection_made(transport)
        rest = memoryview(request)
        while rest and not transport.is_closing():
            room = protocol.get_buffer(len(rest))
            taken = min(len(room), len(rest))
            room[:taken] = rest[:taken]
            protocol.buffer_updated(taken)
            rest = rest[taken:]
        if not transport.is_closing():
            transport.resume_reading()


class UnauthenticatedProtocol(asyncio.BufferedProtocol):
    """Limits the input of a client until it has authenticated, to bound the memory that it can use
    without a token. After that picows reads the transport directly.
    """

    protocol: Any = None
    socket: PicowsTransport | None = None

    def __init__(self, transport: asyncio.Transport) -> None:
        self._transport = transport
        self._left = MOST_BYTES_WAITING
        self._is_authenticated = False
        self._is_paused = False

    def authenticated(self) -> None:
        """Switches after the current read, because picows receives bytes in another way."""
        self._is_authenticated = True
        asyncio.get_running_loop().call_soon(self._install_picows)

    def get_buffer(self, sizehint: int) -> memoryview:
        room: memoryview = self.protocol.get_buffer(sizehint)
        return room[: max(1, self._left)]

    def buffer_updated(self, nbytes: int) -> None:
        self._left -= nbytes
        self.protocol.buffer_updated(nbytes)
        if self._left <= 0 and not self._is_authenticated and self._transport.is_reading():
            # A second frame waits until the first is answered; nothing is read meanwhile.
            self._transport.pause_reading()
            self._is_paused = True
            if self.socket is not None and not self.socket.has_received:
                self.socket.refuse_first_frame(MOST_BYTES_WAITING)

    def eof_received(self) -> Any:
        return self.protocol.eof_received()

    def pause_writing(self) -> None:
        self.protocol.pause_writing()

    def resume_writing(self) -> None:
        self.protocol.resume_writing()

    def connection_lost(self, exc: Exception | None) -> None:
        self.protocol.connection_lost(exc)

    def _install_picows(self) -> None:
        if not self._transport.is_closing():
            _set_kernel_buffers(self._transport.get_extra_info("socket"), _KERNEL_BYTES)
            self._transport.set_protocol(self.protocol)
            if self._is_paused:
                self._transport.resume_reading()


def _set_kernel_buffers(connection: socket.socket, most: int) -> None:
    for buffer in (socket.SO_RCVBUF, socket.SO_SNDBUF):
        connection.setsockopt(socket.SOL_SOCKET, buffer, most)


def _socket_protocol(server: SocketServer, waiting: UnauthenticatedProtocol) -> Any:
    """Builds the protocol as `picows.ws_create_server` does, because picows has no API for an
    existing connection. Its version is pinned for that reason."""
    return WSProtocol(
        None,
        None,
        False,
        partial(accept_upgrade, server, waiting),
        _log,
        True,
        _HANDSHAKE_SECONDS,
        True,
        server.timeouts.idle,
        server.timeouts.pong,
        WSAutoPingStrategy.PING_WHEN_IDLE,
        True,
        MOST_BYTES,
        None,
        4096,
    )

"""From HTTP to the socket, on the one port: uvicorn reads the request, and picows takes over.

The socket is picows and not one of the HTTP server's own, because it is about twice as quick as
the best of those and takes half the memory (`make bench-sockets`; docs/decisions/0008). What one
would get wrong: uvicorn puts us in its own place on the transport only after it has called us, so
we can make room for picows only then; and how bytes are handed over changes with the protocol, so
nothing may be read in between.
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
"""What the kernel keeps for a socket each way (it takes twice as much for itself). It would grow to
megabytes for a client that floods us, or does not read."""
_KERNEL_BYTES_WAITING = 4 * 1024
MOST_BYTES_WAITING = 12 * 1024
"""From a client that has not authenticated: enough for the longest token that is accepted."""
_CONNECTION = re.compile(rb"(?im)^connection:[^\r\n]*")


class _QuietLogger(logging.LoggerAdapter[logging.Logger]):
    """picows tells of everybody who comes and goes, and takes what a client gets wrong for an error
    of ours."""

    def info(self, msg: object, *args: object, **how: Any) -> None:
        self.debug(msg, *args, **how)

    def error(self, msg: object, *args: object, **how: Any) -> None:
        self.debug(msg, *args, **how)


_log = _QuietLogger(logging.getLogger("greenroom.socket"), {})


class UpgradeProtocol(asyncio.Protocol):
    """What uvicorn takes for its websocket protocol. It makes one for each request to upgrade."""

    def __init__(self, server: SocketServer, **_: Any) -> None:
        self._server = server
        self._transport: asyncio.Transport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = transport  # type: ignore[assignment]

    def data_received(self, request: bytes) -> None:
        assert self._transport is not None
        self._transport.pause_reading()
        # Firefox asks for `keep-alive, Upgrade`, and picows knows `Upgrade` alone.
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
    """Stands before picows until the client has authenticated, and lets only so much through: the
    memory that a client can take without a token is small. Then picows is on the transport itself.
    """

    protocol: Any = None
    socket: PicowsTransport | None = None

    def __init__(self, transport: asyncio.Transport) -> None:
        self._transport = transport
        self._left = MOST_BYTES_WAITING
        self._is_authenticated = False
        self._is_paused = False

    def authenticated(self) -> None:
        """Only after the read that is under way: how bytes are handed over changes with it."""
        self._is_authenticated = True
        asyncio.get_running_loop().call_soon(self._install_picows)

    def get_buffer(self, sizehint: int) -> memoryview:
        room: memoryview = self.protocol.get_buffer(sizehint)
        return room[: max(1, self._left)]

    def buffer_updated(self, nbytes: int) -> None:
        self._left -= nbytes
        self.protocol.buffer_updated(nbytes)
        if self._left <= 0 and not self._is_authenticated and self._transport.is_reading():
            # A second frame may wait for the first to be answered; nothing is read meanwhile.
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
    """As `picows.ws_create_server` makes it: it has no other way in for a connection that is made
    already. Its version is pinned for that."""
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

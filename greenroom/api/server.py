"""Binds the port and runs uvicorn until a signal stops it.

Careful: bind before opening anything, so that a port in use is reported first. Uvicorn re-raises
the signal that stopped it, which would end the process before the store is closed; here a signal
only starts a graceful stop.
"""

import asyncio
import logging
import resource
import signal
import socket
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from functools import partial

import uvicorn
from litestar import Litestar
from msgspec import Struct

from greenroom.api import http_limits
from greenroom.api.downloads import Downloads
from greenroom.api.problems import CannotListen
from greenroom.api.ws.drain import drain
from greenroom.api.ws.socket_server import SocketServer
from greenroom.api.ws.upgrade import UpgradeProtocol

_FINISH_SECONDS = 10
_FILES_BESIDES = 64 + http_limits.RESERVE
"""Open files for everything but client connections: the store, the bus, and the reserve."""
_KERNEL_BYTES = 128 * 1024
"""The kernel's send buffer for each connection (it allocates twice as much). Without a limit it
grows to megabytes for a client that does not read."""
_log = logging.getLogger(__name__)


class _Server(uvicorn.Server):
    def __init__(
        self, config: uvicorn.Config, socket_server: SocketServer, started: Callable[[], None]
    ) -> None:
        super().__init__(config)
        self._socket_server = socket_server
        self._tell_started = started

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self._tell_started()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        await drain(self._socket_server)
        await super().shutdown(sockets)

    @contextmanager
    def capture_signals(self) -> Generator[None, None, None]:
        loop = asyncio.get_running_loop()
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(number, self.handle_exit, number, None)
        yield


class Room(Struct, frozen=True):
    """The limits of this process: connections of each kind."""

    sockets: int
    http: int = http_limits.MOST


def room_for(sockets: int) -> Room:
    """Raises the limit of open files, because each connection needs one and the default is often
    1,024. If the system allows fewer than needed, HTTP gets a third."""
    wanted = sockets + http_limits.MOST * http_limits.FILES_OF_ONE + _FILES_BESIDES
    soft = _allowed_files(wanted)
    if soft < 0 or soft >= wanted:
        return Room(sockets)
    free = max(soft - _FILES_BESIDES, soft // 2)
    http = min(http_limits.MOST, free // 3)
    room = Room(min(sockets, free - http), http)
    if soft < sockets:
        _log.warning(
            "the system allows %d open files: room for %d sockets and %d other connections",
            soft,
            room.sockets,
            room.http,
        )
    return room


def _allowed_files(wanted: int) -> int:
    """The number of files wanted, or as many as the system allows. Below 0 means unlimited."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if 0 <= soft < wanted:
        with suppress(ValueError, OSError):  # macOS has another limit
            soft = min(wanted, hard) if hard >= 0 else wanted
            resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    return resource.getrlimit(resource.RLIMIT_NOFILE)[0]


def listen(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.socket(family)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, _KERNEL_BYTES)
    try:
        listener.bind((host, port))
    except OSError as error:
        listener.close()
        reason = (error.strerror or str(error)).lower()
        raise CannotListen(host, port, reason) from error
    return listener


def address_of(listener: socket.socket) -> str:
    host, port = listener.getsockname()[:2]
    shown = {"0.0.0.0": "127.0.0.1", "::": "[::1]"}.get(host, f"[{host}]" if ":" in host else host)
    return f"http://{shown}:{port}"


async def serve(
    app: Litestar,
    socket_server: SocketServer,
    listener: socket.socket,
    *,
    started: Callable[[], None],
    most_http: int = http_limits.MOST,
) -> None:
    """Serves until SIGINT or SIGTERM, then completes running requests."""
    config = uvicorn.Config(
        app,
        log_config=None,
        access_log=False,
        server_header=False,
        lifespan="off",
        http=partial(  # type: ignore[arg-type]
            http_limits.LimitedHttpProtocol,
            most=most_http,
            metrics=socket_server.metrics,
            downloads=Downloads(most_http // 2),
        ),
        ws=partial(UpgradeProtocol, socket_server),  # type: ignore[arg-type]
        timeout_graceful_shutdown=_FINISH_SECONDS,
    )
    await _Server(config, socket_server, started).serve([listener])

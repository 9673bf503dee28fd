"""The port and the loop: bind first, so that a taken port is told before anything is opened.

Uvicorn would raise the signal that stopped it once more, and end the process before the store is
closed; here a signal only asks the server to finish what it has begun.
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

from greenroom.api.door import Door
from greenroom.api.problems import CannotListen
from greenroom.api.ws.desk import Desk
from greenroom.api.ws.drain import drain
from greenroom.api.ws.handover import Handover

_FINISH_SECONDS = 10
_FILES_BESIDES = 256
"""Open files for all that is no socket of a client: the store, the bus, HTTP."""
_log = logging.getLogger(__name__)


class _Server(uvicorn.Server):
    def __init__(self, config: uvicorn.Config, desk: Desk, started: Callable[[], None]) -> None:
        super().__init__(config)
        self._desk = desk
        self._tell_started = started

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self._tell_started()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        await drain(self._desk)
        await super().shutdown(sockets)

    @contextmanager
    def capture_signals(self) -> Generator[None, None, None]:
        loop = asyncio.get_running_loop()
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(number, self.handle_exit, number, None)
        yield


def room_for(sockets: int) -> int:
    """How many of them this process may have. Each is an open file, and a system that allows many
    thousands gives a process a thousand unless it asks for more."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = sockets + _FILES_BESIDES
    if 0 <= soft < wanted:
        with suppress(ValueError, OSError):  # macOS has a limit besides
            soft = min(wanted, hard) if hard >= 0 else wanted
            resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft < 0 or soft >= wanted:
        return sockets
    room = min(soft - min(_FILES_BESIDES, soft // 2), sockets)
    if soft < sockets:
        _log.warning("the system allows %d open files: there is room for %d sockets", soft, room)
    return room


def listen(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.socket(family)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
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
    app: Litestar, desk: Desk, listener: socket.socket, *, started: Callable[[], None]
) -> None:
    """Until SIGINT or SIGTERM, and then for as long as the requests under way take."""
    config = uvicorn.Config(
        app,
        log_config=None,
        access_log=False,
        server_header=False,
        lifespan="off",
        http=Door,
        ws=partial(Handover, desk),  # type: ignore[arg-type]
        timeout_graceful_shutdown=_FINISH_SECONDS,
    )
    await _Server(config, desk, started).serve([listener])

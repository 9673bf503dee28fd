"""A small HTTP/1.1 client that keeps its connections to one server open between requests.

A request takes an idle connection, opens a new one, or waits if the maximum is open.

Careful: the server may close an idle connection just as a request is written. Whether that request
took effect is unknown, so it is not repeated here.
"""

import asyncio
import socket
import ssl
from collections import deque
from urllib.parse import urlsplit

from aiohappyeyeballs import start_connection

from greenroom.store.dynamo.connection import ConnectFailed, Connection, HttpResponse

MAX_CONNECTIONS = 100
IDLE_SECONDS = 15.0
"""How long an idle connection is kept. AWS closes idle connections too, but later."""

NEXT_ADDRESS_SECONDS = 0.25
"""When the host's next address is tried too, as RFC 8305 recommends."""


class ClientClosed(Exception):
    """The client was closed before the request was sent."""


class HttpClient:
    """Each connection, open or being opened, holds one of `max_connections` slots."""

    def __init__(
        self,
        endpoint: str,
        *,
        connect_seconds: float,
        response_seconds: float,
        max_connections: int = MAX_CONNECTIONS,
        idle_seconds: float = IDLE_SECONDS,
        tls: ssl.SSLContext | None = None,
    ) -> None:
        url = urlsplit(endpoint)
        secure = url.scheme == "https"
        self._host = url.hostname or ""
        self._port = url.port or (443 if secure else 80)
        self._tls = (tls or _default_tls()) if secure else None
        self._connect_seconds = connect_seconds
        self._response_seconds = response_seconds
        self._idle_seconds = idle_seconds
        self._free = max_connections
        self._idle: deque[Connection] = deque()
        """The most recently used is last."""
        self._waiting: deque[asyncio.Future[Connection | None]] = deque()
        self._connecting: set[asyncio.Timeout] = set()
        self._open: set[Connection] = set()
        self._sweeping: asyncio.TimerHandle | None = None
        self._closed: asyncio.Future[None] | None = None

    async def send(self, request: bytes) -> HttpResponse:
        """Raises `ConnectFailed`, `NoResponse` or `ClientClosed`."""
        if self._closed is not None:
            raise ClientClosed
        connection = self._idle_connection() or await self._next()
        try:
            return await connection.request(request)
        finally:
            self._release(connection)

    async def close(self) -> None:
        """Aborts all requests, and returns once every connection is closed. Waiting requests get a
        slot and find the client closed."""
        if self._closed is None:
            self._closed = asyncio.get_running_loop().create_future()
            if self._sweeping is not None:
                self._sweeping.cancel()
            for limit in self._connecting:
                if not limit.expired():
                    limit.reschedule(0.0)
            for connection in list(self._open):
                connection.abort()
            self._check_closed()
        await asyncio.shield(self._closed)

    def _idle_connection(self) -> Connection | None:
        """Checks the idle time too: after the process was suspended the sweep may be late."""
        oldest = asyncio.get_running_loop().time() - self._idle_seconds
        while self._idle:
            connection = self._idle.pop()
            if connection.is_open and connection.idle_since > oldest:
                return connection
            connection.abort()
            self._free += 1
        return None

    async def _next(self) -> Connection:
        if self._free:
            self._free -= 1
            return await self._connect()
        waiter: asyncio.Future[Connection | None] = asyncio.get_running_loop().create_future()
        self._waiting.append(waiter)
        try:
            connection = await waiter
        except asyncio.CancelledError:
            if waiter.done() and not waiter.cancelled():
                self._release(waiter.result())
            raise
        if connection is not None and connection.is_open:
            return connection
        return await self._connect()

    async def _connect(self) -> Connection:
        """Opens a connection in the caller's slot, and frees the slot on failure."""
        try:
            async with asyncio.timeout(self._connect_seconds) as limit:
                return await self._opened(limit)
        except BaseException as error:
            self._release(None)
            self._check_closed()
            raise self._translated(error) from None

    async def _opened(self, limit: asyncio.Timeout) -> Connection:
        if self._closed is not None:
            raise ClientClosed
        loop = asyncio.get_running_loop()
        self._connecting.add(limit)
        try:
            _, connection = await loop.create_connection(
                lambda: Connection(self._response_seconds, self._lost),
                sock=await _connected_socket(self._host, self._port),
                ssl=self._tls,
                server_hostname=self._host if self._tls else None,
            )
        finally:
            self._connecting.discard(limit)
        if not connection.is_open:
            raise ConnectionResetError("the server closed it immediately")
        self._open.add(connection)
        if self._closed is not None:
            connection.abort()
            raise ClientClosed
        return connection

    def _translated(self, error: BaseException) -> BaseException:
        if self._closed is not None and isinstance(error, TimeoutError):
            return ClientClosed()
        if not isinstance(error, OSError | ValueError):  # ValueError: not a valid host name
            return error
        reason = str(error) or type(error).__name__
        return ConnectFailed(f"no connection to {self._host}:{self._port}: {reason}")

    def _release(self, connection: Connection | None) -> None:
        """Passes the slot, and the connection if it is open, to the next waiting request."""
        if connection is not None and not connection.is_open:
            connection = None
        while self._waiting:
            waiter = self._waiting.popleft()
            if not waiter.done():
                waiter.set_result(connection)
                return
        if connection is None:
            self._free += 1
            return
        loop = asyncio.get_running_loop()
        connection.idle_since = loop.time()
        self._idle.append(connection)
        if self._sweeping is None:
            self._sweeping = loop.call_later(self._idle_seconds, self._sweep)

    def _sweep(self) -> None:
        """Closes connections that were idle for too long, and schedules the next sweep."""
        loop = asyncio.get_running_loop()
        self._sweeping = None
        while self._idle:
            left = self._idle[0].idle_since + self._idle_seconds - loop.time()
            if left > 0:
                self._sweeping = loop.call_later(left, self._sweep)
                return
            self._idle.popleft().abort()
            self._free += 1

    def _lost(self, connection: Connection) -> None:
        self._open.discard(connection)
        if connection in self._idle:
            self._idle.remove(connection)
            self._free += 1
        self._check_closed()

    def _check_closed(self) -> None:
        if self._closed is None or self._closed.done() or self._open or self._connecting:
            return
        self._closed.set_result(None)


async def _connected_socket(host: str, port: int) -> socket.socket:
    """Connects to the first of the host's addresses that accepts. An address that does not respond
    delays the next one only briefly."""
    loop = asyncio.get_running_loop()
    addresses = await loop.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    try:
        return await start_connection(addresses, happy_eyeballs_delay=NEXT_ADDRESS_SECONDS)
    except RuntimeError as error:  # from uvloop, if a descriptor was closed and reused
        raise OSError(str(error)) from None


def _default_tls() -> ssl.SSLContext:
    context = ssl.create_default_context()
    context.set_alpn_protocols(["http/1.1"])
    return context

"""One HTTP/1.1 connection to DynamoDB. It carries one request at a time.

Careful: a response must declare its length (`Content-Length` or chunks). One that ends when the
server closes the connection looks the same as a truncated one, so it counts as no response.
"""

import asyncio
from collections.abc import Callable
from typing import NamedTuple, cast

from httptools import HttpParserError, HttpParserUpgrade, HttpResponseParser

MAX_HEAD_BYTES = 64 * 1024
MAX_BYTES = 64 * 1024 * 1024
"""Of a response with its headers. DynamoDB's own limit is 16 MB."""


class ConnectFailed(Exception):
    """No connection to the server: nothing was sent."""


class NoResponse(Exception):
    """The request was sent, at least partly, and no complete response came."""


class HttpResponse(NamedTuple):
    status: int
    body: bytes


class Connection(asyncio.Protocol):
    """`on_lost` is called once the connection is closed."""

    is_open = False
    idle_since = 0.0

    def __init__(self, response_seconds: float, on_lost: Callable[["Connection"], None]) -> None:
        self._loop = asyncio.get_running_loop()
        self._response_seconds = response_seconds
        self._on_lost = on_lost
        self._parser = HttpResponseParser(self)
        self._transport: asyncio.Transport | None = None
        self._response: asyncio.Future[HttpResponse] | None = None
        self._parts: list[bytes] = []
        self._received = 0
        self._in_head = True
        self._deadline = 0.0
        self._timer: asyncio.TimerHandle | None = None

    async def request(self, request: bytes) -> HttpResponse:
        """Raises `NoResponse`. Closes the connection when canceled, because the response would
        still arrive."""
        assert self._transport is not None
        response: asyncio.Future[HttpResponse] = self._loop.create_future()
        self._response = response
        self._received = 0
        self._in_head = True
        self._deadline = self._loop.time() + self._response_seconds
        if self._timer is None:
            self._timer = self._loop.call_later(self._response_seconds, self._check_deadline)
        try:
            self._transport.write(request)
            return await response
        except BaseException:
            response.cancel()  # if writing failed, nothing awaits it
            self.abort()
            raise

    def abort(self) -> None:
        self.is_open = False
        if self._transport is not None:
            self._transport.abort()

    def _fail(self, reason: str) -> None:
        response, self._response = self._response, None
        if response is not None and not response.done():
            response.set_exception(NoResponse(reason))
        self.abort()

    def _check_deadline(self) -> None:
        """One timer serves many requests: it is set again only if it fires during a request."""
        self._timer = None
        if self._response is None:
            return
        left = self._deadline - self._loop.time()
        if left > 0:
            self._timer = self._loop.call_later(left, self._check_deadline)
        else:
            self._fail(f"no response for {self._response_seconds:g} seconds")

    # Called by the transport

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)
        self.is_open = True

    def data_received(self, data: bytes) -> None:
        if self._response is None:
            self.abort()  # no request is pending
            return
        self._received += len(data)
        self._deadline = self._loop.time() + self._response_seconds
        try:
            self._parser.feed_data(data)
        except (HttpParserError, HttpParserUpgrade) as error:
            self._fail(f"the response is not valid HTTP: {error}")
            return
        if self._response is not None:
            self._check_size()

    def _check_size(self) -> None:
        if self._received > (MAX_HEAD_BYTES if self._in_head else MAX_BYTES):
            self._fail("the response is too large")

    def eof_received(self) -> None:
        self.is_open = False  # and the transport closes itself

    def connection_lost(self, error: Exception | None) -> None:
        self.is_open = False
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        reason = f": {error}" if error else ""
        self._fail(f"the connection was closed before the response was complete{reason}")
        self._on_lost(self)

    # Called by the parser

    def on_message_begin(self) -> None:
        if self._response is None:
            raise ValueError("unexpected second response")

    def on_headers_complete(self) -> None:
        self._in_head = False

    def on_body(self, part: bytes) -> None:
        self._parts.append(part)

    def on_message_complete(self) -> None:
        status = self._parser.get_status_code()
        if 100 <= status < 200 and status != 101:
            self._in_head = True  # the final response follows
            return
        parts, self._parts = self._parts, []
        response, self._response = self._response, None
        if response is not None and not response.done():
            response.set_result(
                HttpResponse(status, parts[0] if len(parts) == 1 else b"".join(parts))
            )
        if not self._parser.should_keep_alive():
            self.abort()

"""One HTTP/1.1 connection to DynamoDB: it carries one request at a time and reads the answer.

Careful: an answer must say how long it is (`Content-Length` or chunks). One that ends when the
server closes the connection cannot be told from one that broke off, so it counts as no answer.
"""

import asyncio
from collections.abc import Callable
from typing import NamedTuple, cast

from httptools import HttpParserError, HttpParserUpgrade, HttpResponseParser

MOST_HEAD_BYTES = 64 * 1024
MOST_BYTES = 64 * 1024 * 1024
"""Of an answer with its head. DynamoDB's own limit is 16 MB."""


class NoConnection(Exception):
    """The server was not reached: nothing was sent."""


class NoAnswer(Exception):
    """The request went out, or some of it, and no whole answer came."""


class Answer(NamedTuple):
    status: int
    body: bytes


class Connection(asyncio.Protocol):
    """`on_lost` is called once the connection is closed."""

    is_open = False
    idle_since = 0.0

    def __init__(self, answer_seconds: float, on_lost: Callable[["Connection"], None]) -> None:
        self._loop = asyncio.get_running_loop()
        self._answer_seconds = answer_seconds
        self._on_lost = on_lost
        self._parser = HttpResponseParser(self)
        self._transport: asyncio.Transport | None = None
        self._answer: asyncio.Future[Answer] | None = None
        self._parts: list[bytes] = []
        self._received = 0
        self._in_head = True
        self._deadline = 0.0
        self._timer: asyncio.TimerHandle | None = None

    async def ask(self, request: bytes) -> Answer:
        """The answer to a whole request, or `NoAnswer`. Closes the connection when cancelled: the
        answer would still come."""
        assert self._transport is not None
        answer: asyncio.Future[Answer] = self._loop.create_future()
        self._answer = answer
        self._received = 0
        self._in_head = True
        self._deadline = self._loop.time() + self._answer_seconds
        if self._timer is None:
            self._timer = self._loop.call_later(self._answer_seconds, self._check_deadline)
        try:
            self._transport.write(request)
            return await answer
        except BaseException:
            answer.cancel()  # where writing failed, nobody waits for it
            self.abort()
            raise

    def abort(self) -> None:
        self.is_open = False
        if self._transport is not None:
            self._transport.abort()

    def _fail(self, reason: str) -> None:
        answer, self._answer = self._answer, None
        if answer is not None and not answer.done():
            answer.set_exception(NoAnswer(reason))
        self.abort()

    def _check_deadline(self) -> None:
        """One timer serves many requests: it is set anew only when it fires during a request."""
        self._timer = None
        if self._answer is None:
            return
        left = self._deadline - self._loop.time()
        if left > 0:
            self._timer = self._loop.call_later(left, self._check_deadline)
        else:
            self._fail(f"no answer came for {self._answer_seconds:g} seconds")

    # What the transport calls

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)
        self.is_open = True

    def data_received(self, data: bytes) -> None:
        if self._answer is None:
            self.abort()  # nothing was asked
            return
        self._received += len(data)
        self._deadline = self._loop.time() + self._answer_seconds
        try:
            self._parser.feed_data(data)
        except (HttpParserError, HttpParserUpgrade) as error:
            self._fail(f"the answer is not valid HTTP: {error}")
            return
        if self._answer is not None:
            self._check_size()

    def _check_size(self) -> None:
        if self._received > (MOST_HEAD_BYTES if self._in_head else MOST_BYTES):
            self._fail("the answer is too large")

    def eof_received(self) -> None:
        self.is_open = False  # and the transport closes itself

    def connection_lost(self, error: Exception | None) -> None:
        self.is_open = False
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        told = f": {error}" if error else ""
        self._fail(f"the connection was closed before the answer was complete{told}")
        self._on_lost(self)

    # What the parser calls

    def on_message_begin(self) -> None:
        if self._answer is None:
            raise ValueError("a second answer came")

    def on_headers_complete(self) -> None:
        self._in_head = False

    def on_body(self, part: bytes) -> None:
        self._parts.append(part)

    def on_message_complete(self) -> None:
        status = self._parser.get_status_code()
        if 100 <= status < 200 and status != 101:
            self._in_head = True  # the real answer follows
            return
        parts, self._parts = self._parts, []
        answer, self._answer = self._answer, None
        if answer is not None and not answer.done():
            answer.set_result(Answer(status, parts[0] if len(parts) == 1 else b"".join(parts)))
        if not self._parser.should_keep_alive():
            self.abort()

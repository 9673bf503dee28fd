"""Uvicorn's HTTP protocol with limits: number of connections, time to send a request, time to read
the response. Without them idle connections would use up all open files.

A long upload (long_uploads.py) has no limit in all: it only has to go on.

Careful: a WebSocket runs on the same connection, and these limits no longer apply to it. Each
request on a connection has its own time limit.
"""

import asyncio
from http import HTTPStatus
from typing import Any

import h11
import msgspec
from uvicorn.protocols.http.h11_impl import H11Protocol

from greenroom.api import send_file
from greenroom.api.downloads import Downloads
from greenroom.api.long_uploads import is_long_upload
from greenroom.api.observed_app import count_outside, new_request_id, running_request_id
from greenroom.api.platform.problems import PROBLEMS
from greenroom.api.problem_table import HTTP_PROBLEMS, ProblemTable
from greenroom.api.problems import Overloaded
from greenroom.api.strict_http import make_strict
from greenroom.metrics import Metrics

REQUEST_SECONDS = 20.0
"""To receive a whole request with its body, or `UPLOAD_BYTES` of a long upload."""
UPLOAD_BYTES = 16 * 1024
WRITE_SECONDS = 20.0
"""Without any progress in sending a response."""
MOST = 1024
"""Concurrent HTTP connections, without WebSockets."""
FILES_OF_ONE = 3
"""Open files of one of them at most: its socket, and of a download a copy of it and the file."""
RESERVE = 32
"""Additional connections, for health checks only."""
_HEALTH = ("/healthz", "/readyz")
_TOO_LATE = (
    b"HTTP/1.1 408 Request Timeout\r\nconnection: close\r\nx-request-id: %s\r\n"
    b"content-length: 0\r\n\r\n"
)
_TABLE = ProblemTable([PROBLEMS])
_PROBLEM = msgspec.json.encode(
    _TABLE.http_document(400) | {"detail": "The request is not valid HTTP/1.1."}
)
_MALFORMED = (
    b"HTTP/1.1 400 Bad Request\r\nconnection: close\r\ncache-control: no-store\r\n"
    b"content-type: application/problem+json\r\nx-request-id: %s\r\n"
    b"content-length: %d\r\n\r\n%s"
)
_OVERLOADED = msgspec.json.encode(_TABLE.document_of(Overloaded()))
_UNFINISHED = (h11.IDLE, h11.SEND_BODY)
_UNANSWERED = (h11.IDLE, h11.SEND_RESPONSE)


class LimitedHttpProtocol(H11Protocol):
    """Beyond `most` connections it closes the one that has been idle longest. If none is idle, it
    accepts a few more for health checks and answers 503 to other requests."""

    _request_timer: asyncio.TimerHandle | None = None
    _write_timer: asyncio.TimerHandle | None = None
    _unwritten = 0
    _received = 0
    """Bytes since the request timer was started."""

    def __init__(
        self,
        *args: Any,
        most: int = MOST,
        metrics: Metrics | None = None,
        downloads: Downloads | None = None,
        **named: Any,
    ) -> None:
        super().__init__(*args, **named)
        self._most = most
        self._metrics = metrics or Metrics()
        self._downloads = Downloads() if downloads is None else downloads
        self._idle_since = self.loop.time()
        make_strict(self.conn)
        self.app = self._sending_files(self.app)

    @property
    def is_idle(self) -> bool:
        """No request is running. The last response may still be unsent."""
        return self.conn.our_state is h11.IDLE or self.transport.is_closing()

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        if len(self.connections) > self._most:
            self._make_room()
        self._start_request_timer()

    def data_received(self, data: bytes) -> None:
        self._received += len(data)
        super().data_received(data)
        if self.conn.their_state not in _UNFINISHED or self not in self.connections:
            self._stop_request_timer()
        elif self._request_timer is None:
            self._start_request_timer()

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop_request_timer()
        self._stop_write_timer()
        super().connection_lost(exc)

    def on_response_complete(self) -> None:
        self._idle_since = self.loop.time()
        super().on_response_complete()
        self._watch_writing()

    def pause_writing(self) -> None:
        super().pause_writing()
        self._watch_writing()

    def handle_websocket_upgrade(self, event: h11.Request) -> None:
        self._stop_write_timer()
        super().handle_websocket_upgrade(event)

    def send_400_response(self, msg: str) -> None:
        """Sends a problem if no response has begun, and reads nothing more."""
        if self.conn.our_state in _UNANSWERED:
            request_id = self._identify(HTTPStatus.BAD_REQUEST, HTTP_PROBLEMS[400][0])
            self.transport.write(_MALFORMED % (request_id, len(_PROBLEM), _PROBLEM))
        self.transport.close()
        self._watch_writing()

    def _sending_files(self, app: Any) -> Any:
        """Adds ASGI's extension for files, and its limit: a client that reads nothing is left."""

        async def with_files(scope: Any, receive: Any, send: Any) -> None:
            cycle = self.cycle
            scope.setdefault("extensions", {})[send_file.EXTENSION] = {}

            async def sending(message: Any) -> None:
                if message["type"] != send_file.EXTENSION:
                    await send(message)
                    return
                try:
                    await send_file.send_file(
                        cycle,
                        self._downloads,
                        message["file"],
                        message["offset"],
                        message["count"],
                        stall_seconds=WRITE_SECONDS,
                    )
                except send_file.ReaderGone:
                    cycle.disconnected = True
                    self.transport.abort()
                else:
                    await send({"type": "http.response.body", "body": b"", "more_body": False})

            await app(scope, receive, sending)

        return with_files

    def _identify(self, status: HTTPStatus, code: str = "") -> bytes:
        """The request's id. If the app does not handle the request, it is counted here."""
        if self.conn.our_state is h11.SEND_RESPONSE:
            known = running_request_id(self.scope)
            if known is not None:
                return known.encode()
        count_outside(self._metrics, "other", status, code)
        return new_request_id().encode()

    def _make_room(self) -> None:
        others = [one for one in self.connections if one is not self]
        idle = [one for one in others if isinstance(one, LimitedHttpProtocol) and one.is_idle]
        if idle:
            min(idle, key=lambda one: one._idle_since).transport.abort()
        elif len(others) < self._most + RESERVE:
            self.app = health_only(self.app, self._metrics)
        else:
            self.transport.abort()

    def _start_request_timer(self) -> None:
        self._received = 0
        self._request_timer = self.loop.call_later(REQUEST_SECONDS, self._on_request_timeout)

    def _stop_request_timer(self) -> None:
        if self._request_timer is not None:
            self._request_timer.cancel()
            self._request_timer = None

    def _on_request_timeout(self) -> None:
        self._request_timer = None
        if is_long_upload(self.scope) and self._goes_on:
            self._start_request_timer()
        elif not self.transport.is_closing():
            if self.conn.our_state in _UNANSWERED:
                self.transport.write(_TOO_LATE % self._identify(HTTPStatus.REQUEST_TIMEOUT))
            self.transport.close()
            self._watch_writing()

    @property
    def _goes_on(self) -> bool:
        """Whether bytes keep coming, or it is us who do not read them, because the disk is slow."""
        return self._received >= UPLOAD_BYTES or self.flow.read_paused

    def _watch_writing(self) -> None:
        """Starts the write timer while data is unsent, also on a connection that is closing."""
        self._unwritten = self.transport.get_write_buffer_size()
        if self._write_timer is None and self._unwritten:
            self._write_timer = self.loop.call_later(WRITE_SECONDS, self._check_written)

    def _check_written(self) -> None:
        self._write_timer, before = None, self._unwritten
        if before and self.transport.get_write_buffer_size() >= before:
            self.transport.abort()
        else:
            self._watch_writing()

    def _stop_write_timer(self) -> None:
        if self._write_timer is not None:
            self._write_timer.cancel()
            self._write_timer = None


def health_only(app: Any, metrics: Metrics) -> Any:
    """The app for a connection beyond the limit: health checks work, all else is 503."""

    async def overloaded(scope: Any, receive: Any, send: Any) -> None:
        if scope["path"] in _HEALTH:
            await app(scope, receive, send)
            return
        given = [value for name, value in scope["headers"] if name == b"x-request-id"]
        count_outside(metrics, scope["method"], HTTPStatus.SERVICE_UNAVAILABLE, Overloaded.code)
        headers = [
            (b"x-request-id", new_request_id(given).encode()),
            (b"content-type", b"application/problem+json"),
            (b"content-length", str(len(_OVERLOADED)).encode()),
            (b"cache-control", b"no-store"),
            (b"retry-after", b"5"),
            (b"connection", b"close"),
        ]
        await send({"type": "http.response.start", "status": 503, "headers": headers})
        await send({"type": "http.response.body", "body": _OVERLOADED})

    return overloaded

"""Uvicorn's HTTP, for whoever does not finish a request: a connection that says nothing, or half of
a request, is closed after a while, or they would add up until there are no open files left.

What one would get wrong: what has become a WebSocket is on the same connection, and is none of our
business any more; and for the next request on a connection the time begins anew.
"""

import asyncio
from typing import Any

import h11
import msgspec
from uvicorn.protocols.http.h11_impl import H11Protocol

from greenroom.api.errors import title_of, type_of
from greenroom.api.framing import strict

REQUEST_SECONDS = 20.0
"""For a whole request, with what it brings along."""
_TOO_LATE = b"HTTP/1.1 408 Request Timeout\r\nconnection: close\r\ncontent-length: 0\r\n\r\n"
_PROBLEM = msgspec.json.encode(
    {
        "type": type_of("invalid-request"),
        "title": title_of("invalid-request"),
        "status": 400,
        "detail": "The request is not valid HTTP/1.1.",
    }
)
_MALFORMED = (
    b"HTTP/1.1 400 Bad Request\r\nconnection: close\r\ncache-control: no-store\r\n"
    b"content-type: application/problem+json\r\n"
    b"content-length: %d\r\n\r\n%s" % (len(_PROBLEM), _PROBLEM)
)
_UNFINISHED = (h11.IDLE, h11.SEND_BODY)
_UNANSWERED = (h11.IDLE, h11.SEND_RESPONSE)


class Door(H11Protocol):
    _patience: asyncio.TimerHandle | None = None

    def __init__(self, *args: Any, **named: Any) -> None:
        super().__init__(*args, **named)
        strict(self.conn)

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._wait()

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        if self.conn.their_state not in _UNFINISHED or self not in self.connections:
            self._stop_waiting()
        elif self._patience is None:
            self._wait()

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop_waiting()
        super().connection_lost(exc)

    def send_400_response(self, msg: str) -> None:
        """Nothing of ours has been sent yet; what comes after this request is not read."""
        if self.conn.our_state in _UNANSWERED:
            self.transport.write(_MALFORMED)
        self.transport.close()

    def _wait(self) -> None:
        self._patience = self.loop.call_later(REQUEST_SECONDS, self._give_up)

    def _stop_waiting(self) -> None:
        if self._patience is not None:
            self._patience.cancel()
            self._patience = None

    def _give_up(self) -> None:
        self._patience = None
        if not self.transport.is_closing():
            if self.conn.our_state in _UNANSWERED:
                self.transport.write(_TOO_LATE)
            self.transport.close()

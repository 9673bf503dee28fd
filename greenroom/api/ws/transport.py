"""The socket's transport: picows. Joins fragments and batches outgoing frames.

All frames written in one round of the event loop are sent in one piece: a commit answers many
requests.

Careful: picows passes a view of its own buffer, valid only during the call. And closing a TCP
socket with unread input resets it, which loses our last frames. So after our close frame we wait
for the client's, and discard other input.
"""

import asyncio
from collections.abc import Callable
from http import HTTPStatus
from typing import Any, Protocol

import msgspec
from picows import (
    WSCloseCode,
    WSFrame,
    WSListener,
    WSMsgType,
    WSTransport,
    WSUpgradeRequest,
    WSUpgradeResponse,
    WSUpgradeResponseWithListener,
)

from greenroom.api.errors import PROBLEM_JSON, code_of
from greenroom.api.observed_app import REQUEST_ID, UNMATCHED, count_outside, new_request_id
from greenroom.api.problems import Overloaded
from greenroom.api.ws.session import Session
from greenroom.api.ws.socket_server import SocketServer

PATH = "/v1/socket"
PROTOCOL = "greenroom.v1"
_BEARER = "bearer."
MOST_BYTES = 128 * 1024
_TOO_BIG = WSCloseCode.MESSAGE_TOO_BIG.value
_PROTOCOL_ERROR = WSCloseCode.PROTOCOL_ERROR.value
_NO_CODE = WSCloseCode.NO_INFO.value


class UnauthenticatedProtocol(Protocol):
    """The protocol in front of picows until the client has authenticated."""

    socket: "PicowsTransport | None"

    def authenticated(self) -> None: ...


class PicowsTransport(WSListener):
    def __init__(
        self, server: SocketServer, token: str | None, on_authenticated: Callable[[], None]
    ) -> None:
        self._on_authenticated = on_authenticated
        self._server = server
        self._token = token
        self._transport: WSTransport | None = None
        self._session: Session | None = None
        self.has_received = token is not None
        """Whether a complete first frame, or a token in the handshake, was received."""
        self._fragments: bytearray | None = None
        self._is_paused = False
        self._waiting: list[bytes] = []
        self._loop = asyncio.get_running_loop()  # kept: each look-up is a system call
        self._close_timer: asyncio.TimerHandle | None = None

    # Called by picows.

    def on_ws_connected(self, transport: WSTransport) -> None:
        self._transport = transport
        self._session = Session(self._server, self)
        if (oldest := self._server.add(self._session)) is not None:
            oldest.close_unauthenticated()
        if self._token is not None:
            self._session.authenticate(self._token)

    def on_ws_frame(self, transport: WSTransport, frame: WSFrame) -> None:
        if frame.msg_type == WSMsgType.CLOSE:
            code = frame.get_close_code()  # a number where it has no name
            transport.send_close(_echo(getattr(code, "value", code)))  # type: ignore[arg-type]
            transport.disconnect()
            self._disconnect_soon()
        elif frame.msg_type != WSMsgType.PONG and not transport.is_close_frame_sent:
            self._take(frame)

    def on_ws_disconnected(self, transport: WSTransport) -> None:
        if self._close_timer is not None:
            self._close_timer.cancel()
        if self._session is not None:
            self._server.sessions.discard(self._session)
            self._session.disconnected()

    def pause_writing(self) -> None:
        if self._session is not None:
            self._session.pause_writes()

    def resume_writing(self) -> None:
        if self._session is not None:
            self._session.resume_writes()

    # Called by the session.

    def authenticated(self) -> None:
        self._on_authenticated()

    def write(self, payload: bytes) -> None:
        if not self._waiting:
            self._loop.call_soon(self._flush)
        self._waiting.append(_header(len(payload)))
        self._waiting.append(payload)

    def _flush(self) -> None:
        waiting, self._waiting = self._waiting, []
        if waiting and self._is_open() and not self._transport.is_close_frame_sent:  # type: ignore[union-attr]
            self._transport.underlying_transport.write(b"".join(waiting))  # type: ignore[union-attr]

    def close(self, code: int, reason: str) -> None:
        if self._transport is not None and not self._transport.is_disconnected:
            self._flush()
            self._transport.send_close(code, reason.encode())  # type: ignore[arg-type]
            self.resume_reading()
            self._disconnect_soon()

    def refuse_first_frame(self, most_bytes: int) -> None:
        if self._session is not None:
            reason = f"before authentication a client may send at most {most_bytes} bytes"
            self._session.close(_TOO_BIG, reason)

    def pause_reading(self) -> None:
        if not self._is_paused and self._is_open():
            self._is_paused = True
            self._transport.underlying_transport.pause_reading()  # type: ignore[union-attr]

    def resume_reading(self) -> None:
        if self._is_paused and self._is_open():
            self._is_paused = False
            self._transport.underlying_transport.resume_reading()  # type: ignore[union-attr]

    def _is_open(self) -> bool:
        transport = self._transport
        return transport is not None and not (
            transport.is_disconnected or transport.underlying_transport.is_closing()
        )

    def _disconnect_soon(self) -> None:
        if self._close_timer is None and self._transport is not None:
            seconds = self._server.timeouts.close_reply
            self._close_timer = self._loop.call_later(seconds, self._transport.disconnect, False)

    def _take(self, frame: WSFrame) -> None:
        assert self._session is not None
        self.has_received = self.has_received or bool(frame.fin)
        if frame.rsv1 or frame.rsv2 or frame.rsv3:
            self._session.close(_PROTOCOL_ERROR, "no extension was negotiated")
            return
        goes_on = frame.msg_type == WSMsgType.CONTINUATION
        if goes_on == (self._fragments is None):
            self._session.close(_PROTOCOL_ERROR, "a continuation was not expected")
        elif frame.fin and self._fragments is None:
            self._session.receive(frame.get_payload_as_bytes())
        else:
            self._add_fragment(frame.get_payload_as_bytes(), is_last=bool(frame.fin))

    def _add_fragment(self, part: bytes, *, is_last: bool) -> None:
        assert self._session is not None
        if self._fragments is None:
            self._fragments = bytearray()
        self._fragments += part
        if len(self._fragments) > MOST_BYTES:
            self._session.close(_TOO_BIG, f"a request must have at most {MOST_BYTES} bytes")
        elif is_last:
            whole, self._fragments = bytes(self._fragments), None
            self._session.receive(whole)


def _echo(code: int) -> int:
    """The close code to reply to a client's close frame: RFC 6455, section 7.4."""
    if code == _NO_CODE:
        return WSCloseCode.OK.value
    said = (1000 <= code <= 1014 and code not in (1004, 1005, 1006)) or 3000 <= code <= 4999
    return code if said else _PROTOCOL_ERROR


def _header(length: int) -> bytes:
    """Header of an unfragmented text frame: RFC 6455, section 5.2."""
    if length < 126:
        return bytes((0x81, length))
    if length < 1 << 16:
        return b"\x81\x7e" + length.to_bytes(2, "big")
    return b"\x81\x7f" + length.to_bytes(8, "big")


def accept_upgrade(
    server: SocketServer, waiting: UnauthenticatedProtocol, request: WSUpgradeRequest
) -> WSUpgradeResponseWithListener:
    """Accepts the handshake, or refuses it with a problem."""
    path = request.path.decode(errors="replace").partition("?")[0]
    given = [one.encode(errors="replace") for one in request.headers.getall(REQUEST_ID, ())]
    headers = {REQUEST_ID: new_request_id(given)}
    if path != PATH:
        document = server.problems.http_document(HTTPStatus.NOT_FOUND.value)
        return _refused(server, document, UNMATCHED, headers)
    if not server.accepts_connections():
        document = server.problems.document_of(Overloaded())
        return _refused(server, document, PATH, headers | {"Retry-After": "5"})
    offered = ",".join(request.headers.getall("Sec-WebSocket-Protocol", ()))
    named = [one.strip() for one in offered.split(",")]
    chosen = {"Sec-WebSocket-Protocol": PROTOCOL} if PROTOCOL in named else None
    accepted = WSUpgradeResponse.create_101_response(chosen)
    waiting.socket = PicowsTransport(server, _token_among(named), waiting.authenticated)
    return WSUpgradeResponseWithListener(accepted, waiting.socket)


def _token_among(named: list[str]) -> str | None:
    for one in named:
        if one.startswith(_BEARER):
            # Bytes that are not ASCII cannot be part of a token.
            return one.removeprefix(_BEARER).encode("ascii", "replace").decode()
    return None


def _refused(
    server: SocketServer, document: dict[str, Any], route: str, headers: dict[str, str]
) -> WSUpgradeResponseWithListener:
    status = HTTPStatus(document["status"])
    count_outside(server.metrics, "GET", status, code_of(document), route=route)
    response = WSUpgradeResponse.create_error_response(
        status, msgspec.json.encode(document), {"Content-Type": PROBLEM_JSON, **headers}
    )
    return WSUpgradeResponseWithListener(response, None)

"""The socket's transport: picows, and a whole message out of its fragments.

What one would get wrong: picows hands out a view of its own buffer, valid only during the call.
"""

from http import HTTPStatus

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

from greenroom.api.ws.desk import Desk
from greenroom.api.ws.session import Session

PATH = "/v1/socket"
PROTOCOL = "greenroom.v1"
_BEARER = "bearer."
MOST_BYTES = 128 * 1024


class Socket(WSListener):
    def __init__(self, desk: Desk, token: str | None) -> None:
        self._desk = desk
        self._token = token
        self._transport: WSTransport | None = None
        self._session: Session | None = None
        self._parts: list[bytes] = []

    # What picows calls.

    def on_ws_connected(self, transport: WSTransport) -> None:
        self._transport = transport
        self._session = Session(self._desk, self)
        self._desk.sessions.add(self._session)
        if self._token is not None:
            self._session.authenticate(self._token)

    def on_ws_frame(self, transport: WSTransport, frame: WSFrame) -> None:
        if self._session is None or self._session.is_closed:
            return
        if frame.msg_type == WSMsgType.CLOSE:
            transport.send_close(frame.get_close_code() or WSCloseCode.OK)
            transport.disconnect()
        elif frame.msg_type in (WSMsgType.TEXT, WSMsgType.BINARY, WSMsgType.CONTINUATION):
            self._take(frame)

    def on_ws_disconnected(self, transport: WSTransport) -> None:
        if self._session is not None:
            self._desk.sessions.discard(self._session)
            self._session.disconnected()

    def pause_writing(self) -> None:
        if self._session is not None:
            self._session.outbox.pause()

    def resume_writing(self) -> None:
        if self._session is not None:
            self._session.outbox.resume()

    # What the session calls.

    def write(self, payload: bytes) -> None:
        if self._transport is not None and not self._transport.is_disconnected:
            self._transport.send(WSMsgType.TEXT, payload)

    def close(self, code: int, reason: str) -> None:
        if self._transport is not None and not self._transport.is_disconnected:
            self._transport.send_close(code, reason.encode())  # type: ignore[arg-type]
            self._transport.disconnect()

    def pause_reading(self) -> None:
        if self._transport is not None and not self._transport.is_disconnected:
            self._transport.underlying_transport.pause_reading()

    def resume_reading(self) -> None:
        if self._transport is not None and not self._transport.is_disconnected:
            self._transport.underlying_transport.resume_reading()

    def _take(self, frame: WSFrame) -> None:
        assert self._session is not None
        if frame.fin and not self._parts:
            self._session.receive(frame.get_payload_as_bytes())
            return
        self._parts.append(frame.get_payload_as_bytes())
        if sum(map(len, self._parts)) > MOST_BYTES:
            self.close(WSCloseCode.MESSAGE_TOO_BIG.value, f"a frame has at most {MOST_BYTES} bytes")
        elif frame.fin:
            whole, self._parts = b"".join(self._parts), []
            self._session.receive(whole)


def upgrade(desk: Desk, request: WSUpgradeRequest) -> WSUpgradeResponseWithListener:
    """Lets a client in, or says at the door that there is no room."""
    path = request.path.decode(errors="replace").partition("?")[0]
    if path != PATH:
        nowhere = WSUpgradeResponse.create_error_response(HTTPStatus.NOT_FOUND)
        return WSUpgradeResponseWithListener(nowhere, None)
    if not desk.takes_more():
        refused = WSUpgradeResponse.create_error_response(
            HTTPStatus.SERVICE_UNAVAILABLE,
            b'{"type":"/problems/overloaded","title":"Overloaded","status":503}',
            {"Retry-After": "5", "Content-Type": "application/problem+json"},
        )
        return WSUpgradeResponseWithListener(refused, None)
    offered = request.headers.get("Sec-WebSocket-Protocol", "")
    named = [one.strip() for one in offered.split(",") if one.strip()]
    tokens = [one.removeprefix(_BEARER) for one in named if one.startswith(_BEARER)]
    chosen = {"Sec-WebSocket-Protocol": PROTOCOL} if PROTOCOL in named else None
    accepted = WSUpgradeResponse.create_101_response(chosen)
    return WSUpgradeResponseWithListener(accepted, Socket(desk, tokens[0] if tokens else None))

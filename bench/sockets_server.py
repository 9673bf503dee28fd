"""An echo server for `make bench-sockets`: one process on uvloop.

    python -m bench.sockets_server picows 9000 FOLDER

`picows` is the product's own protocol (uvicorn reads the request, `UpgradeProtocol` takes over).
Every other name is one of uvicorn's protocols, with a minimal ASGI app. FOLDER has the libraries
that uvicorn needs for those.
"""

import sys
from collections.abc import Awaitable, Callable, MutableMapping
from functools import partial
from typing import Any
from unittest.mock import patch

import uvicorn
from picows import (
    WSFrame,
    WSListener,
    WSMsgType,
    WSTransport,
    WSUpgradeRequest,
    WSUpgradeResponse,
    WSUpgradeResponseWithListener,
)

from greenroom.api.ws import upgrade
from greenroom.api.ws.socket_server import SocketServer
from greenroom.api.ws.transport import UnauthenticatedProtocol

Message = MutableMapping[str, Any]
PICOWS = "picows"
ASGI = ("websockets", "websockets-sansio", "wsproto")


class Echo(WSListener):
    def on_ws_frame(self, transport: WSTransport, frame: WSFrame) -> None:
        if frame.msg_type == WSMsgType.TEXT:
            transport.send(WSMsgType.TEXT, frame.get_payload_as_bytes())
        elif frame.msg_type == WSMsgType.CLOSE:
            transport.disconnect()


def upgraded(
    _: object, waiting: UnauthenticatedProtocol, __: WSUpgradeRequest
) -> WSUpgradeResponseWithListener:
    waiting.authenticated()
    return WSUpgradeResponseWithListener(WSUpgradeResponse.create_101_response(), Echo())


async def echo(
    scope: Message,
    receive: Callable[[], Awaitable[Message]],
    send: Callable[[Message], Awaitable[None]],
) -> None:
    assert scope["type"] == "websocket"
    await receive()
    await send({"type": "websocket.accept"})
    while (message := await receive())["type"] == "websocket.receive":
        await send({"type": "websocket.send", "text": message["text"]})


class _EchoServer(SocketServer):
    def __post_init__(self) -> None:
        """An echo has no contexts."""


def serve(name: str, port: int) -> None:
    nothing: Any = None
    socket_server = _EchoServer(nothing, nothing, nothing)
    protocol: Any = partial(upgrade.UpgradeProtocol, socket_server) if name == PICOWS else name
    with patch.object(upgrade, "accept_upgrade", upgraded):
        uvicorn.run(
            echo,
            host="127.0.0.1",
            port=port,
            loop="uvloop",
            http="h11",
            ws=protocol,
            lifespan="off",
            log_config=None,
            access_log=False,
        )


if __name__ == "__main__":
    sys.path.append(sys.argv[3])
    serve(sys.argv[1], int(sys.argv[2]))

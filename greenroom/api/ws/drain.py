"""Drains the sockets of a node that stops: refuses new ones, completes requests, closes the rest.

Each client gets its own reconnect delay, so that they do not all reach the other nodes at once.
"""

import asyncio
import random
from typing import Final

from greenroom.api.ws import frames
from greenroom.api.ws.close_codes import Closed
from greenroom.api.ws.encode import encode
from greenroom.api.ws.session import Session
from greenroom.api.ws.socket_server import SocketServer

_SPREAD_MS_EACH = 2
_SPREAD_MS = (1_000, 30_000)
_POLL_SECONDS = 0.01
_REASON: Final = "the server restarts"


async def drain(server: SocketServer) -> None:
    server.is_draining = True
    sessions = tuple(server.sessions)
    spread_ms = min(max(_SPREAD_MS[0], _SPREAD_MS_EACH * len(sessions)), _SPREAD_MS[1])
    await asyncio.gather(*(_close_session(session, spread_ms) for session in sessions))
    await _until_gone(server)


async def _close_session(session: Session, spread_ms: int) -> None:
    await session.finish()
    session.outbox.send_reply(encode(frames.Closing(_REASON, random.randint(0, spread_ms))))
    session.close(Closed.RESTART, _REASON)


async def _until_gone(server: SocketServer) -> None:
    """Waits until all sockets are closed. A client that does not reply to the close frame is
    disconnected after `Timeouts.close_reply`."""
    for _ in range(round((server.timeouts.close_reply + 1) / _POLL_SECONDS)):
        if not server.sessions and not server.under_way:
            return
        await asyncio.sleep(_POLL_SECONDS)

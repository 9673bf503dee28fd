"""Whoever is suspended is shown out at once, on every node on which they are connected.

The node that has written it says so to all, and each of them looks for itself: whoever can reach
the bus can say anything. What one would get wrong: nothing rests on that word. A socket is looked
at once in ten minutes as well (`Session.renew`), for the case that it was lost.
"""

import asyncio
import logging

import msgspec

from greenroom.api import errors
from greenroom.api.ws import frames
from greenroom.api.ws.publish import UserChanged, encode
from greenroom.api.ws.session import Closed
from greenroom.api.ws.socket_server import SocketServer
from greenroom.ids import UserId
from greenroom.people.access import AccountSuspended
from greenroom.realtime.bus import BusMessage

_log = logging.getLogger(__name__)


class SuspensionListener:
    """Listens for what is said to every node."""

    user = UserId("")

    def __init__(self, server: SocketServer) -> None:
        self._server = server
        self._tasks: set[asyncio.Task[None]] = set()

    def on_message(self, message: BusMessage) -> None:
        if message.payload:
            event = msgspec.json.decode(message.payload, type=UserChanged)
            self._server.authenticator.forget(event.changed)
            task = asyncio.create_task(self._check_account(event.changed))
            self._tasks.add(task)
            task.add_done_callback(self._on_checked)

    def on_gap(self) -> None:
        """Everybody is looked at before long."""

    async def _check_account(self, user: UserId) -> None:
        try:
            await self._server.authenticator.recheck(user)
        except AccountSuspended as problem:
            self._disconnect(user, problem)

    def _disconnect(self, user: UserId, problem: AccountSuspended) -> None:
        problem_frame = encode(frames.Problem(errors.document_of(problem)))
        for session in tuple(self._server.sessions):
            if session.actor is not None and session.actor.user == user:
                session.outbox.send_reply(problem_frame)
                session.close(Closed.EXPIRED, "the account is suspended")

    def _on_checked(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and (trouble := task.exception()) is not None:
            _log.error("a changed account could not be read", exc_info=trouble)

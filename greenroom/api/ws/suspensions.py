"""Disconnects a suspended user on every node, and forgets cached accounts that have changed.

The node that writes the change publishes it, and each node reads the account itself. Careful: if
the message is lost, `Session.renew` notices the suspension within ten minutes.
"""

import asyncio
import logging

from greenroom.api.ws import frames
from greenroom.api.ws.close_codes import Closed
from greenroom.api.ws.encode import encode
from greenroom.api.ws.socket_server import SocketServer
from greenroom.ids import UserId
from greenroom.people.access import AccountSuspended

_log = logging.getLogger(__name__)


class AccountInvalidation:
    """Lets the hub invalidate the node's cached accounts."""

    def __init__(self, server: SocketServer) -> None:
        self._server = server
        self._tasks: set[asyncio.Task[None]] = set()

    def invalidate(self, key: str, version: int) -> None:
        user = UserId(key)
        self._server.authenticator.forget(user)
        task = asyncio.create_task(self._check_account(user))
        self._tasks.add(task)
        task.add_done_callback(self._on_checked)

    def invalidate_all(self) -> None:
        """Not needed: every account is checked again periodically."""

    async def _check_account(self, user: UserId) -> None:
        try:
            await self._server.authenticator.recheck(user)
        except AccountSuspended as problem:
            self._disconnect(user, problem)

    def _disconnect(self, user: UserId, problem: AccountSuspended) -> None:
        problem_frame = encode(frames.Problem(self._server.problems.document_of(problem)))
        for session in tuple(self._server.sessions):
            if session.actor is not None and session.actor.user == user:
                session.outbox.send_reply(problem_frame)
                session.close(Closed.EXPIRED, "the account is suspended")

    def _on_checked(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and (trouble := task.exception()) is not None:
            _log.error("a changed account could not be read", exc_info=trouble)

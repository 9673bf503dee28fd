"""Whoever is suspended is shown out at once, on every node on which they are connected.

The node that has written it says so to all, and each of them looks for itself: whoever can reach
the bus can say anything. What one would get wrong: nothing rests on that word. A socket is looked
at once in ten minutes as well (`Session.renew`), for the case that it was lost.
"""

import asyncio
import logging

import msgspec
from msgspec import Struct

from greenroom.api import errors
from greenroom.api.rest.notices import notice
from greenroom.api.ws import frames
from greenroom.api.ws.desk import Desk
from greenroom.api.ws.herald import encode
from greenroom.api.ws.session import Closed
from greenroom.ids import UserId
from greenroom.people.access import AccountSuspended
from greenroom.realtime.base import EVERYBODY, Bus, Notice, user_topic
from greenroom.safety.events import (
    AccountChanged,
    NoticeAcknowledged,
    NoticeCreated,
    PersonBlocked,
    PersonSuspended,
    PersonUnblocked,
    SafetyEvent,
)

_log = logging.getLogger(__name__)


class Word(Struct):
    """Tells the other nodes, and no client, that this account has changed."""

    changed: UserId


def tell_nodes(bus: Bus, event: SafetyEvent) -> None:
    """A block is told to no client either, but every node has to forget what it knew of the two."""
    match event:
        case PersonSuspended(user) | AccountChanged(user):
            bus.publish((EVERYBODY,), Notice(encode(Word(user))))
        case NoticeCreated(told):
            frame = frames.NoticeCreated(notice(told))
            bus.publish((user_topic(told.user),), Notice(encode(frame)))
        case NoticeAcknowledged(user, notice_id):
            payload = encode(frames.NoticeAcknowledged(notice_id))
            bus.publish((user_topic(user),), Notice(payload))
        case PersonBlocked(one, other) | PersonUnblocked(one, other):
            bus.publish((EVERYBODY,), Notice(b"", only=(one, other)))


class Doorman:
    """Listens for what is said to every node."""

    user = UserId("")

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self._tasks: set[asyncio.Task[None]] = set()

    def hear(self, notice: Notice) -> None:
        if notice.payload:
            word = msgspec.json.decode(notice.payload, type=Word)
            self._desk.authenticator.forget(word.changed)
            task = asyncio.create_task(self._look_at(word.changed))
            self._tasks.add(task)
            task.add_done_callback(self._looked)

    def missed(self) -> None:
        """Everybody is looked at before long."""

    async def _look_at(self, user: UserId) -> None:
        try:
            await self._desk.authenticator.look_again(user)
        except AccountSuspended as problem:
            self._show_out(user, problem)

    def _show_out(self, user: UserId, problem: AccountSuspended) -> None:
        last_word = encode(frames.Problem(errors.document_of(problem)))
        for session in tuple(self._desk.sessions):
            if session.actor is not None and session.actor.user == user:
                session.outbox.answer(last_word)
                session.close(Closed.EXPIRED, "the account is suspended")

    def _looked(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and (trouble := task.exception()) is not None:
            _log.error("a changed account could not be read", exc_info=trouble)

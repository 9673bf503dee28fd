"""The threads that one client has on screen, and what passes there: who looks, who is typing.

What one would get wrong: a client changes its screen faster than the store answers, so changes are
made one after the other, and of those that wait only the last counts; and the user may look at the
same thread on another screen, and then has not gone from it.
"""

import asyncio
from collections.abc import Callable, Coroutine, Iterable
from contextlib import suppress
from typing import Any, TypeAlias

import msgspec

from greenroom.api.ws import frames
from greenroom.api.ws.herald import encode
from greenroom.clock import iso
from greenroom.errors import Problem
from greenroom.ids import ThreadId, UserId
from greenroom.messaging import Messaging, presence
from greenroom.messaging.problems import ThreadNotFound
from greenroom.people.actor import Actor
from greenroom.realtime.base import Notice, thread_topic
from greenroom.realtime.hub import Hub
from greenroom.realtime.outbox import Outbox

_PRESENCE = b'{"type":"presence.changed"'
Start: TypeAlias = Callable[[Coroutine[Any, Any, None]], object]


class Screen:
    def __init__(self, messaging: Messaging, hub: Hub, outbox: Outbox, start: Start) -> None:
        self.user = UserId("")
        self.threads: set[ThreadId] = set()
        self._actor: Actor | None = None
        self._messaging = messaging
        self._hub = hub
        self._outbox = outbox
        self._start = start
        self._wanted: frozenset[ThreadId] = frozenset()
        self._typing: dict[ThreadId, bool] = {}
        self._turn = asyncio.Lock()

    def belongs_to(self, actor: Actor) -> None:
        self.user, self._actor = actor.user, actor

    # The hub's side.

    def hear(self, notice: Notice) -> None:
        thread = _left_by(notice.payload, self.user)
        if thread is None:
            self._outbox.mention(notice.payload)
        elif thread in self.threads:  # left on another node's screen, and still on this one
            self._start(self._insist(thread))

    def missed(self) -> None:
        """It would have passed."""

    # The client's side.

    async def show(self, threads: Iterable[ThreadId]) -> None:
        """These and no others. The first that cannot be shown is told once the rest is."""
        wanted = self._wanted = frozenset(threads)
        async with self._turn:
            if wanted is not self._wanted:
                return
            for thread in self.threads - wanted:
                await self._leave(thread)
            problems = [await self._enter(thread) for thread in wanted - self.threads]
        for problem in problems:
            if problem is not None:
                raise problem

    async def type_in(self, thread: ThreadId, *, on: bool) -> None:
        assert self._actor is not None
        self._typing[thread] = on
        async with self._turn:
            last = self._typing.pop(thread, None)
            if last is not None:
                await presence.type_in(self._messaging, self._actor, thread, on=last)

    async def renew(self) -> None:
        """Whoever has a thread on screen is still there."""
        for thread in tuple(self.threads):
            assert self._actor is not None
            try:
                await presence.stay(self._messaging, self._actor, thread)
            except ThreadNotFound:
                self.drop(thread)

    def drop(self, thread: ThreadId) -> None:
        """The user is no longer in it."""
        self.threads.discard(thread)
        self._hub.remove(thread_topic(thread), self)

    def go_dark(self) -> None:
        for thread in tuple(self.threads):
            self.drop(thread)

    async def _enter(self, thread: ThreadId) -> Problem | None:
        assert self._actor is not None
        self.threads.add(thread)
        self._hub.add(thread_topic(thread), self)
        try:
            found = await presence.appear(self._messaging, self._actor, thread)
        except Problem as problem:
            self.drop(thread)
            return problem
        if thread in self.threads:
            for frame in _shown(thread, found):
                self._outbox.answer(encode(frame))
        return None

    async def _insist(self, thread: ThreadId) -> None:
        assert self._actor is not None
        with suppress(Problem):  # it is renewed soon anyway
            await presence.insist(self._messaging, self._actor, thread)

    async def _leave(self, thread: ThreadId) -> None:
        assert self._actor is not None
        self.drop(thread)
        if not self._hub.hears(thread_topic(thread), self.user):
            await presence.vanish(self._messaging, self._actor, thread)


def _left_by(payload: bytes, user: UserId) -> ThreadId | None:
    """The thread, if what is told is that this user looks at it no longer."""
    if payload.startswith(_PRESENCE):
        told = msgspec.json.decode(payload, type=frames.PresenceChanged)
        if told.user_id == user and not told.online:
            return told.thread_id
    return None


def _shown(thread: ThreadId, found: presence.Here) -> list[frames.Event]:
    return [
        *(
            frames.PresenceChanged(thread, user, True, iso(until))
            for user, until in found.there.items()
        ),
        *(
            frames.TypingChanged(thread, user, True, iso(until))
            for user, until in found.typing.items()
        ),
    ]

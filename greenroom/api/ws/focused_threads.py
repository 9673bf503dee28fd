"""The threads that one client has on screen, and what passes there: who looks, who is typing.

What one would get wrong: a client changes its screen faster than the store answers, so changes are
made one after the other and not too often, and of those that wait the last counts; and the user may
look at the same thread on another screen, and then has not gone from it.
"""

import asyncio
from collections.abc import Callable, Coroutine, Iterable
from contextlib import suppress
from typing import Any, TypeAlias

import msgspec

from greenroom.api.ws import frames
from greenroom.api.ws.publish import encode
from greenroom.clock import iso
from greenroom.errors import Problem
from greenroom.ids import ThreadId, UserId
from greenroom.messaging import Messaging, presence
from greenroom.messaging.problems import ThreadNotFound
from greenroom.people.actor import Actor
from greenroom.realtime.bus import BusMessage, thread_topic
from greenroom.realtime.hub import Hub
from greenroom.realtime.outbox import Outbox

_PRESENCE = b'{"type":"presence.changed"'
Start: TypeAlias = Callable[[Coroutine[Any, Any, None]], object]


class FocusedThreads:
    def __init__(
        self,
        messaging: Messaging,
        hub: Hub,
        outbox: Outbox,
        start: Start,
        refuse: Callable[[Problem], None],
    ) -> None:
        self.user = UserId("")
        self.threads: set[ThreadId] = set()
        self._actor: Actor | None = None
        self._messaging = messaging
        self._hub = hub
        self._outbox = outbox
        self._start = start
        self._refuse = refuse
        self._requested: frozenset[ThreadId] | None = None
        self._typing: dict[ThreadId, bool] = {}
        self._is_working = False
        self._is_over = False
        self._rate = _RateLimit()

    def set_actor(self, actor: Actor) -> None:
        self.user, self._actor = actor.user, actor

    # The hub's side.

    def on_message(self, message: BusMessage) -> None:
        thread = _thread_left_by(message.payload, self.user)
        if thread is None:
            self._outbox.send_ephemeral(message.payload)
        elif thread in self.threads:  # left on another node's screen, and still on this one
            self._start(self._restore_presence(thread))

    def on_gap(self) -> None:
        """It would have passed."""

    # The client's side.

    def focus(self, threads: Iterable[ThreadId]) -> None:
        """These and no others, before long."""
        self._requested = frozenset(threads)
        self._wake()

    def set_typing(self, thread: ThreadId, *, on: bool) -> None:
        if len(self._typing) < frames.MOST_ON_SCREEN or thread in self._typing:
            self._typing[thread] = on
            self._wake()

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

    def clear(self) -> None:
        """There is no screen any more."""
        self._is_over = True
        self._typing.clear()
        if self.threads or self._is_working:
            self.focus(())

    def clear_silently(self) -> None:
        """As `clear`, without a word: leases end by themselves."""
        self._is_over = True
        self._typing.clear()
        self._requested = None
        for thread in tuple(self.threads):
            self.drop(thread)

    def _wake(self) -> None:
        if not self._is_working:
            self._is_working = True
            self._start(self._apply_changes())

    async def _apply_changes(self) -> None:
        """For as long as something is wanted; of what was wanted meanwhile, the last counts."""
        try:
            while self._requested is not None or self._typing:
                if not self._is_over:
                    await self._rate.wait()
                requested, self._requested = self._requested, None
                typing, self._typing = self._typing, {}
                if requested is not None:
                    await self._change(requested)
                for thread, on in typing.items():
                    await self._try(self._type_in(thread, on))
        finally:
            self._is_working = False

    async def _try(self, change: Coroutine[Any, Any, None]) -> None:
        try:
            await change
        except Problem as problem:
            self._refuse(problem)

    async def _change(self, requested: frozenset[ThreadId]) -> None:
        for thread in self.threads - requested:
            await self._try(self._leave(thread))
        for thread in requested - self.threads:
            await self._try(self._enter(thread))

    async def _enter(self, thread: ThreadId) -> None:
        assert self._actor is not None
        self.threads.add(thread)
        self._hub.add(thread_topic(thread), self)
        try:
            found = await presence.appear(self._messaging, self._actor, thread)
        except Problem:
            self.drop(thread)
            raise
        if thread in self.threads:
            for frame in _current_state(thread, found):
                self._outbox.send_reply(encode(frame))

    async def _leave(self, thread: ThreadId) -> None:
        assert self._actor is not None
        self.drop(thread)
        if not self._hub.has_subscriber(thread_topic(thread), self.user):
            await presence.vanish(self._messaging, self._actor, thread)

    async def _type_in(self, thread: ThreadId, on: bool) -> None:
        assert self._actor is not None
        await presence.type_in(self._messaging, self._actor, thread, on=on)

    async def _restore_presence(self, thread: ThreadId) -> None:
        assert self._actor is not None
        with suppress(Problem):  # it is renewed soon anyway
            await presence.insist(self._messaging, self._actor, thread)


class _RateLimit:
    """Nobody changes so much in earnest."""

    _AT_ONCE = 20
    _PER_SECOND = 2

    def __init__(self) -> None:
        self._left: float = self._AT_ONCE
        self._at = 0.0

    async def wait(self) -> None:
        now = asyncio.get_running_loop().time()
        self._left = min(self._AT_ONCE, self._left + (now - self._at) * self._PER_SECOND) - 1
        self._at = now
        if self._left < 0:
            await asyncio.sleep(-self._left / self._PER_SECOND)


def _thread_left_by(payload: bytes, user: UserId) -> ThreadId | None:
    """The thread, if what is told is that this user looks at it no longer."""
    if payload.startswith(_PRESENCE):
        told = msgspec.json.decode(payload, type=frames.PresenceChanged)
        if told.user_id == user and not told.online:
            return told.thread_id
    return None


def _current_state(thread: ThreadId, found: presence.Here) -> list[frames.Event]:
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

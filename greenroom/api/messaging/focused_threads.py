"""Tracks the threads that one client has on screen, for presence and typing.

Careful: a client may change its screen faster than the store answers. Changes are applied one at a
time and rate limited; only the last of the waiting ones is applied. A user who has the same thread
on screen on another connection has not left it.
"""

import asyncio
from collections.abc import Coroutine, Iterable
from contextlib import suppress
from typing import Any

from greenroom.api.messaging import frames
from greenroom.api.messaging.events import MEMBERSHIP, PRESENCE, presence_key
from greenroom.api.ws.encode import encode
from greenroom.api.ws.frames import Frame
from greenroom.api.ws.session import Session
from greenroom.clock import iso
from greenroom.errors import Problem
from greenroom.ids import ThreadId, UserId
from greenroom.messaging import Messaging, presence
from greenroom.messaging.panel.editing import set_editing
from greenroom.messaging.panel.models import EditingPlace
from greenroom.messaging.problems import ThreadNotFound
from greenroom.people.actor import Actor
from greenroom.realtime.bus import BusMessage, thread_topic


class FocusedThreads:
    event_kinds = frozenset({"inbox.changed"})

    def __init__(self, session: Session) -> None:
        self.user = UserId("")
        self.threads: set[ThreadId] = set()
        self._actor: Actor | None = None
        self._messaging = session.context(Messaging)
        self._hub = session.server.hub
        self._outbox = session.outbox
        self._start = session.start
        self._refuse = session.refuse
        self._requested: frozenset[ThreadId] | None = None
        self._typing: dict[ThreadId, bool] = {}
        self._editing: dict[ThreadId, EditingPlace | None] = {}
        self._in_panel: set[ThreadId] = set()
        self._is_working = False
        self._is_over = False
        self._rate = _RateLimit()

    # Called by the session.

    def on_authenticated(self, actor: Actor) -> None:
        self.user, self._actor = actor.user, actor

    def on_event(self, message: BusMessage) -> None:
        for invalidated in message.invalidates:
            if invalidated.cache == MEMBERSHIP:
                self.drop(ThreadId(invalidated.key))

    def close(self, *, draining: bool) -> None:
        """With `draining`, the client reconnects elsewhere, so its presence is left to expire."""
        if draining:
            self.clear_silently()
        else:
            self.clear()

    # Called by the hub.

    def on_message(self, message: BusMessage) -> None:
        thread = self._left(message)
        if thread is None:
            self._outbox.send_ephemeral(message.payload)
        elif thread in self.threads:  # left on another node's screen, and still on this one
            self._start(self._restore_presence(thread))

    def on_gap(self) -> None:
        """Nothing to do: presence is renewed."""

    def _left(self, message: BusMessage) -> ThreadId | None:
        """The thread, if the event says that this user has closed it."""
        for invalidated in message.invalidates:
            if invalidated.cache == PRESENCE:
                thread = ThreadId(invalidated.key.partition(" ")[0])
                return thread if invalidated.key == presence_key(thread, self.user) else None
        return None

    # Called by request handlers.

    def focus(self, threads: Iterable[ThreadId]) -> None:
        """Requests that exactly these threads are focused; applied in the background."""
        self._requested = frozenset(threads)
        self._wake()

    def set_typing(self, thread: ThreadId, *, on: bool) -> None:
        if len(self._typing) < frames.MOST_ON_SCREEN or thread in self._typing:
            self._typing[thread] = on
            self._wake()

    def set_editing(self, thread: ThreadId, place: EditingPlace | None) -> None:
        if len(self._editing) < frames.MOST_ON_SCREEN or thread in self._editing:
            self._editing[thread] = place
            self._wake()

    async def renew(self) -> None:
        """Renews presence in the threads on screen."""
        for thread in tuple(self.threads):
            assert self._actor is not None
            try:
                await presence.keep_viewing(self._messaging, self._actor, thread)
            except ThreadNotFound:
                self.drop(thread)

    def drop(self, thread: ThreadId) -> None:
        """Drops a thread that the user is no longer in."""
        self.threads.discard(thread)
        self._hub.remove(thread_topic(thread), self)

    def clear(self) -> None:
        """Leaves all threads."""
        self._is_over = True
        self._typing.clear()
        self._editing = dict.fromkeys(self._in_panel)
        if self.threads or self._editing or self._is_working:
            self.focus(())

    def clear_silently(self) -> None:
        """Like `clear`, but publishes nothing: presence expires by itself."""
        self._is_over = True
        self._typing.clear()
        self._editing.clear()
        self._requested = None
        for thread in tuple(self.threads):
            self.drop(thread)

    def _wake(self) -> None:
        if not self._is_working:
            self._is_working = True
            self._start(self._apply_changes())

    async def _apply_changes(self) -> None:
        """Applies requested changes until none is left. Of several, only the last is applied."""
        try:
            while self._requested is not None or self._typing or self._editing:
                if not self._is_over:
                    await self._rate.wait()
                requested, self._requested = self._requested, None
                typing, self._typing = self._typing, {}
                editing, self._editing = self._editing, {}
                for thread, place in editing.items():
                    await self._try(self._edit_in(thread, place))
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
            found = await presence.start_viewing(self._messaging, self._actor, thread)
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
            await presence.stop_viewing(self._messaging, self._actor, thread)

    async def _type_in(self, thread: ThreadId, on: bool) -> None:
        assert self._actor is not None
        await presence.set_typing(self._messaging, self._actor, thread, on=on)

    async def _edit_in(self, thread: ThreadId, place: EditingPlace | None) -> None:
        assert self._actor is not None
        if place is None:
            self._in_panel.discard(thread)
        await set_editing(self._messaging, self._actor, thread, place)
        if place is not None:
            self._in_panel.add(thread)

    async def _restore_presence(self, thread: ThreadId) -> None:
        assert self._actor is not None
        with suppress(Problem):  # it is renewed soon anyway
            await presence.reassert(self._messaging, self._actor, thread)


class _RateLimit:
    """Twenty changes at once, then two a second."""

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


def _current_state(thread: ThreadId, found: presence.ActiveUsers) -> list[Frame]:
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

"""A sync source of a user's own list, such as the scheduled messages: all of it if any has changed.

A position is a server time, and the version of the list that was delivered last. The list is a
state: a client may get it twice, and no position is ever too old.
"""

from collections.abc import Awaitable, Callable

import msgspec
from msgspec import Struct

from greenroom.api.sync import Known, SourceChanges
from greenroom.clock import Clock
from greenroom.ids import UserId
from greenroom.messaging.list_state import ListState
from greenroom.people.actor import Actor
from greenroom.store.server_clock import SLACK_MS


class _Position(Struct, frozen=True, array_like=True):
    epoch: int
    """The epoch of the clock."""
    since_ms: int
    version: int = -1
    """Of the list that the client was given; unknown where it learned of changes by events."""


class ListSource:
    def __init__(
        self,
        clock: Clock,
        state: Callable[[UserId], Awaitable[ListState]],
        read: Callable[[Actor], Awaitable[Struct]],
    ) -> None:
        """`read` gives the whole list, in its shape."""
        self._clock = clock
        self._state = state
        self._read = read

    async def changes(
        self, actor: Actor, position: bytes | None, known: Known, room: int
    ) -> SourceChanges:
        since = None if position is None else _decoded(position)
        if since is None:
            return SourceChanges(position=self.position_now(actor.user, None, room), reset=True)
        clock, state = self._clock, await self._state(actor.user)
        is_quiet = since.epoch == clock.epoch and state.changed_ms <= since.since_ms - SLACK_MS
        now = msgspec.msgpack.encode(_Position(clock.epoch, clock.now_ms(), state.version))
        if is_quiet or since.version == state.version:
            return SourceChanges(position=now)
        return SourceChanges(changes=await self._read(actor), position=now)

    def position_now(self, user: UserId, last: bytes | None, room: int) -> bytes:
        return msgspec.msgpack.encode(_Position(self._clock.epoch, self._clock.now_ms()))


def _decoded(position: bytes) -> _Position | None:
    """None for a position of an older format."""
    try:
        return msgspec.msgpack.decode(position, type=_Position)
    except msgspec.MsgspecError:
        return None

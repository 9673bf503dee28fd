"""The sync source `scheduled`: the user's scheduled messages, all of them if any has changed.

A position is a server time, and the version of the list that was delivered last. The list is a
state: a client may get it twice, and no position is ever too old.
"""

import msgspec
from msgspec import Struct

from greenroom.api.messaging.scheduled_shapes import ScheduledMessages, scheduled_shape
from greenroom.api.sync import Known, SourceChanges
from greenroom.ids import UserId
from greenroom.messaging import Messaging
from greenroom.messaging.scheduled import scheduled_messages, scheduled_state
from greenroom.people.actor import Actor
from greenroom.store.server_clock import SLACK_MS


class _Position(Struct, frozen=True, array_like=True):
    epoch: int
    """The epoch of the clock."""
    since_ms: int
    version: int = -1
    """Of the list that the client was given; unknown where it learned of changes by events."""


class ScheduledSource:
    def __init__(self, messaging: Messaging) -> None:
        self._messaging = messaging

    async def changes(
        self, actor: Actor, position: bytes | None, known: Known, room: int
    ) -> SourceChanges:
        since = None if position is None else _decoded(position)
        if since is None:
            return SourceChanges(position=self.position_now(actor.user, None, room), reset=True)
        clock = self._messaging.clock
        state = await scheduled_state(self._messaging, actor.user)
        is_quiet = since.epoch == clock.epoch and state.changed_ms <= since.since_ms - SLACK_MS
        now = msgspec.msgpack.encode(_Position(clock.epoch, clock.now_ms(), state.version))
        if is_quiet or since.version == state.version:
            return SourceChanges(position=now)
        found = await scheduled_messages(self._messaging, actor)
        return SourceChanges(
            changes=ScheduledMessages([scheduled_shape(message) for message in found]),
            position=now,
        )

    def position_now(self, user: UserId, last: bytes | None, room: int) -> bytes:
        clock = self._messaging.clock
        return msgspec.msgpack.encode(_Position(clock.epoch, clock.now_ms()))


def _decoded(position: bytes) -> _Position | None:
    """None for a position of an older format."""
    try:
        return msgspec.msgpack.decode(position, type=_Position)
    except msgspec.MsgspecError:
        return None

"""The optional first message of a new thread, written in the same transaction.

Careful: everything that may refuse the message is checked before anything is written, so that no
empty thread is left behind.
"""

from typing import Protocol

from msgspec import Struct
from msgspec.structs import replace

from greenroom.ids import UserId
from greenroom.messaging.events import Event
from greenroom.messaging.models import Thread
from greenroom.store.base import Op


class FirstMessagePlan(Struct, frozen=True):
    """A thread with its first message."""

    thread: Thread
    ops: tuple[Op, ...] = ()
    events: tuple[Event, ...] = ()
    shows: bool = True
    """False while the message is held: then nobody has the thread in their inbox."""


class FirstMessage(Protocol):
    async def check(self, thread: Thread) -> None:
        """Raises where the message cannot be sent in this thread."""

    def plan(self, thread: Thread, ms: int) -> FirstMessagePlan:
        """May be called more than once; the last call counts."""


class _NoFirstMessage:
    async def check(self, thread: Thread) -> None:
        pass

    def plan(self, thread: Thread, ms: int) -> FirstMessagePlan:
        return FirstMessagePlan(thread)


NO_FIRST_MESSAGE: FirstMessage = _NoFirstMessage()


def without_active_rows(thread: Thread, newcomers: list[UserId]) -> Thread:
    members = {user: replace(thread.members[user], row_active_ms=0) for user in newcomers}
    return replace(thread, members=thread.members | members)

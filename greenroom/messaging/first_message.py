"""What a thread is opened with: nothing, or a first message, written in the same transaction.

What one would get wrong: everything that may refuse the words is asked before anything is written,
so that no empty thread is left of a message that was not sent.
"""

from typing import Protocol

from msgspec import Struct
from msgspec.structs import replace

from greenroom.ids import UserId
from greenroom.messaging.events import Event
from greenroom.messaging.models import Thread
from greenroom.store.base import Op


class FirstMessagePlan(Struct, frozen=True):
    """A thread, or its next part, with the words in it."""

    thread: Thread
    ops: tuple[Op, ...] = ()
    events: tuple[Event, ...] = ()
    shows: bool = True
    """Not while the words are held: until something is said, nobody has it in their inbox."""


class FirstMessage(Protocol):
    async def check(self, thread: Thread) -> None:
        """Refuses what cannot be said in this thread, or to these people."""

    def plan(self, thread: Thread, ms: int) -> FirstMessagePlan:
        """May be asked more than once; the last time counts."""


class _NoFirstMessage:
    async def check(self, thread: Thread) -> None:
        pass

    def plan(self, thread: Thread, ms: int) -> FirstMessagePlan:
        return FirstMessagePlan(thread)


NO_FIRST_MESSAGE: FirstMessage = _NoFirstMessage()


def without_active_rows(thread: Thread, newcomers: list[UserId]) -> Thread:
    members = {user: replace(thread.members[user], row_active_ms=0) for user in newcomers}
    return replace(thread, members=thread.members | members)

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


class Begun(Struct, frozen=True):
    """A thread, or its next part, with the words in it."""

    thread: Thread
    ops: tuple[Op, ...] = ()
    events: tuple[Event, ...] = ()
    shows: bool = True
    """Not while the words are held: until something is said, nobody has it in their inbox."""


class Words(Protocol):
    async def weigh(self, thread: Thread) -> None:
        """Refuses what cannot be said in this thread, or to these people."""

    def begin(self, thread: Thread, ms: int) -> Begun:
        """May be asked more than once; the last time counts."""


class _NoWords:
    async def weigh(self, thread: Thread) -> None:
        pass

    def begin(self, thread: Thread, ms: int) -> Begun:
        return Begun(thread)


NO_WORDS: Words = _NoWords()


def unshown(thread: Thread, newcomers: list[UserId]) -> Thread:
    seats = {user: replace(thread.seats[user], fresh_ms=0) for user in newcomers}
    return replace(thread, seats=thread.seats | seats)

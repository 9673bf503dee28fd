"""The heads of threads that this process has lately written, so that a send need not read.

A head may be stale, because another node wrote: that is harmless, since whatever is written on top
of it is written under its version. What one would get wrong: a refusal that rests on a kept head is
no refusal yet; look again at the store first (`append` does).
"""

from collections import OrderedDict
from collections.abc import Sequence

from greenroom.ids import MessageId, ThreadId
from greenroom.messaging import items
from greenroom.messaging.batcher import KeyedLock, ThreadBatcher
from greenroom.messaging.events import Event
from greenroom.messaging.models import Thread
from greenroom.messaging.records import MESSAGING, head_key
from greenroom.messaging.sending import Sending
from greenroom.store.base import Store

_MOST = 20_000
_MOST_UNTOLD = 10_000


class ThreadCache:
    def __init__(self, store: Store) -> None:
        self._store = store
        self._kept: OrderedDict[ThreadId, Thread] = OrderedDict()
        self.turns = ThreadBatcher()
        """Who is writing to a thread just now, and who waits."""
        self.changing = KeyedLock()
        """Who is changing a message just now."""
        self.sending = Sending()
        """Which messages are being sent just now."""
        self._untold: dict[MessageId, list[Event]] = {}
        """Messages of which nobody knew whether they were written, so that nobody was told; with
        what else was to be told. Those of one transaction share it: it is told once."""

    async def load(self, thread: ThreadId) -> tuple[Thread | None, bool]:
        """The head, and whether it comes from the store just now."""
        kept = self._kept.get(thread)
        if kept is not None:
            self._kept.move_to_end(thread)
            return kept, False
        item = await self._store.get(MESSAGING, head_key(thread), consistent=True)
        if item is None:
            return None, True
        head = items.thread_of(item)
        # Whoever wrote while we were reading knows better.
        if thread in self._kept:
            return self._kept[thread], False
        self.learn(head)
        return head, True

    def kept(self, thread: ThreadId) -> Thread | None:
        """What this node knows of it, which may be stale; nothing is read."""
        found = self._kept.get(thread)
        if found is not None:
            self._kept.move_to_end(thread)
        return found

    async def read(self, thread: ThreadId) -> Thread | None:
        """As it is now, whatever is kept."""
        item = await self._store.get(MESSAGING, head_key(thread), consistent=True)
        return None if item is None else items.thread_of(item)

    def learn(self, head: Thread) -> None:
        """It was in the store; whoever has written since has kept something newer."""
        if head.id not in self._kept:
            self.keep(head)

    def learn_newer(self, head: Thread) -> None:
        """It is in the store now."""
        kept = self._kept.get(head.id)
        if kept is None or kept.version < head.version:
            self.keep(head)

    def keep(self, head: Thread) -> None:
        self._kept[head.id] = head
        self._kept.move_to_end(head.id)
        if len(self._kept) > _MOST:
            self._kept.popitem(last=False)

    def forget_older(self, thread: ThreadId, version: int) -> None:
        """The store has this version, or a later one."""
        kept = self._kept.get(thread)
        if kept is not None and kept.version < version:
            del self._kept[thread]

    def drop(self, thread: ThreadId) -> None:
        self._kept.pop(thread, None)

    def doubt(self, messages: Sequence[MessageId], others: list[Event]) -> None:
        """The messages were written in one transaction, or not at all; `others` are its events
        beside them."""
        for message in messages:
            self._untold[message] = others
        while len(self._untold) > _MOST_UNTOLD:
            del self._untold[next(iter(self._untold))]

    def is_untold(self, message: MessageId) -> bool:
        return message in self._untold

    def take_untold(self, message: MessageId) -> list[Event] | None:
        """What is to be told beside the message; None where it has been told."""
        others = self._untold.pop(message, None)
        if others is None:
            return None
        taken = others.copy()
        others.clear()
        return taken

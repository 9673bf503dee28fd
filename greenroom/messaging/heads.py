"""The heads of threads that this process has lately written, so that a send need not read.

A head may be stale (another node wrote) or ahead (a write under way): both are harmless, because
whatever is written on top of it is written under its version. What one would get wrong: a refusal
that rests on a kept head is no refusal yet; look again at the store first (`append` does).
"""

import asyncio
from collections import OrderedDict
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from greenroom.ids import ThreadId
from greenroom.messaging import items
from greenroom.messaging.lines import Lines
from greenroom.messaging.models import Thread
from greenroom.messaging.records import MESSAGING, head_key
from greenroom.store.base import Store

_MOST = 20_000


class Heads:
    def __init__(self, store: Store) -> None:
        self._store = store
        self._kept: OrderedDict[ThreadId, Thread] = OrderedDict()
        self._turns: dict[ThreadId, tuple[asyncio.Lock, int]] = {}
        self.lines = Lines()

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

    async def read(self, thread: ThreadId) -> Thread | None:
        """As it is now, whatever is kept."""
        item = await self._store.get(MESSAGING, head_key(thread), consistent=True)
        return None if item is None else items.thread_of(item)

    def learn(self, head: Thread) -> None:
        """It is in the store; but whoever writes just now may have something newer."""
        if head.id not in self._kept and not self.lines.is_busy(head.id):
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

    def refuse(self, thread: ThreadId) -> None:
        """What was kept ahead of its write is not going to be."""
        self.drop(thread)
        self.lines.refuse(thread)

    @asynccontextmanager
    async def turn(self, thread: ThreadId) -> AsyncIterator[None]:
        """One after the other: for a store that does not keep the order of writes itself."""
        lock, waiting = self._turns.get(thread, (asyncio.Lock(), 0))
        self._turns[thread] = (lock, waiting + 1)
        try:
            async with lock:
                yield
        finally:
            lock, waiting = self._turns[thread]
            if waiting == 1:
                del self._turns[thread]
            else:
                self._turns[thread] = (lock, waiting - 1)

"""Caches the heads of recently written threads, so that a send reads nothing.

A cached head may be stale, because another node wrote. That is harmless: every write on top of it
checks its version. Careful: a refusal based on a cached head is not final; read the store first
(`update_thread` does).
"""

from greenroom.ids import ThreadId
from greenroom.lru import LruCache
from greenroom.messaging import items
from greenroom.messaging.models import Thread
from greenroom.messaging.records import MESSAGING, head_key
from greenroom.store.base import Store

_MAX_THREADS = 20_000


class ThreadCache:
    def __init__(self, store: Store) -> None:
        self._store = store
        self._heads: LruCache[ThreadId, Thread] = LruCache(_MAX_THREADS)

    async def load(self, thread: ThreadId) -> tuple[Thread | None, bool]:
        """The head, and whether it was read from the store just now."""
        cached = self._heads.get(thread)
        if cached is not None:
            return cached, False
        item = await self._store.get(MESSAGING, head_key(thread), consistent=True)
        if item is None:
            return None, True
        head = items.thread_of(item)
        # A write that finished during the read has put something newer here.
        newer = self._heads.get(thread)
        if newer is not None:
            return newer, False
        self.put_if_absent(head)
        return head, True

    def get(self, thread: ThreadId) -> Thread | None:
        """What is cached, which may be stale; reads nothing."""
        return self._heads.get(thread)

    async def read(self, thread: ThreadId) -> Thread | None:
        """Always from the store."""
        item = await self._store.get(MESSAGING, head_key(thread), consistent=True)
        return None if item is None else items.thread_of(item)

    def put_if_absent(self, head: Thread) -> None:
        """For a head that was in the store: a later write has cached something newer."""
        if head.id not in self._heads:
            self.put(head)

    def put_if_newer(self, head: Thread) -> None:
        """For a head that is in the store now."""
        cached = self._heads.peek(head.id)
        if cached is None or cached.version < head.version:
            self.put(head)

    def put(self, head: Thread) -> None:
        self._heads.put(head.id, head)

    def drop_older(self, thread: ThreadId, version: int) -> None:
        """The store has this version, or a later one."""
        cached = self._heads.peek(thread)
        if cached is not None and cached.version < version:
            self._heads.discard(thread)

    def drop(self, thread: ThreadId) -> None:
        self._heads.discard(thread)

"""The benchmark's operations on an item store, whichever engine is behind it.

    send   a message's transaction: the thread's seq moves on if nobody else moved it, the message
           is new, and the recipient's inbox row rises to the top (its index entry moves)
    inbox  the 20 newest rows of one user's inbox, through the index
    get    one thread

`in_flight` of them are under way at any time, each in a thread of its own, so that nothing waits
for anything but the engine.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import TypeAlias

from msgspec import Struct

from greenroom.store.base import Key, Op, Put, Store, Update
from greenroom.store.expressions import F
from greenroom.store.tables import Index, Projection, Table
from greenroom.store.values import Value

INBOX = Index("Inbox", "inboxPk", "inboxSk", Projection.ALL, "a user's threads, newest first")
THREADS = Table("Threads", "what the benchmark writes", indexes=(INBOX,), stream=True)
BODY = "A message of the usual length, a hundred and twenty bytes of it. " + "x" * 55
PAGE = 10
"""How many users share the threads' inbox rows."""

Step: TypeAlias = Callable[[int], Awaitable[object]]


class Rates(Struct, frozen=True):
    """Operations per second of each kind alone, and of the three in turn."""

    send: float
    inbox: float
    get: float
    mix: float


def sort_stamp(n: int) -> str:
    return f"2026-01-01T00:00:00.000Z#{n:012d}"


class Load:
    def __init__(
        self, store: Store, *, threads: int, in_flight: int, transactions: bool = True
    ) -> None:
        self._store = store
        self._threads = threads
        self._in_flight = in_flight
        self._transactions = transactions
        self._seqs = [0] * threads
        self._n = 0

    async def prepare(self) -> None:
        for i in range(self._threads):
            pk = f"THR#{i}"
            await self._store.write(
                Put(THREADS, {"pk": pk, "sk": "THR", "seq": 0, "status": "open"})
            )
            for user in (f"usr_{i % PAGE}", f"usr_x{i}"):
                row: dict[str, Value] = {"pk": pk, "sk": f"PART#{user}", "role": "buyer"}
                row |= {
                    "readSeq": 0,
                    "muted": False,
                    "inboxPk": f"{user}#all",
                    "inboxSk": sort_stamp(i),
                }
                await self._store.write(Put(THREADS, row))

    async def send(self, worker: int) -> None:
        self._n += 1
        i = worker % self._threads
        seq, stamp, pk = self._seqs[i], sort_stamp(self._n), f"THR#{i}"
        self._seqs[i] = seq + 1
        message: dict[str, Value] = {"pk": pk, "sk": f"MSG#{stamp}#msg_{self._n}", "seq": seq + 1}
        message |= {
            "kind": "text",
            "authorUserId": "usr_1",
            "body": BODY,
            "nsfwBand": 0,
            "createdAt": stamp,
        }
        last = (
            F("seq").set(seq + 1),
            F("lastMessageAt").set(stamp),
            F("lastSenderId").set("usr_1"),
        )
        ops: tuple[Op, ...] = (
            Update(THREADS, Key(pk, "THR"), last, F("seq").equals(seq)),
            Put(THREADS, message, F("pk").absent()),
            Update(THREADS, Key(pk, f"PART#usr_{i % PAGE}"), (F("inboxSk").set(stamp),)),
        )
        if self._transactions:
            await self._store.write(*ops)
        else:
            for op in ops:
                await self._store.write(op)

    async def inbox(self, worker: int) -> None:
        page = await self._store.query(
            THREADS, f"usr_{worker % PAGE}#all", index=INBOX, limit=20, backward=True
        )
        assert len(page.items) == 20

    async def get(self, worker: int) -> None:
        assert await self._store.get(THREADS, Key(f"THR#{worker % self._threads}", "THR"))

    async def measure(self, seconds: float) -> Rates:
        return Rates(
            send=await self._rate(seconds, self.send),
            inbox=await self._rate(seconds, self.inbox),
            get=await self._rate(seconds, self.get),
            mix=await self._rate(seconds, self.send, self.inbox, self.get),
        )

    async def _rate(self, seconds: float, *steps: Step) -> float:
        begun = time.perf_counter()
        until, done = begun + seconds, 0

        async def work(worker: int) -> None:
            nonlocal done
            while time.perf_counter() < until:
                for step in steps:
                    await step(worker)
                    done += 1

        await asyncio.gather(*(work(worker) for worker in range(self._in_flight)))
        return done / (time.perf_counter() - begun)

"""How late the deadlines of 10,000 cards are that are due at the same moment: part of `make
bench-cards`.

Each card is an offer in a conversation of its own, on SQLite, with all that a node does: timers,
transitions, and then relays to the conversations. Offers expire when their first leg begins, which
is at one moment for all of them. The clock jumps to three seconds before it.
"""

import asyncio
import random
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

from msgspec.structs import replace

from bench.unlimited import UNLIMITED
from greenroom.api.composition import Contexts
from greenroom.api.registry import Registry
from greenroom.app import REGISTRY, TABLES, compose
from greenroom.background.models import Timer
from greenroom.background.timers import TimerHandler
from greenroom.background.worker import Worker
from greenroom.bookings import Bookings
from greenroom.bookings.cards.payloads import LegTerms, Offer
from greenroom.bookings.money import Money
from greenroom.bookings.propose_card import NewCard
from greenroom.clock import SystemClock
from greenroom.messaging import Messaging
from greenroom.messaging.cards.propose import propose
from greenroom.messaging.cards.timers import DEADLINE
from greenroom.messaging.models import Kind, Role
from greenroom.messaging.open import Invited, Opening, open_thread
from greenroom.messaging.respond import accept
from greenroom.people.actor import Actor
from greenroom.people.join import join
from greenroom.sql.sqlite import SqliteDatabase
from greenroom.store.base import Op
from greenroom.store.sqlite import SqliteStore

_SECRET = b"benchmark"
_IN_FLIGHT = 32
_BEFORE_MS = 3_000
_MOST_SECONDS = 120


class ShiftedClock(SystemClock):
    """The system's, some time ahead."""

    def __init__(self) -> None:
        self.ahead_ms = 0

    def now_ms(self) -> int:
        return super().now_ms() + self.ahead_ms


class Lateness:
    """In milliseconds, when a deadline's transition is committed."""

    def __init__(self, clock: ShiftedClock, cards: int) -> None:
        self.ms: list[int] = []
        self.all_made = asyncio.Event()
        self._clock, self._cards = clock, cards

    def noted(self, handler: TimerHandler) -> TimerHandler:
        async def handle(timer: Timer) -> Sequence[Op]:
            ops = await handler.handle(timer)
            self.ms.append(self._clock.now_ms() - timer.due_ms)
            if len(self.ms) == self._cards:
                self.all_made.set()
            return ops

        return replace(handler, handle=handle)


async def lateness(folder: Path, cards: int) -> list[int]:
    clock, database = ShiftedClock(), SqliteDatabase(folder / "deadlines-sql.db")
    for schema in REGISTRY.sql_schemas:
        await database.migrate(schema)
    opening = SqliteStore.open(folder / "deadlines.db", TABLES, clock=clock, cursor_secret=_SECRET)
    async with await opening as store:
        contexts = compose(store, clock, _SECRET, sql=database, rates=UNLIMITED)
        starts_at = await _offer_all(contexts, cards)
        clock.ahead_ms = round(starts_at.timestamp() * 1000) - SystemClock().now_ms() - _BEFORE_MS
        late = Lateness(clock, cards)
        timers = contexts[Registry].timers(contexts)
        timers[DEADLINE] = late.noted(timers[DEADLINE])
        chance = random.Random(1)
        worker = Worker(
            store, clock, node="bench", timers=timers, followers=(), chance=chance, is_alone=True
        )
        async with worker, asyncio.timeout(_MOST_SECONDS):
            await late.all_made.wait()
        await contexts[Bookings].tasks.finish(0)
    await database.close()
    return sorted(late.ms)


async def _offer_all(contexts: Contexts, cards: int) -> datetime:
    messaging = contexts[Messaging]
    ana, ben = [Actor((await join(messaging.people, name)).id) for name in ("ana", "ben")]
    starts_at = datetime.now(UTC).replace(microsecond=0) + timedelta(days=2)
    turns = asyncio.Semaphore(_IN_FLIGHT)

    async def offer(number: int) -> None:
        async with turns:
            await _offer(contexts, ana, ben, number, starts_at)

    await offer(0)  # from then on the two know each other
    await asyncio.gather(*map(offer, range(1, cards)))
    return starts_at


async def _offer(
    contexts: Contexts, ana: Actor, ben: Actor, number: int, starts_at: datetime
) -> None:
    messaging = contexts[Messaging]
    others = (Invited(ben.user, Role.SELLER),)
    opening = Opening(kind=Kind.INQUIRY, role=Role.BUYER, others=others, subject=f"Job {number}")
    thread = await open_thread(messaging, ana, opening)
    if gate := thread.gates.get(ben.user):
        thread = await accept(messaging, ben, gate.id)
    terms = LegTerms(
        provider=ben.user,
        title="Portraits",
        starts_at=starts_at,
        ends_at=starts_at + timedelta(hours=4),
        price=Money(40_000, "EUR"),
    )
    new = NewCard(key=f"offer {number}", payload=Offer(legs=(terms,)))
    await propose(messaging, contexts[Bookings], ben, thread.id, new)

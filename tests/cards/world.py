"""The world of messaging with bookings: Ana buys, Ben sells; SQLite, or DynamoDB and PostgreSQL."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import pytest

from greenroom.app import REGISTRY, TABLES
from greenroom.bookings.cards.payloads import Input, LegTerms, Nothing, Offer, Payload
from greenroom.bookings.models import Booking, Card, Leg
from greenroom.bookings.money import Money
from greenroom.bookings.move_card import CardMove
from greenroom.bookings.propose_card import NewCard
from greenroom.bookings.read_bookings import booking_of_thread
from greenroom.bookings.read_cards import CardRecord, card_record
from greenroom.clock import ManualClock
from greenroom.ids import CardId, ThreadId
from greenroom.messaging.cards.background import sweep
from greenroom.messaging.cards.propose import answer, propose
from greenroom.messaging.history import history
from greenroom.messaging.inbox import inbox
from greenroom.messaging.models import Folder, Message, Thread
from tests.messaging.world import MessagingWorld
from tests.sql_databases import fresh_postgres, temporary_sql
from tests.stores import IN_2100_MS, fresh_store
from tests.world import RATES

ENGINES = ("sqlite", "dynamodb and postgresql")
OK = "sandbox:ok"
NOTHING = Nothing()
DAY_MS = 86_400_000


def euros(amount: int) -> Money:
    return Money(amount * 100, "EUR")


@dataclass(eq=False)
class CardWorld(MessagingWorld):
    _keys: int = 0

    def days(self, days: float) -> datetime:
        return datetime.fromtimestamp(self.clock.now_ms() / 1000, UTC) + timedelta(days=days)

    def offer(self, price: int = 400, deposit: int | None = None, days: float = 20) -> Offer:
        terms = LegTerms(
            provider=self.user("ben"),
            title="Portraits",
            city="Berlin",
            starts_at=self.days(days),
            ends_at=self.days(days + 0.2),
            price=euros(price),
            deposit=None if deposit is None else euros(deposit),
        )
        return Offer(legs=(terms,))

    async def propose(
        self, name: str, thread: ThreadId, payload: Payload, *, key: str = "", pays: str = ""
    ) -> Card:
        new = NewCard(key=key or self._key(), payload=payload, payment_method=pays)
        made = await propose(self.messaging, self.bookings, self.actors[name], thread, new)
        await self.settle()
        return made.answer.card

    async def answer(
        self,
        name: str,
        card: Card,
        transition: str,
        input: Input = NOTHING,
        *,
        key: str = "",
        pays: str = "",
    ) -> Card:
        """Returns the card as it is after its payments."""
        move = CardMove(
            key=key or self._key(),
            version=card.version,
            transition=transition,
            input=input,
            payment_method=pays,
        )
        await answer(self.messaging, self.bookings, self.actors[name], card.id, move)
        await self.settle()
        return (await self.record(card.id)).card

    async def settle(self) -> None:
        """Until payments and relays are done."""
        await self.bookings.tasks.finish()

    async def sweep(self) -> None:
        await sweep(self.messaging, self.bookings)
        await self.settle()

    async def booked(self, price: int = 400, deposit: int | None = None) -> tuple[Thread, Leg]:
        """A thread with a booking that Ana has paid for."""
        thread = await self.inquiry()
        offered = await self.propose("ben", thread.id, self.offer(price, deposit))
        await self.answer("ana", offered, "accept", pays=OK)
        leg = (await self.booking(thread.id)).legs[0]
        return await self.thread(thread.id), leg

    async def record(self, card: CardId) -> CardRecord:
        return await card_record(self.bookings, card)

    async def booking(self, thread: ThreadId) -> Booking:
        found = await booking_of_thread(self.bookings, thread)
        assert found is not None
        return found

    async def thread(self, thread: ThreadId) -> Thread:
        found = await self.messaging.thread_cache.read(thread)
        assert found is not None
        return found

    async def folders(self, *names: str) -> dict[str, Folder]:
        """Where each has their only thread."""
        found: dict[str, Folder] = {}
        for name in names:
            page = await inbox(self.messaging, self.actors[name], Folder.ALL)
            [row] = page.rows
            assert row.state.folder is not None
            found[name] = row.state.folder
        return found

    async def log(self, name: str, thread: ThreadId) -> tuple[Message, ...]:
        return (await history(self.messaging, self.actors[name], thread)).messages

    def _key(self) -> str:
        self._keys += 1
        return f"k{self._keys}"


@asynccontextmanager
async def card_world(engine: str, request: pytest.FixtureRequest) -> AsyncIterator[CardWorld]:
    clock = ManualClock(IN_2100_MS)
    folder = request.getfixturevalue("tmp_path")
    if engine == "sqlite":
        sqlite = temporary_sql()
        async with fresh_store(f"sqlite:///{folder}/store.db", TABLES, clock) as store:
            yield CardWorld.over(store, clock, RATES, sql=sqlite)
        await sqlite.close()
        return
    url = request.getfixturevalue("dynamodb_url")
    async with (
        fresh_postgres(request.getfixturevalue("postgresql_url")) as postgres,
        fresh_store(url, TABLES, clock) as store,
    ):
        for schema in REGISTRY.sql_schemas:
            await postgres.migrate(schema)
        yield CardWorld.over(store, clock, RATES, sql=postgres)

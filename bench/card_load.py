"""The load of `make bench-cards`: two sides counter each other's offers, in many bookings."""

import asyncio
import time
from datetime import UTC, datetime, timedelta

from msgspec import Struct

from greenroom.bookings import Bookings
from greenroom.bookings.card_policy import Rules
from greenroom.bookings.cards.payloads import LegTerms, Offer
from greenroom.bookings.models import Card, Parties
from greenroom.bookings.money import Money
from greenroom.bookings.move_card import CardMove, move_card
from greenroom.bookings.propose_card import NewCard, propose_card
from greenroom.bookings.schema import SCHEMA
from greenroom.clock import SystemClock
from greenroom.ids import Ids, ThreadId, UserId
from greenroom.sql.base import Database

_METHOD = "sandbox:ok"


class Rates(Struct, frozen=True):
    per_second: float
    p99_ms: float


class Timings:
    """Counts what ends, and how long each took."""

    def __init__(self) -> None:
        self.seconds: list[float] = []
        self._begun = time.perf_counter()

    def add(self, begun: float) -> None:
        self.seconds.append(time.perf_counter() - begun)

    def rates(self) -> Rates:
        taken = time.perf_counter() - self._begun
        slowest = sorted(self.seconds)[int(len(self.seconds) * 0.99)]
        return Rates(len(self.seconds) / taken, 1000 * slowest)


class Haggling:
    """A booking whose offer goes to and fro."""

    def __init__(self, bookings: Bookings, number: int) -> None:
        self._bookings = bookings
        self._buyer, self._seller = UserId(f"usr_buyer{number}"), UserId(f"usr_seller{number}")
        self._parties = Parties(ThreadId(f"thr_{number}"), self._buyer, (self._seller,))
        self._number = number
        self._card: Card | None = None

    async def begin(self) -> None:
        new = NewCard(key=f"{self._number}:0", payload=self._offer(1))
        answer = await propose_card(self._bookings, self._seller, self._parties, new)
        self._card = answer.card

    async def counter(self) -> None:
        card = self._card
        assert card is not None
        (user,) = card.waits_on
        move = CardMove(
            key=f"{self._number}:{card.version}",
            version=card.version,
            transition="counter",
            input=self._offer(card.version + 1),
            payment_method=_METHOD if user == self._buyer else "",
        )
        self._card = (await move_card(self._bookings, user, card.id, move)).card

    def _offer(self, version: int) -> Offer:
        starts_at = datetime.now(UTC).replace(microsecond=0) + timedelta(days=20)
        terms = LegTerms(
            provider=self._seller,
            title="Portraits for the winter collection",
            place="Studio 4, Lindenstraße 20",
            city="Berlin",
            category="fashion",
            starts_at=starts_at,
            ends_at=starts_at + timedelta(hours=6),
            time_zone="Europe/Berlin",
            price=Money(40_000 + version, "EUR"),
            deposit=Money(10_000, "EUR"),
        )
        return Offer(legs=(terms,), note="Including two outfits and the retouching of ten pictures")


def bookings_on(database: Database) -> Bookings:
    clock = SystemClock()
    return Bookings(database, clock, Ids(clock), Rules())


async def hagglings(database: Database, number: int) -> list[Haggling]:
    await database.migrate(SCHEMA)
    found = [Haggling(bookings_on(database), one) for one in range(number)]
    for one in found:
        await one.begin()
    return found


async def measured(found: list[Haggling], seconds: float) -> Rates:
    """Each booking makes one transition after another; the bookings run beside each other."""
    timings, until = Timings(), time.perf_counter() + seconds

    async def haggle(one: Haggling) -> None:
        while (begun := time.perf_counter()) < until:
            await one.counter()
            timings.add(begun)

    await asyncio.gather(*map(haggle, found))
    return timings.rates()

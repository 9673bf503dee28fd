"""A buyer and providers in a thread, with what they do in one line each."""

from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from itertools import count

from greenroom.bookings import Bookings
from greenroom.bookings.card_keys import Answer
from greenroom.bookings.card_policy import Rules
from greenroom.bookings.cards.payloads import Input, LegTerms, Nothing, Offer, Payload
from greenroom.bookings.models import Card, Parties
from greenroom.bookings.money import Money
from greenroom.bookings.move_card import CardMove, move_card
from greenroom.bookings.propose_card import NewCard, propose_card
from greenroom.clock import ManualClock
from greenroom.ids import Ids, LegId, ThreadId, UserId
from greenroom.sql.base import Database

MAYA, JONAS, OUTSIDER = UserId("usr_maya"), UserId("usr_jonas"), UserId("usr_otto")
THREAD = ThreadId("thr_studio")
OK = "sandbox:ok"
NOTHING = Nothing()


def euros(amount: int) -> Money:
    return Money(amount * 100, "EUR")


@dataclass
class Deal:
    bookings: Bookings
    clock: ManualClock
    parties: Parties = field(default_factory=lambda: Parties(THREAD, MAYA, (JONAS,)))
    keys: count = field(default_factory=count)  # type: ignore[type-arg]

    def days(self, days: float) -> datetime:
        return datetime.fromtimestamp(self.clock.now_ms() / 1000, UTC) + timedelta(days=days)

    def offer(self, price: int = 400, deposit: int | None = None, days: float = 20) -> Offer:
        terms = LegTerms(
            provider=JONAS,
            title="Portraits",
            city="Berlin",
            starts_at=self.days(days),
            ends_at=self.days(days + 0.2),
            price=euros(price),
            deposit=None if deposit is None else euros(deposit),
        )
        return Offer(legs=(terms,))

    async def propose(
        self,
        user: UserId,
        payload: Payload,
        *,
        key: str = "",
        leg: LegId | None = None,
        pays: str = "",
    ) -> Answer:
        new = NewCard(
            key=key or f"k{next(self.keys)}", payload=payload, leg=leg, payment_method=pays
        )
        return await propose_card(self.bookings, user, self.parties, new)

    async def answer(
        self,
        user: UserId,
        card: Card,
        transition: str,
        input: Input = NOTHING,
        *,
        key: str = "",
        pays: str = "",
        staff: bool = False,
    ) -> Answer:
        move = CardMove(
            key=key or f"k{next(self.keys)}",
            version=card.version,
            transition=transition,
            input=input,
            payment_method=pays,
        )
        return await move_card(self.bookings, user, card.id, move, staff=staff)


def deal_on(database: Database, rules: Rules | None = None) -> Deal:
    clock = ManualClock()
    bookings = Bookings(database, clock, Ids(clock), rules or Rules())
    return Deal(bookings, clock)

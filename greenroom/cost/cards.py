"""Cost patterns: each step of a card in the item store. SQL, which decides it, is billed by the
hour and not by the request."""

from datetime import UTC, datetime, timedelta
from functools import partial

from greenroom.bookings.cards.payloads import LegTerms, Nothing, Offer
from greenroom.bookings.make_deadline import make_deadline
from greenroom.bookings.models import Card
from greenroom.bookings.money import Money
from greenroom.bookings.move_card import CardMove
from greenroom.bookings.propose_card import NewCard
from greenroom.cost.fixture import TEXT, Fixture
from greenroom.cost.pattern import Act, Pattern
from greenroom.ids import ThreadId, UserId
from greenroom.messaging.cards.after_decision import after_decision
from greenroom.messaging.cards.propose import answer, propose
from greenroom.messaging.cards.read import read_booking, read_card
from greenroom.people.actor import Actor

TITLE = "Cards"
_NOTHING = Nothing()


def _offer(fixture: Fixture, provider: UserId, price: int = 40_000) -> Offer:
    starts = datetime.fromtimestamp(fixture.clock.now_ms() / 1000, UTC) + timedelta(days=20)
    terms = LegTerms(
        provider=provider,
        title="Portraits in March",
        service="photographer",
        place="Studio 4, second floor",
        city="Houston",
        starts_at=starts,
        ends_at=starts + timedelta(hours=5),
        time_zone="America/Chicago",
        price=Money(price, "USD"),
    )
    return Offer(legs=(terms,), note=TEXT)


async def _talk(fixture: Fixture) -> tuple[Actor, Actor, ThreadId]:
    ana, ben = await fixture.pair()
    fixture.open_sql()
    thread = await fixture.talk(ana, ben)
    return ana, ben, thread.id


async def _offered(fixture: Fixture) -> tuple[Actor, Actor, Card]:
    ana, ben, thread = await _talk(fixture)
    new = NewCard(key="offer-1", payload=_offer(fixture, ben.user))
    made = await propose(fixture.messaging, fixture.bookings, ben, thread, new)
    return ana, ben, made.answer.card


async def _propose(fixture: Fixture) -> Act:
    _, ben, thread = await _talk(fixture)
    new = NewCard(key="offer-1", payload=_offer(fixture, ben.user))
    return partial(propose, fixture.messaging, fixture.bookings, ben, thread, new)


async def _counter(fixture: Fixture) -> Act:
    ana, ben, card = await _offered(fixture)
    wanted = CardMove(
        key="step-1",
        version=card.version,
        transition="counter",
        input=_offer(fixture, ben.user, price=35_000),
    )
    return partial(answer, fixture.messaging, fixture.bookings, ana, card.id, wanted)


def _step(card: Card, transition: str) -> CardMove:
    return CardMove(key=transition, version=card.version, transition=transition, input=_NOTHING)


async def _accept(fixture: Fixture) -> Act:
    ana, _, card = await _offered(fixture)
    wanted = _step(card, "accept")
    return partial(answer, fixture.messaging, fixture.bookings, ana, card.id, wanted)


async def _repeat(fixture: Fixture) -> Act:
    act = await _accept(fixture)
    await act()
    return act


async def _deadline(fixture: Fixture) -> Act:
    _, _, card = await _offered(fixture)
    fixture.clock.advance(seconds=72 * 3600)

    async def act() -> None:
        group = await make_deadline(fixture.bookings, card.id, card.version)
        assert group is not None
        await after_decision(fixture.messaging, fixture.bookings, group)

    return act


async def _read(fixture: Fixture) -> Act:
    ana, _, card = await _offered(fixture)
    return partial(read_card, fixture.messaging, fixture.bookings, ana, card.id)


async def _booking(fixture: Fixture) -> Act:
    ana, _, card = await _offered(fixture)
    return partial(read_booking, fixture.messaging, fixture.bookings, ana, card.thread)


PATTERNS: tuple[Pattern, ...] = (
    Pattern("card_propose", "propose an offer", _propose, most_write=20),
    Pattern("card_counter", "answer it with another price", _counter, most_write=32),
    Pattern("card_accept", "accept it: the booking and its contract", _accept, most_write=50),
    Pattern("card_repeat", "accept it again with the same key", _repeat),
    Pattern("card_deadline", "let an offer expire", _deadline),
    Pattern("card_read", "read a card with its steps", _read),
    Pattern("booking_read", "read a booking with its receipts", _booking),
)

"""What is wrong with a card is refused, in words that say what to do instead."""

from collections.abc import Awaitable, Callable, Iterable
from datetime import timedelta
from itertools import cycle
from typing import TypeAlias

import pytest
from _pytest.mark import ParameterSet
from msgspec.structs import replace
from sqlalchemy import Connection

from greenroom.bookings import rows
from greenroom.bookings.card_keys import Answer
from greenroom.bookings.card_policy import Cards, Rules
from greenroom.bookings.cards import payloads as say
from greenroom.bookings.cards.problems import InvalidCard, TooManyCards
from greenroom.bookings.make_deadline import make_deadline
from greenroom.bookings.models import Booking, Card, CardState, Parties, PaymentState
from greenroom.bookings.money import MOST_MINOR, Money
from greenroom.bookings.pay import record_answer
from greenroom.bookings.payment_results import Taken
from greenroom.errors import Problem
from greenroom.ids import LegId, ThreadId, UserId
from tests.bookings.deal import JONAS, MAYA, NOTHING, OK, OUTSIDER, Deal, deal_on, euros

Attempt: TypeAlias = Callable[[Deal], Awaitable[Answer]]
NINA = UserId("usr_nina")
DOLLARS = Money(100, "USD")
_HUGE = Money(MOST_MINOR, "EUR")


def _cases(table: Iterable[tuple[str, Attempt, str]]) -> list[ParameterSet]:
    return [pytest.param(attempt, says, id=name) for name, attempt, says in table]


async def booking_of(deal: Deal) -> Booking:
    def work(connection: Connection) -> Booking:
        group = rows.group_of_thread(connection, deal.parties.thread)
        assert group is not None
        return rows.find_booking(connection, group)

    return await deal.bookings.database.read(work)


async def pay(deal: Deal) -> None:
    """The provider takes whatever is asked."""
    while asked := [
        one
        for one in (await booking_of(deal)).payments.values()
        if one.state is PaymentState.REQUESTED
    ]:
        for one in asked:
            group = (await booking_of(deal)).id
            week_ms = deal.clock.now_ms() + 7 * 86_400_000
            await record_answer(deal.bookings, group, one.key, Taken(f"ref {one.key}", week_ms))


async def booked(deal: Deal, *offers: say.Offer) -> Booking:
    for offer in offers or (deal.offer(deposit=50),):
        card = (await deal.propose(JONAS, offer)).card
        await deal.answer(MAYA, card, "accept", pays=OK)
        await pay(deal)
    return await booking_of(deal)


def _offer(**changed: object) -> Attempt:
    """A provider's offer with something wrong in it."""

    def attempt(deal: Deal) -> Awaitable[Answer]:
        legs = tuple(replace(one, **changed) for one in deal.offer().legs)
        return deal.propose(JONAS, say.Offer(legs=legs))

    return attempt


def _at(begins: float, ends: float) -> Attempt:
    def attempt(deal: Deal) -> Awaitable[Answer]:
        return _offer(starts_at=deal.days(begins), ends_at=deal.days(ends))(deal)

    return attempt


def _proposes(user: UserId, payload: say.Payload, leg: str = "", key: str = "") -> Attempt:
    return lambda deal: deal.propose(user, payload, key=key, leg=LegId(leg) if leg else None)


BEFORE_A_BOOKING: Iterable[tuple[str, Attempt, str]] = [
    ("a past date", _at(-2, -1), "choose a later time"),
    ("ends before it begins", _at(3, 2), "choose a later end"),
    ("ends as it begins", _at(3, 3), "choose a later end"),
    ("lasts too long", _at(1, 90), "divide it into several"),
    ("too far ahead", _at(5000, 5000.5), "choose an earlier time"),
    ("unknown time zone", _offer(time_zone="Mars/Olympus"), "such as Europe/Berlin"),
    ("the time zone of a machine", _offer(time_zone="localtime"), "such as Europe/Berlin"),
    ("a path as time zone", _offer(time_zone="../../etc/passwd"), "such as Europe/Berlin"),
    ("deposit of nothing", _offer(deposit=euros(0)), "leave it out"),
    ("deposit in another currency", _offer(deposit=DOLLARS), "in one currency"),
    ("a price beyond all bounds", _offer(price=_HUGE), "divide the work"),
    ("a deposit beyond all bounds", _offer(deposit=_HUGE), "divide the work"),
    ("somebody who is not there", _offer(provider=NINA), "add them"),
    ("nobody at length", _offer(provider="x" * 9_000), "used: x{39}… is not a provider"),
    ("a leg of an offer", _proposes(JONAS, say.Complete(), "leg_1"), "begins with an offer"),
    ("no booking", _proposes(JONAS, say.Complete()), "begins with an offer"),
    ("no such person", lambda deal: deal.propose(OUTSIDER, deal.offer()), "the provider can"),
    ("an empty key", lambda deal: deal.propose(JONAS, deal.offer(), key=" " * 200), "1 to 128"),
    ("a key of snow", lambda deal: deal.propose(JONAS, deal.offer(), key="☃"), "ASCII"),
    ("nothing to pay with", lambda deal: deal.propose(MAYA, deal.offer()), "paymentMethod"),
    (
        "nothing to hold a deposit with",
        lambda deal: deal.propose(MAYA, deal.offer(price=0, deposit=50)),
        "50.00 EUR",
    ),
    (
        "a leg for an offer",
        lambda deal: deal.propose(JONAS, deal.offer(), leg=LegId("leg_1")),
        "leave legId out",
    ),
]


@pytest.mark.parametrize(("attempt", "says"), _cases(BEFORE_A_BOOKING))
async def test_a_wrong_offer_is_refused(sqlite_deal: Deal, attempt: Attempt, says: str) -> None:
    with pytest.raises(Problem, match=says):
        await attempt(sqlite_deal)
    assert (await sqlite_deal.propose(JONAS, sqlite_deal.offer())).card.version == 1


def _extras(*prices: Money) -> say.Extras:
    return say.Extras(items=tuple(say.Extra(title="Prints", price=one) for one in prices))


def _in_another_thread(deal: Deal) -> Awaitable[Answer]:
    deal.parties = Parties(ThreadId("thr_other"), MAYA, (JONAS,))
    return deal.propose(JONAS, say.Complete())


async def _with_its_leg_elsewhere(deal: Deal) -> Answer:
    leg = (await booking_of(deal)).legs[0].id
    deal.parties = Parties(ThreadId("thr_other"), MAYA, (JONAS,))
    await deal.propose(JONAS, deal.offer())
    return await deal.propose(JONAS, say.Complete(), leg=leg)


IN_A_BOOKING: Iterable[tuple[str, Attempt, str]] = [
    ("a foreign leg", _proposes(JONAS, say.Complete(), "leg_foreign"), "no such leg"),
    ("a leg of another booking", _with_its_leg_elsewhere, "no such leg"),
    ("a thread without a booking", _in_another_thread, "begins with an offer"),
    ("an outsider", _proposes(OUTSIDER, say.Complete()), "the buyer or the provider"),
    ("another currency", _proposes(JONAS, _extras(DOLLARS)), "in one currency"),
    ("two currencies", _proposes(JONAS, _extras(euros(1), DOLLARS)), "in one currency"),
    ("a price of nothing", _proposes(JONAS, _extras(euros(0))), "leave it out"),
    ("too much altogether", _proposes(JONAS, _extras(_HUGE, _HUGE)), "several bookings"),
    (
        "too much with what is booked already",
        lambda deal: deal.propose(JONAS, deal.offer(price=MOST_MINOR // 200)),
        "several bookings",
    ),
    ("not begun", _proposes(JONAS, say.Complete()), "cancel or reschedule"),
    ("the buyer's expense", _proposes(MAYA, say.Expense(title="Taxi", price=euros(1))), "seller"),
    ("proofs of nothing", _proposes(JONAS, say.Proofs(title="One")), "a file or a note"),
    (
        "proofs of round 7",
        _proposes(JONAS, say.Proofs(title="One", note="Here", round=7)),
        "leave it out",
    ),
    (
        "more than was paid",
        _proposes(MAYA, say.Cancel(reason="Rain", refund=euros(401))),
        "ask for less",
    ),
    (
        "more from the deposit than was agreed",
        _proposes(MAYA, say.Dispute(reason="Late", claim=euros(51))),
        "leave the claim out",
    ),
    (
        "the other side's account of a dispute",
        _proposes(MAYA, say.Dispute(reason="Late", answer="I was late")),
        "leave the answer out",
    ),
    (
        "a claim before the deposit is held",
        _proposes(JONAS, say.DepositClaim(amount=euros(1), reason="Broken")),
        "leave the claim out",
    ),
    (
        "a time that has passed",
        lambda deal: deal.propose(
            JONAS, say.Reschedule(starts_at=deal.days(-1), ends_at=deal.days(1))
        ),
        "choose a later time",
    ),
]


@pytest.mark.parametrize(("attempt", "says"), _cases(IN_A_BOOKING))
async def test_a_wrong_card_is_refused(sqlite_deal: Deal, attempt: Attempt, says: str) -> None:
    home = sqlite_deal.parties
    await booked(sqlite_deal)
    with pytest.raises(Problem, match=says):
        await attempt(sqlite_deal)
    sqlite_deal.parties = home
    assert (await booking_of(sqlite_deal)).open_cards == ()


def _answers(user: UserId, name: str, given: say.Input = NOTHING, *, by: int = 0) -> Attempt:
    """To the open card, at its version and some."""

    async def attempt(deal: Deal) -> Answer:
        card = await _only_card(deal)
        return await deal.answer(user, replace(card, version=card.version + by), name, given)

    return attempt


async def _only_card(deal: Deal) -> Card:
    group = (await booking_of(deal)).id
    read = deal.bookings.database.read
    (card,) = await read(lambda connection: rows.open_cards_of(connection, group))
    return card


ANSWERS: Iterable[tuple[str, Attempt, str]] = [
    ("an old version", _answers(MAYA, "accept", by=-1), "Read it again"),
    ("a version to come", _answers(MAYA, "accept", by=1), "Read it again"),
    ("an unknown transition", _answers(MAYA, "annul"), "accept or counter or decline"),
    ("a transition of the system", _answers(MAYA, "expire"), "Only its deadline"),
    ("one's own proposal", _answers(JONAS, "accept"), "Only whom it waits for"),
    ("somebody else's card", _answers(OUTSIDER, "accept"), "no such card"),
    ("a counter without content", _answers(MAYA, "counter"), "send its content with items"),
    (
        "a counter of another type",
        _answers(MAYA, "counter", say.Safety(measures=("Closed set",))),
        "send its content with items",
    ),
    ("content where none belongs", _answers(MAYA, "accept", say.Noted(note="!")), "no content"),
    ("a counter for nothing", _answers(MAYA, "counter", _extras(euros(0))), "leave it out"),
    ("a second of the type", _proposes(MAYA, _extras(euros(1))), "Answer or withdraw it first"),
]


@pytest.mark.parametrize(("attempt", "says"), _cases(ANSWERS))
async def test_a_wrong_answer_is_refused(sqlite_deal: Deal, attempt: Attempt, says: str) -> None:
    await booked(sqlite_deal)
    proposed = (await sqlite_deal.propose(JONAS, _extras(euros(1), euros(2)))).card
    with pytest.raises(Problem, match=says):
        await attempt(sqlite_deal)
    assert await _only_card(sqlite_deal) == proposed


@pytest.mark.parametrize("minor", [-1, MOST_MINOR + 1, 1.5, True, "1"])
def test_what_is_no_amount_is_refused(minor: int) -> None:
    with pytest.raises(Problem, match="give a whole number"):
        Money(minor, "EUR")


async def test_an_ended_card_says_that_a_new_one_is_needed(sqlite_deal: Deal) -> None:
    card = (await sqlite_deal.propose(JONAS, sqlite_deal.offer())).card
    ended = (await sqlite_deal.answer(JONAS, card, "withdraw")).card
    with pytest.raises(Problem, match="Propose a new one"):
        await sqlite_deal.answer(MAYA, ended, "accept", pays=OK)


async def test_several_legs_have_to_be_named(sqlite_deal: Deal) -> None:
    sqlite_deal.parties = Parties(sqlite_deal.parties.thread, MAYA, (JONAS, NINA))
    terms = sqlite_deal.offer().legs[0]
    offer = say.Offer(legs=(terms, replace(terms, provider=NINA)))
    card = (await sqlite_deal.propose(MAYA, offer, pays=OK)).card
    card = (await sqlite_deal.answer(JONAS, card, "accept")).card
    await sqlite_deal.answer(NINA, card, "accept")
    await pay(sqlite_deal)
    with pytest.raises(Problem, match="as legId"):
        await sqlite_deal.propose(MAYA, say.Cancel(reason="Rain"))


async def test_nobody_can_be_kept_from_cancelling_by_too_many_cards(sqlite_deal: Deal) -> None:
    rules = Rules(cards=Cards(open_cards=3))
    deal = deal_on(sqlite_deal.bookings.database, rules)
    await booked(deal)
    for _ in range(3):
        await deal.propose(JONAS, say.Expense(title="Taxi", price=euros(1)))
    with pytest.raises(TooManyCards):
        await deal.propose(JONAS, say.Expense(title="Taxi", price=euros(1)))
    ended = (await deal.propose(MAYA, say.Cancel(reason="Rain"))).card
    assert ended.state is CardState.APPLIED


async def test_a_second_offer_in_a_thread_is_another_leg(deal: Deal) -> None:
    booking = await booked(deal, deal.offer(), deal.offer())
    assert [one.thread for one in booking.legs] == [deal.parties.thread, None]


async def test_a_free_job_with_a_deposit_keeps_its_payments(deal: Deal) -> None:
    booking = await booked(deal, deal.offer(price=0, deposit=50))
    assert booking.legs[0].price == euros(0)
    assert booking.legs[0].due_ms


async def test_a_clock_that_jumps_breaks_no_order(deal: Deal) -> None:
    card = (await deal.propose(JONAS, deal.offer())).card
    deal.clock.set_back(days=30)
    card = (await deal.answer(MAYA, card, "counter", deal.offer(300), pays=OK)).card
    assert card.due is not None
    assert card.due.at_ms > deal.clock.now_ms()
    deal.clock.advance(days=2)
    newer = (await deal.answer(JONAS, card, "counter", deal.offer(350))).card
    assert (newer.version, newer.waits_on) == (3, (MAYA,))
    deal.clock.set_back(days=1)
    accepted = (await deal.answer(MAYA, newer, "accept")).card
    assert accepted.state is CardState.ACCEPTED
    assert timedelta(milliseconds=accepted.changed_ms) < timedelta(milliseconds=newer.changed_ms)


async def test_a_clock_that_jumps_ahead_ends_what_waits(sqlite_deal: Deal) -> None:
    card = (await sqlite_deal.propose(JONAS, sqlite_deal.offer())).card
    sqlite_deal.clock.advance(days=31)
    for transition in ("accept", "decline"):
        with pytest.raises(Problem, match="its deadline has passed"):
            await sqlite_deal.answer(MAYA, card, transition, pays=OK)
    assert await make_deadline(sqlite_deal.bookings, card.id, card.version)
    assert (await booking_of(sqlite_deal)).open_cards == ()


async def test_a_card_has_not_any_number_of_counters(sqlite_deal: Deal) -> None:
    card = (await sqlite_deal.propose(JONAS, sqlite_deal.offer(400))).card
    for price, user in zip(range(1, 50), cycle([MAYA, JONAS]), strict=False):
        counter = sqlite_deal.offer(price)
        card = (await sqlite_deal.answer(user, card, "counter", counter, pays=OK)).card
    with pytest.raises(InvalidCard, match="fewer changes"):
        await sqlite_deal.answer(JONAS, card, "counter", sqlite_deal.offer(400))
    accepted = await sqlite_deal.answer(JONAS, card, "accept")
    assert accepted.card.version == 51

"""Payments that are declined, delayed, lost or answered late, and deposits that outlive a hold."""

from typing import Any, NoReturn

import pytest

from greenroom.bookings import journal
from greenroom.bookings.cards.payloads import LegTerms, Offer
from greenroom.bookings.cards.problems import PaymentMethodNeeded
from greenroom.bookings.chart import Account
from greenroom.bookings.models import Booking, CardState, DepositState, Operation, PaymentState
from greenroom.bookings.payments.base import Payments
from greenroom.errors import Unavailable
from greenroom.ids import ThreadId
from greenroom.messaging.models import Status
from tests.cards.world import DAY_MS, OK, CardWorld, euros


async def test_a_declined_payment_fails_the_card_and_changes_nothing(local: CardWorld) -> None:
    thread = await local.inquiry()
    offered = await local.propose("ben", thread.id, local.offer())
    with pytest.raises(PaymentMethodNeeded, match=r"400\.00 EUR"):
        await local.answer("ana", offered, "accept")
    failed = await local.answer("ana", offered, "accept", pays="sandbox:declines")
    assert (failed.state, failed.note) == (CardState.FAILED, "declined")
    booking = await local.booking(thread.id)
    assert booking.legs == ()
    assert (await local.thread(thread.id)).status is Status.OPEN
    check(booking)


async def test_a_delayed_payment_takes_effect_when_it_arrives(local: CardWorld) -> None:
    thread = await local.inquiry()
    offered = await local.propose("ben", thread.id, local.offer())
    waiting = await local.answer("ana", offered, "accept", pays="sandbox:delays")
    assert waiting.state is CardState.ACCEPTED
    for _ in range(3):  # to authorise it takes a minute, and to capture another one
        local.clock.advance(seconds=100)
        await local.sweep()
    assert (await local.record(offered.id)).card.state is CardState.APPLIED
    check(await local.booking(thread.id))


async def test_a_payment_that_comes_after_the_deadline_is_given_back(local: CardWorld) -> None:
    thread = await local.inquiry()
    offered = await local.propose("ben", thread.id, local.offer())
    await local.answer("ana", offered, "accept", pays="sandbox:delays")
    local.clock.advance(seconds=100)
    await local.sweep()
    local.clock.advance(seconds=3501)
    await local.run_timers()
    await local.settle()
    assert (await local.record(offered.id)).card.state is CardState.FAILED
    for _ in range(3):
        local.clock.advance(seconds=600)
        await local.sweep()
    booking = await local.booking(thread.id)
    operations = {one.operation: one.state for one in booking.payments.values()}
    assert operations == {
        Operation.CHARGE: PaymentState.DONE,
        Operation.REFUND: PaymentState.DONE,
    }
    check(booking)
    [ledger] = booking.ledgers.values()
    assert ledger.balances[Account.BUYER].net_posted == 0


async def test_a_lost_answer_is_asked_for_again(local: CardWorld) -> None:
    thread = await local.inquiry()
    offered = await local.propose("ben", thread.id, local.offer())
    waiting = await local.answer("ana", offered, "accept", pays="sandbox:lost_answer")
    assert waiting.state is CardState.ACCEPTED
    for _ in range(4):
        local.clock.advance(seconds=10)
        await local.sweep()
    assert (await local.record(offered.id)).card.state is CardState.APPLIED
    check(await local.booking(thread.id))


async def test_a_deposit_outlives_the_hold_of_a_card(local: CardWorld) -> None:
    """The job lasts for three weeks, a hold for one: it is renewed before it ends."""
    thread = await local.inquiry()
    terms = LegTerms(
        provider=local.user("ben"),
        title="A tour",
        starts_at=local.days(1),
        ends_at=local.days(22),
        price=euros(900),
        deposit=euros(300),
    )
    offered = await local.propose("ben", thread.id, Offer(legs=(terms,)))
    await local.answer("ana", offered, "accept", pays=OK)
    for _ in range(22):
        local.clock.advance(ms=DAY_MS)
        await local.run_timers()
        await local.settle()
        await local.sweep()
        booking = await local.booking(thread.id)
        assert booking.legs[0].deposit is not None
        assert booking.legs[0].deposit.state is DepositState.HELD
        [ledger] = booking.ledgers.values()
        assert [hold.money for hold in ledger.holds()] == [euros(300)]
        check(booking)
    holds = [one for one in booking.payments.values() if one.operation is Operation.HOLD]
    assert len(holds) >= 3
    assert await provider_holds(local, thread.id) == 1


async def test_a_hold_that_cannot_be_renewed_is_captured_before_it_ends(
    local: CardWorld,
) -> None:
    """The provider takes no new holds for days, and answers nothing about them."""
    thread = await local.inquiry()
    terms = LegTerms(
        provider=local.user("ben"),
        title="A tour",
        starts_at=local.days(1),
        ends_at=local.days(22),
        price=euros(900),
        deposit=euros(300),
    )
    offered = await local.propose("ben", thread.id, Offer(legs=(terms,)))
    await local.answer("ana", offered, "accept", pays=OK)
    local.clock.advance(ms=60_000)
    await local.run_timers()
    await local.settle()
    provider = local.bookings.payments
    assert provider is not None
    object.__setattr__(local.bookings, "payments", NoNewHolds(provider))
    for _ in range(7 * 24):
        local.clock.advance(ms=DAY_MS // 24)
        await local.run_timers()
        await local.settle()
    booking = await local.booking(thread.id)
    assert booking.legs[0].deposit is not None
    assert booking.legs[0].deposit.state is DepositState.CAPTURED
    [ledger] = booking.ledgers.values()
    assert (ledger.holds(), ledger.available(Account.DEPOSIT)) == ((), 30_000)
    check(booking)


class NoNewHolds:
    """A provider that refuses one of its calls."""

    def __init__(self, provider: Payments) -> None:
        self._provider = provider

    def __getattr__(self, name: str) -> Any:
        return getattr(self._provider, name)

    async def authorise(self, *_: object, **__: object) -> NoReturn:
        raise Unavailable("no new holds today")


def check(booking: Booking) -> None:
    assert [fault for one in booking.ledgers.values() for fault in journal.faults(one)] == []


async def provider_holds(world: CardWorld, thread: ThreadId) -> int:
    """How many holds were placed and neither released nor taken."""
    payments = (await world.booking(thread)).payments.values()
    done = [one for one in payments if one.state is PaymentState.DONE]
    ended = (Operation.RELEASE, Operation.CLAIM, Operation.CAPTURE)
    return sum(one.operation is Operation.HOLD for one in done) - sum(
        one.operation in ended for one in done
    )


async def test_a_deposit_needs_something_to_hold_it_with(local: CardWorld) -> None:
    """Also where nothing else is to be paid."""
    thread = await local.inquiry()
    offered = await local.propose("ben", thread.id, local.offer(price=0, deposit=100))
    with pytest.raises(PaymentMethodNeeded, match=r"100\.00 EUR"):
        await local.answer("ana", offered, "accept")
    await local.answer("ana", offered, "accept", pays=OK)
    local.clock.advance(days=19)
    await local.run_timers()
    await local.settle()
    [leg] = (await local.booking(thread.id)).legs
    assert leg.deposit is not None
    assert leg.deposit.state is DepositState.HELD

"""A fault of one booking holds up no other, and staff can see it."""

from msgspec.structs import replace
from sqlalchemy import insert, update

from greenroom.bookings import rows
from greenroom.bookings.cards.payloads import Offer
from greenroom.bookings.deposits import is_being_captured
from greenroom.bookings.models import (
    CardState,
    Deposit,
    DepositState,
    Operation,
    Payment,
    PaymentState,
)
from greenroom.bookings.read_trouble import read_trouble
from greenroom.bookings.schema import OUTBOX, PAYMENTS
from greenroom.ids import UserId
from tests.cards.world import OK, CardWorld, euros


async def test_news_that_nobody_understands_hold_up_their_booking_alone(local: CardWorld) -> None:
    spoilt, _ = await local.booked()
    wrong = {
        "group_id": (await local.booking(spoilt.id)).id,
        "thread_id": spoilt.id,
        "body": '{"type":"of a later release"}',
        "at_ms": 1,
        "relayed_ms": 0,
    }
    await local.bookings.database.write(lambda sql: sql.execute(insert(OUTBOX).values(wrong)))
    other = await local.inquiry("carl", "dora")
    await local.propose("carl", other.id, offer_to_dora(local), pays=OK)
    again = update(OUTBOX).where(OUTBOX.c.thread_id == other.id).values(relayed_ms=0)
    await local.bookings.database.write(lambda sql: sql.execute(again))
    local.clock.advance(days=1)
    await local.sweep()
    [late] = (await read_trouble(local.bookings, UserId("usr_mod"))).relays
    assert late.thread == spoilt.id


async def test_a_payment_that_cannot_be_recorded_gets_stuck_alone(local: CardWorld) -> None:
    spoilt, _ = await local.booked()
    [done] = (await local.booking(spoilt.id)).payments.values()
    twice = replace(done, state=PaymentState.REQUESTED)
    wrong = {"state": "requested", "payment": rows.packed(twice)}
    change = update(PAYMENTS).where(PAYMENTS.c.key == done.key).values(wrong)
    await local.bookings.database.write(lambda sql: sql.execute(change))
    other = await local.inquiry("carl", "dora")
    offered = await local.propose("dora", other.id, offer_to_dora(local))
    await local.answer("carl", offered, "accept", pays="sandbox:delays")
    for _ in range(3):
        local.clock.advance(seconds=100)
        await local.sweep()
    assert (await local.record(offered.id)).card.state is CardState.APPLIED
    for _ in range(35):
        local.clock.advance(seconds=3601)
        await local.sweep()
    [stuck] = (await read_trouble(local.bookings, UserId("usr_mod"))).payments
    assert stuck.payment.key == done.key
    assert "cannot be recorded" in stuck.payment.problem


async def test_a_hold_is_not_used_twice_while_its_capture_is_stuck(local: CardWorld) -> None:
    """The provider may have captured it, and only the answer was lost."""
    thread, _ = await local.booked()
    [charge] = (await local.booking(thread.id)).payments.values()
    deposit = Deposit(money=euros(9), state=DepositState.HELD, due_ms=0, hold="hold")
    for state in (PaymentState.REQUESTED, PaymentState.STUCK):
        capture = captured(charge, state)
        assert is_being_captured([charge, capture], deposit)
    assert not is_being_captured([charge, captured(charge, PaymentState.DECLINED)], deposit)


def captured(like: Payment, state: PaymentState) -> Payment:
    return replace(like, operation=Operation.CAPTURE, of="hold", state=state)


def offer_to_dora(world: CardWorld) -> Offer:
    offer = world.offer()
    return replace(offer, legs=(replace(offer.legs[0], provider=world.user("dora")),))

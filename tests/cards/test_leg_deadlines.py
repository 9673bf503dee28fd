"""What is due on a leg by itself happens, whatever else is due at that moment."""

import dataclasses
from collections.abc import Callable
from typing import TypeVar

from msgspec.structs import replace
from sqlalchemy import Connection

from greenroom.bookings.card_policy import BookingRules
from greenroom.bookings.cards.payloads import Complete, DepositClaim, Offer
from greenroom.bookings.leg_step import make_leg_step
from greenroom.bookings.models import CardState, DepositState, Leg
from greenroom.ids import ThreadId
from greenroom.sql.base import Schema
from greenroom.sql.problems import DatabaseUnavailable
from tests.cards.world import OK, CardWorld, euros

T = TypeVar("T")


async def test_a_leg_is_closed_when_its_hold_ends_at_the_same_time(local: CardWorld) -> None:
    """A claim postpones the payout until the hold has to be renewed as well."""
    thread = await completed(local)
    local.clock.advance(days=1)
    claim = await local.propose("ben", thread, DepositClaim(amount=euros(50), reason="Scratched"))
    await wait(local, days=2.01)
    assert not (await leg_of(local, thread)).is_paid_out
    await wait(local, days=1)
    for _ in range(2):
        await wait(local, days=1 / 20)
    assert (await local.record(claim.id)).card.state is CardState.EXPIRED
    leg = await leg_of(local, thread)
    assert leg.is_paid_out
    assert leg.deposit is not None
    assert leg.deposit.state is DepositState.RELEASED


async def test_all_of_a_leg_that_is_due_after_a_downtime_happens(local: CardWorld) -> None:
    thread = await completed(local)
    await wait(local, days=30)
    leg = await leg_of(local, thread)
    assert (leg.is_paid_out, leg.due_ms) == (True, 0)
    [ledger] = (await local.booking(thread)).ledgers.values()
    assert ledger.holds() == ()


async def test_a_longer_period_for_claims_postpones_the_payout(local: CardWorld) -> None:
    thread = await completed(local, deposit=None)
    longer = replace(local.bookings.rules, bookings=BookingRules(deposit_claim_hours=96))
    booking = await local.booking(thread)
    local.clock.advance(days=3, seconds=1)
    other_node = dataclasses.replace(local.bookings, rules=longer)
    assert await make_leg_step(other_node, booking.id, booking.legs[0].id)
    leg = await leg_of(local, thread)
    assert (leg.is_paid_out, leg.due_ms) == (False, booking.legs[0].due_ms + 24 * 3_600_000)
    assert not await make_leg_step(other_node, booking.id, leg.id)


async def test_deadlines_outlast_a_database_that_is_away(local: CardWorld) -> None:
    """For longer than a timer is tried."""
    thread = await completed(local, deposit=None)
    other = await local.inquiry("carl", "dora")
    offered = await local.propose("carl", other.id, offer_to_dora(local), pays=OK)
    here = local.bookings
    local.contexts.add(dataclasses.replace(here, database=AwayDatabase()))
    local.clock.advance(days=4)
    for _ in range(30):
        local.clock.advance(seconds=3601)
        await local.run_timers()
    local.contexts.add(here)
    await wait(local, days=0.01)
    assert (await leg_of(local, thread)).is_paid_out
    assert (await local.record(offered.id)).card.state is CardState.EXPIRED


class AwayDatabase:
    async def write(self, work: Callable[[Connection], T]) -> T:
        raise DatabaseUnavailable("no route to host")

    async def read(self, work: Callable[[Connection], T]) -> T:
        raise DatabaseUnavailable("no route to host")

    async def migrate(self, schema: Schema) -> None:
        raise DatabaseUnavailable("no route to host")

    async def close(self) -> None:
        pass


def offer_to_dora(world: CardWorld) -> Offer:
    offer = world.offer()
    return replace(offer, legs=(replace(offer.legs[0], provider=world.user("dora")),))


async def completed(world: CardWorld, deposit: int | None = 100) -> ThreadId:
    thread, _ = await world.booked(deposit=deposit)
    await wait(world, days=19)
    world.clock.advance(days=2)
    done = await world.propose("ben", thread.id, Complete())
    await world.answer("ana", done, "accept")
    return thread.id


async def wait(world: CardWorld, days: float) -> None:
    world.clock.advance(ms=int(days * 86_400_000))
    await world.run_timers()
    await world.settle()


async def leg_of(world: CardWorld, thread: ThreadId) -> Leg:
    [leg] = (await world.booking(thread)).legs
    return leg

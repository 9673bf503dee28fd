"""People who know each other book again in the same conversation."""

from greenroom.bookings.cards.payloads import Cancel, Complete
from greenroom.bookings.models import LegStatus
from greenroom.messaging.models import Kind, Status
from tests.cards.world import OK, CardWorld


async def test_a_second_booking_has_a_conversation_and_can_be_cancelled(world: CardWorld) -> None:
    thread, first = await world.booked()
    await world.propose("ana", thread.id, Cancel(reason="Snow"))
    assert (await world.thread(thread.id)).status is Status.ARCHIVED
    again = await world.propose("ben", thread.id, world.offer())
    await world.answer("ana", again, "accept", pays=OK)
    old, new = (await world.booking(thread.id)).legs
    assert (old.thread, first.thread) == (thread.id, thread.id)
    assert new.thread not in (None, thread.id)
    assert new.thread is not None
    bound = await world.thread(new.thread)
    assert (bound.kind, bound.leg_id) == (Kind.BOOKING, new.id)
    assert (await world.thread(thread.id)).status is Status.CONFIRMED

    await world.propose("ana", new.thread, Cancel(reason="Rain"))
    assert [leg.status for leg in (await world.booking(thread.id)).legs] == [
        LegStatus.CANCELLED,
        LegStatus.CANCELLED,
    ]


async def test_a_second_booking_is_completed_and_paid(local: CardWorld) -> None:
    thread, _ = await local.booked()
    again = await local.propose("ben", thread.id, local.offer())
    await local.answer("ana", again, "accept", pays=OK)
    new = (await local.booking(thread.id)).legs[1]
    assert new.thread is not None
    local.clock.advance(days=21)
    done = await local.propose("ben", new.thread, Complete())
    await local.answer("ana", done, "accept")
    local.clock.advance(days=3, seconds=1)
    await local.run_timers()
    await local.settle()
    first, second = (await local.booking(thread.id)).legs
    assert (first.status, second.status) == (LegStatus.CONFIRMED, LegStatus.COMPLETED)
    assert second.is_paid_out
    await local.sweep()
    assert (await local.booking(thread.id)).legs[1].thread == new.thread

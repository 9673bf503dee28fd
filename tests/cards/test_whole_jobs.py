"""Two whole jobs, from the first question to the last payment."""

from msgspec.structs import replace

from greenroom.bookings import journal
from greenroom.bookings.cards.payloads import (
    Answer,
    Cancel,
    Complete,
    Dispute,
    Expense,
    Noted,
    Overtime,
    Payload,
    Proofs,
    Reasoned,
    Reschedule,
    Ruling,
)
from greenroom.bookings.chart import Account
from greenroom.bookings.models import Booking, CardState, DepositState, LegStatus
from greenroom.ids import ThreadId
from greenroom.messaging.models import Kind, Status
from greenroom.messaging.panel.edit_tab import edit_tab
from greenroom.messaging.panel.models import Add, ObjectKind
from greenroom.people.actor import Scope, StaffRole
from tests.cards.world import DAY_MS, OK, CardWorld, euros


async def test_a_job_from_the_first_question_to_the_released_deposit(world: CardWorld) -> None:
    thread = await world.inquiry()
    await world.say("ana", thread.id, "Are you free in three weeks?")
    offer = world.offer(price=500, deposit=200)
    offered = await world.propose("ben", thread.id, offer)
    terms = replace(offer.legs[0], price=euros(450))
    countered = await world.answer(
        "ana", offered, "counter", replace(offer, legs=(terms,)), pays=OK
    )
    assert (await world.answer("ben", countered, "accept")).state is CardState.APPLIED
    head = await world.thread(thread.id)
    assert (head.kind, head.status) == (Kind.BOOKING, Status.CONFIRMED)

    shot = Add(kind=ObjectKind.SHOT, fields={"title": "The bride arrives"}, after=None)
    await edit_tab(world.messaging, world.actors["ben"], thread.id, "shotlist", "s1", shot)

    moved = Reschedule(starts_at=world.days(22), ends_at=world.days(22.2), note="Rain")
    await agreed(world, thread.id, "ana", moved)
    world.clock.advance(ms=21 * DAY_MS)  # the deposit is held two days before
    await run(world)
    assert (await deposit(world, thread.id)) is DepositState.HELD
    world.clock.advance(ms=DAY_MS + 3_600_000)
    await agreed(world, thread.id, "ben", Overtime(minutes=60, price=euros(80)))
    await agreed(world, thread.id, "ben", Expense(title="Taxi", price=euros(25)))

    proofs = await world.propose("ben", thread.id, Proofs(title="Selection", note="In the folder"))
    asked = await world.answer("ana", proofs, "ask_changes", Reasoned(note="Warmer, please"))
    again = await world.answer(
        "ben", asked, "deliver", Proofs(title="Selection", note="Warmer now")
    )
    accepted = await world.answer("ana", again, "accept")
    assert isinstance(accepted.payload, Proofs)
    assert accepted.payload.round == 2

    await agreed(world, thread.id, "ben", Complete())
    world.clock.advance(ms=3 * DAY_MS + 1)
    await run(world)
    booking = await sound_booking(world, thread.id)
    [leg] = booking.legs
    assert (leg.status, leg.proofs_accepted) == (LegStatus.COMPLETED, 2)
    assert (await deposit(world, thread.id)) is DepositState.RELEASED
    ledger = booking.ledgers[leg.id]
    assert ledger.holds() == ()
    assert ledger.balances[Account.SELLER].net_posted == (450 + 80 + 25) * 100
    assert (await world.thread(thread.id)).status is Status.COMPLETED


async def test_a_job_that_ends_in_a_dispute_and_a_part_of_the_deposit(world: CardWorld) -> None:
    thread, leg = await world.booked(price=400, deposit=200)
    world.clock.advance(ms=19 * DAY_MS)
    await run(world)
    cancel = Cancel(reason="The studio is flooded", refund=euros(350))
    asked = await world.propose("ana", thread.id, cancel)
    declined = await world.answer("ben", asked, "decline", Noted(note="I was there"))
    assert declined.state is CardState.DECLINED

    dispute = Dispute(reason="No studio, no shoot", refund=euros(350))
    opened = await world.propose("ana", thread.id, dispute)
    assert (await world.thread(thread.id)).status is Status.DISPUTED
    given = Answer(answer="I waited for two hours, and a lamp was broken")
    answered = await world.answer("ben", opened, "respond", given)
    assert answered.waits_on_staff
    await world.person("mod", Scope.MODERATOR, role=StaffRole.MODERATOR)
    ruling = Ruling(refund=euros(250), claim=euros(60), note="Half of the day was worked")
    decided = await world.answer("mod", answered, "decide", ruling)
    assert decided.state is CardState.APPLIED
    await run(world)

    booking = await sound_booking(world, thread.id)
    ledger = booking.ledgers[leg.id]
    assert ledger.holds() == ()
    assert ledger.balances[Account.SELLER].net_posted == (400 - 250 + 60) * 100
    assert ledger.balances[Account.BUYER].net_posted == -(400 - 250 + 60) * 100
    assert (await deposit(world, thread.id)) is DepositState.CLAIMED
    assert (await world.thread(thread.id)).status is Status.COMPLETED


async def agreed(world: CardWorld, thread: ThreadId, name: str, payload: Payload) -> None:
    card = await world.propose(name, thread, payload)
    other = "ana" if name == "ben" else "ben"
    assert (await world.answer(other, card, "accept")).state is CardState.APPLIED


async def run(world: CardWorld) -> None:
    """Timers, and what follows from them."""
    for _ in range(2):
        await world.run_timers()
        await world.settle()
        await world.sweep()


async def deposit(world: CardWorld, thread: ThreadId) -> DepositState:
    found = (await world.booking(thread)).legs[0].deposit
    assert found is not None
    return found.state


async def sound_booking(world: CardWorld, thread: ThreadId) -> Booking:
    booking = await world.booking(thread)
    assert [fault for one in booking.ledgers.values() for fault in journal.faults(one)] == []
    return booking

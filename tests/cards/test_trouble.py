"""What staff see about bookings, on each pair of engines."""

from sqlalchemy import Connection

from greenroom.bookings.cards.payloads import Answer, Dispute
from greenroom.bookings.read_trouble import LATE_MS, read_trouble
from greenroom.bookings.schema import OUTBOX, PAYMENTS
from greenroom.ids import UserId
from tests.cards.world import CardWorld

MODERATOR = UserId("usr_mod")


async def test_disputes_wait_for_those_who_take_no_part(world: CardWorld) -> None:
    thread, leg = await world.booked()
    opened = await world.propose("ana", thread.id, Dispute(reason="Nobody came."))
    await world.answer("ben", opened, "respond", Answer(answer="I did."))
    found = await read_trouble(world.bookings, MODERATOR)
    [dispute] = found.disputes
    assert (dispute.card.card_id, dispute.leg.id) == (opened.id, leg.id)
    assert [step.transition for step in dispute.steps] == ["propose", "respond"]
    for party in ("ana", "ben"):
        assert (await read_trouble(world.bookings, world.user(party))).disputes == ()


async def test_stuck_payments_and_late_news_are_found(world: CardWorld) -> None:
    await world.booked()
    found = await read_trouble(world.bookings, MODERATOR)
    assert (found.payments, found.relays) == ((), ())

    def spoil(connection: Connection) -> None:
        connection.execute(PAYMENTS.update().values(state="stuck"))
        connection.execute(OUTBOX.update().values(relayed_ms=0))

    await world.bookings.database.write(spoil)
    found = await read_trouble(world.bookings, MODERATOR)
    assert (len(found.payments), found.relays) == (1, ())
    world.clock.advance(ms=LATE_MS)
    [late] = (await read_trouble(world.bookings, MODERATOR)).relays
    assert not late.is_set_aside

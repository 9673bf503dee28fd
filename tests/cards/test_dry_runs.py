"""A dry run says what becomes of a deposit that is held, and writes nothing."""

from greenroom.bookings.cards.payloads import Cancel, Complete, DepositClaim
from greenroom.bookings.models import DepositState, Operation
from greenroom.bookings.move_card import CardMove
from greenroom.bookings.propose_card import NewCard
from greenroom.messaging.cards.propose import dry_answer, dry_propose
from tests.cards.world import CardWorld, euros


async def test_a_dry_run_shows_claims_and_releases(local: CardWorld) -> None:
    world = local
    thread, _ = await world.booked(deposit=200)
    world.clock.advance(days=19)
    await world.run_timers()
    await world.settle()
    leg = (await world.booking(thread.id)).legs[0]
    assert leg.deposit is not None
    assert leg.deposit.state is DepositState.HELD
    ana, new = world.actors["ana"], NewCard(key="c", payload=Cancel(reason="Snow"))
    cancelled = await dry_propose(world.messaging, world.bookings, ana, thread.id, new)
    [release] = cancelled.deposits
    assert (release.operation, release.money) == (Operation.RELEASE, euros(200))

    world.clock.advance(days=2)
    done = await world.propose("ben", thread.id, Complete())
    await world.answer("ana", done, "accept")
    claim = DepositClaim(amount=euros(60), reason="A lamp was broken")
    asked = await world.propose("ben", thread.id, claim)
    wanted = CardMove(key="a", version=asked.version, transition="accept")
    accepted = await dry_answer(world.messaging, world.bookings, ana, asked.id, wanted)
    [claimed] = accepted.deposits
    assert (claimed.operation, claimed.money) == (Operation.CLAIM, euros(60))
    assert (await world.booking(thread.id)).legs[0].deposit == leg.deposit

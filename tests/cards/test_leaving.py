"""After somebody has left or was silenced, the other side can still end the job."""

import pytest
from msgspec.structs import replace

from greenroom.bookings.cards.payloads import Cancel, Complete, Dispute, Extra, Extras
from greenroom.bookings.models import CardState, LegStatus
from greenroom.ids import ThreadId
from greenroom.messaging import participants
from greenroom.messaging.lock import lock
from greenroom.messaging.models import Status
from greenroom.messaging.problems import ConversationLocked
from greenroom.people.actor import Actor, Scope
from tests.cards.test_groups import asked_together, offer_to
from tests.cards.world import OK, CardWorld, euros


async def test_a_buyer_cancels_after_all_providers_have_left(local: CardWorld) -> None:
    thread = await booked_in_a_group(local)
    for name in ("ben", "cleo"):
        await participants.leave(local.messaging, local.actors[name], thread)
    cancelled = await local.propose("ana", thread, Cancel(reason="Nobody is there"))
    assert cancelled.state is CardState.APPLIED


async def test_a_provider_is_paid_after_the_buyer_has_left(local: CardWorld) -> None:
    thread = await booked_in_a_group(local)
    await participants.leave(local.messaging, local.actors["ana"], thread)
    local.clock.advance(days=21)
    await local.propose("ben", thread, Complete())
    for _ in range(2):
        local.clock.advance(days=3, seconds=1)
        await local.run_timers()
        await local.settle()
    [leg] = (await local.booking(thread)).legs
    assert (leg.status, leg.is_paid_out) == (LegStatus.COMPLETED, True)


async def test_a_lock_keeps_nobody_from_their_rights(local: CardWorld) -> None:
    """Silence would accept the completion all the same."""
    thread, _ = await local.booked()
    local.clock.advance(days=21)
    done = await local.propose("ben", thread.id, Complete())
    await lock(local.messaging, await moderator(local), thread.id)
    extras = Extras(items=(Extra(title="A print", price=euros(5)),))
    with pytest.raises(ConversationLocked):
        await local.propose("ben", thread.id, extras)
    assert (await local.answer("ana", done, "decline")).state is CardState.DECLINED
    disputed = await local.propose("ana", thread.id, Dispute(reason="Nobody came"))
    assert disputed.state is CardState.PROPOSED
    head = await local.thread(thread.id)
    assert (head.status, head.locked_from) == (Status.LOCKED, Status.DISPUTED)


async def booked_in_a_group(world: CardWorld) -> ThreadId:
    """Ana talks to Ben and Cleo, and books Ben."""
    thread = await asked_together(world)
    offered = await world.propose("ana", thread.id, offer_to(world, "ben"), pays=OK)
    await world.answer("ben", offered, "accept")
    return thread.id


async def moderator(world: CardWorld) -> Actor:
    actor = await world.person("mo")
    return replace(actor, scopes=actor.scopes | {Scope.MODERATOR})

"""Who can read a card: as long as they can read its message, and those whom it concerns."""

import pytest
from msgspec.structs import replace

from greenroom.bookings.cards.payloads import Extra, Extras
from greenroom.bookings.cards.problems import CardNotFound
from greenroom.bookings.models import Card
from greenroom.ids import ThreadId
from greenroom.messaging import participants
from greenroom.messaging.cards.read import read_booking, read_card, thread_cards
from greenroom.messaging.models import Role
from greenroom.messaging.open import Invited
from greenroom.messaging.problems import ThreadNotFound
from greenroom.messaging.respond import accept
from greenroom.people.actor import Actor, Scope
from tests.cards.test_groups import asked_together, offer_to
from tests.cards.world import OK, CardWorld, euros


async def test_a_card_is_hidden_from_people_who_have_not_accepted(local: CardWorld) -> None:
    thread = await asked_together(local)
    offered = await local.propose("ana", thread.id, offer_to(local, "ben", "cleo"), pays=OK)
    await invite(local, thread.id, "dan")
    assert await seen(local, "cleo", thread.id) == [offered.id]
    assert await seen(local, "dan", thread.id) == []
    assert await read_booking(local.messaging, local.bookings, local.actors["dan"], thread.id) is (
        None
    )
    await refused(local, "dan", offered)


async def test_earlier_cards_are_hidden_from_people_who_join_later(local: CardWorld) -> None:
    thread = await asked_together(local)
    offered = await local.propose("ana", thread.id, offer_to(local, "ben"), pays=OK)
    await local.answer("ben", offered, "accept")
    await invite(local, thread.id, "dan", accepts=True)
    await refused(local, "dan", offered)
    local.clock.advance(seconds=1)
    extras = Extras(items=(Extra(title="A print", price=euros(5)),))
    later = await local.propose("ben", thread.id, extras)
    assert await seen(local, "dan", thread.id) == [later.id]
    assert await seen(local, "ben", thread.id) == [later.id, offered.id]

    await participants.remove(local.messaging, local.actors["ana"], thread.id, local.user("ben"))
    with pytest.raises(ThreadNotFound):
        await seen(local, "ben", thread.id)
    await invite(local, thread.id, "ben", accepts=True, role=Role.SELLER)
    assert await seen(local, "ben", thread.id) == [later.id, offered.id]


async def test_staff_who_sell_in_a_booking_see_no_other_provider_of_it(local: CardWorld) -> None:
    thread = await asked_together(local)
    offered = await local.propose("ana", thread.id, offer_to(local, "ben", "cleo"), pays=OK)
    half = await local.answer("ben", offered, "accept")
    await local.answer("cleo", half, "accept")
    bens, _ = (await local.booking(thread.id)).legs
    assert bens.thread is not None
    extras = Extras(items=(Extra(title="A print", price=euros(5)),))
    private = await local.propose("ben", bens.thread, extras)
    local.actors["cleo"] = staff(local, "cleo")
    await refused(local, "cleo", private)
    assert await seen(local, "cleo", bens.thread) == []
    await local.person("mo")
    local.actors["mo"] = staff(local, "mo")
    assert await seen(local, "mo", bens.thread) == [private.id]


def staff(world: CardWorld, name: str) -> Actor:
    actor = world.actors[name]
    return replace(actor, scopes=actor.scopes | {Scope.MODERATOR})


async def seen(world: CardWorld, name: str, thread: ThreadId) -> list[str]:
    page = await thread_cards(world.messaging, world.bookings, world.actors[name], thread)
    return [card.card_id for card in page.cards]


async def refused(world: CardWorld, name: str, card: Card) -> None:
    with pytest.raises(CardNotFound):
        await read_card(world.messaging, world.bookings, world.actors[name], card.id)
    with pytest.raises(CardNotFound):
        await world.answer(name, card, "accept")


async def invite(
    world: CardWorld,
    thread: ThreadId,
    name: str,
    *,
    accepts: bool = False,
    role: Role = Role.MEMBER,
) -> None:
    person = await world.person(name)
    after = await participants.add(
        world.messaging, world.actors["ana"], thread, Invited(person.user, role)
    )
    if accepts and person.user in after.gates:
        await accept(world.messaging, person, after.gates[person.user].id)

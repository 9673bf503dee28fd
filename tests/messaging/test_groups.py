"""What may grow with the number of members, and what must not."""

from contextlib import suppress

import pytest

from greenroom.messaging import inbox, open as opening, participants, read
from greenroom.messaging.models import Kind, Role
from greenroom.messaging.policy import PARTICIPANTS
from greenroom.messaging.respond import accept
from greenroom.people.actor import Scope
from greenroom.safety.limits import TooMany
from tests.messaging.world import MessagingWorld
from tests.world import RATES, UNLIMITED, messaging_on


async def test_the_last_of_a_hundred_can_be_added(world: MessagingWorld) -> None:
    host = await world.person("host", Scope.SERVICE)
    others = [await world.person(f"guest{n}") for n in range(99)]
    thread = await opening.open_thread(
        world.messaging,
        host,
        opening.Opening(
            kind=Kind.STUDIO,
            role=Role.HOST,
            others=tuple(opening.Invited(guest.user, Role.BUYER) for guest in others[:98]),
        ),
    )
    last = opening.Invited(others[98].user, Role.BUYER)
    grown = await participants.add(world.messaging, host, thread.id, last)
    assert len(grown.members) == 100


async def test_a_late_reader_in_a_large_group_touches_no_other_row(world: MessagingWorld) -> None:
    host = await world.person("host", Scope.SERVICE)
    guests = [await world.person(f"guest{n}") for n in range(20)]
    thread = await opening.open_thread(
        world.messaging,
        host,
        opening.Opening(
            kind=Kind.STUDIO,
            role=Role.HOST,
            others=tuple(opening.Invited(guest.user, Role.BUYER) for guest in guests),
        ),
    )
    await world.say("host", thread.id, "Doors open at nine.")
    for guest in guests:
        await read.mark_read(world.messaging, guest, thread.id, 1)
    await world.say("host", thread.id, "At ten, after all.")
    for guest in guests[1:]:
        await read.mark_read(world.messaging, guest, thread.id, 2)
    world.clock.advance(seconds=3600)
    for guest in guests:
        await inbox.inbox(world.messaging, guest)
    await world.messaging.deferred.run()
    with world.store.counting() as cost:
        await read.mark_read(world.messaging, guests[0], thread.id, 2)
    assert cost.write_units <= 4


async def test_members_who_accepted_take_no_more_space_than_contacts(
    world: MessagingWorld,
) -> None:
    world.messaging = messaging_on(world.store, world.clock, UNLIMITED)
    ana = await world.person("ana")
    guests = [await world.person(f"guest{n}") for n in range(20)]
    invited = tuple(opening.Invited(guest.user, Role.BUYER) for guest in guests)
    asked = opening.Opening(kind=Kind.STUDIO, role=Role.HOST, others=invited)
    strangers = await opening.open_thread(world.messaging, ana, asked)
    for guest in guests:
        await accept(world.messaging, guest, strangers.gates[guest.user].id)
    known = await opening.open_thread(world.messaging, ana, asked)
    costs = []
    for thread in (strangers, known):
        await world.say("ana", thread.id, "Welcome.")
        with world.store.counting() as cost:
            await world.say("ana", thread.id, "Doors open at nine.")
        costs.append(cost.write_units)
    assert costs[0] == costs[1]


async def test_adding_and_removing_people_is_rate_limited(
    world: MessagingWorld,
) -> None:
    thread = await world.inquiry()
    ana, cleo = world.actors["ana"], await world.person("cleo")
    await world.inquiry("ana", "cleo")
    invited = opening.Invited(cleo.user, Role.BUYER)
    done = 0
    with suppress(TooMany):
        for _ in range(RATES[PARTICIPANTS].most):
            await participants.add(world.messaging, ana, thread.id, invited)
            await participants.remove(world.messaging, ana, thread.id, cleo.user)
            done += 1
    assert 20 <= done < RATES[PARTICIPANTS].most
    with pytest.raises(TooMany):
        await participants.add(world.messaging, ana, thread.id, invited)
    world.clock.advance(seconds=2 * 3600)
    await participants.add(world.messaging, ana, thread.id, invited)

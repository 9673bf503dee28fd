"""What grows with the number of participants, and what must not."""

from greenroom.messaging import inbox, open as opening, read, seats
from greenroom.messaging.models import Kind, Role
from greenroom.people.actor import Scope
from tests.messaging.world import World


async def test_the_last_of_a_hundred_can_be_added(world: World) -> None:
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
    grown = await seats.add(world.messaging, host, thread.id, last)
    assert len(grown.seats) == 100


async def test_a_late_reader_in_a_large_group_stirs_nobody_else(world: World) -> None:
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
    await world.messaging.chores.run()
    with world.store.counting() as cost:
        await read.mark_read(world.messaging, guests[0], thread.id, 2)
    assert cost.write_units <= 4

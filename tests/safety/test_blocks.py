"""Blocks: both are kept apart, and only whoever set one takes it back."""

import pytest

from greenroom.ids import UserId
from greenroom.people.directory import PersonNotFound
from greenroom.safety.block import CannotBlockYourself, block
from greenroom.safety.blocks import apart, apart_from, blocks, has_blocked
from greenroom.safety.events import PersonBlocked, PersonUnblocked
from greenroom.safety.unblock import unblock
from tests.safety.world import World


async def test_a_block_keeps_both_apart_whoever_set_it(world: World) -> None:
    ana, ben, cleo = world.ana.user, world.ben.user, world.cleo.user
    assert not await apart(world.safety, ana, ben)
    await block(world.safety, world.ana, ben)
    assert await apart(world.safety, ana, ben)
    assert await apart(world.safety, ben, ana)
    assert not await apart(world.safety, ana, cleo)
    assert await has_blocked(world.safety, ana, ben)
    assert not await has_blocked(world.safety, ben, ana)


async def test_blocking_twice_leaves_the_first(world: World) -> None:
    first = await block(world.safety, world.ana, world.ben.user)
    world.clock.advance(days=1)
    assert await block(world.safety, world.ana, world.ben.user) == first
    assert [event for event in world.told if isinstance(event, PersonBlocked)] == [
        PersonBlocked(first.blocker, first.blocked, first.at_ms)
    ]


async def test_a_block_that_is_taken_back_is_gone_and_again_is_fine(world: World) -> None:
    await block(world.safety, world.ana, world.ben.user)
    await unblock(world.safety, world.ana, world.ben.user)
    await unblock(world.safety, world.ana, world.ben.user)
    assert not await apart(world.safety, world.ana.user, world.ben.user)
    assert isinstance(world.told[-1], PersonUnblocked)


async def test_one_cannot_take_back_the_others_block(world: World) -> None:
    await block(world.safety, world.ana, world.ben.user)
    await unblock(world.safety, world.ben, world.ana.user)
    assert await apart(world.safety, world.ana.user, world.ben.user)


async def test_nobody_blocks_themselves_or_what_is_no_person(world: World) -> None:
    with pytest.raises(CannotBlockYourself):
        await block(world.safety, world.ana, world.ana.user)
    for nobody in ("", "x" * 500, "a b", "usr_system"):
        with pytest.raises(PersonNotFound):
            await block(world.safety, world.ana, UserId(nobody))
        await unblock(world.safety, world.ana, UserId(nobody))


async def test_ones_blocks_are_listed_in_pages_and_are_ones_own(world: World) -> None:
    others = [UserId(f"usr_{n:02d}") for n in range(7)]
    for other in others:
        await block(world.safety, world.ana, other)
    await block(world.safety, world.ben, world.ana.user)
    first = await blocks(world.safety, world.ana, limit=5)
    rest = await blocks(world.safety, world.ana, limit=5, cursor=first.next)
    assert [one.blocked for one in first.blocks + rest.blocks] == others
    assert rest.next is None


async def test_of_many_those_are_found_from_whom_one_is_kept(world: World) -> None:
    many = [UserId(f"usr_{n:03d}") for n in range(120)]
    await block(world.safety, world.ana, many[3])
    await block(world.safety, world.ana, many[110])
    kept = await apart_from(world.safety, world.ana.user, [*many, world.ana.user])
    assert kept == {many[3], many[110]}
    assert await apart_from(world.safety, many[3], [world.ana.user]) == {world.ana.user}


async def test_whether_two_are_apart_is_one_read_of_two_keys(world: World) -> None:
    with world.store.counting() as cost:
        await apart(world.safety, world.ana.user, world.ben.user)
    assert cost.read_units <= 2  # DynamoDB Local counts none for what is not there
    assert cost.write_units == 0

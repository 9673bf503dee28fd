"""Blocks: they work in both directions, and only the blocker lifts them."""

import pytest

from greenroom.ids import UserId
from greenroom.people.directory import PersonNotFound
from greenroom.safety.block import CannotBlockYourself, block
from greenroom.safety.blocks import blocked_among, blocks, has_blocked, is_blocked_pair
from greenroom.safety.events import PersonBlocked, PersonUnblocked
from greenroom.safety.unblock import unblock
from tests.safety.world import SafetyWorld


async def test_a_block_works_in_both_directions(world: SafetyWorld) -> None:
    ana, ben, cleo = world.ana.user, world.ben.user, world.cleo.user
    assert not await is_blocked_pair(world.safety, ana, ben)
    await block(world.safety, world.ana, ben)
    assert await is_blocked_pair(world.safety, ana, ben)
    assert await is_blocked_pair(world.safety, ben, ana)
    assert not await is_blocked_pair(world.safety, ana, cleo)
    assert await has_blocked(world.safety, ana, ben)
    assert not await has_blocked(world.safety, ben, ana)


async def test_blocking_twice_keeps_the_first_block(world: SafetyWorld) -> None:
    first = await block(world.safety, world.ana, world.ben.user)
    world.clock.advance(days=1)
    assert await block(world.safety, world.ana, world.ben.user) == first
    assert [event for event in world.published if isinstance(event, PersonBlocked)] == [
        PersonBlocked(first.blocker, first.blocked, first.at_ms)
    ]


async def test_a_block_can_be_lifted_and_lifted_again(world: SafetyWorld) -> None:
    await block(world.safety, world.ana, world.ben.user)
    await unblock(world.safety, world.ana, world.ben.user)
    await unblock(world.safety, world.ana, world.ben.user)
    assert not await is_blocked_pair(world.safety, world.ana.user, world.ben.user)
    assert isinstance(world.published[-1], PersonUnblocked)


async def test_a_blocked_user_cannot_lift_the_block(world: SafetyWorld) -> None:
    await block(world.safety, world.ana, world.ben.user)
    await unblock(world.safety, world.ben, world.ana.user)
    assert await is_blocked_pair(world.safety, world.ana.user, world.ben.user)


async def test_nobody_blocks_themselves_or_an_invalid_id(world: SafetyWorld) -> None:
    with pytest.raises(CannotBlockYourself):
        await block(world.safety, world.ana, world.ana.user)
    for nobody in ("", "x" * 500, "a b", "usr_system"):
        with pytest.raises(PersonNotFound):
            await block(world.safety, world.ana, UserId(nobody))
        await unblock(world.safety, world.ana, UserId(nobody))


async def test_a_user_lists_only_their_own_blocks_in_pages(world: SafetyWorld) -> None:
    others = [UserId(f"usr_{n:02d}") for n in range(7)]
    for other in others:
        await block(world.safety, world.ana, other)
    await block(world.safety, world.ben, world.ana.user)
    first = await blocks(world.safety, world.ana, limit=5)
    rest = await blocks(world.safety, world.ana, limit=5, cursor=first.next)
    assert [one.blocked for one in first.blocks + rest.blocks] == others
    assert rest.next is None


async def test_blocked_users_are_found_among_many(world: SafetyWorld) -> None:
    many = [UserId(f"usr_{n:03d}") for n in range(120)]
    await block(world.safety, world.ana, many[3])
    await block(world.safety, world.ana, many[110])
    kept = await blocked_among(world.safety, world.ana.user, [*many, world.ana.user])
    assert kept == {many[3], many[110]}
    assert await blocked_among(world.safety, many[3], [world.ana.user]) == {world.ana.user}


async def test_checking_a_pair_reads_two_keys(world: SafetyWorld) -> None:
    with world.store.counting() as cost:
        await is_blocked_pair(world.safety, world.ana.user, world.ben.user)
    assert cost.read_units <= 2  # DynamoDB Local counts none for a missing item
    assert cost.write_units == 0

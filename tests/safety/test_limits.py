"""Rate limits over two nodes: what they allow together, what it costs, and when to retry."""

import asyncio
import random
from collections import deque
from math import ceil

import pytest

from greenroom.api.platform.policy import CHANGES
from greenroom.ids import UserId
from greenroom.messaging.policy import BURST, MESSAGES, OPENINGS
from greenroom.policy import Limit
from greenroom.safety.limits import Limits, Rate, TooMany
from greenroom.safety.policy import REPORTS
from tests.safety.world import SafetyWorld
from tests.world import LIMITS, RATES

USER = UserId("usr_busy")
SMALL = {
    MESSAGES: Rate(most=20, window_ms=10_000, local_share=3, lease_size=5, lease_ms=1_000),
    REPORTS: Rate(most=4, window_ms=60_000, local_share=1, lease_size=1, lease_ms=1_000),
}


def nodes(world: SafetyWorld, count: int = 2) -> list[Limits]:
    return [Limits(world.store, world.clock, SMALL, nodes=2) for _ in range(count)]


async def passes(limits: Limits, limit: Limit = MESSAGES) -> bool:
    try:
        await limits.spend(USER, limit)
    except TooMany:
        return False
    return True


@pytest.mark.parametrize("limit", LIMITS, ids=lambda limit: limit.name)
def test_every_limit_leaves_something_to_lease(limit: Limit) -> None:
    rate = RATES[limit]
    assert rate.most - 2 * rate.local_share >= rate.lease_size >= 1
    assert 0 < rate.lease_ms < rate.window_ms


@pytest.mark.parametrize("seed", range(4))
async def test_two_nodes_together_never_exceed_the_limit_in_any_window(
    world: SafetyWorld, seed: int
) -> None:
    dice, both = random.Random(seed), nodes(world)
    rate, passed, busiest = SMALL[MESSAGES], deque[int](), 0
    for _ in range(400):
        world.clock.advance(ms=dice.choice((0, 0, 1, 30, 200, 1_500)))
        if await passes(dice.choice(both)):
            passed.append(world.clock.now_ms())
        while passed and passed[0] <= world.clock.now_ms() - rate.window_ms:
            passed.popleft()
        busiest = max(busiest, len(passed))
    assert rate.most * 0.7 < busiest <= rate.most


async def test_two_nodes_at_once_allow_exactly_the_limit(world: SafetyWorld) -> None:
    one, other = nodes(world)
    tries = [passes(node) for node in (one, other) for _ in range(40)]
    assert sum(await asyncio.gather(*tries)) == SMALL[MESSAGES].most


@pytest.mark.parametrize("limit", LIMITS, ids=lambda limit: limit.name)
async def test_one_node_grants_the_documented_figure(world: SafetyWorld, limit: Limit) -> None:
    """All of it on a local store; all but another node's share on a shared one."""
    limits, rate = Limits(world.store, world.clock, RATES), RATES[limit]
    passed = 0
    while await passes(limits, limit):
        passed += 1
    assert passed == rate.most - (0 if world.store.is_local else rate.local_share)
    assert rate.local_share <= rate.most * 4 / 15
    assert limits.most_at_once(limit) == passed


@pytest.mark.parametrize("pace", [0.66, 0.69, 0.85, 1.0, 3.0])
@pytest.mark.parametrize("limit", [CHANGES, OPENINGS, BURST, REPORTS])
async def test_a_user_at_the_limit_gets_the_documented_part(
    world: SafetyWorld, limit: Limit, pace: float
) -> None:
    limits, rate, windows = Limits(world.store, world.clock, RATES), RATES[limit], 4
    step = int(rate.window_ms / rate.most / pace)
    passed = 0
    for _ in range(windows * rate.window_ms // step):
        world.clock.advance(ms=step)
        passed += await passes(limits, limit)
    least = 3 / 5 if world.store.is_local else 2 / 5
    assert least <= passed / windows / rate.most <= 1 + 1 / windows


async def test_an_ordinary_pace_costs_nothing(world: SafetyWorld) -> None:
    limits = Limits(world.store, world.clock, RATES)
    with world.store.counting() as cost:
        for _ in range(60):
            await limits.spend(USER, MESSAGES, BURST)
            world.clock.advance(seconds=4)
    assert cost.write_units == 0
    assert cost.read_units == 0


async def test_a_busy_minute_costs_a_write_per_lease_and_not_per_message(
    world: SafetyWorld,
) -> None:
    limits = Limits(world.store, world.clock, RATES, nodes=2)
    rate = RATES[MESSAGES]
    with world.store.counting() as cost:
        for _ in range(rate.most - rate.local_share):
            await limits.spend(USER, MESSAGES)
    leases = ceil((rate.most - 2 * rate.local_share) / rate.lease_size)
    assert cost.write_units == leases
    assert cost.read_units == leases


async def test_refusals_cost_nothing(world: SafetyWorld) -> None:
    limits = nodes(world, 1)[0]
    while await passes(limits):
        pass
    with world.store.counting() as cost:
        for _ in range(50):
            assert not await passes(limits)
    assert cost.write_units == cost.read_units == 0


async def test_retry_after_is_long_enough_and_not_too_long(world: SafetyWorld) -> None:
    limits = nodes(world, 1)[0]
    for _ in range(40):
        world.clock.advance(ms=130)
        if not await passes(limits):
            break
    with pytest.raises(TooMany) as refusal:
        await limits.spend(USER, MESSAGES)
    assert refusal.value.limit == "messages"
    world.clock.advance(ms=refusal.value.retry_after_s * 1000 - 1001)
    assert not await passes(limits)
    world.clock.advance(ms=1001)
    assert await passes(limits)


async def test_a_new_node_knows_what_the_others_allowed(
    world: SafetyWorld,
) -> None:
    one, other = nodes(world)
    while await passes(one):
        pass
    rate = SMALL[MESSAGES]
    assert [await passes(other) for _ in range(6)] == [True] * rate.local_share + [False] * 3


async def test_limits_and_users_are_independent(world: SafetyWorld) -> None:
    limits = nodes(world, 1)[0]
    while await passes(limits):
        pass
    assert await passes(limits, REPORTS)
    await limits.spend(UserId("usr_other"), MESSAGES)


@pytest.mark.parametrize("back_ms", [5_000, 60_000, 3_600_000, 86_400_000 * 400])
async def test_a_clock_that_jumps_back_locks_nobody_out(world: SafetyWorld, back_ms: int) -> None:
    limits = nodes(world, 1)[0]
    while await passes(limits):
        pass
    world.clock.advance(ms=-back_ms)
    rate = SMALL[MESSAGES]
    world.clock.advance(ms=min(back_ms, rate.window_ms) + rate.window_ms + rate.lease_ms)
    assert await passes(limits)
    assert await passes(nodes(world, 1)[0])


async def test_a_bounded_number_of_users_is_tracked(world: SafetyWorld) -> None:
    limits = Limits(world.store, world.clock, SMALL, most_tracked=10)
    for n in range(100):
        await limits.spend(UserId(f"usr_{n}"), MESSAGES)
    assert len(limits._usage) == 10


async def _passes_many(limits: Limits, count: int) -> bool:
    try:
        await limits.spend_many(USER, MESSAGES, count)
    except TooMany:
        return False
    return True


async def test_many_are_spent_together_or_not_at_all(world: SafetyWorld) -> None:
    limits = nodes(world, 1)[0]
    most = limits.most_at_once(MESSAGES)
    assert not await _passes_many(limits, most + 1)
    assert await _passes_many(limits, most - 2)
    for _ in range(5):
        assert not await _passes_many(limits, 3)
    assert [await passes(limits) for _ in range(3)] == [True, True, False]


@pytest.mark.parametrize("seed", range(4))
async def test_two_nodes_that_spend_many_at_a_time_never_exceed_the_limit(
    world: SafetyWorld, seed: int
) -> None:
    dice, both = random.Random(seed), nodes(world)
    rate, passed, busiest = SMALL[MESSAGES], deque[int](), 0
    for _ in range(400):
        world.clock.advance(ms=dice.choice((0, 1, 200, 1_500)))
        count = dice.choice((1, 1, 2, 7))
        if await _passes_many(dice.choice(both), count):
            passed.extend([world.clock.now_ms()] * count)
        while passed and passed[0] <= world.clock.now_ms() - rate.window_ms:
            passed.popleft()
        busiest = max(busiest, len(passed))
    assert rate.most * 0.7 < busiest <= rate.most


@pytest.mark.parametrize("seed", range(4))
async def test_retry_after_for_many_is_long_enough(world: SafetyWorld, seed: int) -> None:
    dice, limits = random.Random(seed), nodes(world, 1)[0]
    waits = 0
    for _ in range(60):
        world.clock.advance(ms=dice.choice((0, 130, 700)))
        count = dice.choice((1, 4, 9))
        try:
            await limits.spend_many(USER, MESSAGES, count)
        except TooMany as refusal:
            world.clock.advance(ms=refusal.retry_after_s * 1000)
            assert await _passes_many(limits, count)
            waits += 1
    assert waits > 5

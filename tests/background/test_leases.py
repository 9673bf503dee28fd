"""Leases on both engines: fair shares, takeover from dead nodes, release at once."""

from collections import Counter

import pytest

from greenroom.background.leases import NODE_MS, LeaseKeeper, fair_share
from greenroom.background.models import Lease
from greenroom.clock import ManualClock
from greenroom.store.base import Store

NAMES = tuple(f"timers/{n}" for n in range(8))


def keeper(store: Store, clock: ManualClock, node: str) -> LeaseKeeper:
    return LeaseKeeper(store, clock, node, (NAMES,))


async def rounds(*keepers: LeaseKeeper, times: int = 3) -> None:
    for _ in range(times):
        for one in keepers:
            await one.renew()
            for task in list(one._leaving.values()):
                await task


def owners(*keepers: LeaseKeeper) -> Counter[str]:
    return Counter(name for one in keepers for name in one.held())


async def test_one_node_takes_everything(store: Store, clock: ManualClock) -> None:
    alone = keeper(store, clock, "a")
    await alone.renew()
    assert alone.held() == set(NAMES)


@pytest.mark.parametrize("nodes", [2, 3, 5])
async def test_nodes_get_equal_shares_in_any_order_of_start(
    store: Store, clock: ManualClock, nodes: int
) -> None:
    keepers = [keeper(store, clock, f"n{n}") for n in range(nodes)]
    for number in range(nodes):
        await rounds(*keepers[: number + 1])
    await rounds(*keepers)
    held = owners(*keepers)
    assert held == Counter(NAMES), "each has one owner"
    assert max(len(one.held()) for one in keepers) == -(-8 // nodes)


async def test_the_shares_of_a_dead_node_are_taken_over(store: Store, clock: ManualClock) -> None:
    dead, alive = keeper(store, clock, "dead"), keeper(store, clock, "alive")
    await rounds(dead, alive)
    assert len(dead.held()) == 4
    clock.advance(ms=NODE_MS // 2)
    await rounds(alive)
    assert len(alive.held()) == 4, "it has not been gone for long"
    clock.advance(ms=NODE_MS // 2)
    assert dead.held() == set(), "it knows by itself that its time is over"
    await rounds(alive)
    assert alive.held() == set(NAMES)
    await rounds(dead, alive)
    assert owners(dead, alive) == Counter(NAMES), "it comes back, and gets its share"
    assert len(dead.held()) == 4


async def test_a_node_that_stops_leaves_its_shares_at_once(
    store: Store, clock: ManualClock
) -> None:
    stops, stays = keeper(store, clock, "stops"), keeper(store, clock, "stays")
    await rounds(stops, stays)
    await stops.leave()
    await stays.renew()
    assert stays.held() == set(NAMES)


@pytest.mark.parametrize("days", [-30, 30])
async def test_a_clock_that_was_set_holds_nothing_for_long(
    store: Store, clock: ManualClock, days: int
) -> None:
    dead, alive = keeper(store, clock, "dead"), keeper(store, clock, "alive")
    await rounds(dead)
    clock.advance(days=days)
    await rounds(alive)
    assert alive.held() == set(NAMES)


async def test_work_is_finished_before_a_lease_is_given_up(
    store: Store, clock: ManualClock
) -> None:
    finished: list[str] = []

    async def finish(name: str) -> None:
        assert name not in first.held(), "nothing new is begun"
        finished.append(name)

    first = LeaseKeeper(store, clock, "first", (NAMES,), finish=finish)
    second = keeper(store, clock, "second")
    await rounds(first)
    await rounds(first, second)
    assert len(finished) == 4
    assert second.held() == set(finished)


def test_a_share_leaves_alone_what_others_hold() -> None:
    leases = {name: Lease(name, "b", 1) for name in NAMES[:4]}
    share = fair_share(NAMES, leases, {"a", "b"}, "a")
    assert sorted(share.take) == sorted(NAMES[4:])
    assert share.give_up == ()


async def test_a_node_that_is_alone_takes_over_at_once(store: Store, clock: ManualClock) -> None:
    """After a kill its own old leases still hold for a while."""
    killed = keeper(store, clock, "before")
    await killed.renew()
    waiting = keeper(store, clock, "waiting")
    await waiting.renew()
    assert waiting.held() == set(), "another process may be alive"
    again = LeaseKeeper(store, clock, "after", (NAMES,), is_alone=True)
    await again.renew()
    assert again.held() == set(NAMES)
    await again.renew()
    assert again.held() == set(NAMES)

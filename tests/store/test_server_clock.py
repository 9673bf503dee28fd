"""The server's clock when the machine's clock is set: alone, on several nodes, over restarts."""

from collections.abc import AsyncIterator
from dataclasses import dataclass, field

import pytest

from greenroom.clock import ManualClock
from greenroom.store.base import Store
from greenroom.store.ephemeral import CLOCK_KEY, EPHEMERAL
from greenroom.store.server_clock import (
    HOLD_MS,
    JUMP_MS,
    LOCAL_SECONDS,
    SHARED_SECONDS,
    SLEW_MS,
    ServerClock,
)
from tests.stores import IN_2100_MS, fresh_store

DAY_MS = 86_400_000
YEAR_MS = 365 * DAY_MS


@dataclass
class Machine:
    """A node with its own clock, and the true time."""

    store: Store
    wall: ManualClock = field(default_factory=lambda: ManualClock(IN_2100_MS))
    steady_ms: int = 1000
    server_clock: ServerClock = field(init=False)

    def __post_init__(self) -> None:
        self.restart()

    @property
    def seconds(self) -> int:
        return LOCAL_SECONDS if self.store.is_local else SHARED_SECONDS

    def restart(self) -> None:
        self.server_clock = ServerClock(self.wall, lambda: self.steady_ms * 1_000_000)

    async def synchronize(self) -> None:
        await self.server_clock.synchronize(self.store, EPHEMERAL, CLOCK_KEY)

    def pass_(self, ms: int) -> None:
        self.steady_ms += ms
        self.wall.advance(ms=ms)


async def live(seconds: int, *machines: Machine) -> None:
    """Advances the time, with the periodic synchronization."""
    for _ in range(seconds // machines[0].seconds):
        for machine in machines:
            machine.pass_(machines[0].seconds * 1000)
            await machine.synchronize()


@pytest.fixture
async def store(store_url: str) -> AsyncIterator[Store]:
    async with fresh_store(store_url, (EPHEMERAL,), ManualClock(IN_2100_MS)) as opened:
        yield opened


@pytest.fixture
async def machine(store: Store) -> Machine:
    made = Machine(store)
    await made.synchronize()
    return made


@pytest.mark.parametrize("jump_ms", [DAY_MS, -DAY_MS, YEAR_MS, 300_000, -300_000])
async def test_a_clock_that_is_wrong_for_a_few_minutes_has_no_effect(
    machine: Machine, jump_ms: int
) -> None:
    await live(60, machine)
    before = machine.server_clock.now_ms()
    machine.wall.advance(ms=jump_ms)
    assert machine.server_clock.now_ms() == before
    await live(240, machine)
    machine.wall.advance(ms=-jump_ms)
    await live(600, machine)
    assert machine.server_clock.now_ms() == before + 840_000 == machine.wall.now_ms()
    assert machine.server_clock.epoch == 0


@pytest.mark.parametrize("jump_ms", [DAY_MS, -DAY_MS])
async def test_a_clock_that_stays_set_is_followed(machine: Machine, jump_ms: int) -> None:
    machine.wall.advance(ms=jump_ms)
    await live(HOLD_MS // 1000 + 60, machine)
    assert machine.server_clock.now_ms() == machine.wall.now_ms()
    assert (machine.server_clock.epoch > 0) == (jump_ms < 0 or not machine.store.is_local)


async def test_a_small_drift_is_corrected_gradually(machine: Machine) -> None:
    machine.wall.advance(ms=JUMP_MS)
    for _ in range(JUMP_MS // SLEW_MS):
        before = machine.server_clock.drift_ms
        await live(machine.seconds, machine)
        assert machine.server_clock.drift_ms == before - SLEW_MS
    assert machine.server_clock.now_ms() == machine.wall.now_ms()
    assert machine.server_clock.epoch == 0


async def test_a_restart_with_a_clock_that_is_behind_begins_another_epoch(
    machine: Machine,
) -> None:
    """It was ahead before or is behind now; in both cases earlier times do not compare."""
    machine.wall.advance(ms=-DAY_MS)
    machine.restart()
    await machine.synchronize()
    await live(60, machine)
    if not machine.store.is_local:
        await live(HOLD_MS // 1000, machine)
    assert machine.server_clock.epoch > 0
    assert machine.server_clock.now_ms() == machine.wall.now_ms()


async def test_a_later_restart_continues_with_the_machines_clock(machine: Machine) -> None:
    await live(60, machine)
    machine.pass_(DAY_MS)
    machine.restart()
    await machine.synchronize()
    await live(60, machine)
    assert machine.server_clock.now_ms() == machine.wall.now_ms()
    assert machine.store.is_local == (machine.server_clock.epoch == 0)


async def test_a_restart_does_not_go_back_in_time(machine: Machine) -> None:
    await live(60, machine)
    reached = machine.server_clock.now_ms()
    machine.wall.advance(ms=-JUMP_MS + 1000)
    machine.restart()
    await machine.synchronize()
    assert machine.server_clock.now_ms() >= reached - SLEW_MS
    assert machine.server_clock.epoch == 0


_SEVERAL_NODES = pytest.mark.parametrize("store_url", ["dynamodb"], indirect=True)
"""A file has one node."""


@_SEVERAL_NODES
@pytest.mark.parametrize("off_ms", [DAY_MS, -DAY_MS, 300_000, -300_000])
async def test_a_node_with_a_wrong_clock_uses_the_other_nodes_time(
    store: Store, off_ms: int
) -> None:
    right, wrong = Machine(store), Machine(store)
    await right.synchronize()
    wrong.wall.advance(ms=off_ms)
    await wrong.synchronize()
    for _ in range(200):
        await live(SHARED_SECONDS, right, wrong)
        apart = right.server_clock.now_ms() - wrong.server_clock.now_ms()
        assert abs(apart) <= SHARED_SECONDS * 1000
        assert abs(right.server_clock.now_ms() - right.wall.now_ms()) <= SHARED_SECONDS * 1000
    assert right.server_clock.epoch == wrong.server_clock.epoch == 0


@_SEVERAL_NODES
async def test_when_all_nodes_are_set_they_set_the_time_together(store: Store) -> None:
    nodes = Machine(store), Machine(store), Machine(store)
    for node in nodes:
        await node.synchronize()
        node.wall.advance(ms=-DAY_MS)
    await live(HOLD_MS // 1000 + 120, *nodes)
    assert {node.server_clock.epoch for node in nodes} == {nodes[0].server_clock.epoch}
    assert nodes[0].server_clock.epoch > 1, "once more, for those who learn late"
    for node in nodes:
        assert abs(node.server_clock.drift_ms) <= SHARED_SECONDS * 1000

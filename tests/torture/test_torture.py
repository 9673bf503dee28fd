"""A short version of `make torture`: eight seconds of incidents for each kind of store.

The checks never depend on time: on a slow machine fewer messages are sent between two kills, and
settling takes longer.
"""

from pathlib import Path

import pytest

from scripts.engines import Unavailable
from tests.torture.__main__ import run_part, with_a_wrong_clock
from tests.torture.checks import Findings
from tests.torture.plan import FaultMode, Incident, plan
from tests.torture.run import Tally
from tests.torture.server import serve_with_fast_peer_timeout

SECONDS, KILLS, SEED = 8, 4, "in make test"
EVERYBODY_TWICE = 12
"""Everybody resumes at the start and at the end."""


def check(tally: Tally, findings: Findings, folder: Path) -> None:
    assert findings.all() == [], f"what the nodes logged is in {folder}"
    assert tally.wrong() == 0, tally
    assert tally.kills == KILLS
    assert tally.acked > tally.pipelined > 0
    assert tally.resumes > EVERYBODY_TWICE, "and those who were connected to a killed node"
    check_background(tally)


def check_background(tally: Tally) -> None:
    assert tally.scheduled > tally.canceled > 0
    assert tally.rescheduled > 0
    assert tally.events > tally.acked


@pytest.mark.timeout(600)
async def test_one_node_on_a_file_that_is_killed_and_paused(tmp_path: Path) -> None:
    tally, findings = await run_part("sqlite", tmp_path, seconds=SECONDS, kills=KILLS, seed=SEED)
    check(tally, findings, tmp_path)


@pytest.mark.timeout(600)
async def test_three_nodes_that_are_killed_on_a_bus_and_a_store_that_fail(
    tmp_path: Path, dynamodb_url: str
) -> None:
    tally, findings = await run_part(
        "dynamodb",
        tmp_path,
        seconds=SECONDS,
        kills=KILLS,
        seed=SEED,
        dynamodb_url=dynamodb_url,
        serve=serve_with_fast_peer_timeout,
    )
    check(tally, findings, tmp_path)
    assert tally.bus_restarts > 0
    assert tally.faults > 0


@pytest.mark.timeout(600)
def test_one_node_that_is_killed_on_a_machine_whose_clock_is_set() -> None:
    try:
        tally = with_a_wrong_clock(SECONDS, KILLS, SEED)
    except Unavailable as reason:
        pytest.skip(str(reason))
    assert tally.wrong() == 0, tally
    assert tally.kills == KILLS
    assert tally.clock_jumps > 1
    assert tally.acked > 0
    assert tally.scheduled > 0
    assert tally.events > tally.acked


def test_a_seed_repeats_the_plan() -> None:
    first, second = (plan("7", seconds=150, kills=50, nodes=3) for _ in range(2))
    assert first == second
    assert first != plan("8", seconds=150, kills=50, nodes=3)


@pytest.mark.parametrize("kills", [1, 2, 5, 50])
@pytest.mark.parametrize("nodes", [1, 3])
def test_a_plan_has_as_many_kills_as_were_asked_for(nodes: int, kills: int) -> None:
    for seed in range(20):
        steps = plan(str(seed), seconds=60, kills=kills, nodes=nodes)
        twice = sum(step.incident is Incident.KILL_TWICE for step in steps)
        once = sum(step.incident in (Incident.KILL, Incident.KILL_FROZEN) for step in steps)
        assert once + 2 * twice == kills
        assert all(step.node < nodes for step in steps)


def test_a_long_plan_has_every_incident_and_every_fault_mode() -> None:
    steps = plan("7", seconds=150, kills=50, nodes=3)
    assert {step.incident for step in steps} == set(Incident) - {Incident.CLOCK}
    assert {step.fault_mode for step in steps} - {None} == set(FaultMode)
    alone = {step.incident for step in plan("7", seconds=150, kills=50, nodes=1)}
    set_ = {step.incident for step in plan("7", seconds=150, kills=50, nodes=1, clock=True)}
    assert set_ == {*alone, Incident.CLOCK}
    assert alone == {Incident.KILL, Incident.KILL_TWICE, Incident.KILL_FROZEN, Incident.PAUSE}

"""Clients that send without waiting, over sockets, on a slow and failing store.

Properties of what one client sends into one thread over one connection:

- Every acked message is stored once, at the seq in its ack, however often it was sent.
- Of two messages whose first try was acked, the one that was sent first has the lower seq.
- If the server refuses nothing, the order is that of sending, also over connections that break,
  as long as the client repeats unacked messages in that order.
- Others receive each message once, or get it by a resume after a gap or a `resync`.
"""

from pathlib import Path

import pytest

from greenroom.messaging.policy import MESSAGES
from greenroom.safety.limits import Rate
from tests.remote_store import Fault
from tests.socket.pipeline_scenarios import FINE, HELD, REFUSED, SMALL, Scenario, run_scenario
from tests.world import UNLIMITED


@pytest.mark.parametrize("seed", range(3))
async def test_without_failures_the_order_is_exact(tmp_path: Path, seed: int) -> None:
    messages = await run_scenario(Scenario(seed), tmp_path)
    assert all(one.is_sent and one.tries == 1 for one in messages)


async def test_on_sqlite_the_order_is_exact_without_waiting(tmp_path: Path) -> None:
    await run_scenario(Scenario(10, bare=True, breaks=2), tmp_path)


@pytest.mark.parametrize("breaks", [0, 2])
async def test_on_dynamodb_the_order_is_exact(
    tmp_path: Path, dynamodb_url: str, breaks: int
) -> None:
    """With the real DynamoDB client, request tokens, conflicts, and two writing nodes."""
    scenario = Scenario(
        100 + breaks, bare=True, url=dynamodb_url, breaks=breaks, nodes=1 + breaks // 2
    )
    messages = await run_scenario(scenario, tmp_path)
    assert all(one.is_sent for one in messages)


@pytest.mark.parametrize(("seed", "nodes"), [(110, 1), (111, 1), (112, 2)])
async def test_on_dynamodb_behind_a_network_that_fails(
    tmp_path: Path, dynamodb_url: str, seed: int, nodes: int
) -> None:
    scenario = Scenario(seed, url=dynamodb_url, failing=0.1, breaks=1, nodes=nodes)
    messages = await run_scenario(scenario, tmp_path)
    assert any(one.refusals for one in messages)


@pytest.mark.parametrize("seed", range(20, 23))
async def test_connections_that_break_do_not_change_the_order(tmp_path: Path, seed: int) -> None:
    messages = await run_scenario(Scenario(seed, breaks=3), tmp_path)
    assert any(one.tries > 1 for one in messages)


@pytest.mark.parametrize("fault", Fault)
async def test_each_failure_of_the_store_alone(tmp_path: Path, fault: Fault) -> None:
    messages = await run_scenario(Scenario(30, failing=0.15, faults=(fault,)), tmp_path)
    assert any(one.refusals for one in messages) or fault is Fault.LOST


@pytest.mark.parametrize("seed", range(40, 43))
async def test_every_failure_with_connections_that_break(tmp_path: Path, seed: int) -> None:
    await run_scenario(Scenario(seed, failing=0.15, breaks=2), tmp_path)


@pytest.mark.parametrize("failing", [0.0, 0.15])
async def test_batches_that_are_too_large_are_split(tmp_path: Path, failing: float) -> None:
    await run_scenario(Scenario(50, failing=failing, most_ops=SMALL, breaks=1), tmp_path)


@pytest.mark.parametrize("seed", range(60, 62))
async def test_two_nodes_that_write_into_the_same_threads(tmp_path: Path, seed: int) -> None:
    await run_scenario(Scenario(seed, nodes=2, breaks=2), tmp_path)


@pytest.mark.parametrize("seed", range(70, 72))
async def test_two_nodes_on_a_store_that_fails(tmp_path: Path, seed: int) -> None:
    await run_scenario(Scenario(seed, nodes=2, failing=0.1, breaks=2), tmp_path)


async def test_held_and_refused_messages_do_not_change_the_order_of_the_rest(
    tmp_path: Path,
) -> None:
    messages = await run_scenario(Scenario(80, texts=(*FINE, HELD, REFUSED)), tmp_path)
    outcomes = {text: set[str]() for text in (HELD, REFUSED)}
    for one in messages:
        if one.text in outcomes:
            outcomes[one.text].add(str(one.answer.get("status", one.answer["type"])))
    assert outcomes == {HELD: {"held"}, REFUSED: {"problem"}}


async def test_leased_rate_limits_do_not_change_the_order(tmp_path: Path) -> None:
    """Leasing a rate limit calls the store between two sends."""
    scarce = Rate(most=60, window_ms=60_000, local_share=3, lease_size=4, lease_ms=60_000)
    messages = await run_scenario(Scenario(90, rates={**UNLIMITED, MESSAGES: scarce}), tmp_path)
    refused = [one for one in messages if not one.is_sent]
    assert 0 < len(refused) < len(messages) / 2
    assert {one.answer["problem"]["status"] for one in refused} == {429}

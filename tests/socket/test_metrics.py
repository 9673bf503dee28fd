"""What is counted of sockets, commits and deliveries."""

import pytest

from greenroom.clock import ManualClock
from greenroom.files import Files
from greenroom.metric_sources import add_sources, measure_delivery
from greenroom.metrics import DELIVERY_SECONDS, Metrics
from greenroom.people import People
from greenroom.serve import worker_on
from greenroom.store.server_clock import ServerClock
from tests.socket.node import Node


async def test_requests_acks_deliveries_and_refusals_are_counted(node: Node) -> None:
    thread = await node.talk("ana", "ben")
    clock, socket_server = ServerClock(node.clock), node.socket_server
    metrics, store = socket_server.metrics, node.contexts[People].store
    measure_delivery(metrics, socket_server.hub, clock)
    add_sources(
        metrics,
        store=store,
        clock=clock,
        hub=socket_server.hub,
        socket_server=socket_server,
        worker=worker_on(store, clock, node.contexts),
        pipeline=node.contexts[Files].pipeline,
    )
    before = numbers(metrics)
    async with (
        await node.connect("ana") as ana,
        await node.connect("ben") as ben,
        await node.connect(),
    ):
        await ana.send(thread, "Is Friday free?", "c1")
        await ben.event("message.created")
        await ana.event("message.created")
        await ana.ask("ping")
        refused = await ana.send("thr_1", "Hello?", "c2")
        assert refused["type"] == "problem"
        after = numbers(metrics)
    grown = {name: number - before.get(name, 0) for name, number in after.items()}
    assert grown['greenroom_sockets{state="authenticated"}'] == 2
    assert grown['greenroom_sockets{state="unauthenticated"}'] == 1
    assert grown['greenroom_socket_requests_total{type="ping"}'] == 1
    assert grown['greenroom_socket_requests_total{type="send"}'] == 2
    assert grown["greenroom_socket_acks_total"] == 4, "two sign-ins, a message and a ping"
    refusals = {name: n for name, n in grown.items() if "refusals_total{" in name}
    assert refusals == {'greenroom_refusals_total{code="thread-not-found",via="socket"}': 1}
    assert grown["greenroom_socket_requests_running"] == 0
    assert grown[f"{DELIVERY_SECONDS.name}_count"] == 2
    if "greenroom_commit_groups_total" in grown:
        assert 1 <= grown["greenroom_commit_groups_total"] <= grown["greenroom_commit_writes_total"]


async def test_a_delivery_is_measured_from_when_the_message_was_accepted(node: Node) -> None:
    metrics, hub = Metrics(), node.socket_server.hub
    clock = ServerClock(ManualClock(), steady=lambda: 0)
    measure_delivery(metrics, hub, clock)
    assert hub.on_delivered is not None
    for ago_ms in (30, 1_500, -20):
        hub.on_delivered(clock.now_ms() - ago_ms)
    found, name = numbers(metrics), DELIVERY_SECONDS.name
    assert found[f"{name}_sum"] == pytest.approx(1.53), "clocks differ: the last one counts as 0"
    buckets = {bound: found[f'{name}_bucket{{le="{bound}"}}'] for bound in ("0.02", "0.05", "2.0")}
    assert buckets == {"0.02": 1, "0.05": 2, "2.0": 3}


def numbers(metrics: Metrics) -> dict[str, float]:
    lines = [line for line in metrics.text().decode().splitlines() if not line.startswith("#")]
    return {name: float(number) for name, _, number in (line.rpartition(" ") for line in lines)}

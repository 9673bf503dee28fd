"""Heartbeats: a node that dies causes a gap, a node that leaves in order does not."""

import asyncio
from collections.abc import Iterator

import pytest
from nats.aio.client import Client
from nats.aio.msg import Msg

from greenroom.realtime.nats import peers
from greenroom.realtime.nats.subjects import GONE, HERE
from scripts.engines import Engine, nats as server
from tests.realtime.bus_client import a_topic, nodes, until


@pytest.fixture
def own_server(nats_url: str) -> Iterator[Engine]:
    """A server without other nodes."""
    engine = server.start()
    try:
        yield engine
    finally:
        engine.stop()


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(peers, "HERE_SECONDS", 0.1)
    monkeypatch.setattr(peers, "SILENT_SECONDS", 1.0)


async def test_missing_heartbeats_are_reported_as_a_gap(own_server: Engine) -> None:
    async with nodes(own_server.url, own_server.url) as (one, other):
        dies = Client()
        await dies.connect(own_server.url)
        await dies.publish(HERE, b"mortal")
        await dies.close()
        await until(lambda: one.gaps and other.gaps)
        await asyncio.sleep(2)
        assert (one.gaps, other.gaps) == (1, 1), "once, and for no other node"


async def test_a_node_that_leaves_in_order_causes_no_gap(own_server: Engine) -> None:
    topic, gone = a_topic(), asyncio.Event()

    async def heard_from(_: Msg) -> None:
        gone.set()

    async with nodes(own_server.url, own_server.url) as (stays, goes):
        ear = Client()
        await ear.connect(own_server.url)
        await ear.subscribe(GONE, cb=heard_from)
        await ear.flush()
        await stays.subscribe(topic)
        goes.publish(topic, "my last word")
        await goes.bus.close()
        await until(lambda: gone.is_set() and stays.texts(topic))
        await asyncio.sleep(2)
        assert stays.gaps == 0
        await ear.close()


async def test_after_an_outage_of_the_bus_live_nodes_are_not_taken_for_dead(
    own_server: Engine,
) -> None:
    async with nodes(own_server.url, own_server.url) as both:
        own_server.stop()
        await until(lambda: not any(node.bus._up for node in both))  # type: ignore[attr-defined]
        await asyncio.sleep(1.5)
        port = int(own_server.url.rpartition(":")[2])
        again = server.start_at(port)
        try:
            await until(lambda: all(node.gaps for node in both))
            await asyncio.sleep(1.5)
            before = [node.gaps for node in both]
            await asyncio.sleep(1.5)
            assert [node.gaps for node in both] == before
        finally:
            again.stop()


def test_a_paused_process_takes_no_other_node_for_dead(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(peers, "HERE_SECONDS", 5)
    monkeypatch.setattr(peers, "SILENT_SECONDS", 15)
    clock = iter((0, 0, 0, 5, 5, 10, 10, 15, 15, 20, 20, 60, 60, 65, 70, 75, 80))
    others = peers.Peers(lambda: next(clock))
    others.heard_from(b"one")
    others.heard_from(b"two")
    for _ in range(3):
        others.heard_from(b"one")
        assert others.take_silent() == 0
    others.heard_from(b"one")
    assert others.take_silent() == 1, "the other one"
    assert others.take_silent() == 0, "40 seconds without any heartbeat"
    for _ in range(3):
        assert others.take_silent() == 0
    assert others.take_silent() == 1

"""After a node is killed its leases expire, its unpublished messages are found, and no acked one is
lost.
"""

import asyncio
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from greenroom.realtime.nats import peers
from tests.fault_proxy import Forward
from tests.nodes.cluster import Cluster, ShortLeaseNode, caught_up
from tests.socket.client import sending
from tests.socket.node import Node
from tests.sync_pages import inbox_in


async def test_a_node_that_dies_is_noticed_by_its_leases(living: Cluster, tmp_path: Path) -> None:
    one = await living.node()
    thread = await one.talk("ana", "ben")
    short_lease_node = await living.short_lease_node(tmp_path)
    async with await one.connect("ana") as ana:
        await ana.say("focus", threadIds=[thread])
        await ana.events_so_far()
        ben = await short_lease_node.connect("ben")
        await ben.say("focus", threadIds=[thread])
        await ben.say("typing", threadId=thread)
        there, types = await ana.event("presence.changed"), await ana.event("typing.changed")
        assert (there["online"], types["on"]) == (True, True)
        await short_lease_node.die()
        await ben.closed()
        ends = max(datetime.fromisoformat(event["until"]) for event in (there, types))
        await asyncio.sleep(max(0, (ends - datetime.now(UTC)).total_seconds()) + 1)
        async with await one.connect("ana") as later:
            await later.say("focus", threadIds=[thread])
            seen = await later.events_so_far()
            assert [event for event in seen if event.get("userId") == one.id("ben")] == []


async def test_clients_of_a_dead_node_get_everything_on_another(
    living: Cluster, tmp_path: Path
) -> None:
    one = await living.node()
    thread = await one.talk("ana", "ben")
    short_lease_node = await living.short_lease_node(tmp_path)
    async with await one.connect("ana") as ana:
        ben = await short_lease_node.connect("ben")
        acked = (await ben.send(thread, "I am on a node that will die"))["message"]
        await short_lease_node.die()
        await ben.closed()
        await ana.send(thread, "and I am not")
        async with await one.connect("ben") as again:
            ack = await again.ask("resume", cursor=ben.hello["cursor"])
            assert ack["type"] == "ack"
            (synced,) = [event for event in again.take() if event["type"] == "synced"]
            bodies = {
                message["messageId"]: message["body"]
                for message in inbox_in(synced["changes"])["threads"][0]["messages"]
            }
            assert bodies[acked["messageId"]] == "I am on a node that will die"
            assert "and I am not" in bodies.values()


TEXT = "I am written, and nobody knows"


async def never_answers(payload: dict[str, Any], forward: Forward) -> None:
    """Takes effect. The node must be dead before its client gives up."""
    await forward(payload)
    await asyncio.sleep(60)


async def dies_before_it_publishes(
    one: Node, short_lease_node: ShortLeaseNode, thread: str
) -> dict[str, str]:
    """Ben's message is stored and not published. Returns what he sent, to send it again."""
    ben = await short_lease_node.connect("ben")
    short_lease_node.proxy.on("TransactWriteItems", never_answers)
    body = sending(thread, TEXT, "c1")
    answer = await ben.begin("send", **body)
    while len(await one.history("ana", thread)) < 2:  # noqa: ASYNC110
        await asyncio.sleep(0.01)
    await short_lease_node.die()
    await ben.closed()
    assert not answer.done()
    return body


async def test_an_unpublished_message_of_a_dead_node_arrives_once_the_death_is_noticed(
    living: Cluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(peers, "HERE_SECONDS", 0.2)
    monkeypatch.setattr(peers, "SILENT_SECONDS", 3)
    one = await living.node()
    thread = await one.talk("ana", "ben")
    async with await one.connect("ana") as ana:
        await dies_before_it_publishes(one, await living.short_lease_node(tmp_path), thread)
        cursor = (await ana.ask("ping")).get("cursor", ana.hello["cursor"])
        await ana.event("resync")
        found = await caught_up(ana, cursor, **{thread: 1})
        assert [message["body"] for message in found] == [TEXT]


async def test_an_unpublished_message_arrives_with_the_next_resume_not_with_a_retry(
    living: Cluster, tmp_path: Path
) -> None:
    one = await living.node()
    thread = await one.talk("ana", "ben")
    async with await one.connect("ana") as ana:
        body = await dies_before_it_publishes(one, await living.short_lease_node(tmp_path), thread)
        async with await one.connect("ben") as again:
            cursor = ana.hello["cursor"]
            assert (await again.ask("send", **body))["message"]["seq"] == 2
            assert [event for event in await ana.events_so_far() if "message" in event] == []
            found = await caught_up(ana, cursor, **{thread: 1})
            assert [message["body"] for message in found] == [TEXT]
            assert len(await one.history("ana", thread)) == 2, "and it is there once"


async def test_an_unpublished_message_shows_as_a_gap_at_the_next_event(
    living: Cluster, tmp_path: Path
) -> None:
    one = await living.node()
    thread = await one.talk("ana", "ben")
    async with await one.connect("ana") as ana:
        await dies_before_it_publishes(one, await living.short_lease_node(tmp_path), thread)
        async with await one.connect("ben") as again:
            await again.send(thread, "now you know")
            assert (await ana.event("message.created"))["message"]["seq"] == 3
            found = await caught_up(ana, ana.hello["cursor"], **{thread: 1})
            assert TEXT in [message["body"] for message in found]

"""How far before its cursor a client is given what it may have missed: further than anything can be
late, all of it at once."""

import asyncio

import pytest

from greenroom.store.server_clock import SLACK_MS
from greenroom.realtime import hub
from greenroom.realtime.nats import bus, connection, peers
from greenroom.store.dynamo.sender import RetryPolicy
from tests.nodes.cluster import Cluster, caught_up

CLOCKS_SECONDS = 10
"""By how much the clocks of two nodes may differ, as docs/guides/nodes.md has it."""


def test_a_cursor_reaches_back_further_than_anything_can_be_late() -> None:
    retry = RetryPolicy()
    written = retry.seconds + retry.response_seconds
    """After the time that it bears: the last attempt begins so late, and takes so long."""
    noticed = max(
        bus.CONFIRM_SECONDS + 2 * connection.PONG_SECONDS, peers.SILENT_SECONDS + peers.HERE_SECONDS
    )
    """That the bus is dead, or a node; until then cursors are given out as if it were not."""
    assert CLOCKS_SECONDS + written + noticed + hub.SPREAD_SECONDS < SLACK_MS / 1000


async def test_a_bus_that_is_dead_before_anybody_notices_costs_nobody_a_message(
    living: Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bus, "CONFIRM_SECONDS", 1)
    monkeypatch.setattr(connection, "PONG_SECONDS", 1)
    one, two = await living.node(), await living.node()
    thread = await one.talk("ana", "ben")
    async with await one.connect("ana") as ana, await two.connect("ben") as ben:
        async with living.bus.dead():
            await ana.send(thread, "into the void")
            cursor = (await ben.ask("ping"))["cursor"]
            for _ in range(20):
                cursor = (await ben.ask("ping")).get("cursor", cursor)
                await asyncio.sleep(0.2)
        await ben.event("resync")
        found = await caught_up(ben, cursor, **{thread: 1})
        assert [message["body"] for message in found] == ["into the void"]

"""The slack of a cursor is longer than all delays of a write together."""

import asyncio

import pytest

from greenroom.aws.retries import RetryPolicy
from greenroom.realtime import hub
from greenroom.realtime.nats import bus, connection, peers
from greenroom.store.server_clock import SLACK_MS
from tests.nodes.cluster import Cluster, caught_up

CLOCKS_SECONDS = 10
"""How much the clocks of two nodes may differ, see docs/guides/nodes.md."""


def test_a_cursor_reaches_back_further_than_anything_can_be_late() -> None:
    retry = RetryPolicy()
    written = retry.seconds + retry.response_seconds
    """How long after its timestamp a write may land: the last attempt's start and duration."""
    noticed = max(
        bus.CONFIRM_SECONDS + 2 * connection.PONG_SECONDS, peers.SILENT_SECONDS + peers.HERE_SECONDS
    )
    """How long a dead bus or node stays unnoticed; cursors are given out meanwhile."""
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

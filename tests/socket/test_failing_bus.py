"""A bus that fails to publish: sends succeed, the failure is logged, and others get it by sync."""

import logging
from collections.abc import AsyncIterator, Iterable
from pathlib import Path
from typing import Any

import pytest

from greenroom.realtime.bus import BusMessage, Topic
from greenroom.realtime.memory_bus import MemoryBus
from tests.socket.node import CAST, Node, serving


class FailingBus(MemoryBus):
    """Raises for every message, once told to."""

    fails = False

    def publish(self, topics: Iterable[Topic], message: BusMessage) -> None:
        if self.fails:
            raise ConnectionResetError("the bus is away")
        super().publish(topics, message)


@pytest.fixture
def bus() -> FailingBus:
    return FailingBus()


@pytest.fixture(params=["sqlite", "dynamodb"])
async def node(
    request: pytest.FixtureRequest, tmp_path: Path, bus: FailingBus
) -> AsyncIterator[Node]:
    url = request.getfixturevalue("dynamodb_url") if request.param == "dynamodb" else ""
    async with serving(tmp_path, dynamodb_url=url, bus=bus) as found:
        await found.join(*CAST)
        yield found


async def test_a_send_succeeds_and_others_get_it_by_sync(
    node: Node, bus: FailingBus, caplog: pytest.LogCaptureFixture
) -> None:
    thread = await node.talk("ana", "ben")
    async with await node.connect("ana") as ana, await node.connect("ben") as ben:
        cursor = ben.hello["cursor"]
        bus.fails = True
        with caplog.at_level(logging.ERROR, "greenroom.realtime.publish"):
            acked = await ana.send(thread, "Over the socket", "c1")
            body = {"body": "Over REST", "clientMessageId": "c2"}
            created = await node.call("ana", "POST", f"/threads/{thread}/messages", body)
        failures = [one for one in caplog.records if one.message.startswith("an event could not")]
        assert all(one.exc_info for one in failures)
        assert len(failures) >= 2, "one for each message"
        assert acked["type"] == "ack"
        assert await ben.events_so_far() == [], "nothing was published"
        sent = [acked["message"]["messageId"], created["message"]["messageId"]]
        history = await node.history("ben", thread)
        assert {one["messageId"] for one in history} >= set(sent)

        page = await node.call("ben", "GET", f"/sync?cursor={cursor}")
        assert last_messages(page, thread) == sent
        assert (await ben.ask("resume", cursor=cursor))["type"] == "ack"
        synced = await ben.event("synced")
        assert last_messages(synced["changes"], thread) == sent

        bus.fails = False
        after = await ana.send(thread, "The bus is back", "c3")
        event = await ben.event("message.created")
        assert event["message"]["messageId"] == after["message"]["messageId"]


def last_messages(page: dict[str, Any], thread: str) -> list[str]:
    """The ids of the thread's last two messages in a page of changes, which may repeat others."""
    [changes] = [one for one in page["inbox"]["threads"] if one["thread"]["threadId"] == thread]
    return [one["messageId"] for one in changes["messages"]][-2:]

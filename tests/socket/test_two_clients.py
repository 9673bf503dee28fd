"""Two clients on the socket: each receives what the other does."""

import pytest

from tests.socket.node import Node

pytestmark = pytest.mark.both_loops


async def test_a_message_reaches_both_and_is_acked(node: Node) -> None:
    thread = await node.talk("ana", "ben")
    async with await node.connect("ana") as ana, await node.connect("ben") as ben:
        ack = await ana.send(thread, "Is Friday free?", "c1")
        assert ack["type"] == "ack"
        assert ack["status"] == "sent"
        told = await ben.event("message.created")
        assert told["message"]["body"] == "Is Friday free?"
        assert told["message"]["seq"] == ack["message"]["seq"]
        assert (await ana.event("message.created"))["message"] == told["message"]
        again = await ana.send(thread, "Is Friday free?", "c1")
        assert again["message"]["messageId"] == ack["message"]["messageId"]
        assert (await ana.ask("ping"))["type"] == "ack"
        assert await ben.events_so_far() == [], "a retry sends no second event"

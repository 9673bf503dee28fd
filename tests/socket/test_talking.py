"""Two people on the socket: what one does, the other is told."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.socket.client import Node, serving


@pytest.fixture
async def node(tmp_path: Path) -> AsyncIterator[Node]:
    async with serving(tmp_path) as found:
        await found.join("usr_ana", "usr_ben", "usr_cleo")
        yield found


async def test_a_message_reaches_both_and_is_acked(node: Node) -> None:
    thread = await node.talk("usr_ana", "usr_ben")
    async with await node.connect("usr_ana") as ana, await node.connect("usr_ben") as ben:
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
        assert not ben.take(), "a retry is told to nobody"

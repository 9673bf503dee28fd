"""Metadata over the socket: sent, delivered and replayed as over REST."""

from greenroom.metadata import MAX_BYTES
from tests.socket.client import sending
from tests.socket.node import Node
from tests.sync_pages import inbox_in

OWN = {"order": 17, "tags": ["a", {"b": None}]}


async def test_a_message_is_sent_and_delivered_with_its_metadata(any_node: Node) -> None:
    thread = await any_node.talk("ana", "ben")
    async with await any_node.connect("ana") as ana, await any_node.connect("ben") as ben:
        cursor = (await ben.ask("ping"))["cursor"]
        request = sending(thread, "Where is my order?") | {"metadata": OWN}
        ack = await ana.ask("send", **request)
        assert ack["message"]["metadata"] == OWN
        assert (await ben.event("message.created"))["message"]["metadata"] == OWN
        page = (await ben.ask("history", threadId=thread))["page"]
        assert page["messages"][-1]["metadata"] == OWN
        again = await ana.ask("send", **request)
        assert again["message"]["messageId"] == ack["message"]["messageId"]
        other = await ana.ask("send", **request | {"metadata": {"order": 18}})
        assert other["problem"]["type"] == "/problems/client-id-reused"
    async with await any_node.connect("ben") as ben:
        assert (await ben.ask("resume", cursor=cursor))["type"] == "ack"
        [change] = inbox_in((await ben.event("synced"))["changes"])["threads"]
        assert change["messages"][-1]["metadata"] == OWN


async def test_too_much_metadata_is_refused_and_nothing_is_sent(any_node: Node) -> None:
    thread = await any_node.talk("ana", "ben")
    deep: object = 1
    for _ in range(9):
        deep = [deep]
    async with await any_node.connect("ana") as ana:
        for number, own in enumerate(({"k": "x" * MAX_BYTES}, {"k": deep})):
            request = sending(thread, "Hi", f"m{number}") | {"metadata": own}
            answer = await ana.ask("send", **request)
            assert answer["problem"]["type"] == "/problems/invalid-metadata"
        wrong = await ana.ask("send", **sending(thread, "Hi") | {"metadata": [1]})
        assert wrong["type"] == "problem"
    assert [one["body"] for one in await any_node.history("ana", thread)].count("Hi") == 0

"""Every client receives exactly the events whose content it could also read over REST.

All are connected while people meet, leave, block, decline and are removed. Each event is compared
with what its recipient sees over REST at that moment.
"""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any

from tests.socket.client import Client
from tests.socket.node import CAST, Node

ALL_NODES = (*CAST, "dora")


class Audience:
    """All people, each with a connected client."""

    def __init__(self, node: Node, clients: dict[str, Client]) -> None:
        self.node = node
        self.clients = clients

    async def events_so_far(self) -> dict[str, list[str]]:
        """Who received which events. Compares each event with REST."""
        found: dict[str, list[str]] = {}
        for name, client in self.clients.items():
            for event in await client.events_so_far():
                await self._check(name, event)
                found.setdefault(name, []).append(event["type"])
        return found

    async def begin(self) -> None:
        """Discards the events so far."""
        for client in self.clients.values():
            await client.events_so_far()

    async def _check(self, name: str, event: dict[str, Any]) -> None:
        thread_id, kind = event["threadId"], event["type"]
        status, thread = await self.node.rest(name, "GET", f"/threads/{thread_id}")
        if event.get("gone"):
            assert status == 404, (name, event)
            return
        assert status == 200, (name, event)
        if "message" in event:
            path = f"/threads/{thread_id}/messages/{event['message']['messageId']}"
            reloaded = await self.node.call(name, "GET", path)
            received = event["message"]
            assert received["policyHints"] == []
            assert received == {field: reloaded[field] for field in received} | {"policyHints": []}
            assert event.get("status", thread["status"]) == thread["status"]
        if kind == "receipt.moved":
            seen = {one["userId"]: one for one in thread["participants"]}
            assert seen[event["userId"]]["lastReadSeq"] == event["lastReadSeq"], (name, event)
            assert seen[event["userId"]]["lastDeliveredSeq"] == event["lastDeliveredSeq"]
        if kind == "request.changed" and event["status"] != "accepted":
            (request,) = thread["requests"]
            assert request["requestId"] == event["requestId"], (name, event)
            assert request["status"] == event["status"]


@asynccontextmanager
async def audience_of(node: Node) -> AsyncIterator[Audience]:
    await node.join("dora")
    async with AsyncExitStack() as stack:
        clients = {
            name: await stack.enter_async_context(await node.connect(name)) for name in ALL_NODES
        }
        yield Audience(node, clients)


async def act(node: Node, name: str, thread: str, message: str) -> None:
    """Everything that one can do with a message."""
    at = f"/threads/{thread}/messages/{message}"
    await node.call(name, "PUT", f"{at}/reactions/👍")
    await node.call(name, "DELETE", f"{at}/reactions/👍")


async def test_events_between_two_contacts(node: Node) -> None:
    async with audience_of(node) as audience:
        thread = await node.talk("ana", "ben")
        await audience.begin()
        message = await node.say("ben", thread, "hello")
        assert await audience.events_so_far() == {
            "ana": ["message.created"],
            "ben": ["message.created"],
        }
        await act(node, "ana", thread, message["messageId"])
        both = ["reaction.changed"] * 2
        # The first event has the old state, while REST has the current one.
        for name in ("ana", "ben"):
            events = await audience.clients[name].events_so_far()
            assert [event["type"] for event in events] == both
            await audience._check(name, events[-1])
        path = f"/threads/{thread}/messages/{message['messageId']}"
        await node.call("ben", "PATCH", path, {"body": "hello there"})
        assert await audience.events_so_far() == {
            "ana": ["message.edited"],
            "ben": ["message.edited"],
        }
        await node.call("ana", "PUT", f"/threads/{thread}/delivered", {"seq": message["seq"]})
        assert await audience.events_so_far() == {
            "ana": ["receipt.moved"],
            "ben": ["receipt.moved"],
        }
        await node.call("ana", "PUT", f"/threads/{thread}/read", {"seq": message["seq"]})
        assert await audience.events_so_far() == {
            "ana": ["receipt.moved"],
            "ben": ["receipt.moved"],
        }
        await node.call("ben", "DELETE", path)
        assert await audience.events_so_far() == {
            "ana": ["message.deleted"],
            "ben": ["message.deleted"],
        }
        await node.call("ben", "PATCH", f"/threads/{thread}/mine", {"pinned": True})
        await node.call("ben", "PUT", f"/threads/{thread}/draft", {"body": "I thi"})
        await node.call("ben", "PUT", f"/threads/{thread}/unread", {})
        assert await audience.events_so_far() == {"ben": ["inbox.changed"] * 3}


async def test_events_of_a_pending_then_declined_request(node: Node) -> None:
    async with audience_of(node) as audience:
        thread = await node.open("dora", "ana")
        assert await audience.events_so_far() == {"dora": ["thread.updated"]}, (
            "there is no request yet"
        )
        message = await node.say("dora", thread, "may I ask?")
        received = await audience.events_so_far()
        assert received["dora"] == ["message.created"]
        assert sorted(received["ana"]) == ["message.created", "request.changed"]
        assert received.keys() == {"ana", "dora"}
        await node.call("ana", "PUT", f"/threads/{thread}/read", {"seq": message["seq"]})
        assert await audience.events_so_far() == {"ana": ["receipt.moved"]}, (
            "her read position is not shared"
        )
        (request,) = (await node.call("ana", "GET", f"/threads/{thread}"))["requests"]
        await node.call("ana", "POST", f"/requests/{request['requestId']}/decline")
        events = await audience.clients["ana"].events_so_far()
        assert all(event["type"] in ("inbox.changed", "request.changed") for event in events)
        assert await audience.events_so_far() == {}, "only she receives it"
        await node.say("dora", thread, "are you there?")
        assert await audience.events_so_far() == {"dora": ["message.created"]}


async def test_events_of_a_blocked_pair(node: Node) -> None:
    async with audience_of(node) as audience:
        thread = await node.talk("ana", "ben")
        await audience.begin()
        await node.call("ben", "PUT", f"/blocks/{node.id('ana')}?threadId={thread}")
        received = await audience.events_so_far()
        assert received.keys() <= {"ben"}, "she is not told"
        await node.say("ana", thread, "hello?")
        assert (await audience.events_so_far()).keys() == {"ana"}


async def test_events_of_a_group_with_a_block(node: Node) -> None:
    async with audience_of(node) as audience:
        thread = await node.group("cleo", "ana", "ben")
        await audience.begin()
        await node.call("ana", "PUT", f"/blocks/{node.id('ben')}")
        await audience.begin()
        await node.say("ben", thread, "to all of you")
        received = await audience.events_so_far()
        assert all(kinds == ["message.created"] for kinds in received.values())
        assert received.keys() == {"ana", "ben", "cleo"}, "a block does not affect groups"


async def test_events_of_members_who_leave_are_removed_or_join_late(node: Node) -> None:
    async with audience_of(node) as audience:
        thread = await node.group("ana", "ben", "cleo")
        before = await node.say("ana", thread, "before Dora")
        await node.talk("ana", "dora")
        await audience.begin()

        await node.call(
            "ana",
            "POST",
            f"/threads/{thread}/participants",
            {"userId": node.id("dora"), "role": "seller"},
        )
        received = await audience.events_so_far()
        assert received.keys() == set(ALL_NODES)
        await act(node, "ben", thread, before["messageId"])
        events = {name: await client.events_so_far() for name, client in audience.clients.items()}
        assert events.pop("dora") == [], "it was before she joined"
        assert all(len(some) == 2 for some in events.values())

        await node.call("ben", "DELETE", f"/threads/{thread}/participants/{node.id('ben')}")
        received = await audience.events_so_far()
        assert received.pop("ben") == ["inbox.changed"]
        assert received.keys() == {"ana", "cleo", "dora"}
        await node.call("ana", "DELETE", f"/threads/{thread}/participants/{node.id('cleo')}")
        received = await audience.events_so_far()
        assert received.pop("cleo") == ["inbox.changed"]
        assert received.keys() == {"ana", "dora"}
        last = await node.say("dora", thread, "only two of us")
        await node.call("ana", "PUT", f"/threads/{thread}/read", {"seq": last["seq"]})
        assert (await audience.events_so_far()).keys() == {"ana", "dora"}
        await node.call("ana", "PATCH", f"/threads/{thread}", {"subject": "The two of us"})
        assert (await audience.events_so_far()).keys() == {"ana", "dora"}


async def test_events_of_a_pair_that_one_has_left(node: Node) -> None:
    async with audience_of(node) as audience:
        thread = await node.talk("ana", "ben")
        await audience.begin()
        await node.call("ben", "DELETE", f"/threads/{thread}/participants/{node.id('ben')}")
        assert await audience.events_so_far() == {"ben": ["inbox.changed"]}, "nobody is told"
        message = (await node.history("ana", thread))[0]
        status, _ = await node.rest(
            "ana", "PUT", f"/threads/{thread}/messages/{message['messageId']}/reactions/👍"
        )
        assert (await audience.events_so_far()).keys() <= {"ana"}, status


async def test_a_held_message_is_sent_to_nobody(node: Node) -> None:
    async with audience_of(node) as audience:
        thread = await node.talk("ana", "ben")
        await audience.begin()
        async with await node.connect("ana") as ana:
            ack = await ana.send(thread, "I will kill you")
            assert (ack["type"], ack["status"]) == ("ack", "held")
            assert await audience.events_so_far() == {}


async def test_somebody_invited_to_a_group_receives_few_events(node: Node) -> None:
    async with audience_of(node) as audience:
        await node.talk("ana", "ben")
        await audience.begin()
        thread = await node.open("ana", "ben", "dora", kind="booking")
        (request,) = (await node.call("ana", "GET", f"/threads/{thread}"))["requests"]
        assert request["targetUserId"] == node.id("dora")
        await audience.begin()
        received = []
        for number in range(5):
            message = await node.say("ana", thread, f"message {number}")
            heard = await audience.events_so_far()
            assert {"ana", "ben"} <= heard.keys()
            received += [message["seq"]] * ("message.created" in heard.get("dora", []))
        assert len(received) < 5, "only what a request shows"
        shown = await node.history("dora", thread)
        assert [message["seq"] for message in shown if message["kind"] == "text"] == received
        await node.call("ben", "PUT", f"/threads/{thread}/read", {"seq": 5})
        assert "dora" not in await audience.events_so_far()
        await node.accept("dora", thread)
        await audience.begin()
        await node.say("ben", thread, "welcome")
        assert (await audience.events_so_far()).keys() == {"ana", "ben", "dora"}

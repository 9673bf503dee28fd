"""Caches of one node follow the writes of another: membership, requests, blocks, people.

The clock is stopped, so that nothing expires by time. In each test the second node caches first
what the first node then changes.
"""

from greenroom.ids import UserId
from greenroom.safety import Safety
from tests.nodes.cluster import Cluster
from tests.socket.node import Node, until


def refused(message: dict[str, object]) -> str:
    assert message["type"] == "problem", message
    problem = message["problem"]
    assert isinstance(problem, dict)
    return str(problem["type"])


async def blocks(node: Node, name: str, other: str, thread: str = "") -> None:
    query = f"?threadId={thread}" if thread else ""
    await node.call(name, "PUT", f"/blocks/{node.id(other)}{query}")


def known(node: Node, one: str, other: str) -> bool | None:
    """Whether the node has cached that the two block each other; None if it has cached nothing."""
    apart, now_ms = node.contexts[Safety].block_cache, node.clock.now_ms()
    return apart.known(UserId(node.id(one)), UserId(node.id(other)), now_ms)


async def test_a_member_removed_on_one_node_is_removed_on_the_other(cluster: Cluster) -> None:
    one, two = await cluster.node(), await cluster.node()
    thread = await one.group("ana", "ben", "cleo")
    async with await two.connect("cleo") as cleo:
        assert (await cleo.send(thread, "hello"))["type"] == "ack"
        path = f"/threads/{thread}/participants/{one.id('cleo')}"
        await one.call("ana", "DELETE", path)
        assert refused(await cleo.send(thread, "am I still here?")) == "/problems/thread-not-found"
        gone = await cleo.event("inbox.changed")
        assert (gone["threadId"], gone["gone"]) == (thread, True)
        cleo.take()
        await one.say("ana", thread, "now we are two")
        await two.say("ben", thread, "so we are")
        assert [
            event for event in await cleo.events_so_far() if event["type"] == "message.created"
        ] == []


async def test_a_member_added_on_one_node_is_added_on_the_other(cluster: Cluster) -> None:
    one, two = await cluster.node(), await cluster.node()
    await one.talk("ana", "cleo")
    thread = await one.group("ana", "ben")
    async with await two.connect("cleo") as cleo, await two.connect("ben") as ben:
        assert (await ben.send(thread, "who else is there?"))["type"] == "ack"
        assert refused(await cleo.send(thread, "me!")) == "/problems/thread-not-found"
        invited = {"userId": one.id("cleo"), "role": "seller"}
        await one.call("ana", "POST", f"/threads/{thread}/participants", invited)
        assert (await cleo.send(thread, "me!"))["type"] == "ack"
        bodies = [(await ben.event("message.created"))["message"]["body"] for _ in range(2)]
        assert bodies[0] == "who else is there?"
        await ben.send(thread, "welcome")
        while (await cleo.event("message.created"))["message"]["body"] != "welcome":
            pass


async def test_a_request_accepted_on_one_node_is_open_on_the_other(cluster: Cluster) -> None:
    one, two = await cluster.node(), await cluster.node()
    thread = await two.open("ana", "ben")
    async with await two.connect("ana") as ana:
        for text in ("hello", "it is about Friday", "in the studio"):
            assert (await ana.send(thread, text))["type"] == "ack"
        assert refused(await ana.send(thread, "or Saturday")) == "/problems/request-pending"
        await one.accept("ben", thread)
        assert (await ana.send(thread, "or Saturday"))["type"] == "ack"
        assert (await ana.event("request.changed"))["status"] == "accepted"


async def test_a_request_declined_on_one_node_is_gone_on_the_other(cluster: Cluster) -> None:
    one, two = await cluster.node(), await cluster.node()
    thread = await two.open("ana", "ben")
    async with await two.connect("ana") as ana, await two.connect("ben") as ben:
        await ana.send(thread, "hello")
        assert (await ben.event("message.created"))["message"]["body"] == "hello"
        seen = await one.call("ben", "GET", f"/threads/{thread}")
        await one.call("ben", "POST", f"/requests/{seen['requests'][0]['requestId']}/decline")
        assert refused(await ben.send(thread, "no")) == "/problems/thread-not-found"
        while (await ben.event("request.changed"))["status"] != "declined":
            pass
        ben.take()
        assert (await ana.send(thread, "hello?"))["type"] == "ack", "the sender is not to know"
        assert await ben.events_so_far() == []


async def test_a_block_on_one_node_is_obeyed_on_the_other(cluster: Cluster) -> None:
    one, two = await cluster.node(), await cluster.node()
    thread = await one.talk("ana", "ben")
    async with await two.connect("ana") as ana, await two.connect("ben") as ben:
        assert (await ana.send(thread, "hello"))["type"] == "ack"
        assert known(two, "ana", "ben") is False
        await blocks(one, "ben", "ana")
        await until(lambda: known(two, "ana", "ben") is None)
        ben.take()
        assert (await ana.send(thread, "hello?"))["type"] == "ack", "the sender is not to know"
        assert await ben.events_so_far() == []
        assert refused(await ben.send(thread, "hello?")) == "/problems/thread-not-found"


async def test_a_block_that_is_lifted_on_one_node_is_lifted_on_the_other(cluster: Cluster) -> None:
    one, two = await cluster.node(), await cluster.node()
    thread = await one.talk("ana", "ben")
    await blocks(one, "ben", "ana")
    async with await two.connect("ana") as ana, await two.connect("ben") as ben:
        assert (await ana.send(thread, "hello?"))["type"] == "ack", "the sender is not to know"
        assert await ben.events_so_far() == []
        await one.call("ben", "DELETE", f"/blocks/{one.id('ana')}")
        await until(lambda: known(two, "ana", "ben") is None)
        assert (await ana.send(thread, "hello again"))["type"] == "ack"
        assert (await ben.event("message.created"))["message"]["body"] == "hello again"


async def test_a_block_that_the_bus_did_not_bring_is_obeyed_when_it_is_back(
    cluster: Cluster,
) -> None:
    one, two = await cluster.node(), await cluster.node()
    thread = await one.talk("ana", "ben")
    async with await two.connect("ana") as ana, await two.connect("ben") as ben:
        assert (await ana.send(thread, "hello"))["type"] == "ack"
        assert known(two, "ana", "ben") is False
        async with cluster.bus.away():
            await blocks(one, "ben", "ana")
        await ana.event("resync")
        await ben.event("resync")
        ben.take()
        assert (await ana.send(thread, "hello?"))["type"] == "ack", "the sender is not to know"
        assert await ben.events_so_far() == []


async def test_a_block_takes_effect_at_once_on_a_node_without_the_bus(cluster: Cluster) -> None:
    """The thread's head has a new version, so no write passes; the bus is not needed."""
    one, two = await cluster.node(), await cluster.node()
    thread = await one.talk("ana", "ben")
    async with await two.connect("ana") as ana, await two.connect("ben") as ben, cluster.bus.away():
        assert (await ana.send(thread, "hello"))["type"] == "ack"
        assert (await ben.event("message.created"))["message"]["body"] == "hello"
        await blocks(one, "ben", "ana", thread)
        ben.take()
        assert (await ana.send(thread, "hello?"))["type"] == "ack", "the sender is not to know"
        assert [
            event for event in await ben.events_so_far() if event["type"] == "message.created"
        ] == []


async def test_in_a_group_a_block_on_one_node_changes_nothing_on_the_other(
    cluster: Cluster,
) -> None:
    """Presence and typing still show: their absence would reveal the block."""
    one, two = await cluster.node(), await cluster.node()
    thread = await one.group("ana", "ben", "cleo")
    async with await one.connect("ana") as ana, await two.connect("ben") as ben:
        await ana.say("focus", threadIds=[thread])
        await ana.events_so_far()
        await blocks(one, "ana", "ben")
        await ben.say("focus", threadIds=[thread])
        await ben.say("typing", threadId=thread)
        seen = await ben.event("presence.changed")
        assert (seen["userId"], seen["online"]) == (one.id("ana"), True)
        told = await ana.event("presence.changed")
        assert (told["userId"], told["online"]) == (one.id("ben"), True)
        assert (await ana.event("typing.changed"))["userId"] == one.id("ben")

"""Two nodes: what happens on one shows on the other, and both write one order."""

import asyncio

from tests.nodes.cluster import Cluster
from tests.socket.client import Client, sending


async def test_a_message_sent_on_one_node_reaches_a_socket_on_the_other(cluster: Cluster) -> None:
    one, two = await cluster.node(), await cluster.node()
    thread = await one.talk("ana", "ben")
    async with await one.connect("ana") as ana, await two.connect("ben") as ben:
        ack = await ana.send(thread, "Is Friday free?")
        told = await ben.event("message.created")
        assert told["message"]["messageId"] == ack["message"]["messageId"]
        assert told["message"]["body"] == "Is Friday free?"
        assert (await ana.event("message.created"))["message"] == told["message"]


async def test_edits_reactions_and_receipts_show_on_the_other_node(cluster: Cluster) -> None:
    one, two = await cluster.node(), await cluster.node()
    thread = await one.talk("ana", "ben")
    async with await one.connect("ana") as ana, await two.connect("ben") as ben:
        sent = (await ana.send(thread, "Is Friday free?"))["message"]
        about = {"threadId": thread, "messageId": sent["messageId"]}
        await ana.ask("edit", **about, body="Is Saturday free?")
        assert (await ben.event("message.edited"))["message"]["body"] == "Is Saturday free?"
        await ben.ask("react", **about, emoji="👍")
        reactions = (await ana.event("reaction.changed"))["message"]["reactions"]
        assert reactions == {"👍": [two.id("ben")]}
        await ben.ask("read", threadId=thread, seq=sent["seq"])
        receipt = await ana.event("receipt.moved")
        assert (receipt["userId"], receipt["lastReadSeq"]) == (two.id("ben"), sent["seq"])


async def test_two_writers_on_two_nodes_keep_one_order(cluster: Cluster) -> None:
    one, two = await cluster.node(), await cluster.node()
    thread = await one.talk("ana", "ben")
    each = 12

    async def talk(client: Client, word: str) -> list[int]:
        """All at once; the order of sending is kept."""
        asked = [
            await client.begin("send", **sending(thread, f"{word} {number}"))
            for number in range(each)
        ]
        return [(await answer)["message"]["seq"] for answer in asked]

    async with await one.connect("ana") as ana, await two.connect("ben") as ben:
        first, second = await asyncio.gather(talk(ana, "red"), talk(ben, "blue"))
        assert first == sorted(first)
        assert second == sorted(second)
        stored = await one.history("ana", thread)
        assert [message["seq"] for message in stored] == list(range(1, 2 * each + 2))
        assert {message["seq"] for message in stored[1:]} == {*first, *second}
        assert await two.history("ben", thread) == stored
        for client in (ana, ben):
            heard = [await client.event("message.created") for _ in range(2 * each)]
            texts = {event["message"]["seq"]: event["message"]["body"] for event in heard}
            assert texts == {message["seq"]: message["body"] for message in stored[1:]}


async def test_one_client_message_id_sent_on_both_nodes_at_once_is_one_message(
    cluster: Cluster,
) -> None:
    one, two = await cluster.node(), await cluster.node()
    thread = await one.talk("ana", "ben")
    async with await one.connect("ana") as phone, await two.connect("ana") as tablet:
        for number in range(5):
            acks = await asyncio.gather(
                *(device.send(thread, "only once", f"c{number}") for device in (phone, tablet))
            )
            assert acks[0]["message"]["messageId"] == acks[1]["message"]["messageId"]
        assert len(await two.history("ben", thread)) == 6


async def sees(client: Client, user: str, **what: bool) -> None:
    """Returns once this state arrives. Others may come first: a new observer gets the current
    state, which may change meanwhile."""
    (word,) = what
    kind = {"online": "presence.changed", "on": "typing.changed"}[word]
    while True:
        event = await client.event(kind)
        if (event["userId"], event[word]) == (user, what[word]):
            return


async def test_presence_and_typing_show_on_the_other_node(cluster: Cluster) -> None:
    one, two = await cluster.node(), await cluster.node()
    thread = await one.talk("ana", "ben")
    async with await one.connect("ana") as ana, await two.connect("ben") as ben:
        await ana.say("focus", threadIds=[thread])
        await ben.say("focus", threadIds=[thread])
        await sees(ben, one.id("ana"), online=True)
        await sees(ana, two.id("ben"), online=True)
        await ben.say("typing", threadId=thread)
        await sees(ana, two.id("ben"), on=True)
        await ben.say("focus", threadIds=[])
        await sees(ana, two.id("ben"), on=False)
        await sees(ana, two.id("ben"), online=False)


async def test_a_user_present_on_two_nodes_is_absent_only_when_both_are_closed(
    cluster: Cluster,
) -> None:
    one, two = await cluster.node(), await cluster.node()
    thread = await one.talk("ana", "ben")
    async with await one.connect("ana") as ana:
        await ana.say("focus", threadIds=[thread])
        phone, tablet = await one.connect("ben"), await two.connect("ben")
        for device in (phone, tablet):
            await device.say("focus", threadIds=[thread])
            await sees(device, one.id("ana"), online=True)
        await two.socket_server.hub.bus.ready()
        await sees(ana, one.id("ben"), online=True)
        await phone.close()
        await one.quiet(1)
        gone = [event for event in await ana.events_so_far() if event.get("online") is False]
        assert gone == [], "not even for a moment"
        async with await two.connect("ana") as elsewhere:
            await elsewhere.say("focus", threadIds=[thread])
            await sees(elsewhere, one.id("ben"), online=True)
        await tablet.close()
        await sees(ana, one.id("ben"), online=False)

"""Three nodes, and one that joins later."""

import asyncio

from tests.nodes.cluster import Cluster, caught_up
from tests.socket.client import Client, sending


async def test_three_writers_on_three_nodes_keep_one_order(cluster: Cluster) -> None:
    nodes = [await cluster.node() for _ in range(3)]
    thread = await nodes[0].group("ana", "ben", "cleo")
    clients = [
        await node.connect(name) for node, name in zip(nodes, ("ana", "ben", "cleo"), strict=True)
    ]

    async def talk(client: Client, word: str) -> list[int]:
        asked = [await client.begin("send", **sending(thread, f"{word} {n}")) for n in range(8)]
        return [(await answer)["message"]["seq"] for answer in asked]

    words = ("red", "green", "blue")
    seqs = await asyncio.gather(*map(talk, clients, words))
    assert all(own == sorted(own) for own in seqs)
    assert sorted(seq for own in seqs for seq in own) == list(range(1, 25))
    stored = {message["seq"]: message["body"] for message in await nodes[1].history("cleo", thread)}
    for client in clients:
        heard = [(await client.event("message.created"))["message"] for _ in range(24)]
        assert {message["seq"]: message["body"] for message in heard} == stored
        await client.close()


async def test_a_message_reaches_each_of_a_users_devices_wherever_they_are(
    cluster: Cluster,
) -> None:
    nodes = [await cluster.node() for _ in range(3)]
    thread = await nodes[0].talk("ana", "ben")
    devices = [await node.connect("ben") for node in nodes]
    async with await nodes[0].connect("ana") as ana:
        await ana.send(thread, "everywhere?")
        for device in devices:
            assert (await device.event("message.created"))["message"]["body"] == "everywhere?"
        await devices[2].ask("read", threadId=thread, seq=2)
        for device in devices:
            assert (await device.event("receipt.moved"))["lastReadSeq"] == 2
    for device in devices:
        assert await device.events_so_far() == [], "each was told once"
        await device.close()


async def test_a_node_that_is_started_later_knows_everything(cluster: Cluster) -> None:
    one, two = await cluster.node(), await cluster.node()
    thread = await one.talk("ana", "ben")
    async with await one.connect("ana") as ana, await two.connect("ben") as ben:
        cursor = ben.hello["cursor"]
        await ana.send(thread, "before you came")
        later = await cluster.node()
        async with await later.connect("ben") as tablet:
            found = await caught_up(tablet, cursor)
            assert [message["body"] for message in found][-1:] == ["before you came"]
            await ana.send(thread, "welcome")
            for device in (ben, tablet):
                while (await device.event("message.created"))["message"]["body"] != "welcome":
                    pass
            ack = await tablet.send(thread, "thank you")
            for client in (ana, ben):
                while (told := await client.event("message.created"))["message"]["seq"] < 4:
                    pass
                assert told["message"]["messageId"] == ack["message"]["messageId"]


async def test_a_client_that_moves_between_nodes_gets_everything_once(cluster: Cluster) -> None:
    nodes = [await cluster.node() for _ in range(3)]
    thread = await nodes[0].talk("ana", "ben")
    heard: list[str] = []
    async with await nodes[0].connect("ana") as ana:
        cursor, have = "", 1
        for number in range(9):
            async with await nodes[number % 3].connect("ben") as ben:
                cursor = cursor or ben.hello["cursor"]
                found = await caught_up(ben, cursor, **{thread: have})
                heard += [message["body"] for message in found]
                await ana.send(thread, f"here {number}")
                told = (await ben.event("message.created"))["message"]
                heard.append(told["body"])
                have, cursor = told["seq"], (await ben.ask("ping"))["cursor"]
            await ana.send(thread, f"away {number}")
    assert heard == [text for n in range(9) for text in (f"here {n}", f"away {n}")][:-1]

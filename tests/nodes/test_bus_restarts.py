"""No message is lost while the bus is away or stopped: clients that may have missed something are
told to resume.
"""

import asyncio

from tests.nodes.cluster import Cluster, caught_up, hears


async def test_a_bus_that_restarts_costs_nobody_a_message(cluster: Cluster) -> None:
    one, two = await cluster.node(), await cluster.node()
    thread = await one.talk("ana", "ben")
    async with await one.connect("ana") as ana, await two.connect("ben") as ben:
        await ana.send(thread, "before")
        assert (await ben.event("message.created"))["message"]["body"] == "before"
        cursor = ben.hello["cursor"]
        async with cluster.bus.away():
            sent = [(await ana.send(thread, f"meanwhile {n}"))["message"] for n in range(3)]
        await ben.event("resync")
        assert [event["type"] for event in await ben.events_so_far()] == []
        assert (await ben.ask("ping")).get("cursor") is None, "no cursor until it has resumed"
        found = await caught_up(ben, cursor, **{thread: sent[0]["seq"] - 1})
        assert [message["body"] for message in found] == [f"meanwhile {n}" for n in range(3)]
        await ana.send(thread, "after")
        await hears(ben, "after")


async def test_a_sender_misses_nothing_on_its_own_node(cluster: Cluster) -> None:
    """Events on the same node do not need the bus."""
    one = await cluster.node()
    await cluster.node()
    thread = await one.talk("ana", "ben")
    async with await one.connect("ana") as ana, await one.connect("ben") as ben:
        async with cluster.bus.away():
            await ana.send(thread, "can you hear me?")
            assert (await ben.event("message.created"))["message"]["body"] == "can you hear me?"
        await ben.event("resync")


async def test_both_write_while_the_bus_is_away_and_have_the_same_when_it_is_back(
    cluster: Cluster,
) -> None:
    one, two = await cluster.node(), await cluster.node()
    thread = await one.talk("ana", "ben")
    async with await one.connect("ana") as ana, await two.connect("ben") as ben:
        async with cluster.bus.away():
            await asyncio.gather(
                *(ana.send(thread, f"red {n}") for n in range(5)),
                *(ben.send(thread, f"blue {n}") for n in range(5)),
            )
        stored = {sent["seq"]: sent["body"] for sent in await one.history("ana", thread)}
        assert len(stored) == 11
        for client in (ana, ben):
            await client.event("resync")
            found = await caught_up(client, client.hello["cursor"])
            assert {sent["seq"]: sent["body"] for sent in found} == stored


async def test_a_bus_that_is_stopped_for_a_moment_loses_nothing(cluster: Cluster) -> None:
    one, two = await cluster.node(), await cluster.node()
    thread = await one.talk("ana", "ben")
    async with await one.connect("ana") as ana, await two.connect("ben") as ben:
        pause = asyncio.create_task(cluster.bus.pause(1))
        await asyncio.sleep(0.1)
        await ana.send(thread, "slowly")
        assert (await ben.event("message.created"))["message"]["body"] == "slowly"
        await pause
        assert await ben.events_so_far() == [], "and nobody had to resume"


async def test_a_socket_that_is_opened_while_the_bus_is_away_misses_nothing(
    cluster: Cluster,
) -> None:
    one, two = await cluster.node(), await cluster.node()
    thread = await one.talk("ana", "ben")
    async with await one.connect("ana") as ana:
        async with cluster.bus.away():
            opening = asyncio.create_task(two.connect("ben"))
            await ana.send(thread, "are you there?")
            ben = await opening
        async with ben:
            await hears(ben, "are you there?")
            await ana.send(thread, "now?")
            await hears(ben, "now?")


async def test_while_the_bus_is_away_nobody_is_given_a_cursor(cluster: Cluster) -> None:
    """They would never get the messages before that cursor."""
    one, two = await cluster.node(), await cluster.node()
    thread = await one.talk("ana", "ben")
    async with await one.connect("ana") as ana, await two.connect("ben") as ben:
        cursor = (await ben.ask("ping"))["cursor"]
        async with cluster.bus.away():
            while "cursor" in (answer := await ben.ask("ping")):
                cursor = answer["cursor"]
                await asyncio.sleep(0.05)
            await ana.send(thread, "while the bus is away")
            assert "cursor" not in await ben.ask("ping")
        await ben.event("resync")
        found = await caught_up(ben, cursor, **{thread: 1})
        assert [message["body"] for message in found] == ["while the bus is away"]
        async with asyncio.timeout(30):
            while "cursor" not in await ben.ask("ping"):  # noqa: ASYNC110
                await asyncio.sleep(0.05)

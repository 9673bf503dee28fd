"""Presence and typing: sent to other viewers of the thread who may see them."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from greenroom.api.messaging.focused_threads import FocusedThreads
from greenroom.app import TABLES
from greenroom.clock import ManualClock, iso
from greenroom.ids import ThreadId, UserId
from greenroom.messaging import Messaging
from greenroom.messaging.events import PresenceChanged
from greenroom.messaging.leases import HOLDER
from greenroom.messaging.records import lease_key, presence_partition
from greenroom.realtime.bus import BusMessage, Topic
from greenroom.realtime.memory_bus import MemoryBus
from greenroom.store.base import Key, Store
from greenroom.store.ephemeral import EPHEMERAL
from tests.socket.client import Client
from tests.socket.node import (
    CAST,
    Node,
    held,
    node_on,
    serving,
    until,
)
from tests.stores import IN_2100_MS, SQLITE, fresh_store


@pytest.fixture
async def node(tmp_path: Path) -> AsyncIterator[Node]:
    """A node whose clock stands still."""
    async with serving(tmp_path, clock=ManualClock(IN_2100_MS)) as found:
        await found.join(*CAST)
        yield found


async def wait_for_requests(node: Node, *clients: Client) -> None:
    """Waits until their requests are done."""
    for client in clients:
        assert (await client.ask("ping"))["type"] == "ack"
    await until(lambda: not node.socket_server.under_way)


async def focus(node: Node, client: Client, *threads: str) -> None:
    await client.say("focus", threadIds=list(threads))
    await wait_for_requests(node, client)


async def typing(node: Node, client: Client, thread: str, *, on: bool = True) -> None:
    await client.say("typing", threadId=thread, on=on)
    await wait_for_requests(node, client)


async def ephemeral_events(client: Client) -> list[tuple[str, str, bool]]:
    """The ephemeral events: (presence or typing, who, whether it is on)."""
    passed = []
    for event in await client.events_so_far():
        if event["type"] == "presence.changed":
            passed.append(("presence", event["userId"], event["online"]))
        elif event["type"] == "typing.changed":
            passed.append(("typing", event["userId"], event["on"]))
        assert event["type"] != "problem", event
    return passed


async def test_viewers_see_each_others_presence(node: Node) -> None:
    thread = await node.talk("ana", "ben")
    ana_id, ben_id = node.id("ana"), node.id("ben")
    async with await node.connect("ana") as ana, await node.connect("ben") as ben:
        await focus(node, ana, thread)
        assert await ephemeral_events(ben) == [], "he has not opened the thread"
        await ben.say("focus", threadIds=[thread])
        there = await ben.event("presence.changed")
        assert there == {
            "type": "presence.changed",
            "threadId": thread,
            "userId": ana_id,
            "online": True,
            "until": iso(IN_2100_MS + 60_000),
        }
        assert await ephemeral_events(ana) == [("presence", ben_id, True)]
        await focus(node, ana)
        assert await ephemeral_events(ben) == [("presence", ana_id, False)]
        await focus(node, ana, thread)
        assert await ephemeral_events(ben) == [("presence", ana_id, True)]
        assert await ephemeral_events(ana) == [("presence", ben_id, True)], (
            "the current state again"
        )
    await node.quiet()


async def test_viewers_see_typing_and_it_expires(node: Node) -> None:
    thread = await node.talk("ana", "ben")
    ana_id = node.id("ana")
    async with await node.connect("ana") as ana, await node.connect("ben") as ben:
        await typing(node, ana, thread)
        assert await ephemeral_events(ben) == [], "he has not opened the thread"
        await ben.say("focus", threadIds=[thread])
        there = await ben.event("typing.changed")
        assert (there["userId"], there["on"]) == (ana_id, True)
        assert there["until"] == iso(IN_2100_MS + 10_000)
        held(node).advance(seconds=3)
        await typing(node, ana, thread)
        assert await ephemeral_events(ben) == [], "it has an `until`"
        held(node).advance(seconds=3)
        await typing(node, ana, thread)
        again = await ben.event("typing.changed")
        assert again["until"] == iso(IN_2100_MS + 16_000)
        await typing(node, ana, thread, on=False)
        assert await ephemeral_events(ben) == [("typing", ana_id, False)]
        await typing(node, ana, thread, on=False)
        assert await ephemeral_events(ben) == [], "once"
        assert await ephemeral_events(ana) == [], "not about yourself"


async def test_leases_are_renewed_rarely(node: Node) -> None:
    thread = await node.talk("ana", "ben")
    async with await node.connect("ana") as ana, await node.connect("ben") as ben:
        await focus(node, ben, thread)
        before = node.written()
        for _ in range(20):
            await ana.say("typing", threadId=thread)
        await wait_for_requests(node, ana)
        assert node.written() - before == 1
        assert await ephemeral_events(ben) == [("typing", node.id("ana"), True)]

        before = node.written()
        await focus(node, ana, thread)
        for _ in range(3):
            await focus(node, ana, thread)
        for _ in range(2):
            held(node).advance(seconds=10)
            await node.socket_server.renew()
        assert node.written() - before == 1, "both leases have more than half of their time left"
        assert await ephemeral_events(ben) == [("presence", node.id("ana"), True)]
        before = node.written()
        held(node).advance(seconds=20)
        await node.socket_server.renew()
        await node.socket_server.renew()
        assert node.written() - before == 2, "one each"
        assert await ephemeral_events(ben) == [("presence", node.id("ana"), True)]


async def test_the_lease_of_a_dead_node_expires(node: Node) -> None:
    thread = await node.talk("ana", "ben")
    async with await node.connect("ana") as ana, await node.connect("ben") as ben:
        await focus(node, ana, thread)
        await typing(node, ana, thread)
        for session in node.socket_server.sessions:
            session.part(FocusedThreads).clear_silently()
        held(node).advance(seconds=9)
        await focus(node, ben, thread)
        both = [("presence", node.id("ana"), True), ("typing", node.id("ana"), True)]
        assert await ephemeral_events(ben) == both
        await focus(node, ben)
        held(node).advance(seconds=2)
        await focus(node, ben, thread)
        assert await ephemeral_events(ben) == both[:1], "typing lasts ten seconds"
        await focus(node, ben)
        held(node).advance(seconds=49)
        await focus(node, ben, thread)
        assert await ephemeral_events(ben) == [], "presence lasts sixty"


@pytest.mark.parametrize("how", ["closes", "is cut off"])
async def test_a_user_who_leaves_goes_offline(node: Node, how: str) -> None:
    thread = await node.talk("ana", "ben")
    raw = await node.raw("ana")
    raw.text({"type": "focus", "threadIds": [thread]}, {"type": "typing", "threadId": thread})
    async with await node.connect("ben") as ben:
        await ben.say("focus", threadIds=[thread])
        raw.text({"type": "ping", "id": 1})
        await raw.answer(1)
        await wait_for_requests(node, ben)
        await ephemeral_events(ben)
        if how == "is cut off":
            raw.abort()
        else:
            raw.writer.close()
        await node.quiet(1)
        ana_id = node.id("ana")
        assert await ephemeral_events(ben) == [
            ("typing", ana_id, False),
            ("presence", ana_id, False),
        ]
        await focus(node, ben)
        await focus(node, ben, thread)
        assert await ephemeral_events(ben) == [], "the lease is deleted too"


async def test_a_user_with_another_screen_stays_online(node: Node) -> None:
    thread = await node.talk("ana", "ben")
    ana_id = node.id("ana")
    async with await node.connect("ben") as ben, await node.connect("ana") as phone:
        await focus(node, ben, thread)
        laptop = await node.connect("ana")
        await focus(node, phone, thread)
        await focus(node, laptop, thread)
        assert await ephemeral_events(ben) == [("presence", ana_id, True)]
        await laptop.close()
        await node.quiet(2)
        assert await ephemeral_events(ben) == []
        await focus(node, phone)
        assert await ephemeral_events(ben) == [("presence", ana_id, False)]


async def test_the_last_focus_counts(node: Node) -> None:
    threads = [await node.talk("ana", "ben"), await node.talk("ana", "cleo")]
    async with await node.connect("ana") as ana:
        for number in range(50):
            await ana.say("focus", threadIds=[threads[number % 2]])
        await ana.say("focus", threadIds=threads)
        await wait_for_requests(node, ana)
        (session,) = node.socket_server.sessions
        assert session.part(FocusedThreads).threads == set(threads)


async def test_focus_on_a_foreign_thread_is_refused_and_the_rest_works(node: Node) -> None:
    thread, other = await node.talk("ana", "ben"), await node.talk("ana", "cleo")
    async with await node.connect("ben") as ben, await node.connect("ana") as ana:
        await focus(node, ana, thread, other)
        await focus(node, ben, other, thread, "thr_nonsense")
        for _ in range(2):
            problem = await ben.event("problem")
            assert problem["problem"]["type"] == "/problems/thread-not-found"
            assert "id" not in problem
        assert await ephemeral_events(ben) == [("presence", node.id("ana"), True)]
        await ephemeral_events(ana)
        await typing(node, ana, other)
        assert await ephemeral_events(ben) == []
        await ben.say("typing", threadId=other)
        assert (await ben.event("problem"))["problem"]["type"] == "/problems/thread-not-found"
        assert await ephemeral_events(ana) == []
        held(node).advance(seconds=50)
        await node.socket_server.renew()
        assert await ephemeral_events(ana) == [("presence", node.id("ben"), True)]


async def test_no_presence_or_typing_across_a_pending_request(node: Node) -> None:
    thread = await node.open("cleo", "ana")
    await node.say("cleo", thread, "may I ask?")
    async with await node.connect("ana") as ana, await node.connect("cleo") as cleo:
        await focus(node, ana, thread)
        await focus(node, cleo, thread)
        await typing(node, ana, thread)
        await typing(node, cleo, thread)
        assert await ephemeral_events(ana) == []
        assert await ephemeral_events(cleo) == []
        await focus(node, ana)
        assert await ephemeral_events(cleo) == []
        await node.accept("ana", thread)
        await ephemeral_events(ana)
        await ephemeral_events(cleo)
        await focus(node, ana, thread)
        assert ("presence", node.id("cleo"), True) in await ephemeral_events(ana)
        assert ("presence", node.id("ana"), True) in await ephemeral_events(cleo)


async def test_no_presence_or_typing_after_a_declined_request(node: Node) -> None:
    thread = await node.open("cleo", "ana")
    await node.say("cleo", thread, "may I ask?")
    async with await node.connect("ana") as ana, await node.connect("cleo") as cleo:
        await focus(node, ana, thread)
        (request,) = (await node.call("ana", "GET", f"/threads/{thread}"))["requests"]
        await node.call("ana", "POST", f"/requests/{request['requestId']}/decline")
        await ana.events_so_far()
        await focus(node, cleo, thread)
        await typing(node, cleo, thread)
        assert await ephemeral_events(ana) == []
        await focus(node, ana)
        assert await ephemeral_events(cleo) == []


async def test_no_presence_or_typing_across_a_block_in_a_pair(node: Node) -> None:
    thread = await node.talk("ana", "ben")
    async with await node.connect("ana") as ana, await node.connect("ben") as ben:
        for client in (ana, ben):
            await focus(node, client, thread)
        for client in (ana, ben):
            await ephemeral_events(client)
        await node.call("ana", "PUT", f"/blocks/{node.id('ben')}")
        held(node).advance(seconds=50)
        await node.socket_server.renew()
        await typing(node, ben, thread)
        await focus(node, ben)
        await focus(node, ben, thread)
        assert await ephemeral_events(ana) == []
        assert node.id("ana") not in [who for _, who, _ in await ephemeral_events(ben)]


async def test_a_block_does_not_hide_presence_in_a_group(node: Node) -> None:
    """Otherwise a person who writes but is never online would reveal the block."""
    thread = await node.group("cleo", "ana", "ben")
    async with await node.connect("ana") as ana, await node.connect("ben") as ben:
        await node.call("ana", "PUT", f"/blocks/{node.id('ben')}")
        for client in (ana, ben):
            await focus(node, client, thread)
        await typing(node, ana, thread)
        assert ("typing", node.id("ana"), True) in await ephemeral_events(ben)


async def test_a_viewer_who_is_removed_receives_nothing_more(node: Node) -> None:
    thread = await node.group("ana", "ben", "cleo")
    async with (
        await node.connect("ana") as ana,
        await node.connect("ben") as ben,
        await node.connect("cleo") as cleo,
    ):
        for client in (ana, ben, cleo):
            await focus(node, client, thread)
        for client in (ana, ben, cleo):
            await ephemeral_events(client)
        await node.call("ana", "DELETE", f"/threads/{thread}/participants/{node.id('cleo')}")
        (gone,) = await cleo.events_so_far()
        assert (gone["type"], gone["gone"]) == ("inbox.changed", True)
        await typing(node, ana, thread)
        await focus(node, ben)
        await node.say("ana", thread, "without her")
        held(node).advance(seconds=50)
        await node.socket_server.renew()
        assert await cleo.events_so_far() == []
        await ana.events_so_far()
        await ben.events_so_far()
        await cleo.say("typing", threadId=thread)
        await cleo.say("focus", threadIds=[thread])
        await wait_for_requests(node, cleo)
        assert [event["type"] for event in await cleo.events_so_far()] == ["problem", "problem"]
        assert await ana.events_so_far() == []


async def test_somebody_who_left_a_pair_neither_receives_nor_causes_events(node: Node) -> None:
    thread = await node.talk("ana", "ben")
    async with await node.connect("ana") as ana, await node.connect("ben") as ben:
        await focus(node, ana, thread)
        await focus(node, ben, thread)
        await ephemeral_events(ana)
        await node.call("ben", "DELETE", f"/threads/{thread}/participants/{node.id('ben')}")
        await ben.events_so_far()
        await ana.events_so_far()
        await typing(node, ana, thread)
        held(node).advance(seconds=50)
        await node.socket_server.renew()
        assert await ben.events_so_far() == []
        assert await ana.events_so_far() == []


async def test_a_failing_renewal_does_not_affect_other_sessions(
    node: Node, monkeypatch: pytest.MonkeyPatch
) -> None:
    thread = await node.talk("ana", "ben")
    async with await node.connect("ana") as ana, await node.connect("ben") as ben:
        await focus(node, ana, thread)
        await focus(node, ben, thread)
        await ephemeral_events(ana)
        await ephemeral_events(ben)

        async def fail() -> None:
            raise RuntimeError("for a test")

        (anas,) = (
            one
            for one in node.socket_server.sessions
            if one.actor and one.actor.user == node.id("ana")
        )
        monkeypatch.setattr(anas.part(FocusedThreads), "renew", fail)
        held(node).advance(seconds=50)
        with pytest.raises(RuntimeError, match="for a test"):
            await node.socket_server.renew()
        assert await ephemeral_events(ana) == [("presence", node.id("ben"), True)]


class SharedMemoryBus(MemoryBus):
    """Delivers with a delay, as between two nodes."""

    def __init__(self, others: list["SharedMemoryBus"]) -> None:
        super().__init__()
        self._others = others
        others.append(self)

    def publish(self, topics: Any, notice: BusMessage) -> None:
        named: tuple[Topic, ...] = tuple(topics)
        for bus in self._others:
            MemoryBus.publish(bus, named, notice)


async def test_a_user_with_a_screen_on_another_node_stays_online(tmp_path: Path) -> None:
    clock = ManualClock(IN_2100_MS)
    buses: list[SharedMemoryBus] = []
    async with (
        fresh_store(f"{SQLITE}{tmp_path}/two.db", TABLES, clock) as store,
        node_on(store, clock, bus=SharedMemoryBus(buses)) as here,
        node_on(store, clock, bus=SharedMemoryBus(buses)) as there,
    ):
        await here.join(*CAST)
        there.knows(here)
        thread = await here.talk("ana", "ben")
        ana_id = here.id("ana")
        async with await here.connect("ben") as ben, await here.connect("ana") as phone:
            await focus(here, ben, thread)
            await focus(here, phone, thread)
            laptop = await there.connect("ana")
            await focus(there, laptop, thread)
            assert set(await ephemeral_events(ben)) == {("presence", ana_id, True)}
            await laptop.close()
            await there.quiet()
            assert await ephemeral_events(ben) == [], "not even for a moment"
            await focus(here, ben)
            await focus(here, ben, thread)
            assert await ephemeral_events(ben) == [("presence", ana_id, True)]
            await focus(here, phone)
            assert await ephemeral_events(ben) == [("presence", ana_id, False)]


async def test_a_late_offline_event_is_corrected(node: Node) -> None:
    """Two nodes write one lease, and the bus may deliver the first event last."""
    messaging = node.contexts[Messaging]
    thread = await node.talk("ana", "ben")
    ana_id, ben_id = UserId(node.id("ana")), UserId(node.id("ben"))
    async with await node.connect("ana") as ana, await node.connect("ben") as ben:
        await focus(node, ben, thread)
        await focus(node, ana, thread)
        assert await ephemeral_events(ben) == [("presence", ana_id, True)]
        head, _ = await messaging.thread_cache.load(ThreadId(thread))
        assert head is not None
        messaging.publish(head, PresenceChanged(ana_id, 0, (ben_id, ana_id)))
        await wait_for_requests(node, ana)
        assert await ephemeral_events(ben) == [
            ("presence", ana_id, False),
            ("presence", ana_id, True),
        ]


async def test_leases_of_dead_nodes_are_cleaned_up(tmp_path: Path) -> None:
    clock = ManualClock(IN_2100_MS)
    async with fresh_store(f"{SQLITE}{tmp_path}/two.db", TABLES, clock) as store:
        async with node_on(store, clock) as dies:
            await dies.join(*CAST)
            thread = await dies.talk("ana", "ben")
            ana = await dies.connect("ana")
            await focus(dies, ana, thread)
            dies.socket_server.is_draining = True  # its leases must expire by themselves
        async with node_on(store, clock) as node:
            node.knows(dies)
            async with await node.connect("ana") as ana:
                clock.advance(seconds=30)
                await focus(node, ana, thread)
                key = lease_key(presence_partition(ThreadId(thread)), UserId(node.id("ana")))
                assert len(await _holders(store, key)) == 2
                clock.advance(seconds=40)
                await node.socket_server.renew()
                await node.contexts[Messaging].deferred.run()
                assert await _holders(store, key) == {node.contexts[Messaging].leases.holder}


async def _holders(store: Store, key: Key) -> set[str]:
    item = await store.get(EPHEMERAL, key)
    assert item is not None
    return {name for name in item if name.startswith(HOLDER)}

"""Random scenarios of clients that send without waiting, on a slow and failing store. Checks
the properties listed in tests/socket/test_pipelined_order.py at the end.

    await play(Scene(seed, failing=0.1, breaks=2), folder)

A seed repeats what is sent, what fails and how often connections break, but not the exact timing:
the sockets are real.
"""

import asyncio
import random
from collections import defaultdict
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

from greenroom.app import TABLES
from greenroom.clock import SystemClock
from greenroom.policy import Limit
from greenroom.realtime.bus import BusMessage, Topic
from greenroom.realtime.memory_bus import MemoryBus
from greenroom.safety.limits import Rate
from tests.remote_store import Fault, Network, RemoteStore
from tests.socket.node import CAST, Node, node_on, until
from tests.socket.pipeline import Frame, Message, Sender, Subscriber, connected, whole_log
from tests.stores import SQLITE, fresh_store
from tests.world import UNLIMITED

MESSAGES = 40
SMALL = 8
"""Ops in a transaction: a head and three messages; or a new thread with a request."""
FINE = (
    "shall we begin a little later on that day?",
    "the light is best in the late afternoon.",
    "ok",
    "@ben and @cleo, which of you has the key?",
    "@nobody knows how this could ever take longer",
    "you can write to me at ana@example.com",  # with a hint
)
HELD = "You have won the lottery, send a processing fee to claim your prize"
REFUSED = "\0"


@dataclass(frozen=True)
class Scenario:
    seed: int
    failing: float = 0.0
    faults: tuple[Fault, ...] = tuple(Fault)
    breaks: int = 0
    nodes: int = 1
    most_ops: int | None = None
    bare: bool = False
    """Uses the store directly, without the slow and failing network."""
    url: str | None = None
    """URL of the store, if it is not SQLite."""
    texts: tuple[str, ...] = FINE
    rates: Mapping[Limit, Rate] = field(default_factory=lambda: UNLIMITED)

    @property
    def is_exact(self) -> bool:
        """Whether the server never refuses a message."""
        return not self.failing


class SharedMemoryBus(MemoryBus):
    """The bus of one of several nodes in this process; publishes to all of them."""

    def __init__(self, buses: "list[SharedMemoryBus]") -> None:
        super().__init__()
        self._buses = buses
        buses.append(self)

    def publish(self, topics: Iterable[Topic], notice: BusMessage) -> None:
        named, loop = list(topics), asyncio.get_running_loop()
        super().publish(named, notice)
        for bus in self._buses:
            if bus is not self:
                loop.call_soon(MemoryBus.publish, bus, named, notice)


class PipelineNodes:
    def __init__(self, nodes: list[Node], fresh: Node, network: Network) -> None:
        self.nodes = nodes
        self.fresh = fresh
        """A node with empty caches, whose store does not fail."""
        self.network = network

    async def calm(self) -> None:
        self.network.failing = self.network.seconds = 0
        await self.network.arrive()


@asynccontextmanager
async def nodes_of(scenario: Scenario, folder: Path) -> AsyncIterator[PipelineNodes]:
    """Nodes with three people, without delays at first."""
    clock, network = SystemClock(), Network(random.Random(scenario.seed), faults=scenario.faults)
    buses: list[SharedMemoryBus] = []
    async with AsyncExitStack() as stack:
        opened = fresh_store(scenario.url or f"{SQLITE}{folder}/node.db", TABLES, clock)
        inner = await stack.enter_async_context(opened)
        nodes = []
        for _ in range(scenario.nodes):
            store = inner if scenario.bare else RemoteStore(inner, network, scenario.most_ops)
            served = node_on(store, clock, bus=SharedMemoryBus(buses), rates=scenario.rates)
            nodes.append(await stack.enter_async_context(served))
        fresh = await stack.enter_async_context(node_on(inner, clock))
        await nodes[0].join(*CAST)
        for node in (*nodes[1:], fresh):
            node.knows(nodes[0])
        yield PipelineNodes(nodes, fresh, network)


async def run_scenario(scenario: Scenario, folder: Path) -> list[Message]:
    """Two of Ana's devices and one of Ben's send into two threads, while Cleo and Ben receive."""
    chance = random.Random(f"play {scenario.seed}")
    async with nodes_of(scenario, folder) as stage:
        first = stage.nodes[0]
        threads = [await first.group("ana", "ben", "cleo") for _ in range(2)]
        hellos = {one: (await first.say("ana", one, "hello"))["messageId"] for one in threads}
        before = {thread: await first.history("ana", thread) for thread in threads}
        listeners = {}
        for name in ("ben", "cleo"):
            listener = Subscriber(await connected(chance.choice(stage.nodes), name), threads)
            for thread in threads:
                listener.begin_with(thread, before[thread])
            listeners[name] = listener
        stage.network.seconds = 0.02 * chance.random()
        stage.network.failing = scenario.failing
        devices = [("ana", "desk"), ("ana", "phone"), ("ben", "tablet")]
        drafts = {
            device: _messages(chance, device, scenario.texts, hellos) for _, device in devices
        }
        async with asyncio.TaskGroup() as tasks:
            for name, device in devices:
                sender = Sender(
                    lambda name=name: connected(chance.choice(stage.nodes), name),  # type: ignore[misc]
                    random.Random(f"{scenario.seed} {device}"),
                    window=chance.choice((2, 8, MESSAGES)),
                )
                tasks.create_task(sender.send_all(drafts[device], breaks=scenario.breaks))
        await stage.calm()
        if scenario.failing and scenario.nodes > 1:
            # A late write that was repeated on another node shows as a gap before the next message.
            for thread in threads:
                await first.say("ana", thread, "last one")
        logs = {thread: await whole_log(stage.fresh, "ana", thread) for thread in threads}
        for thread in threads:
            mine = [
                [one for one in drafts[device] if one.thread == thread] for _, device in devices
            ]
            _check_log(
                logs[thread][len(before[thread]) :], logs[thread], mine, exact=scenario.is_exact
            )
        await _check_listeners(scenario, listeners, logs, before)
        await _check_unread(stage, threads, logs)
        for listener in listeners.values():
            await listener.stop()
    return [message for device in drafts.values() for message in device]


def _messages(
    chance: random.Random, device: str, texts: Sequence[str], hellos: dict[str, str]
) -> list[Message]:
    found = []
    for number in range(MESSAGES):
        thread = chance.choice(list(hellos))
        reply = hellos[thread] if chance.random() < 0.2 else None
        found.append(
            Message(number, thread, f"{device}{number}", chance.choice(texts), reply_to=reply)
        )
    return found


def _check_log(
    new: Sequence[Frame], whole: Sequence[Frame], devices: list[list[Message]], *, exact: bool
) -> None:
    assert [one["seq"] for one in whole] == list(range(1, len(whole) + 1))
    places = defaultdict(list)
    for one in new:
        places[one["body"].split()[0]].append((one["messageId"], one["seq"]))
    places.pop("last", None)
    sent = [one for messages in devices for one in messages if one.is_sent]
    expected = {
        one.name: [(one.answer["message"]["messageId"], one.answer["message"]["seq"])]
        for one in sent
    }
    assert places == expected
    for messages in devices:
        mine = [one for one in messages if one.is_sent]
        if exact:
            assert [one.seq for one in mine] == sorted(one.seq for one in mine)
        certain = sorted((one for one in mine if one.place), key=lambda one: one.place or (0, 0))
        by_connection = defaultdict(list)
        for message in certain:
            assert message.place is not None
            by_connection[message.place[0]].append(message.seq)
        for seqs in by_connection.values():
            assert seqs == sorted(seqs)


async def _check_listeners(
    scenario: Scenario,
    listeners: dict[str, Subscriber],
    logs: dict[str, list[Frame]],
    before: dict[str, list[Frame]],
) -> None:
    for name, listener in listeners.items():
        for thread, log in logs.items():
            try:
                await until(lambda: listener.has(thread, log))  # noqa: B023
            except TimeoutError:
                missing = {one["seq"] for one in log} - listener.seen[thread].keys()
                raise AssertionError(f"{name} was never told of {missing}") from None
            if scenario.is_exact and scenario.nodes == 1:
                seqs = [one["seq"] for one in log[len(before[thread]) :]]
                assert listener.live[thread] == seqs
        assert listener.mistakes == []


async def _check_unread(
    stage: PipelineNodes, threads: Sequence[str], logs: dict[str, list[Frame]]
) -> None:
    for name in CAST:
        for thread in threads:
            user, last = stage.fresh.id(name), len(logs[thread])
            read = max([one["seq"] for one in logs[thread] if one["authorUserId"] == user] or [0])
            for node in (stage.fresh, *stage.nodes):
                shown = await node.call(name, "GET", f"/threads/{thread}")
                assert (shown["lastSeq"], shown["mine"]["unread"]) == (last, last - read)

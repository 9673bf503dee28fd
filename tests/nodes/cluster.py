"""Several nodes on the same tables and bus: real DynamoDB Local and NATS.

The nodes run in this process, each with its own store, bus client and caches; a node that is to be
killed is a process. Each test has tables and a bus of its own.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit, urlunsplit

import aiohttp

from greenroom.app import TABLES
from greenroom.clock import Clock
from greenroom.realtime.nats import NatsBus
from greenroom.store.dynamo import DynamoStore
from tests.fault_proxy import FaultProxy, fault_proxy
from tests.nodes.short_lease_node import serve_with_short_leases
from tests.socket.client import Client
from tests.socket.node import CAST, Node, node_on
from tests.stores import SECRET, fresh_prefix
from tests.sync_pages import inbox_in
from tests.torture.bus import Bus
from tests.torture.node_process import NodeProcess


class Cluster:
    def __init__(self, place: str, bus: Bus, clock: Clock, stack: AsyncExitStack) -> None:
        self.bus = bus
        self.nodes: list[Node] = []
        self._place = place
        self._clock = clock
        self._stack = stack

    async def node(self) -> Node:
        """Starts one more node. All nodes know the people of the first."""
        opened = DynamoStore.open(
            self._place, TABLES, clock=self._clock, cursor_secret=SECRET, create=not self.nodes
        )
        store = await self._stack.enter_async_context(await opened)
        serving = node_on(store, self._clock, bus=NatsBus(self.bus.url))
        node = await self._stack.enter_async_context(_in_a_task(serving))
        if self.nodes:
            node.knows(self.nodes[0])
        else:
            await node.join(*CAST)
        self.nodes.append(node)
        return node

    async def short_lease_node(self, folder: Path) -> "ShortLeaseNode":
        """A node in a process of its own, with a store that can be made to fail."""
        host = urlsplit(self._place).netloc.rpartition("@")[2]
        proxied = fault_proxy(f"http://{host}")
        proxy, address = await self._stack.enter_async_context(proxied)
        given = {
            "GREENROOM_DATA": str(folder),
            "GREENROOM_SECRET": SECRET.decode(),
            "GREENROOM_STORE": _at(self._place, address),
            "GREENROOM_BUS": self.bus.url,
        }
        process = NodeProcess(
            "short-lease", folder, given, serve=serve_with_short_leases, restarts=False
        )
        process.start()
        self._stack.push_async_callback(process.stop)
        await process.up()
        http = await self._stack.enter_async_context(aiohttp.ClientSession(process.url))
        return ShortLeaseNode(process, proxy, http, self.nodes[0])


class ShortLeaseNode:
    def __init__(
        self, process: NodeProcess, proxy: FaultProxy, http: aiohttp.ClientSession, kin: Node
    ) -> None:
        self.process = process
        self.proxy = proxy
        self._http = http
        self._kin = kin

    async def connect(self, name: str) -> Client:
        client = Client(await self._http.ws_connect("/v1/socket"))
        client.hello = await client.ask("auth", token=self._kin.token(name))
        assert client.hello["type"] == "ack", client.hello
        return client

    async def die(self) -> None:
        await self.process.kill()


@asynccontextmanager
async def cluster_on(dynamodb_url: str, clock: Clock) -> AsyncIterator[Cluster]:
    bus = Bus()
    try:
        async with fresh_prefix(dynamodb_url, TABLES) as place, AsyncExitStack() as stack:
            yield Cluster(place, bus, clock, stack)
    finally:
        bus.close()


@asynccontextmanager
async def _in_a_task(served: AbstractAsyncContextManager[Node]) -> AsyncIterator[Node]:
    """Runs the node in a task of its own: its cost counter must be left in the context in which it
    was entered, and a fixture's teardown has another context."""
    is_up: asyncio.Future[Node] = asyncio.get_running_loop().create_future()
    is_over = asyncio.Event()

    async def serve() -> None:
        async with served as node:
            is_up.set_result(node)
            await is_over.wait()

    task = asyncio.create_task(serve())
    waiting: list[asyncio.Future[Any]] = [is_up, task]
    await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
    if task.done():
        task.result()
    try:
        yield await is_up
    finally:
        is_over.set()
        await task


def _at(place: str, address: str) -> str:
    """The same store through another host and port."""
    parts = urlsplit(place)
    who, _, _ = parts.netloc.rpartition("@")
    return urlunsplit(parts._replace(netloc=f"{who}@{address}"))


async def caught_up(client: Client, cursor: str, **have: Any) -> list[dict[str, Any]]:
    ack = await client.ask("resume", cursor=cursor, have=have)
    assert ack["type"] == "ack", ack
    synced = [event for event in client.take() if event["type"] == "synced"]
    return [
        message
        for event in synced
        for changed in inbox_in(event["changes"])["threads"]
        for message in changed["messages"]
    ]


async def hears(client: Client, body: str) -> None:
    """Returns once the client has this message, by an event or by a resume. After an outage each
    node may ask for a resume when it is back."""
    async with asyncio.timeout(60):
        while True:
            for event in client.take():
                if event["type"] == "resync":
                    found = await caught_up(client, client.hello["cursor"])
                    if body in [message["body"] for message in found]:
                        return
                elif event.get("message", {}).get("body") == body:
                    return
            await asyncio.sleep(0.01)

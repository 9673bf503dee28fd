"""A whole server in this process, on a free port.

The test passes the clock, the bus, the rate limits and the timeouts. At the end no session and no
subscription may be left.
"""

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Any

import aiohttp

from greenroom.api import http_limits, server
from greenroom.api.auth import ACT_FOR
from greenroom.api.registry import Registry
from greenroom.api.safety.events import ACCOUNTS
from greenroom.api.ws.drain import drain
from greenroom.api.ws.socket_server import SocketServer, Timeouts
from greenroom.api.ws.suspensions import AccountInvalidation
from greenroom.app import REGISTRY, compose
from greenroom.blobs.base import Blobs
from greenroom.clock import Clock, ManualClock, SystemClock
from greenroom.policy import Limit, Policy
from greenroom.realtime.bus import Bus
from greenroom.realtime.hub import Hub
from greenroom.realtime.memory_bus import MemoryBus
from greenroom.safety.limits import Rate
from greenroom.settings import Settings
from greenroom.sql.base import Database
from greenroom.store.base import Store
from greenroom.store.capacity import Cost
from greenroom.store.ephemeral import EPHEMERAL
from tests.blob_folders import temporary_blobs
from tests.rest_calls import RestCalls
from tests.socket.client import Client
from tests.socket.raw_client import RawClient
from tests.sql_databases import temporary_sql
from tests.stores import SECRET, SQLITE, fresh_store
from tests.world import SETTINGS, UNLIMITED, World, authenticator_on, http_app_on

CAST = ("ana", "ben", "cleo")


@dataclass(eq=False)
class Node(World[Clock], RestCalls):
    """A World whose contexts are served on a port. Methods call it over REST and the socket."""

    url: str = field(kw_only=True)
    socket_server: SocketServer = field(kw_only=True)
    cost: Cost = field(kw_only=True)

    def __post_init__(self) -> None:
        self.http = aiohttp.ClientSession(self.url)
        self._client_ids = count(1)

    @property
    def port(self) -> int:
        return int(self.url.rpartition(":")[2])

    async def join(self, *names: str) -> None:
        for name in names:
            await self.person(name)

    def knows(self, other: "Node") -> None:
        """Takes over the people who have joined on another node."""
        self.actors = other.actors

    # REST.

    async def rest(
        self, name: str, method: str, path: str, body: object = None, **headers: str
    ) -> tuple[int, Any]:
        sent = {"Authorization": f"Bearer {self.token(name)}", **headers}
        async with self.http.request(method, f"/v1{path}", headers=sent, json=body) as answer:
            text = await answer.text()
            return answer.status, json.loads(text) if text else None

    async def call(self, name: str, method: str, path: str, body: object = None) -> Any:
        status, answer = await self.rest(name, method, path, body)
        assert status < 400, answer
        return answer

    async def history(self, name: str, thread: str, limit: int = 100) -> list[dict[str, Any]]:
        found = await self.call(name, "GET", f"/threads/{thread}/messages?limit={limit}")
        messages: list[dict[str, Any]] = found["messages"]
        return messages

    # The socket.

    async def connect(self, name: str | None = None, **how: Any) -> Client:
        client = Client(await self.http.ws_connect("/v1/socket", **how))
        if name is not None:
            client.hello = await client.ask("auth", token=self.token(name))
            assert client.hello["type"] == "ack", client.hello
        return client

    async def raw(self, name: str | None = None, **how: Any) -> RawClient:
        raw = await RawClient.connect(self.port, **how)
        if name is not None:
            raw.text({"type": "auth", "id": 0, "token": self.token(name)})
            assert (await raw.frame())["type"] == "ack"
        return raw

    def service_for(self, name: str) -> dict[str, str]:
        return {ACT_FOR: self.id(name)}

    def written(self) -> float:
        """Write units spent on the table of leases."""
        units = self.cost.by_source.get(EPHEMERAL.name)
        return 0.0 if units is None else units.write

    async def quiet(self, sessions: int = 0) -> None:
        """Returns once this many sockets are open and no request is running."""
        await until(
            lambda: (
                len(self.socket_server.sessions) == sessions and not self.socket_server.under_way
            )
        )


@asynccontextmanager
async def serving(
    folder: Path,
    *,
    dynamodb_url: str = "",
    clock: Clock | None = None,
    registry: Registry = REGISTRY,
    **wishes: Any,
) -> AsyncIterator[Node]:
    clock = clock or SystemClock()
    url = dynamodb_url or f"{SQLITE}{folder}/node.db"
    async with (
        fresh_store(url, registry.tables, clock) as store,
        node_on(store, clock, registry=registry, **wishes) as node,
    ):
        yield node


@asynccontextmanager
async def node_on(
    store: Store,
    clock: Clock,
    *,
    bus: Bus | None = None,
    blobs: Blobs | None = None,
    sql: Database | None = None,
    rates: Mapping[Limit, Rate] = UNLIMITED,
    timeouts: Timeouts | None = None,
    registry: Registry = REGISTRY,
    settings: Settings | None = None,
    policy: Policy | None = None,
    most_http: int = http_limits.MOST,
    **limits: Any,
) -> AsyncIterator[Node]:
    hub = Hub(bus or MemoryBus())
    contexts = compose(
        store,
        clock,
        SECRET,
        hub=hub,
        blobs=blobs or temporary_blobs(clock),
        sql=sql or temporary_sql(),
        settings=settings or SETTINGS,
        policy=policy,
        rates=rates,
        registry=registry,
    )
    await hub.start()
    authenticator = authenticator_on(contexts)
    socket_server = SocketServer(
        contexts,
        authenticator,
        hub,
        timeouts=timeouts or Timeouts(),
        **limits,
    )
    hub.add_cache(ACCOUNTS, AccountInvalidation(socket_server))
    app = http_app_on(contexts, authenticator=authenticator)
    with store.counting() as cost, server.listen("127.0.0.1", 0) as listener:
        started = asyncio.Event()
        serves = asyncio.create_task(
            server.serve(app, socket_server, listener, started=started.set, most_http=most_http)
        )
        await asyncio.wait_for(started.wait(), 20)
        node = Node(
            contexts,
            clock,
            rates,
            url=server.address_of(listener),
            socket_server=socket_server,
            cost=cost,
        )
        try:
            yield node
        finally:
            await node.http.close()
            await drain(socket_server)
            serves.cancel()
            await asyncio.gather(serves, return_exceptions=True)
            await hub.close()
    assert (len(socket_server.sessions), socket_server.under_way) == (0, 0)
    assert not hub._subscribers


async def until(is_so: Callable[[], bool]) -> None:
    """Waits until the condition is true."""
    async with asyncio.timeout(10):
        while not is_so():  # noqa: ASYNC110
            await asyncio.sleep(0.001)


def held(node: Node) -> ManualClock:
    assert isinstance(node.clock, ManualClock)
    return node.clock

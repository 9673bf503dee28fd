"""A server to talk to: the whole of it, in this process, on a free port.

What a test may hold in its hand is put in from outside: the clock, the bus, the limits, how long a
socket waits for what. At the end nothing may be left behind.
"""

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from itertools import count
from pathlib import Path
from typing import Any

import aiohttp

from greenroom.api import server
from greenroom.api.auth import ACT_FOR, Authenticator
from greenroom.api.http import Contexts, http_app
from greenroom.api.tokens import Expected, SharedSecret
from greenroom.api.ws.drain import drain
from greenroom.api.ws.requests import HANDLERS
from greenroom.api.ws.socket_server import SocketServer, Timeouts
from greenroom.api.ws.suspensions import SuspensionListener
from greenroom.app import TABLES, compose
from greenroom.clock import Clock, ManualClock, SystemClock
from greenroom.people.actor import Scope
from greenroom.people.join import join
from greenroom.realtime.bus import ALL_NODES, Bus
from greenroom.realtime.hub import Hub
from greenroom.realtime.memory_bus import MemoryBus
from greenroom.safety.limits import Limit, Rate
from greenroom.safety.records import EPHEMERAL
from greenroom.store.base import Store
from greenroom.store.capacity import Cost
from tests.messaging.world import UNLIMITED
from tests.socket.client import Client
from tests.socket.raw import Raw
from tests.stores import SQLITE, fresh_store

SECRET = b"a secret for the tests of the socket"
CAST = ("ana", "ben", "cleo")


class Node:
    def __init__(
        self, url: str, contexts: Contexts, socket_server: SocketServer, clock: Clock, cost: Cost
    ) -> None:
        self.url = url
        self.contexts = contexts
        self.socket_server = socket_server
        self.clock = clock
        self._cost = cost
        self.http = aiohttp.ClientSession(url)
        self._ids: dict[str, str] = {}
        self._numbers = count(1)

    @property
    def port(self) -> int:
        return int(self.url.rpartition(":")[2])

    def id(self, name: str) -> str:
        return self._ids.get(name, name)

    async def join(self, *names: str) -> None:
        for name in names:
            self._ids[name] = (await join(self.contexts.people, name)).id

    def knows(self, other: "Node") -> None:
        """The same people, who have joined on another node."""
        self._ids = other._ids

    def token(self, name: str, *scopes: Scope, seconds: float = 3600, **claims: object) -> str:
        """Of somebody who has joined, or of anybody by an id."""
        given: dict[str, object] = {"sub": self.id(name), "scope": " ".join(scopes)}
        given["exp"] = self.clock.now_ms() / 1000 + seconds
        return SharedSecret(SECRET).sign(given | claims)

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

    async def open(self, name: str, *others: str, kind: str = "inquiry") -> str:
        """A conversation that nobody has accepted yet: its id."""
        participants = [{"userId": self.id(other), "role": "seller"} for other in others]
        body = {"kind": kind, "participants": participants}
        return str((await self.call(name, "POST", "/threads", body))["thread"]["threadId"])

    async def accept(self, name: str, thread: str) -> None:
        for request in (await self.call(name, "GET", f"/threads/{thread}"))["requests"]:
            if request["requestId"]:
                await self.call(name, "POST", f"/requests/{request['requestId']}/accept")

    async def talk(self, one: str, other: str) -> str:
        """A conversation of two who have met."""
        thread = await self.open(one, other)
        await self.say(one, thread, "hello")
        await self.accept(other, thread)
        return thread

    async def group(self, opener: str, *others: str) -> str:
        """A conversation of several, all of whom the opener has met."""
        for other in others:
            await self.talk(opener, other)
        return await self.open(opener, *others, kind="booking")

    async def say(self, name: str, thread: str, body: str, client_id: str | None = None) -> Any:
        sent = {"body": body, "clientMessageId": client_id or f"rest-{next(self._numbers)}"}
        answer = await self.call(name, "POST", f"/threads/{thread}/messages", sent)
        return answer["message"]

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

    async def raw(self, name: str | None = None, **how: Any) -> Raw:
        raw = await Raw.connect(self.port, **how)
        if name is not None:
            raw.text({"type": "auth", "id": 0, "token": self.token(name)})
            assert (await raw.frame())["type"] == "ack"
        return raw

    def service_for(self, name: str) -> dict[str, str]:
        return {ACT_FOR: self.id(name)}

    def written(self) -> float:
        """Units, to the table of leases; each is a write."""
        units = self._cost.by_source.get(EPHEMERAL.name)
        return 0.0 if units is None else units.write

    async def quiet(self, sessions: int = 0) -> None:
        """Returns once so many sockets are open and nothing is under way."""
        await until(
            lambda: (
                len(self.socket_server.sessions) == sessions and not self.socket_server.under_way
            )
        )


@asynccontextmanager
async def serving(
    folder: Path, *, dynamodb_url: str = "", clock: Clock | None = None, **wishes: Any
) -> AsyncIterator[Node]:
    clock = clock or SystemClock()
    url = dynamodb_url or f"{SQLITE}{folder}/node.db"
    async with (
        fresh_store(url, TABLES, clock) as store,
        node_on(store, clock, **wishes) as node,
    ):
        yield node


@asynccontextmanager
async def node_on(
    store: Store,
    clock: Clock,
    *,
    bus: Bus | None = None,
    rates: Mapping[Limit, Rate] = UNLIMITED,
    timeouts: Timeouts | None = None,
    **limits: Any,
) -> AsyncIterator[Node]:
    hub = Hub(bus or MemoryBus())
    contexts = compose(store, clock, SECRET, hub=hub, rates=rates)
    await hub.start()
    authenticator = Authenticator(contexts.people, SharedSecret(SECRET), Expected())
    waits = timeouts or Timeouts()
    socket_server = SocketServer(
        contexts.messaging, authenticator, hub, HANDLERS, timeouts=waits, **limits
    )
    hub.add(ALL_NODES, SuspensionListener(socket_server))
    app = http_app(contexts, authenticator, _ready)
    with store.counting() as cost, server.listen("127.0.0.1", 0) as listener:
        started = asyncio.Event()
        serves = asyncio.create_task(
            server.serve(app, socket_server, listener, started=started.set)
        )
        await asyncio.wait_for(started.wait(), 20)
        node = Node(server.address_of(listener), contexts, socket_server, clock, cost)
        try:
            yield node
        finally:
            await node.http.close()
            await drain(socket_server)
            serves.cancel()
            await asyncio.gather(serves, return_exceptions=True)
            await hub.close()
    assert (len(socket_server.sessions), socket_server.under_way) == (0, 0)
    assert hub._subscribers.keys() <= {ALL_NODES}


async def _ready() -> None:
    pass


async def until(is_so: Callable[[], bool]) -> None:
    """Waits for something that is about to happen."""
    async with asyncio.timeout(10):
        while not is_so():  # noqa: ASYNC110
            await asyncio.sleep(0.001)


def held(node: Node) -> ManualClock:
    assert isinstance(node.clock, ManualClock)
    return node.clock

"""The whole API in this process, and what the bus tells one person; the clock is held."""

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from itertools import count
from typing import Any

from httpx import ASGITransport, AsyncClient, Response

from greenroom.api.auth import Authenticator
from greenroom.api.http import Contexts, http_app
from greenroom.api.tokens import Expected, SharedSecret
from greenroom.app import TABLES, compose
from greenroom.clock import ManualClock
from greenroom.ids import UserId
from greenroom.people.actor import Scope
from greenroom.people.join import join
from greenroom.realtime.bus import BusMessage, user_topic
from greenroom.realtime.hub import Hub
from greenroom.realtime.memory_bus import MemoryBus
from tests.messaging.world import UNLIMITED
from tests.stores import IN_2100_MS, fresh_store

_SECRET = b"a secret of more than 32 characters for twins"


class RecordedEvents:
    """What a socket of the user would be told."""

    def __init__(self, user: UserId) -> None:
        self.user = user
        self._told: list[Any] = []

    def on_message(self, message: BusMessage) -> None:
        self._told.append(json.loads(message.payload))

    def on_gap(self) -> None:
        raise AssertionError("the bus lost something")

    def take(self) -> list[Any]:
        told, self._told = self._told, []
        return told


class PrivacyWorld:
    def __init__(
        self, contexts: Contexts, clock: ManualClock, client: AsyncClient, hub: Hub
    ) -> None:
        self.contexts = contexts
        self.clock = clock
        self._client = client
        self._hub = hub
        self._ids: dict[str, str] = {}
        self._numbers = count(1)

    def id(self, name: str) -> str:
        return self._ids[name]

    async def join(self, name: str) -> None:
        self._ids[name] = (await join(self.contexts.people, name)).id

    def listen(self, name: str) -> RecordedEvents:
        events = RecordedEvents(UserId(self.id(name)))
        self._hub.add(user_topic(events.user), events)
        return events

    async def ask(self, name: str, method: str, path: str, body: object = None) -> Response:
        claims = {"sub": self.id(name), "scope": Scope.USER.value}
        token = SharedSecret(_SECRET).sign(claims | {"exp": self.clock.now_ms() // 1000 + 3600})
        headers = {"Authorization": f"Bearer {token}"}
        return await self._client.request(method, path, headers=headers, json=body)

    async def call(self, name: str, method: str, path: str, body: object = None) -> Any:
        answer = await self.ask(name, method, f"/v1{path}", body)
        assert answer.status_code < 400, answer.text
        return answer.json() if answer.content else None

    async def confirm(self, thread: str) -> None:
        """By a service, as a booking."""
        claims = {"sub": "shop", "scope": Scope.SERVICE.value}
        token = SharedSecret(_SECRET).sign(claims | {"exp": self.clock.now_ms() // 1000 + 3600})
        path, headers = f"/v1/threads/{thread}", {"Authorization": f"Bearer {token}"}
        answer = await self._client.patch(path, headers=headers, json={"status": "confirmed"})
        assert answer.status_code == 200, answer.text

    async def schema(self) -> Any:
        return (await self._client.get("/schema/openapi.json")).json()

    async def open(self, name: str, *others: str, kind: str = "inquiry") -> str:
        self.clock.advance(seconds=1)  # at one moment the order would be that of random ids
        participants = [{"userId": self.id(other), "role": "seller"} for other in others]
        body = {"kind": kind, "participants": participants}
        return str((await self.call(name, "POST", "/threads", body))["thread"]["threadId"])

    async def open_direct(self, name: str, other: str) -> str:
        self.clock.advance(seconds=1)
        return str((await self.call(name, "PUT", f"/direct/{self.id(other)}"))["threadId"])

    async def accept(self, name: str, thread: str) -> None:
        for request in (await self.call(name, "GET", f"/threads/{thread}"))["requests"]:
            if request["requestId"]:
                await self.call(name, "POST", f"/requests/{request['requestId']}/accept")

    async def talk(self, one: str, other: str) -> str:
        thread = await self.open(one, other)
        await self.say(one, thread, "hello")
        await self.accept(other, thread)
        return thread

    async def group(self, opener: str, *others: str) -> str:
        for other in others:
            await self.talk(opener, other)
        return await self.open(opener, *others, kind="group")

    async def say(self, name: str, thread: str, body: str) -> Any:
        sent = {"body": body, "clientMessageId": f"c-{next(self._numbers)}"}
        return (await self.call(name, "POST", f"/threads/{thread}/messages", sent))["message"]

    async def bodies(self, name: str, thread: str) -> list[str]:
        page = await self.call(name, "GET", f"/threads/{thread}/messages")
        return [message["body"] for message in page["messages"]]


@asynccontextmanager
async def privacy_world(url: str) -> AsyncIterator[PrivacyWorld]:
    clock, hub = ManualClock(IN_2100_MS), Hub(MemoryBus())
    async with fresh_store(url, TABLES, clock) as store:
        contexts = compose(store, clock, _SECRET, hub=hub, rates=UNLIMITED)
        await hub.start()
        authenticator = Authenticator(contexts.people, SharedSecret(_SECRET), Expected())
        app = http_app(contexts, authenticator, _ready)
        transport = ASGITransport(app, raise_app_exceptions=False)  # type: ignore[arg-type]
        async with AsyncClient(transport=transport, base_url="http://greenroom") as client:
            yield PrivacyWorld(contexts, clock, client, hub)
        await hub.close()


async def _ready() -> None:
    pass

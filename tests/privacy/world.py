"""The shared world over HTTP, with the events that the bus delivers to one person."""

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from itertools import count
from typing import Any

from httpx import AsyncClient, Response

from greenroom.app import TABLES, compose
from greenroom.bookings import Bookings
from greenroom.clock import ManualClock
from greenroom.ids import UserId
from greenroom.messaging import Messaging
from greenroom.messaging.cards.background import sweep
from greenroom.people.actor import Scope
from greenroom.realtime.bus import BusMessage, user_topic
from greenroom.realtime.hub import Hub
from greenroom.realtime.memory_bus import MemoryBus
from tests.blob_folders import temporary_blobs
from tests.rest_calls import RestCalls
from tests.sql_databases import temporary_sql
from tests.stores import IN_2100_MS, SECRET, fresh_store
from tests.world import SETTINGS, UNLIMITED, World, http_app_on, http_client


class RecordedEvents:
    """The events that a socket of the user would get."""

    def __init__(self, user: UserId) -> None:
        self.user = user
        self._told: list[Any] = []

    def on_message(self, message: BusMessage) -> None:
        self._told.append(json.loads(message.payload))

    def on_gap(self) -> None:
        raise AssertionError("the bus lost messages")

    def take(self) -> list[Any]:
        told, self._told = self._told, []
        return told


@dataclass(eq=False)
class PrivacyWorld(World, RestCalls):
    client: AsyncClient = field(kw_only=True)
    hub: Hub = field(kw_only=True)
    _client_ids: "count[int]" = field(default_factory=lambda: count(1))

    async def join(self, name: str) -> None:
        await self.person(name)

    async def relay_cards(self) -> None:
        """As nodes do each second: a card and a reminder that are due together may conflict."""
        bookings = self.contexts[Bookings]
        self.clock.advance(seconds=2)
        await sweep(self.contexts[Messaging], bookings)
        await bookings.tasks.finish()

    def listen(self, name: str) -> RecordedEvents:
        events = RecordedEvents(self.user(name))
        self.hub.add(user_topic(events.user), events)
        return events

    async def ask(self, name: str, method: str, path: str, body: object = None) -> Response:
        headers = {"Authorization": f"Bearer {self.token(name, Scope.USER)}"}
        return await self.client.request(method, path, headers=headers, json=body)

    async def call(self, name: str, method: str, path: str, body: object = None) -> Any:
        answer = await self.ask(name, method, f"/v1{path}", body)
        assert answer.status_code < 400, answer.text
        return answer.json() if answer.content else None

    async def confirm(self, thread: str) -> None:
        """A service confirms the booking."""
        headers = {"Authorization": f"Bearer {self.token('shop', Scope.SERVICE)}"}
        body = {"status": "confirmed"}
        answer = await self.client.patch(f"/v1/threads/{thread}", headers=headers, json=body)
        assert answer.status_code == 200, answer.text

    async def schema(self) -> Any:
        return (await self.client.get("/schema/openapi.json")).json()

    async def open(self, name: str, *others: str, kind: str = "inquiry") -> str:
        self.clock.advance(seconds=1)  # two at the same moment would be ordered by random ids
        return await super().open(name, *others, kind=kind)

    async def open_direct(self, name: str, other: str) -> str:
        self.clock.advance(seconds=1)
        return str((await self.call(name, "PUT", f"/direct/{self.id(other)}"))["threadId"])

    async def bodies(self, name: str, thread: str) -> list[str]:
        page = await self.call(name, "GET", f"/threads/{thread}/messages")
        return [message["body"] for message in page["messages"]]


@asynccontextmanager
async def privacy_world(url: str) -> AsyncIterator[PrivacyWorld]:
    clock, hub = ManualClock(IN_2100_MS), Hub(MemoryBus())
    async with fresh_store(url, TABLES, clock) as store:
        contexts = compose(
            store,
            clock,
            SECRET,
            hub=hub,
            blobs=temporary_blobs(clock),
            sql=temporary_sql(),
            settings=SETTINGS,
            rates=UNLIMITED,
        )
        await hub.start()
        async with http_client(http_app_on(contexts)) as client:
            yield PrivacyWorld(contexts, clock, UNLIMITED, client=client, hub=hub)
        await hub.close()

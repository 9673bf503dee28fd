"""The shared world over HTTP: Ana buys, Ben sells, Cleo is a stranger, Mod moderates, Adi is admin.

`ask` sends a request with somebody's token. Every response is checked against its schema.
"""

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from itertools import count
from typing import Any

from httpx import AsyncClient, Response
from litestar import Litestar

from greenroom.api.auth import ACT_FOR
from greenroom.api.registry import Registry
from greenroom.app import REGISTRY, compose
from greenroom.clock import ManualClock
from greenroom.people.actor import Scope, StaffRole
from greenroom.policy import Limit
from greenroom.safety.limits import Rate
from tests.api.response_schema import contract_of
from tests.blob_folders import temporary_blobs
from tests.sql_databases import temporary_sql
from tests.stores import IN_2100_MS, SECRET, fresh_store
from tests.world import RATES, SETTINGS, World, http_app_on, http_client

CAST = {
    "ana": None,
    "ben": None,
    "cleo": None,
    "dan": None,
    "mod": StaffRole.MODERATOR,
    "adi": StaffRole.ADMIN,
}


@dataclass(eq=False)
class ApiWorld(World):
    app: Litestar = field(kw_only=True)
    client: AsyncClient = field(kw_only=True)
    _numbers: "count[int]" = field(default_factory=lambda: count(1))

    @property
    def ids(self) -> dict[str, str]:
        return {name: actor.user for name, actor in self.actors.items()}

    async def join(self, name: str, role: StaffRole | None = None) -> str:
        return (await self.person(name, role=role)).user

    def bearer(self, name: str, *scopes: Scope, **claims: Any) -> dict[str, str]:
        """The header of a person by name, or of any user by id."""
        return {"Authorization": f"Bearer {self.token(name, *scopes or (Scope.USER,), **claims)}"}

    def service_for(self, name: str) -> dict[str, str]:
        return self.bearer("shop", Scope.SERVICE) | {ACT_FOR: self.ids[name]}

    async def ask(
        self, name: str, method: str, path: str, body: object = None, **headers: str
    ) -> Response:
        named = {key.replace("_", "-"): value for key, value in headers.items()}
        return await self.client.request(
            method, f"/v1{path}", headers=self.bearer(name) | named, json=body
        )

    async def get(self, name: str, path: str) -> Any:
        return ok_json(await self.ask(name, "GET", path))

    async def open(self, opener: str, *others: str, **fields: object) -> Any:
        """A conversation, as its opener sees it."""
        participants = [{"userId": self.ids[other], "role": "seller"} for other in others]
        body = {"kind": "inquiry", "role": "buyer", "participants": participants} | fields
        return ok_json(await self.ask(opener, "POST", "/threads", body), 201)["thread"]

    async def talk(self, opener: str = "ana", other: str = "ben") -> str:
        """The id of a conversation of two contacts."""
        thread = await self.open(opener, other)
        await self.accept(other, thread["threadId"])
        return str(thread["threadId"])

    async def accept(self, name: str, thread_id: str) -> None:
        thread = await self.get(name, f"/threads/{thread_id}")
        for request in thread["requests"]:
            if request["targetUserId"] == self.ids[name]:
                ok_json(await self.ask(name, "POST", f"/requests/{request['requestId']}/accept"))

    async def say(self, name: str, thread_id: str, body: str, **fields: object) -> Any:
        message = {"body": body, "clientMessageId": f"c{next(self._numbers)}"} | fields
        path = f"/threads/{thread_id}/messages"
        return ok_json(await self.ask(name, "POST", path, message), 201)["message"]


def ok_json(answer: Response, status: int = 200) -> Any:
    assert answer.status_code == status, answer.text
    return answer.json() if answer.content else None


def refused(answer: Response, status: int, code: str) -> Any:
    assert answer.headers["content-type"] == "application/problem+json", answer.text
    document = answer.json()
    assert (answer.status_code, document["type"]) == (status, f"/problems/{code}")
    return document


@asynccontextmanager
async def api_world_on(
    url: str,
    rates: Mapping[Limit, Rate] = RATES,
    origins: Sequence[str] = (),
    registry: Registry = REGISTRY,
) -> AsyncIterator[ApiWorld]:
    clock = ManualClock(IN_2100_MS)
    async with fresh_store(url, registry.tables, clock) as store:
        contexts = compose(
            store,
            clock,
            SECRET,
            blobs=temporary_blobs(clock),
            sql=temporary_sql(),
            settings=SETTINGS,
            rates=rates,
            registry=registry,
        )
        app = http_app_on(contexts, origins=origins)
        hooks = {"response": [contract_of(app).hold]}
        async with http_client(app, event_hooks=hooks) as client:
            world = ApiWorld(contexts, clock, rates, app=app, client=client)
            for name, role in CAST.items():
                await world.join(name, role)
            yield world

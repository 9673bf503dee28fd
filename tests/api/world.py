"""A world full of people who talk over HTTP: Ana buys, Ben sells, Cleo is a stranger, Mod moderates.

Adi is an admin. Everybody has a token; `ask` speaks with it. Every answer is held to its schema.
"""

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from itertools import count
from typing import Any

from httpx import ASGITransport, AsyncClient, Response
from litestar import Litestar

from greenroom.api.auth import ACT_FOR, Authenticator
from greenroom.api.http import Contexts, http_app
from greenroom.api.tokens import Expected, SharedSecret
from greenroom.app import TABLES, compose
from greenroom.clock import ManualClock
from greenroom.ids import UserId
from greenroom.people.actor import Scope, StaffRole, system
from greenroom.people.join import join
from greenroom.safety.grant import grant
from greenroom.safety.limits import RATES, Limit, Rate
from tests.api.answers import contract_of
from tests.stores import IN_2100_MS, fresh_store

SECRET = b"a secret of more than 32 characters for tokens"
CAST = {
    "ana": None,
    "ben": None,
    "cleo": None,
    "dan": None,
    "mod": StaffRole.MODERATOR,
    "adi": StaffRole.ADMIN,
}


@dataclass
class ApiWorld:
    contexts: Contexts
    clock: ManualClock
    app: Litestar
    client: AsyncClient
    ids: dict[str, str] = field(default_factory=dict)
    _numbers: "count[int]" = field(default_factory=lambda: count(1))

    async def join(self, name: str, role: StaffRole | None = None) -> str:
        self.ids[name] = (await join(self.contexts.people, name)).id
        if role is not None:
            await grant(self.contexts.safety, system(), UserId(self.ids[name]), role)
        return self.ids[name]

    def token(self, name: str, *scopes: Scope, **claims: object) -> dict[str, str]:
        """The header of somebody who has joined, or of anybody by an id."""
        scope = " ".join(scopes or (Scope.USER,))
        given: dict[str, object] = {"sub": self.ids.get(name, name), "scope": scope}
        given["exp"] = self.clock.now_ms() // 1000 + 3600
        return {"Authorization": f"Bearer {SharedSecret(SECRET).sign(given | claims)}"}

    def service_for(self, name: str) -> dict[str, str]:
        return self.token("shop", Scope.SERVICE) | {ACT_FOR: self.ids[name]}

    async def ask(
        self, name: str, method: str, path: str, body: object = None, **headers: str
    ) -> Response:
        named = {key.replace("_", "-"): value for key, value in headers.items()}
        return await self.client.request(
            method, f"/v1{path}", headers=self.token(name) | named, json=body
        )

    async def get(self, name: str, path: str) -> Any:
        return told(await self.ask(name, "GET", path))

    async def open(self, opener: str, *others: str, **fields: object) -> Any:
        """A conversation, as its opener sees it."""
        participants = [{"userId": self.ids[other], "role": "seller"} for other in others]
        body = {"kind": "inquiry", "role": "buyer", "participants": participants} | fields
        return told(await self.ask(opener, "POST", "/threads", body), 201)["thread"]

    async def talk(self, opener: str = "ana", other: str = "ben") -> str:
        """A conversation of two who have met: its id."""
        thread = await self.open(opener, other)
        await self.accept(other, thread["threadId"])
        return str(thread["threadId"])

    async def accept(self, name: str, thread_id: str) -> None:
        thread = await self.get(name, f"/threads/{thread_id}")
        for request in thread["requests"]:
            if request["targetUserId"] == self.ids[name]:
                told(await self.ask(name, "POST", f"/requests/{request['requestId']}/accept"))

    async def say(self, name: str, thread_id: str, body: str, **fields: object) -> Any:
        message = {"body": body, "clientMessageId": f"c{next(self._numbers)}"} | fields
        path = f"/threads/{thread_id}/messages"
        return told(await self.ask(name, "POST", path, message), 201)["message"]


def told(answer: Response, status: int = 200) -> Any:
    assert answer.status_code == status, answer.text
    return answer.json() if answer.content else None


def refused(answer: Response, status: int, code: str) -> Any:
    assert answer.headers["content-type"] == "application/problem+json", answer.text
    document = answer.json()
    assert (answer.status_code, document["type"]) == (status, f"/problems/{code}")
    return document


@asynccontextmanager
async def api_world_on(
    url: str, rates: Mapping[Limit, Rate] = RATES, origins: Sequence[str] = ()
) -> AsyncIterator[ApiWorld]:
    clock = ManualClock(IN_2100_MS)
    async with fresh_store(url, TABLES, clock) as store:
        contexts = compose(store, clock, SECRET, rates=rates)
        authenticator = Authenticator(contexts.people, SharedSecret(SECRET), Expected())
        app = http_app(contexts, authenticator, _ready, origins=origins)
        transport = ASGITransport(app, raise_app_exceptions=False)  # type: ignore[arg-type]
        async with AsyncClient(
            transport=transport,
            base_url="http://greenroom",
            event_hooks={"response": [contract_of(app).hold]},
        ) as client:
            world = ApiWorld(contexts, clock, app, client)
            for name, role in CAST.items():
                await world.join(name, role)
            yield world


async def _ready() -> None:
    pass

"""`client`: the whole HTTP app on an SQLite file with the sample people; it asks as `maya`.

`anonymous` asks without a token. `bearer` makes the header of anybody's. `hall` is full of people
who talk, and runs on each store engine in turn.
"""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Protocol

import pytest
from httpx import ASGITransport, AsyncClient

from greenroom.api.auth import Authenticator
from greenroom.api.demo import Sign
from greenroom.api.http import Contexts, http_app
from greenroom.api.tokens import Expected, SharedSecret
from greenroom.app import TABLES, compose, samples_of
from greenroom.clock import HeldClock
from greenroom.demo import joined, staffed
from greenroom.ids import UserId
from greenroom.people import People, directory
from greenroom.people.actor import Scope
from greenroom.store.sqlite import SqliteStore
from tests.api.answers import contract_of
from tests.api.hall import Hall, hall_on
from tests.stores import SQLITE

SECRET = b"a secret of more than 32 characters for tokens"


@pytest.fixture
def clock() -> HeldClock:
    return HeldClock()


@pytest.fixture
async def contexts(tmp_path: Path, clock: HeldClock) -> AsyncIterator[Contexts]:
    async with await SqliteStore.open(
        tmp_path / "api.db", TABLES, clock=clock, cursor_secret=SECRET
    ) as store:
        yield compose(store, clock, SECRET)


@pytest.fixture
def people(contexts: Contexts) -> People:
    return contexts.people


class World:
    """What `readyz` finds, which a test may change."""

    problem: Exception | None = None

    async def ready(self) -> None:
        if self.problem is not None:
            raise self.problem


@pytest.fixture
def world() -> World:
    return World()


class Bearer(Protocol):
    def __call__(self, user: str, *scopes: Scope, **claims: object) -> dict[str, str]: ...


@pytest.fixture
def bearer(clock: HeldClock) -> Bearer:
    def header(user: str, *scopes: Scope, **claims: object) -> dict[str, str]:
        given = {"sub": user, "exp": clock.now_ms() // 1000 + 3600, "scope": " ".join(scopes)}
        return {"Authorization": f"Bearer {SharedSecret(SECRET).sign(given | claims)}"}

    return header


@pytest.fixture
def sign(bearer: Bearer) -> Sign:
    def signed(user: UserId, scopes: frozenset[Scope], seconds: int) -> str:
        header = bearer(user, *sorted(scopes))["Authorization"]
        return header.removeprefix("Bearer ")

    return signed


@pytest.fixture
async def anonymous(contexts: Contexts, world: World, sign: Sign) -> AsyncIterator[AsyncClient]:
    authenticator = Authenticator(contexts.people, SharedSecret(SECRET), Expected())
    cast = await joined(contexts.people)
    await staffed(contexts.safety, cast)
    shown = samples_of(cast)
    app = http_app(contexts, authenticator, world.ready, shown, sign)
    # Asked in our own loop, to which the store belongs.
    transport = ASGITransport(app, raise_app_exceptions=False)  # type: ignore[arg-type]
    async with AsyncClient(
        transport=transport,
        base_url="http://greenroom",
        event_hooks={"response": [contract_of(app).hold]},
    ) as asked:
        yield asked


@pytest.fixture
async def client(anonymous: AsyncClient, people: People, bearer: Bearer) -> AsyncClient:
    maya = await directory.by_username(people, "maya")
    assert maya is not None
    anonymous.headers.update(bearer(maya.id))
    return anonymous


@pytest.fixture
async def hall(store_url: str) -> AsyncIterator[Hall]:
    async with hall_on(store_url) as furnished:
        yield furnished


@pytest.fixture
async def sqlite_hall(tmp_path: Path) -> AsyncIterator[Hall]:
    """For what has nothing to do with the store."""
    async with hall_on(f"{SQLITE}{tmp_path}/hall.db") as furnished:
        yield furnished

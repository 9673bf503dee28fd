"""Fixtures of the HTTP tests.

`client` is the whole app on an SQLite file with the sample people, authenticated as `maya`.
`anonymous` has no token. `bearer` makes the header for any user. `world` has people who talk, and
runs on each store engine in turn.
"""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Protocol

import pytest
from httpx import AsyncClient

from greenroom.api.composition import Contexts
from greenroom.api.demo import Sign
from greenroom.api.tokens import SharedSecret
from greenroom.app import TABLES
from greenroom.clock import ManualClock
from greenroom.demo import grant_staff_roles, join_sample_people
from greenroom.ids import UserId
from greenroom.people import People, directory
from greenroom.people.actor import Scope
from greenroom.safety import Safety
from greenroom.serve import samples_of
from greenroom.store.sqlite import SqliteStore
from tests.api.response_schema import contract_of
from tests.api.world import ApiWorld, api_world_on
from tests.stores import SECRET, SQLITE
from tests.world import World, http_app_on, http_client


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock()


@pytest.fixture
async def contexts(tmp_path: Path, clock: ManualClock) -> AsyncIterator[Contexts]:
    async with await SqliteStore.open(
        tmp_path / "api.db", TABLES, clock=clock, cursor_secret=SECRET
    ) as store:
        yield World.over(store, clock).contexts


@pytest.fixture
def people(contexts: Contexts) -> People:
    return contexts[People]


class Readiness:
    """The result of `readyz`, which a test may change."""

    problem: Exception | None = None

    async def ready(self) -> None:
        if self.problem is not None:
            raise self.problem


@pytest.fixture
def readiness() -> Readiness:
    return Readiness()


class Bearer(Protocol):
    def __call__(self, user: str, *scopes: Scope, **claims: object) -> dict[str, str]: ...


@pytest.fixture
def bearer(clock: ManualClock) -> Bearer:
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
async def anonymous(
    contexts: Contexts, readiness: Readiness, sign: Sign
) -> AsyncIterator[AsyncClient]:
    cast = await join_sample_people(contexts[People])
    await grant_staff_roles(contexts[Safety], cast)
    app = http_app_on(contexts, ready=readiness.ready, samples=samples_of(cast), sign=sign)
    async with http_client(app, event_hooks={"response": [contract_of(app).hold]}) as asked:
        yield asked


@pytest.fixture
async def client(anonymous: AsyncClient, people: People, bearer: Bearer) -> AsyncClient:
    maya = await directory.by_username(people, "maya")
    assert maya is not None
    anonymous.headers.update(bearer(maya.id))
    return anonymous


@pytest.fixture
async def world(store_url: str) -> AsyncIterator[ApiWorld]:
    async with api_world_on(store_url) as found:
        yield found


@pytest.fixture
async def sqlite_world(tmp_path: Path) -> AsyncIterator[ApiWorld]:
    """For tests that do not depend on the store engine."""
    async with api_world_on(f"{SQLITE}{tmp_path}/world.db") as found:
        yield found

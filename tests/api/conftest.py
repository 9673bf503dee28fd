"""`client`: the whole HTTP app on an SQLite file with the sample people; it asks as `maya`.

`anonymous` asks without a token. `bearer` makes the header of anybody's.
"""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Protocol

import pytest
from httpx import ASGITransport, AsyncClient

from greenroom.api.auth import Authenticator
from greenroom.api.http import http_app
from greenroom.api.tokens import Expected, SharedSecret
from greenroom.clock import HeldClock
from greenroom.demo import furnish
from greenroom.ids import Ids
from greenroom.people import People, directory, records
from greenroom.people.actor import Scope
from greenroom.safety.records import EPHEMERAL
from greenroom.store.sqlite import SqliteStore

SECRET = b"a secret of more than 32 characters for tokens"
TABLES = (*records.TABLES, EPHEMERAL)


@pytest.fixture
def clock() -> HeldClock:
    return HeldClock()


@pytest.fixture
async def people(tmp_path: Path, clock: HeldClock) -> AsyncIterator[People]:
    async with await SqliteStore.open(
        tmp_path / "api.db", TABLES, clock=clock, cursor_secret=b"a secret for cursors"
    ) as store:
        yield People(store, clock, Ids(clock))


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
async def anonymous(people: People, world: World) -> AsyncIterator[AsyncClient]:
    authenticator = Authenticator(people, SharedSecret(SECRET), Expected())
    app = http_app(people, authenticator, world.ready, await furnish(people))
    # Asked in our own loop, to which the store belongs.
    transport = ASGITransport(app, raise_app_exceptions=False)  # type: ignore[arg-type]
    async with AsyncClient(transport=transport, base_url="http://greenroom") as asked:
        yield asked


@pytest.fixture
async def client(anonymous: AsyncClient, people: People, bearer: Bearer) -> AsyncClient:
    maya = await directory.by_username(people, "maya")
    assert maya is not None
    anonymous.headers.update(bearer(maya.id))
    return anonymous

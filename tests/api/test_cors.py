"""CORS: only configured origins may call the API from a browser."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from httpx import AsyncClient

from tests.api.world import ApiWorld, api_world_on
from tests.stores import SQLITE

HOME, AWAY = "https://shop.example", "https://other.example"
ALLOWED = "access-control-allow-origin"


@pytest.fixture
async def client(tmp_path: Path) -> AsyncIterator[AsyncClient]:
    async with api_world_on(f"{SQLITE}{tmp_path}/world.db", origins=[HOME]) as world:
        world.client.headers.update(world.bearer("ana"))
        yield world.client


async def test_a_configured_origin_may_read_responses_and_problems(client: AsyncClient) -> None:
    for path in ("/v1/me", "/v1/threads/thr_1"):
        answer = await client.get(path, headers={"Origin": HOME})
        assert answer.headers[ALLOWED] == HOME
        assert "allow-credentials" not in " ".join(answer.headers)


async def test_a_preflight_lists_the_allowed_headers(client: AsyncClient) -> None:
    asked = {
        "Origin": HOME,
        "Access-Control-Request-Method": "PATCH",
        "Access-Control-Request-Headers": "authorization,content-type,if-match",
    }
    answer = await client.options("/v1/me", headers=asked)
    assert answer.status_code in (200, 204)
    assert answer.headers[ALLOWED] == HOME
    assert "PATCH" in answer.headers["access-control-allow-methods"]


async def test_other_origins_get_no_cors_headers(client: AsyncClient) -> None:
    answer = await client.get("/v1/me", headers={"Origin": AWAY})
    assert ALLOWED not in answer.headers


async def test_without_the_setting_no_other_origin_is_allowed(sqlite_world: ApiWorld) -> None:
    answer = await sqlite_world.client.get("/healthz", headers={"Origin": HOME})
    assert ALLOWED not in answer.headers

"""Request ids on every response, and the access log."""

import json
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from httpx import AsyncClient

from greenroom.api.access_log import access_log, as_json, as_text
from greenroom.api.http import http_app
from greenroom.api.observed_app import Exchange
from tests.api.conftest import Readiness
from tests.api.world import ApiWorld, api_world_on
from tests.stores import SQLITE
from tests.world import authenticator_on, http_client

HOME = "https://shop.example"
NOW_MS = 1_760_000_000_000


@pytest.mark.parametrize("path", ["/v1/me", "/v1/threads/thr_1", "/nothing", "/healthz", "/"])
@pytest.mark.parametrize("given", ["a", "Z-9._", "x" * 64])
async def test_a_valid_id_is_returned(sqlite_world: ApiWorld, path: str, given: str) -> None:
    answer = await sqlite_world.client.get(path, headers={"X-Request-Id": given})
    assert answer.headers.get_list("x-request-id") == [given]


@pytest.mark.parametrize("given", ["", "x" * 65, "a b", "a\tb", "ä", "<script>", "a,b"])
async def test_an_invalid_id_is_replaced(sqlite_world: ApiWorld, given: str) -> None:
    headers = {b"X-Request-Id": given.encode()}
    answer = await sqlite_world.client.get("/healthz", headers=headers)
    assert len(answer.headers["x-request-id"]) == 16
    assert answer.headers["x-request-id"] != given


async def test_each_request_has_its_own_id(sqlite_world: ApiWorld) -> None:
    ids = [
        (await sqlite_world.client.request(method, "/v1/me")).headers["x-request-id"]
        for method in ("GET", "HEAD", "POST", "OPTIONS")
    ]
    assert len(set(ids)) == 4


async def test_pages_of_other_origins_can_read_it(tmp_path: Path) -> None:
    async with api_world_on(f"{SQLITE}{tmp_path}/world.db", origins=[HOME]) as world:
        answer = await world.client.get("/healthz", headers={"Origin": HOME})
        assert "X-Request-Id" in answer.headers["access-control-expose-headers"]
        assert answer.headers["x-request-id"]


async def test_an_error_in_the_log_has_the_id(
    anonymous: AsyncClient, readiness: Readiness, caplog: pytest.LogCaptureFixture
) -> None:
    readiness.problem = RuntimeError("a bug for a test")
    answer = await anonymous.get("/readyz", headers={"X-Request-Id": "find-me"})
    assert (answer.status_code, answer.headers["x-request-id"]) == (500, "find-me")
    assert "GET /readyz (request find-me)" in caplog.text


@pytest.fixture
def logged() -> list[Exchange]:
    return []


@pytest.fixture
async def client(sqlite_world: ApiWorld, logged: list[Exchange]) -> AsyncIterator[AsyncClient]:
    async def ready() -> None:
        pass

    contexts = sqlite_world.contexts
    app = http_app(contexts, authenticator_on(contexts), ready, access_log=logged.append)
    async with http_client(app) as client:
        yield client


async def test_a_request_is_logged_without_path_query_or_token(
    client: AsyncClient, logged: list[Exchange], sqlite_world: ApiWorld
) -> None:
    token = sqlite_world.bearer("ana")
    await client.get("/v1/threads/thr_private?token=hunter2", headers=token)
    await client.get("/hunter2")
    shown, unmatched = (json.loads(as_json(one, NOW_MS)) for one in logged)
    assert shown.pop("ms") >= 0
    assert shown == {
        "time": "2025-10-09T08:53:20.000Z",
        "method": "GET",
        "route": "/v1/threads/{threadId}",
        "status": 404,
        "requestId": logged[0].request_id,
        "userId": sqlite_world.ids["ana"],
    }
    assert (unmatched["route"], unmatched["userId"]) == ("unmatched", None)


def test_a_line_of_text() -> None:
    exchange = Exchange("abc", "GET", 0.0, "/v1/me", 200, "usr_1", 0.00321)
    line = "2025-10-09T08:53:20.000Z GET /v1/me 200 3.2ms request=abc user=usr_1"
    assert as_text(exchange, NOW_MS) == line
    left = Exchange("abc", "GET", 0.0)
    assert as_text(left, NOW_MS).endswith("GET unmatched - 0.0ms request=abc user=-")


def test_the_log_is_written_to_stderr(capsys: pytest.CaptureFixture[str]) -> None:
    assert access_log("off") is None
    log = access_log("json")
    assert log is not None
    log(Exchange("abc", "GET", 0.0, "/v1/me", 200, "usr_1", 0.00321))
    shown = json.loads(capsys.readouterr().err)
    assert (shown["requestId"], shown["status"], shown["ms"]) == ("abc", 200, 3.2)

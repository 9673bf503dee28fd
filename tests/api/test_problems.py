"""What goes wrong, as HTTP tells it: a type that leads somewhere, and nothing of the inside."""

import pytest
from httpx import AsyncClient

from greenroom.store.problems import ConditionFailed, StoreUnavailable, Throttled
from tests.api.conftest import World

Client = AsyncClient


async def test_a_live_and_ready_server_says_so(client: Client) -> None:
    assert (await client.get("/healthz")).json() == {"status": "ok"}
    assert (await client.get("/readyz")).json() == {"status": "ready"}


async def test_a_store_out_of_reach_is_told_without_its_address(
    client: Client, world: World
) -> None:
    world.problem = StoreUnavailable("10.0.0.7:8000 refused the connection")
    answer = await client.get("/readyz")
    assert answer.status_code == 503
    assert answer.headers["retry-after"] == "5"
    assert answer.json()["type"] == "/problems/store-unavailable"
    assert "10.0.0.7" not in answer.text
    assert (await client.get("/healthz")).status_code == 200


async def test_a_busy_store_says_when_to_come_back(client: Client, world: World) -> None:
    world.problem = Throttled()
    answer = await client.get("/readyz")
    assert (answer.status_code, answer.headers["retry-after"]) == (503, "2")


@pytest.mark.parametrize("bug", [RuntimeError("the password is hunter2"), KeyError("pk")])
async def test_a_bug_shows_nothing_of_the_inside(
    client: Client, world: World, bug: Exception, caplog: pytest.LogCaptureFixture
) -> None:
    world.problem = bug
    answer = await client.get("/readyz")
    assert answer.status_code == 500
    assert answer.headers["content-type"] == "application/problem+json"
    assert answer.json()["type"] == "/problems/internal-error"
    assert str(bug.args[0]) not in answer.text
    assert str(bug.args[0]) in caplog.text


async def test_a_failed_condition_that_nobody_caught_names_no_key(
    client: Client, world: World
) -> None:
    world.problem = ConditionFailed(failed=())
    answer = await client.get("/readyz")
    assert answer.json() == {
        "type": "/problems/condition-failed",
        "title": "Condition failed",
        "status": 409,
    }


async def test_routes_that_are_not_there_are_problems_too(client: Client) -> None:
    missing = await client.get("/nothing/here")
    assert (missing.status_code, missing.json()["type"]) == (404, "/problems/no-such-page")
    wrong = await client.post("/healthz")
    assert (wrong.status_code, wrong.headers["allow"]) == (405, "GET, OPTIONS")
    assert wrong.json()["type"] == "/problems/method-not-allowed"


async def test_a_problems_type_leads_to_its_description(client: Client) -> None:
    answer = await client.get("/problems/person-not-found")
    assert answer.status_code == 200
    assert "This person was not found." in answer.text

"""Problems over HTTP: a type with a page, and no internals."""

import re

import pytest
from httpx import AsyncClient

from greenroom.app import REGISTRY
from greenroom.errors import Problem
from greenroom.people.access import AccountSuspended
from greenroom.store.problems import ConditionFailed, StoreUnavailable, Throttled
from tests.api.conftest import Readiness
from tests.api.response_schema import check_members

Client = AsyncClient
TOLD = [
    kind
    for kind, answer in REGISTRY.problems.responses.items()
    if answer.exposed and answer.status != 500
]


async def test_a_live_and_ready_server_says_so(client: Client) -> None:
    assert (await client.get("/healthz")).json() == {"status": "ok"}
    assert (await client.get("/readyz")).json() == {"status": "ready"}


async def test_an_unreachable_store_is_reported_without_its_address(
    client: Client, readiness: Readiness
) -> None:
    readiness.problem = StoreUnavailable("10.0.0.7:8000 refused the connection")
    answer = await client.get("/readyz")
    assert answer.status_code == 503
    assert answer.headers["retry-after"] == "5"
    assert answer.json()["type"] == "/problems/store-unavailable"
    assert "10.0.0.7" not in answer.text
    assert (await client.get("/healthz")).status_code == 200


async def test_a_busy_store_has_a_retry_after(client: Client, readiness: Readiness) -> None:
    readiness.problem = Throttled()
    answer = await client.get("/readyz")
    assert (answer.status_code, answer.headers["retry-after"]) == (503, "2")


@pytest.mark.parametrize("bug", [RuntimeError("the password is hunter2"), KeyError("pk")])
async def test_a_bug_reveals_no_internals(
    client: Client, readiness: Readiness, bug: Exception, caplog: pytest.LogCaptureFixture
) -> None:
    readiness.problem = bug
    answer = await client.get("/readyz")
    assert answer.status_code == 500
    assert answer.headers["content-type"] == "application/problem+json"
    assert answer.json()["type"] == "/problems/internal-error"
    assert str(bug.args[0]) not in answer.text
    assert str(bug.args[0]) in caplog.text


async def test_an_uncaught_failed_condition_reveals_no_key(
    client: Client, readiness: Readiness
) -> None:
    readiness.problem = ConditionFailed(failed=())
    answer = await client.get("/readyz")
    assert answer.json() == {
        "type": "/problems/condition-failed",
        "title": "Condition failed",
        "status": 409,
    }


async def test_unknown_routes_are_problems_too(client: Client) -> None:
    missing = await client.get("/nothing/here")
    assert (missing.status_code, missing.json()["type"]) == (404, "/problems/no-such-page")
    wrong = await client.post("/healthz")
    assert (wrong.status_code, wrong.headers["allow"]) == (405, "GET, OPTIONS")
    assert wrong.json()["type"] == "/problems/method-not-allowed"


async def test_a_problems_type_links_to_its_page(client: Client) -> None:
    answer = await client.get("/problems/person-not-found")
    assert answer.status_code == 200
    assert "This person was not found." in answer.text


@pytest.mark.parametrize("kind", TOLD, ids=lambda kind: kind.code)
def test_members_of_a_problem_are_data_and_its_detail_is_complete(kind: type[Problem]) -> None:
    document = REGISTRY.problems.document_of(REGISTRY.problems.example_of(kind))
    check_members(document)
    assert document.keys() == {
        "type",
        "title",
        "status",
        "detail",
        *REGISTRY.problems.members_of(kind),
    }
    assert document["detail"][0].isupper()
    assert document["detail"].endswith(".")
    assert not re.search(r"  |\.\.|\{|\bNone\b", document["detail"])


@pytest.mark.parametrize(
    ("problem", "detail"),
    [
        (
            AccountSuspended("2026-06-01T00:00:00.000Z", "Spam.", "help@example.com"),
            "Your account is suspended until 2026-06-01T00:00:00.000Z. Reason: Spam. You can sign "
            "in again after that. If you think this is a mistake, contact help@example.com.",
        ),
        (
            AccountSuspended(None, None, None),
            "Your account is suspended until further notice. If you think this is a mistake, "
            "contact this site's support.",
        ),
    ],
)
def test_a_suspension_problem_has_data_and_full_sentences(
    problem: AccountSuspended, detail: str
) -> None:
    assert REGISTRY.problems.document_of(problem) == {
        "type": "/problems/account-suspended",
        "title": "Account suspended",
        "status": 403,
        "detail": detail,
        "until": problem.until,
        "reason": problem.reason,
        "contact": problem.contact,
    }

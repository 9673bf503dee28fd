"""Access control: every route, called by every kind of caller.

The table must be complete: a route that it does not name fails the test. Its rows are called in
order, for each caller in a separate world. A resource that a caller may not see looks like a
missing one: the response is, to the byte, the one for an id that does not exist.
"""

import pytest

from greenroom.api.access import CALLERS, rows
from greenroom.app import REGISTRY
from tests.api.access_matrix import AccessMatrix, told
from tests.api.populated import TOKENLESS, PopulatedWorld, bodies, populate
from tests.api.world import ApiWorld

PUBLIC = {
    "GET /": 200,
    "GET /assets/{name}": 404,  # the web app is not built here
    "GET /icon.svg": 404,
    "GET /greenroom-inbox.js": 404,
    "GET /page.css": 200,
    "GET /problems/{code}": 200,
    "GET /healthz": 200,
    "GET /v1/blobs/{key}": 403,  # only with a signature
    "PUT /v1/blobs/{key}": 403,
    "GET /v1/manifests/{manifestId}": 404,  # there is none with this id
    "GET /verify/{manifestId}": 404,
    "GET /verify.js": 200,
    "GET /verify": 200,
    "GET /verify_document.js": 200,
    "GET /v1/documents/verify/{sha256}": 200,
    "GET /choose_file.js": 200,
    "GET /sha256.js": 200,
    "GET /readyz": 200,
    "GET /metrics": 404,  # off by default
    "GET /schema": 200,
    "GET /schema/docs": 200,
    "GET /schema/docs.js": 200,
    "GET /schema/asyncapi.json": 200,
    "GET /schema/openapi.json": 200,
    "GET /schema/openapi.yaml": 200,
    "GET /schema/openapi.yml": 200,
    "GET /schema/{path}": 404,
}

# `blocked` requests the conversation with the user who has blocked them; `sender` and `target` the
# one with a pending request between them; `service` acts for `member`.
ROWS = dict(rows(REGISTRY.access))
BODIES = bodies()
MATRIX = AccessMatrix(ROWS, BODIES)


@pytest.fixture
async def populated(sqlite_world: ApiWorld) -> PopulatedWorld:
    return await populate(sqlite_world)


def test_every_route_is_in_the_table(sqlite_world: ApiWorld) -> None:
    routes = {
        f"{method} {route.path_format}"
        for route in sqlite_world.app.routes
        for method in getattr(route, "methods", ())
        if method != "OPTIONS"
    }
    assert routes == {*ROWS, *PUBLIC}


@pytest.mark.parametrize("caller", CALLERS)
async def test_every_caller_gets_the_status_in_the_table(world: ApiWorld, caller: str) -> None:
    assert await MATRIX.wrong_statuses(await populate(world), caller) == []


@pytest.mark.parametrize("caller", CALLERS)
async def test_a_hidden_resource_looks_like_a_missing_one(
    populated: PopulatedWorld, caller: str
) -> None:
    compared = 0
    for route, expected in ROWS.items():
        hidden = expected[caller] == 404 or "/moderation/cases/" in route
        if "{" in route and hidden and caller not in ("moderator", "admin"):
            there = await MATRIX.asked(populated, caller, route)
            nowhere = await MATRIX.asked(populated, caller, route, missing=True)
            assert told(there) == told(nowhere), route
            compared += 1
    if caller in ("stranger", "left"):
        assert compared > 20


@pytest.mark.parametrize("caller", TOKENLESS)
async def test_without_a_valid_token_everything_is_refused(
    populated: PopulatedWorld, caller: str
) -> None:
    await MATRIX.check_refused_without_token(populated, caller)


async def test_a_suspended_user_is_refused_everywhere(populated: PopulatedWorld) -> None:
    await MATRIX.check_refused_if_suspended(populated)


@pytest.mark.parametrize("caller", [*TOKENLESS, "suspended", "stranger", "member"])
async def test_public_routes_are_the_same_for_everybody(
    populated: PopulatedWorld, caller: str
) -> None:
    for route, status in PUBLIC.items():
        assert (await MATRIX.asked(populated, caller, route)).status_code == status, route


async def test_a_message_of_another_thread_is_not_found(populated: PopulatedWorld) -> None:
    path = f"/threads/{populated.threads['talk']}/messages/"
    foreign = await populated.world.ask("ben", "GET", path + populated.messages["gate"])
    nowhere = await populated.world.ask("ben", "GET", path + "msg_01k75q8j5d0000000000000000")
    assert foreign.status_code == 404
    assert told(foreign) == told(nowhere)


async def test_a_later_member_does_not_see_earlier_messages(populated: PopulatedWorld) -> None:
    world, thread = populated.world, populated.threads["talk"]
    added = {"userId": world.ids["dan"]}
    await world.ask("ana", "POST", f"/threads/{thread}/participants", added)
    await world.accept("dan", thread)
    path = f"/threads/{thread}/messages"
    before = await world.ask("dan", "GET", f"{path}/{populated.messages['talk']}")
    assert before.status_code == 404
    page = await world.get("dan", path)
    assert [message["event"] for message in page["messages"]] == ["participant.added"]

"""Integrators' ids in paths: every accepted id can be requested by its path."""

from typing import Any
from urllib.parse import quote

import httpx
import pytest

from greenroom.people.actor import Scope
from tests.api.populated import SCAM
from tests.api.world import ApiWorld, ok_json, refused

FINE = ("leg_1", "a.b", "..a", "a:b", "-", "a" * 64)
LINKED = ("Bühne 7", "a%2Fb", "a?b#c", "a\\b", "..%2e")
"""Valid for a booking, leg or group, but not for a message."""
WRONG = ("a/b", "/", ".", "..", "./..", "a" * 65)


def _path(template: str, value: str) -> str:
    """As clients send it: they remove path segments of dots."""
    return httpx.URL(f"http://greenroom{template.format(quote(value, safe=''))}").raw_path.decode()


async def _patch(world: ApiWorld, thread: str, body: dict[str, Any]) -> httpx.Response:
    token = world.bearer("shop", Scope.SERVICE)
    return await world.client.patch(f"/v1/threads/{thread}", json=body, headers=token)


@pytest.mark.parametrize("value", FINE + LINKED)
async def test_threads_are_found_by_every_accepted_leg_and_group(
    sqlite_world: ApiWorld, value: str
) -> None:
    world = sqlite_world
    thread = await world.talk()
    ok_json(await _patch(world, thread, {"bookingId": value, "legId": value}))
    found = await world.get("ana", _path("/projects/legs/{}/threads", value))
    assert [one["threadId"] for one in found["threads"]] == [thread]
    ok_json(await _patch(world, thread, {"legId": None, "lbgId": value}))
    found = await world.get("ana", _path("/projects/groups/{}/threads", value))
    assert [one["threadId"] for one in found["threads"]] == [thread]


@pytest.mark.parametrize("name", ["bookingId", "legId", "lbgId"])
async def test_linked_ids_that_do_not_fit_in_a_path_are_refused(
    sqlite_world: ApiWorld, name: str
) -> None:
    world = sqlite_world
    thread = await world.talk()
    for value in WRONG:
        answer = await _patch(world, thread, {name: value})
        assert answer.status_code in (400, 422), value
        opened = {
            "kind": "booking",
            "participants": [{"userId": world.ids[one]} for one in ("ana", "ben")],
            name: value,
        }
        token = world.bearer("shop", Scope.SERVICE)
        answer = await world.client.post("/v1/threads", json=opened, headers=token)
        assert "no slash" in refused(answer, 422, "invalid-thread")["detail"]
    assert (await world.get("ana", f"/threads/{thread}"))[name] is None


async def test_the_outcome_of_every_accepted_client_id_is_found_by_its_path(
    sqlite_world: ApiWorld,
) -> None:
    world = sqlite_world
    thread = await world.talk()
    for value in FINE:
        body = {"body": f"{SCAM} {value}", "clientMessageId": value}
        ok_json(await world.ask("ana", "POST", f"/threads/{thread}/messages", body), 202)
        path = _path(f"/threads/{thread}/held/{{}}", value)
        assert (await world.get("ana", path))["status"] == "held"
    for value in WRONG + LINKED:
        body = {"body": "Hello", "clientMessageId": value}
        answer = await world.ask("ana", "POST", f"/threads/{thread}/messages", body)
        assert answer.status_code in (400, 422), value
    assert (await world.get("ana", f"/threads/{thread}/messages"))["messages"] == []


async def test_an_idempotency_key_of_dots_works_for_a_message(sqlite_world: ApiWorld) -> None:
    world = sqlite_world
    thread = await world.talk()
    for key in (".", "..", "a/b"):
        path, body = f"/threads/{thread}/messages", {"body": f"{SCAM} {key}"}
        sent = ok_json(await world.ask("ana", "POST", path, body, Idempotency_Key=key), 202)
        own = _path(f"/threads/{thread}/held/{{}}", sent["clientMessageId"])
        assert (await world.get("ana", own))["status"] == "held"


async def test_the_schema_has_the_patterns(sqlite_world: ApiWorld) -> None:
    document = (await sqlite_world.client.get("/schema/openapi.json")).json()
    schemas = document["components"]["schemas"]
    for schema, names in {
        "ThreadUpdate": ("bookingId", "legId", "lbgId"),
        "NewThread": ("bookingId", "legId", "lbgId"),
        "NewMessage": ("clientMessageId",),
        "NewSystemMessage": ("clientMessageId",),
    }.items():
        for name in names:
            assert "pattern" in str(schemas[schema]["properties"][name]), (schema, name)

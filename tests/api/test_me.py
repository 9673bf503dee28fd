"""The caller's own account, over HTTP."""

import pytest
from httpx import AsyncClient

from greenroom.people import People, directory
from greenroom.people.actor import Scope
from greenroom.people.join import join
from tests.api.conftest import Bearer

Client = AsyncClient
SUB = "8f14e45f-ceea-467f-9b62-3d6c1a7d2b11"


async def test_your_profile_has_all_fields(client: Client, people: People, bearer: Bearer) -> None:
    zoe = await join(people, "zoe", display_name="Zoë!", first_name="Zoë", email="z@example.com")
    answer = await client.get("/v1/me", headers=bearer(zoe.id))
    assert answer.headers["etag"] == '"1"'
    me = answer.json()
    assert (me["displayName"], me["firstName"], me["email"]) == ("Zoë!", "Zoë", "z@example.com")
    others = (await client.get(f"/v1/people/{zoe.id}")).json()
    assert "email" not in others
    assert others["displayName"] == "Zoë!"


async def test_sign_up_uses_the_sub_of_the_token(anonymous: Client, bearer: Bearer) -> None:
    token = bearer(SUB)
    before = await anonymous.get("/v1/me", headers=token)
    assert (before.status_code, before.json()["type"]) == (403, "/problems/no-account")
    assert "PUT /v1/me" in before.json()["detail"]
    body = {"username": "Zoe", "displayName": "Zoë"}
    made = await anonymous.put("/v1/me", headers=token, json=body)
    again = await anonymous.put("/v1/me", headers=token, json=body)
    assert (made.status_code, again.status_code) == (201, 200)
    assert made.json() == again.json() == (await anonymous.get("/v1/me", headers=token)).json()
    assert (made.json()["userId"], made.json()["username"]) == (SUB, "zoe")


@pytest.mark.parametrize(
    ("body", "status", "code"),
    [
        ({"username": "maya"}, 409, "username-taken"),
        ({"username": "9"}, 422, "invalid-username"),
        ({"username": "zoe", "displayName": "a\nb"}, 422, "invalid-name"),
        ({"username": "zoe", "userId": "usr_other"}, 400, "invalid-request"),
        ({}, 400, "invalid-request"),
    ],
)
async def test_signing_up_is_refused_clearly(
    anonymous: Client, bearer: Bearer, body: dict[str, str], status: int, code: str
) -> None:
    answer = await anonymous.put("/v1/me", headers=bearer(SUB), json=body)
    assert (answer.status_code, answer.json()["type"]) == (status, f"/problems/{code}")


async def test_a_user_cannot_create_a_second_account(client: Client) -> None:
    answer = await client.put("/v1/me", json={"username": "other"})
    assert (answer.status_code, answer.json()["type"]) == (409, "/problems/account-exists")


async def test_a_service_cannot_sign_up(client: Client, bearer: Bearer) -> None:
    service = bearer("shop", Scope.SERVICE)
    answer = await client.put("/v1/me", headers=service, json={"username": "shop"})
    assert answer.status_code == 403


async def test_renaming_keeps_the_fields_that_are_not_sent(client: Client) -> None:
    answer = await client.patch("/v1/me", json={"displayName": "Maya L."})
    me = answer.json()
    assert (me["displayName"], me["firstName"], me["username"]) == ("Maya L.", "Maya", "maya")
    assert answer.headers["etag"] == '"2"'
    cleared = await client.patch("/v1/me", json={"displayName": ""})
    assert cleared.json()["displayName"] == "Maya Lindqvist"


async def test_a_change_with_an_outdated_etag_is_refused(client: Client) -> None:
    tag = (await client.get("/v1/me")).headers["etag"]
    first = await client.patch("/v1/me", json={"username": "maya.l"}, headers={"If-Match": tag})
    assert first.status_code == 200
    second = await client.patch("/v1/me", json={"username": "x.y"}, headers={"If-Match": tag})
    assert (second.status_code, second.json()["type"]) == (412, "/problems/profile-changed")
    assert second.json()["version"] == 2
    wrong = await client.patch("/v1/me", json={}, headers={"If-Match": "W/x"})
    assert wrong.status_code == 400


async def test_an_admin_creates_an_account(client: Client, bearer: Bearer) -> None:
    service = bearer("shop", Scope.SERVICE)
    body = {"username": "zoe", "firstName": "Zoë", "userId": SUB}
    answer = await client.post("/v1/people", json=body, headers=service)
    assert answer.status_code == 201
    assert answer.headers["location"] == f"/v1/people/{SUB}"
    assert (await client.get(answer.headers["location"])).json() == answer.json()
    again = await client.post("/v1/people", json=body, headers=service)
    assert (again.status_code, again.json()["type"]) == (409, "/problems/account-exists")
    bad = await client.post("/v1/people", json=body | {"userId": "a#b"}, headers=service)
    assert (bad.status_code, bad.json()["type"]) == (422, "/problems/invalid-user-id")


async def test_a_double_click_creates_one_account(
    client: Client, people: People, bearer: Bearer
) -> None:
    headers = bearer("shop", Scope.SERVICE) | {"Idempotency-Key": "order-17"}
    first = await client.post("/v1/people", json={"username": "zoe"}, headers=headers)
    second = await client.post("/v1/people", json={"username": "zoe"}, headers=headers)
    assert first.status_code == second.status_code == 201
    assert first.json() == second.json()
    assert first.headers["location"] == second.headers["location"]
    other = await client.post("/v1/people", json={"username": "zoe2"}, headers=headers)
    assert (other.status_code, other.json()["type"]) == (422, "/problems/idempotency-key-reused")
    assert await directory.by_username(people, "zoe2") is None


@pytest.mark.parametrize("key", ["", "x" * 129, "two words"])
async def test_an_invalid_key_is_refused(client: Client, bearer: Bearer, key: str) -> None:
    headers = bearer("shop", Scope.SERVICE) | {"Idempotency-Key": key}
    answer = await client.post("/v1/people", json={"username": "zoe"}, headers=headers)
    assert answer.status_code == 400

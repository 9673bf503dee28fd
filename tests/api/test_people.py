"""Finding people by id, username or name, and which fields each caller sees."""

from httpx import AsyncClient

from greenroom.people import People, records
from greenroom.people.actor import Scope, StaffRole
from greenroom.people.join import join
from greenroom.people.suspend import suspend
from tests.api.conftest import Bearer

Client = AsyncClient


async def test_a_public_profile_has_no_email_address(client: Client, people: People) -> None:
    account = await join(people, "zoe", first_name="Zoë", email="zoe@example.com")
    answer = await client.get(f"/v1/people/{account.id}")
    assert answer.status_code == 200
    assert answer.json() == {
        "userId": account.id,
        "username": "zoe",
        "displayName": "Zoë",
        "firstName": "Zoë",
        "lastName": "",
        "profilePicture": None,
        "avatar": None,
        "version": 1,
        "isVerified": False,
        "followerCount": 0,
        "followingCount": 0,
        "postCount": 0,
        "joinedAt": "2025-10-09T08:53:20.000Z",
        "suspension": None,
        "metadata": {},
    }


async def test_an_unknown_person_is_a_problem_with_a_type(client: Client) -> None:
    answer = await client.get("/v1/people/usr_nobody")
    assert answer.status_code == 404
    assert answer.headers["content-type"] == "application/problem+json"
    assert answer.json() == {
        "type": "/problems/person-not-found",
        "title": "Person not found",
        "status": 404,
        "detail": "This person was not found.",
    }


async def test_people_are_found_by_username_and_by_name(client: Client) -> None:
    for query, found in (
        ({"username": "maya"}, ["maya"]),
        ({"username": "nobody"}, []),
        ({"name": "ma"}, ["mateo", "maya"]),
    ):
        answer = await client.get("/v1/people", params=query)
        assert [person["username"] for person in answer.json()["people"]] == found


async def test_people_are_found_by_their_ids_in_the_order_asked(client: Client) -> None:
    page = await client.get("/v1/people", params={"name": "ma"})
    ids = [person["userId"] for person in page.json()["people"]]
    asked = [ids[1], "usr_nobody", "", "x" * 200, ids[0], ids[1]]
    answer = await client.get("/v1/people", params={"id": asked})
    assert [person["userId"] for person in answer.json()["people"]] == [ids[1], ids[0]]


async def test_only_a_moderator_sees_a_suspension(
    client: Client, people: People, bearer: Bearer
) -> None:
    zoe = await join(people, "zoe")
    ada = await join(people, "ada.too")
    await suspend(people, zoe.id, None, "spam")
    assert (await client.get(f"/v1/people/{zoe.id}")).json()["suspension"] is None
    answer = await client.get(f"/v1/people/{zoe.id}", headers=bearer(ada.id, Scope.ADMIN))
    assert answer.json()["suspension"] is None, "a scope gives no staff role"
    for name, role in (("mia", StaffRole.MODERATOR), ("adi", StaffRole.ADMIN)):
        staff = await join(people, name)
        await people.store.write(*records.role_changed(staff.id, None, role))
        answer = await client.get(f"/v1/people/{zoe.id}", headers=bearer(staff.id))
        suspension = {"until": "9999-12-31T23:59:59.999Z", "reason": "spam"}
        assert answer.json()["suspension"] == suspension


async def test_pages_continue_where_the_last_one_ended(client: Client) -> None:
    first = (await client.get("/v1/people", params={"name": "ma", "limit": 1})).json()
    rest = await client.get(
        "/v1/people", params={"name": "ma", "limit": 1, "cursor": first["next"]}
    )
    usernames = [person["username"] for person in first["people"] + rest.json()["people"]]
    assert usernames == ["mateo", "maya"]


async def test_an_invalid_parameter_is_refused_with_its_name(client: Client) -> None:
    many = "&".join(f"id=usr_{n}" for n in range(51))
    for query in (
        f"?{many}",
        "?name=ma&limit=0",
        "?name=ma&limit=x",
        "?name=",
    ):
        answer = await client.get("/v1/people" + query)
        assert answer.status_code == 400, query
        assert answer.json()["type"] == "/problems/invalid-request"
        assert answer.json()["errors"], query
    answer = await client.get("/v1/people?name=ma&cursor=made-up")
    assert answer.status_code == 400
    assert answer.json()["type"] == "/problems/invalid-cursor"


async def test_of_several_search_parameters_the_first_counts(client: AsyncClient) -> None:
    assert (await client.get("/v1/people")).json() == {"people": [], "next": None}
    maya = (await client.get("/v1/people?username=maya")).json()["people"]
    assert [person["username"] for person in maya] == ["maya"]
    both = await client.get("/v1/people?username=maya&name=no-such-name")
    assert both.json()["people"] == maya
    all_three = f"id={maya[0]['userId']}&username=no-such-name&name=no-such-name"
    assert (await client.get(f"/v1/people?{all_three}")).json()["people"] == maya

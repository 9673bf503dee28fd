"""Metadata: the integrator's own JSON is returned unchanged in every response."""

from typing import Any

import pytest

from greenroom.messaging import Messaging
from greenroom.metadata import MAX_BYTES, MAX_DEPTH
from greenroom.people.actor import Scope
from tests.api.populated import SCAM
from tests.api.world import ApiWorld, ok_json, refused
from tests.sync_pages import inbox_in

OWN = {"order": 17, "tags": ["a", {"b": None}], "price": 9.5, "name": "Żółć 🎬"}


def _sized(size: int) -> dict[str, str]:
    """Metadata of exactly this many bytes of JSON, with few characters."""
    rest = size - len('{"k":""}')
    return {"k": "é" * (rest // 2) + "x" * (rest % 2)}


def _nested(depth: int) -> dict[str, Any]:
    value: Any = 1
    for _ in range(depth - 1):
        value = [value]
    return {"k": value}


LARGEST = {"size": _sized(MAX_BYTES), "depth": _nested(MAX_DEPTH)}
TOO_MUCH = {
    "size": (_sized(MAX_BYTES + 1), "4,096 bytes"),
    "depth": (_nested(MAX_DEPTH + 1), "8 levels"),
    "far too deep": (_nested(200), "8 levels"),
}

NOT_OBJECTS: tuple[object, ...] = ([], "text", 7)


async def _places(world: ApiWorld, thread: str) -> list[tuple[str, str, str, Any]]:
    """Every request that takes metadata: caller, method, path, and the rest of the body."""
    sent = await world.say("ana", thread, "Where is my order?")
    person = {"userId": world.ids["ben"]}
    opening = {"kind": "inquiry", "participants": [person]}
    messages = f"/threads/{thread}/messages"
    return [
        ("ana", "POST", messages, lambda own: {"body": "Hi", "metadata": own}),
        ("ana", "PATCH", f"{messages}/{sent['messageId']}", lambda own: {"metadata": own}),
        ("ana", "POST", "/threads", lambda own: opening | {"metadata": own}),
        (
            "ana",
            "POST",
            "/threads",
            lambda own: opening | {"message": {"body": "Hello", "metadata": own}},
        ),
        ("shop", "PATCH", f"/threads/{thread}", lambda own: {"metadata": own}),
        (
            "shop",
            "POST",
            f"/threads/{thread}/system-messages",
            lambda own: {"body": "Sent.", "clientMessageId": "s1", "metadata": own},
        ),
        ("shop", "PATCH", f"/people/{world.ids['ben']}", lambda own: {"metadata": own}),
    ]


async def _ask(world: ApiWorld, who: str, method: str, path: str, body: Any) -> Any:
    scopes = (Scope.SERVICE,) if who == "shop" else ()
    header = world.bearer(who, *scopes)
    return await world.client.request(method, f"/v1{path}", headers=header, json=body)


async def _counted(world: ApiWorld, thread: str) -> tuple[int, int]:
    inbox = await world.get("ana", "/inbox")
    page = await world.get("ana", f"/threads/{thread}/messages")
    return len(inbox["threads"]), len(page["messages"])


async def test_oversized_metadata_is_refused_everywhere_and_changes_nothing(
    world: ApiWorld,
) -> None:
    thread = await world.talk()
    places = await _places(world, thread)
    before = await _counted(world, thread)
    for who, method, path, around in places:
        for own, reason in TOO_MUCH.values():
            answer = await _ask(world, who, method, path, around(own))
            assert reason in refused(answer, 422, "invalid-metadata")["detail"]
        for wrong in NOT_OBJECTS:
            answer = await _ask(world, who, method, path, around(wrong))
            refused(answer, 400, "invalid-request")
    assert await _counted(world, thread) == before


async def test_oversized_metadata_is_refused_before_any_read(world: ApiWorld) -> None:
    thread = await world.talk()
    places = await _places(world, thread)
    for who, method, path, around in places:
        with world.contexts[Messaging].store.counting() as cost:
            await _ask(world, who, method, path, around(TOO_MUCH["size"][0]))
        assert cost.write_units == 0, (method, path)
        assert set(cost.by_source) <= {"UserPosts"}, "the caller's account"


@pytest.mark.parametrize("limit", LARGEST)
async def test_metadata_of_the_maximum_size_is_accepted(world: ApiWorld, limit: str) -> None:
    thread = await world.talk()
    for who, method, path, around in await _places(world, thread):
        answer = await _ask(world, who, method, path, around(LARGEST[limit]))
        assert answer.status_code in (200, 201), (method, path, answer.text)


async def test_a_message_has_its_metadata_in_every_response(world: ApiWorld) -> None:
    thread = await world.talk()
    cursor = (await world.get("ben", "/sync"))["cursor"]
    world.clock.advance(seconds=60)
    sent = await world.say("ana", thread, "Where is my order?", metadata=OWN)
    path = f"/threads/{thread}/messages"
    [change] = inbox_in(await world.get("ben", f"/sync?cursor={cursor}"))["threads"]
    [listed] = (await world.get("ben", path))["messages"]
    alone = await world.get("ben", f"{path}/{sent['messageId']}")
    for shown in (sent, listed, alone, *change["messages"]):
        assert shown["metadata"] == OWN
    edited = ok_json(
        await world.ask("ana", "PATCH", f"{path}/{sent['messageId']}", {"body": "Where?"})
    )
    assert edited["metadata"] == OWN
    one = f"{path}/{sent['messageId']}"
    other = ok_json(await world.ask("ana", "PATCH", one, {"metadata": {"order": 18}}))
    assert (other["metadata"], other["body"]) == ({"order": 18}, "Where?")
    assert "metadata" not in ok_json(await world.ask("ana", "PATCH", one, {"metadata": None}))


async def test_a_retry_with_other_metadata_is_another_message(world: ApiWorld) -> None:
    path = f"/threads/{await world.talk()}/messages"
    body = {"body": "Hi", "clientMessageId": "m1", "metadata": OWN}
    first = ok_json(await world.ask("ana", "POST", path, body), 201)
    assert ok_json(await world.ask("ana", "POST", path, body), 200)["message"] == first["message"]
    other = await world.ask("ana", "POST", path, body | {"metadata": {"order": 18}})
    refused(other, 422, "client-id-reused")


@pytest.mark.parametrize("begins", [False, True])
async def test_a_held_message_keeps_its_metadata_when_it_is_released(
    world: ApiWorld, begins: bool
) -> None:
    message = {"body": SCAM, "metadata": OWN}
    if begins:
        person = {"userId": world.ids["ben"]}
        body = {"kind": "inquiry", "participants": [person], "message": message}
        opened = ok_json(await world.ask("ana", "POST", "/threads", body), 201)
        assert opened["sent"]["status"] == "held"
        thread = opened["thread"]["threadId"]
    else:
        thread = await world.talk()
        ok_json(await world.ask("ana", "POST", f"/threads/{thread}/messages", message), 202)
    [case] = (await world.get("mod", "/moderation/queue"))["cases"]
    place = f"/moderation/cases/{case['caseId']}"
    ok_json(await world.ask("mod", "POST", f"{place}/claim"))
    decision = {"decision": "release", "version": case["version"]}
    ok_json(await world.ask("mod", "POST", f"{place}/decide", decision))
    [shown] = (await world.get("ben", f"/threads/{thread}/messages"))["messages"]
    assert (shown["body"], shown["metadata"]) == (SCAM, OWN)


@pytest.mark.parametrize("kind", ["inquiry", "direct"])
async def test_a_thread_and_its_first_message_have_separate_metadata(
    world: ApiWorld, kind: str
) -> None:
    body = {
        "kind": kind,
        "participants": [{"userId": world.ids["ben"]}],
        "metadata": {"shop": 3},
        "message": {"body": "Hello Ben", "metadata": OWN},
    }
    opened = ok_json(await world.ask("ana", "POST", "/threads", body), 201)
    assert opened["thread"]["metadata"] == {"shop": 3}
    assert opened["sent"]["message"]["metadata"] == OWN
    thread = opened["thread"]["threadId"]
    await world.accept("ben", thread)
    for name in ("ana", "ben"):
        assert (await world.get(name, f"/threads/{thread}"))["metadata"] == {"shop": 3}
        [row] = (await world.get(name, "/inbox"))["threads"]
        assert row["metadata"] == {"shop": 3}
        [shown] = (await world.get(name, f"/threads/{thread}/messages"))["messages"]
        assert shown["metadata"] == OWN


async def test_a_service_changes_the_metadata_of_a_thread_and_all_see_it(world: ApiWorld) -> None:
    thread = await world.talk()
    cursor = (await world.get("ben", "/sync"))["cursor"]
    world.clock.advance(seconds=60)
    path = f"/threads/{thread}"
    ok_json(await _ask(world, "shop", "PATCH", path, {"metadata": OWN}))
    [change] = inbox_in(await world.get("ben", f"/sync?cursor={cursor}"))["threads"]
    assert change["thread"]["metadata"] == OWN
    assert (await world.get("ana", path))["metadata"] == OWN
    ok_json(await _ask(world, "shop", "PATCH", path, {"metadata": None}))
    assert (await world.get("ana", path))["metadata"] == {}


async def test_a_person_has_metadata_that_a_service_sets(world: ApiWorld) -> None:
    path = f"/people/{world.ids['ben']}"
    ok_json(await _ask(world, "shop", "PATCH", path, {"metadata": OWN}))
    assert (await world.get("ana", path))["metadata"] == OWN
    assert (await world.get("ben", "/me"))["metadata"] == OWN
    ok_json(await _ask(world, "shop", "PATCH", path, {"metadata": None}))
    assert (await world.get("ana", path))["metadata"] == {}


@pytest.mark.parametrize("author", [True, False])
async def test_a_deleted_message_has_no_metadata(world: ApiWorld, author: bool) -> None:
    thread = await world.talk()
    sent = await world.say("ana", thread, "Where is my order?", metadata=OWN)
    place = f"/threads/{thread}/messages/{sent['messageId']}"
    if author:
        assert "metadata" not in ok_json(await world.ask("ana", "DELETE", place))
    else:
        await _remove(world, thread, sent["messageId"])
    for name in ("ana", "ben"):
        shown = await world.get(name, place)
        assert shown["deletedAt"]
        assert "metadata" not in shown


async def _remove(world: ApiWorld, thread: str, message: str) -> None:
    report = {"threadId": thread, "messageId": message, "reason": "spam"}
    ok_json(await world.ask("ben", "POST", "/reports", report), 201)
    [case] = (await world.get("mod", "/moderation/queue"))["cases"]
    place = f"/moderation/cases/{case['caseId']}"
    ok_json(await world.ask("mod", "POST", f"{place}/claim"))
    decision = {"decision": "remove", "version": case["version"], "reason": "Spam."}
    ok_json(await world.ask("mod", "POST", f"{place}/decide", decision))


@pytest.mark.parametrize("stale", [False, True])
@pytest.mark.parametrize("body", ["   ", "x" * 20_000, SCAM, "Fine."])
async def test_text_and_metadata_change_together_or_not_at_all(
    world: ApiWorld, body: str, stale: bool
) -> None:
    thread = await world.talk()
    sent = await world.say("ana", thread, "Where is my order?", metadata=OWN)
    place = f"/threads/{thread}/messages/{sent['messageId']}"
    before = await world.get("ben", place)
    header = world.bearer("ana") | ({"If-Match": '"7"'} if stale else {})
    change = {"body": body, "metadata": {"v": 2}}
    answer = await world.client.patch(f"/v1{place}", headers=header, json=change)
    after = await world.get("ben", place)
    if answer.status_code == 200:
        assert (after["body"], after["metadata"]) == ("Fine.", {"v": 2})
        assert answer.headers["etag"] == '"2"', "one write"
    else:
        assert after == before
    assert (answer.status_code == 200) == (body == "Fine." and not stale)


async def test_metadata_changes_with_a_text_that_stays(world: ApiWorld) -> None:
    thread = await world.talk()
    sent = await world.say("ana", thread, "Where?", metadata=OWN)
    place = f"/threads/{thread}/messages/{sent['messageId']}"
    change = {"body": "Where?", "metadata": {"v": 2}}
    edited = ok_json(await world.ask("ana", "PATCH", place, change))
    assert (edited["metadata"], edited.get("editedAt")) == ({"v": 2}, None)


async def test_a_change_of_status_and_booking_sends_both_events(world: ApiWorld) -> None:
    thread = await world.talk()
    change = {"status": "confirmed", "bookingId": "bkg_1"}
    ok_json(await _ask(world, "shop", "PATCH", f"/threads/{thread}", change))
    ok_json(await _ask(world, "shop", "PATCH", f"/threads/{thread}", change))
    shown = (await world.get("ben", f"/threads/{thread}/messages"))["messages"]
    assert [one["event"] for one in shown] == ["status.changed", "booking.changed"]
    assert [one["seq"] for one in shown] == [1, 2]

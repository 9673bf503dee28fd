"""Responses with texts of the maximum length still match their schema.

The client checks every response against its schema (`tests/api/response_schema.py`).
"""

import jsonschema_rs
import pytest

from greenroom.errors import MAX_DETAIL
from greenroom.ids import UserId
from greenroom.messaging.new_message import MAX_PREVIEW
from greenroom.messaging.post_system import MAX_EVENT
from greenroom.messaging.text import MAX_SUBJECT, MAX_TEXT
from greenroom.people import People, records
from greenroom.people.actor import Scope
from greenroom.people.join import join
from greenroom.people.models import MAX_EMAIL, MAX_NAME, MAX_PICTURE, MAX_USER_ID, MAX_USERNAME
from greenroom.people.suspend import MAX_REASON, suspend
from greenroom.safety.decide import MAX_NOTE
from tests.api.populated import SCAM
from tests.api.world import ApiWorld, ok_json

_WORDS = "Shall we say Friday at noon? "
LONG = (_WORDS * MAX_TEXT)[:MAX_TEXT]
REASON = ("It asks for payment outside. " * MAX_REASON)[:MAX_REASON]
NOTE = ("Seen before. " * MAX_NOTE)[:MAX_NOTE]


@pytest.mark.parametrize("text", [LONG, "ü" * MAX_TEXT, "👍 " * (MAX_TEXT // 2 - 1) + "👍"])
async def test_a_long_message_with_its_preview(sqlite_world: ApiWorld, text: str) -> None:
    world, name = sqlite_world, ("Autumn lookbook " * MAX_SUBJECT)[: MAX_SUBJECT - 1] + "."
    thread = (await world.open("ana", "ben", subject=name))["threadId"]
    await world.accept("ben", thread)
    said = await world.say("ben", thread, text, clientMessageId="c" * 64)
    assert len(said["body"]) == len(text)
    row = (await world.get("ana", "/inbox"))["threads"][0]
    assert 0 < len(row["preview"]) <= MAX_PREVIEW
    renamed = {"subject": name[:-1] + "!"}
    ok_json(await world.ask("ana", "PATCH", f"/threads/{thread}", renamed))
    page = await world.get("ana", f"/threads/{thread}/messages")
    assert [len(one) for one in page["messages"][-1]["about"]] == [MAX_SUBJECT]
    first = ok_json(await world.ask("ana", "GET", "/sync"))["cursor"]
    assert (await world.get("ana", f"/sync?cursor={first}"))["cursor"]


async def test_a_system_message_with_a_long_event(sqlite_world: ApiWorld) -> None:
    world = sqlite_world
    thread = await world.talk()
    event = "order." + "x" * (MAX_EVENT - len("order."))
    ok_json(
        await world.client.post(
            f"/v1/threads/{thread}/system-messages",
            headers=world.bearer("shop", Scope.SERVICE),
            json={"body": LONG, "event": event},
        ),
        201,
    )
    assert (await world.get("ana", f"/threads/{thread}"))["previewEvent"] == event


async def test_a_person_with_long_names(sqlite_world: ApiWorld) -> None:
    world, user = sqlite_world, UserId("u" * MAX_USER_ID)
    email = "a@" + "b" * (MAX_EMAIL - 2)
    name = ("Mary Ann " * MAX_NAME)[: MAX_NAME - 1] + "s"
    await join(
        world.contexts[People],
        "m" * MAX_USERNAME,
        user=user,
        display_name=name,
        first_name=name,
        last_name=name,
        email=email,
        profile_picture="https://example.com/".ljust(MAX_PICTURE, "p"),
    )
    me = await world.get(user, "/me")
    assert (me["email"], len(me["profilePicture"])) == (email, MAX_PICTURE)
    assert (await world.get("ana", f"/people?username={'m' * MAX_USERNAME}"))["people"]
    assert (await world.get("ana", "/people?name=mary"))["people"]


async def test_a_decision_with_a_long_reason_and_note(sqlite_world: ApiWorld) -> None:
    world = sqlite_world
    thread = await world.talk()
    body = {"body": f"{SCAM} {LONG}"[:MAX_TEXT], "clientMessageId": "h" * 64}
    ok_json(await world.ask("ben", "POST", f"/threads/{thread}/messages", body), 202)
    [case] = (await world.get("mod", "/moderation/queue"))["cases"]
    assert case["verdict"]
    place = f"/moderation/cases/{case['caseId']}"
    ok_json(await world.ask("mod", "POST", f"{place}/claim"))
    ok_json(
        await world.ask(
            "mod",
            "POST",
            f"{place}/decide",
            {"decision": "warn", "version": case["version"], "reason": REASON, "note": NOTE},
        )
    )
    [notice] = (await world.get("ben", "/me/notices"))["notices"]
    assert (notice["reason"], len(notice["excerpt"])) == (REASON, 200)
    [entry] = (await world.get("adi", f"{place}/audit-log"))["entries"]
    assert (entry["reason"], entry["note"]) == (REASON, NOTE)
    again = ok_json(await world.ask("ben", "POST", f"/threads/{thread}/messages", body))
    assert (again["status"], again["reason"]) == ("rejected", REASON)


async def test_a_suspension_with_a_long_reason(sqlite_world: ApiWorld) -> None:
    world = sqlite_world
    await suspend(world.contexts[People], UserId(world.ids["ben"]), None, REASON)
    world.clock.advance(seconds=5)
    refusal = (await world.ask("ben", "GET", "/me")).json()
    assert REASON[:500] in refusal["detail"]
    assert len(refusal["detail"]) <= MAX_DETAIL
    assert (await world.get("mod", f"/people/{world.ids['ben']}"))["suspension"]["reason"] == REASON


async def test_a_response_that_does_not_match_its_schema_is_noticed(sqlite_world: ApiWorld) -> None:
    world, ben = sqlite_world, UserId(sqlite_world.ids["ben"])
    until_ms = world.clock.now_ms() + 60_000
    await world.contexts[People].store.write(records.suspended(ben, until_ms, REASON + "x"))
    with pytest.raises(jsonschema_rs.ValidationError, match="suspension"):
        await world.ask("mod", "GET", f"/people/{ben}")

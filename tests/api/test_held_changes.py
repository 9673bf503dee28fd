"""Edits and names that are held for a moderator, and previews, over REST and the socket."""

from greenroom.ids import UserId
from greenroom.people.actor import Scope
from greenroom.safety import Safety, records
from greenroom.store.expressions import Prefix
from tests.api.world import ApiWorld, ok_json, refused

HELD = "You have won the lottery, send a processing fee to claim your prize"
EDIT = "Please pay a deposit with a gift card, then wire the rest by western union"
NAME = "You have won the lottery, claim your prize"


async def test_a_held_edit_is_accepted_and_the_message_stays(world: ApiWorld) -> None:
    thread = await world.talk()
    message = await world.say("ana", thread, "Hello")
    path = f"/threads/{thread}/messages/{message['messageId']}"
    answer = await world.ask("ana", "PATCH", path, {"body": HELD})
    assert ok_json(answer, 202) == {"status": "held"}
    assert (await world.get("ben", path))["body"] == "Hello"
    [case] = (await world.get("mod", "/moderation/queue"))["cases"]
    assert case["subject"]["kind"] == "edit"
    assert case["subject"]["messageId"] == message["messageId"]
    await world.ask("mod", "POST", f"/moderation/cases/{case['caseId']}/claim")
    decision = {"decision": "release", "version": case["version"]}
    answer = await world.ask("mod", "POST", f"/moderation/cases/{case['caseId']}/decide", decision)
    assert answer.status_code in (200, 201), answer.text
    assert (await world.get("ben", path))["body"] == HELD


async def test_a_held_name_is_accepted_and_the_old_one_stays(world: ApiWorld) -> None:
    thread = await world.talk()
    answer = await world.ask("ana", "PATCH", f"/threads/{thread}", {"subject": HELD})
    assert ok_json(answer, 202) == {"status": "held"}
    assert (await world.get("ben", f"/threads/{thread}"))["subject"] is None
    [case] = (await world.get("mod", "/moderation/queue"))["cases"]
    assert (case["subject"]["kind"], case["text"]) == ("name", HELD)


async def test_a_preview_is_for_a_conversation_or_for_people(sqlite_world: ApiWorld) -> None:
    world = sqlite_world
    thread = await world.talk()
    link = {"body": "See https://example.com/me"}
    known = {"participants": [{"userId": world.ids["ben"]}]}
    stranger = {"participants": [{"userId": world.ids["cleo"]}]}
    for where, verdict in (
        ({"threadId": thread}, "fine"),
        (known, "fine"),
        (stranger, "refused"),
        ({}, "refused"),
    ):
        answer = await world.ask("ana", "POST", "/preview", link | where)
        assert ok_json(answer)["verdict"] in (verdict, "nudge" if verdict == "fine" else verdict)
    assert (
        ok_json(await world.ask("ana", "POST", "/preview", known | {"body": HELD}))["verdict"]
        == "held"
    )
    both = link | known | {"threadId": thread}
    assert ok_json(await world.ask("ana", "POST", "/preview", both))["verdict"] in ("fine", "nudge")


async def test_renaming_takes_small_bodies_only(sqlite_world: ApiWorld) -> None:
    world = sqlite_world
    user, service = world.bearer("ana"), world.bearer("shop", Scope.SERVICE)
    for method, path, who in (
        ("PATCH", "me", user),
        ("PUT", "me", user),
        ("POST", "people", service),
    ):
        body = {"username": "zoe", "displayName": "a" * 20_000}
        answer = await world.client.request(method, f"/v1/{path}", json=body, headers=who)
        refused(answer, 413, "request-too-large")


async def test_everything_that_is_held_is_listed_for_its_author_until_it_is_decided(
    world: ApiWorld,
) -> None:
    thread = await world.talk()
    message = (await world.say("ana", thread, "Hello"))["messageId"]
    for method, path, body in (
        ("POST", f"/threads/{thread}/messages", {"body": HELD, "clientMessageId": "h1"}),
        ("PATCH", f"/threads/{thread}/messages/{message}", {"body": EDIT}),
        ("PATCH", f"/threads/{thread}", {"subject": NAME}),
    ):
        world.clock.advance(seconds=1)
        for _ in range(2):
            assert (await world.ask("ana", method, path, body)).status_code == 202
    listed = (await world.get("ana", "/me/held"))["held"]
    names = ("kind", "threadId", "clientMessageId", "messageId", "body")
    assert [tuple(one[name] for name in names) for one in listed] == [
        ("message", thread, "h1", None, HELD),
        ("edit", thread, None, message, EDIT),
        ("name", thread, None, None, NAME),
    ]
    assert [one["attachments"] for one in listed] == [[], [], []]
    assert (await world.get("ben", "/me/held"))["held"] == []
    for number, decision in enumerate(("remove", "release", "remove"), 1):
        case = (await world.get("mod", "/moderation/queue"))["cases"][0]
        place = f"/moderation/cases/{case['caseId']}"
        await world.ask("mod", "POST", f"{place}/claim")
        decided = {"decision": decision, "version": case["version"]}
        assert (await world.ask("mod", "POST", f"{place}/decide", decided)).status_code < 300
        assert (await world.get("ana", "/me/held"))["held"] == listed[number:]
    notices = (await world.get("ana", "/me/notices"))["notices"]
    assert {(one["kind"], one["held"]) for one in notices} == {
        ("rejected", "message"),
        ("released", "edit"),
        ("rejected", "name"),
    }
    again = await world.ask("ana", "PATCH", f"/threads/{thread}", {"subject": NAME})
    assert refused(again, 422, "text-rejected")["warned"] is False
    assert (await world.get("ana", "/me/held"))["held"] == [], "a decision is final"
    safety, user = world.contexts[Safety], UserId(world.ids["ana"])
    kept = await safety.store.query(
        records.SAFETY, records.user_partition(user), Prefix(records.HELD), limit=10
    )
    assert not kept.items, "it is removed from the author's list"


async def test_held_messages_are_listed_oldest_first_across_pages(world: ApiWorld) -> None:
    thread = await world.talk()
    for number in range(7):
        body = {"body": f"{HELD} {number}", "clientMessageId": f"h{number}"}
        ok_json(await world.ask("ana", "POST", f"/threads/{thread}/messages", body), 202)
        world.clock.advance(seconds=1)
    listed, cursor = list[str](), ""
    while True:
        page = await world.get("ana", f"/me/held?limit=2{cursor}")
        listed += [one["clientMessageId"] for one in page["held"]]
        if page["next"] is None:
            break
        cursor = f"&cursor={page['next']}"
    assert listed == [f"h{number}" for number in range(7)]

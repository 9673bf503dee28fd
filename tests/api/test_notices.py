"""Held messages, moderation notices and suspensions, as their users see them."""

from typing import Any

import pytest

from greenroom.ids import ThreadId, UserId
from greenroom.safety import Safety, items
from greenroom.safety.models import ModerationNotice, NoticeKind
from greenroom.safety.notices import MAX_PAGE
from tests.api.populated import SCAM
from tests.api.world import ApiWorld, ok_json, refused
from tests.messaging.file_steps import ready_file
from tests.sync_pages import notices_in

OUTCOMES = {
    "release": ("released", "sent", False),
    "remove": ("rejected", "rejected", False),
    "warn": ("warned", "rejected", True),
}


async def _held(world: ApiWorld, client_id: str = "h1") -> tuple[str, Any]:
    thread = await world.talk()
    body = {"body": SCAM, "clientMessageId": client_id}
    ok_json(await world.ask("ana", "POST", f"/threads/{thread}/messages", body), 202)
    [case] = (await world.get("mod", "/moderation/queue"))["cases"]
    return thread, case


async def _decide(world: ApiWorld, case: Any, decision: str, **fields: object) -> Any:
    place = f"/moderation/cases/{case['caseId']}"
    ok_json(await world.ask("mod", "POST", f"{place}/claim"))
    body = {"decision": decision, "version": case["version"]} | fields
    return ok_json(await world.ask("mod", "POST", f"{place}/decide", body))


@pytest.mark.parametrize("decision", OUTCOMES)
async def test_the_sender_of_a_held_message_learns_the_outcome(
    world: ApiWorld, decision: str
) -> None:
    kind, status, warned = OUTCOMES[decision]
    thread, case = await _held(world)
    own = f"/threads/{thread}/held/h1"
    assert (await world.get("ana", own))["status"] == "held"
    [waiting] = (await world.get("ana", "/me/held"))["held"]
    assert (waiting["body"], waiting["threadId"]) == (SCAM, thread)
    cursor = (await world.get("ana", "/sync"))["cursor"]
    world.clock.advance(seconds=120)
    await _decide(world, case, decision, reason="Please be kind.", note="not for her")
    assert (await world.get("ana", "/me/held"))["held"] == []
    outcome = await world.get("ana", own)
    assert (outcome["status"], outcome["warned"]) == (status, warned)
    [notice] = (await world.get("ana", "/me/notices"))["notices"]
    assert (notice["kind"], notice["clientMessageId"]) == (kind, "h1")
    assert (notice["reason"], notice["threadId"]) == ("Please be kind.", thread)
    assert "not for her" not in str(notice)
    again = {"body": SCAM, "clientMessageId": "h1"}
    retried = ok_json(await world.ask("ana", "POST", f"/threads/{thread}/messages", again), 200)
    assert (retried["status"], retried["warned"]) == (status, warned)
    synced = await world.get("ana", f"/sync?cursor={cursor}")
    assert notices_in(synced)["created"] == [notice]
    once_more = await world.get("ana", f"/sync?cursor={synced['cursor']}")
    assert notices_in(once_more)["created"] == [], "nothing is returned twice"


async def test_a_held_message_is_listed_with_its_files_as_it_was_sent(world: ApiWorld) -> None:
    """Moderators judge the text and the descriptions together."""
    thread = await world.talk()
    for client_id, caption, alts in (
        ("h1", "", (SCAM, "second")),
        ("h2", f"{SCAM}!", ("",)),
    ):
        files = [await ready_file(world, "ana", ThreadId(thread)) for _ in alts]
        attachments = [{"fileId": file, "alt": alt} for file, alt in zip(files, alts, strict=True)]
        body = {"clientMessageId": client_id, "body": caption, "attachments": attachments}
        ok_json(await world.ask("ana", "POST", f"/threads/{thread}/messages", body), 202)
        held = (await world.get("ana", "/me/held"))["held"][-1]
        assert (held["clientMessageId"], held["body"]) == (client_id, caption)
        assert held["attachments"] == attachments
        world.clock.advance(seconds=1)
    texts = [case["text"] for case in (await world.get("mod", "/moderation/queue"))["cases"]]
    assert texts == [f"{SCAM}\nsecond", f"{SCAM}!"]


async def test_notices_are_for_their_user_and_listed_until_acknowledged(world: ApiWorld) -> None:
    thread, case = await _held(world)
    await _decide(world, case, "warn", reason="Please be kind.")
    [notice] = (await world.get("ana", "/me/notices"))["notices"]
    assert (await world.get("ben", "/me/notices"))["notices"] == []
    path = f"/me/notices/{notice['noticeId']}/acknowledge"
    refused(await world.ask("ben", "POST", path), 404, "notice-not-found")
    ok_json(await world.ask("ana", "POST", path), 204)
    assert (await world.get("ana", "/me/notices"))["notices"] == []
    refused(await world.ask("ana", "POST", path), 404, "notice-not-found")
    refused(await world.ask("ben", "GET", f"/threads/{thread}/held/h1"), 404, "message-not-found")


async def test_sync_returns_an_acknowledged_notice_once(world: ApiWorld) -> None:
    _, case = await _held(world)
    cursor = (await world.get("ana", "/sync"))["cursor"]
    world.clock.advance(seconds=120)
    await _decide(world, case, "warn", reason="Please be kind.")
    shown = await world.get("ana", f"/sync?cursor={cursor}")
    [notice] = notices_in(shown)["created"]
    assert notices_in(shown)["acknowledged"] == []
    world.clock.advance(seconds=1)
    path = f"/me/notices/{notice['noticeId']}/acknowledge"
    ok_json(await world.ask("ana", "POST", path), 204)
    for since in (shown["cursor"], cursor):
        synced = await world.get("ana", f"/sync?cursor={since}")
        assert notices_in(synced)["acknowledged"] == [notice["noticeId"]]
        assert notices_in(synced)["created"] == []
    again = await world.get("ana", f"/sync?cursor={synced['cursor']}")
    assert notices_in(again)["acknowledged"] == [], "nothing is returned twice"


async def test_sync_returns_an_old_notice_once_acknowledged(world: ApiWorld) -> None:
    _, case = await _held(world)
    await _decide(world, case, "warn")
    [notice] = (await world.get("ana", "/me/notices"))["notices"]
    world.clock.advance(seconds=86_400)
    cursor = (await world.get("ana", "/sync"))["cursor"]
    world.clock.advance(seconds=86_400)
    synced = await world.get("ana", f"/sync?cursor={cursor}")
    assert (notices_in(synced)["created"], notices_in(synced)["acknowledged"]) == ([], [])
    path = f"/me/notices/{notice['noticeId']}/acknowledge"
    ok_json(await world.ask("ana", "POST", path), 204)
    synced = await world.get("ana", f"/sync?cursor={synced['cursor']}")
    assert notices_in(synced)["acknowledged"] == [notice["noticeId"]]


async def test_a_dismissed_report_creates_no_notice(world: ApiWorld) -> None:
    body = {"reason": "spam", "userId": world.ids["ben"]}
    ok_json(await world.ask("ana", "POST", "/reports", body), 201)
    [case] = (await world.get("mod", "/moderation/queue"))["cases"]
    await _decide(world, case, "dismiss", reason="nothing")
    for name in ("ana", "ben"):
        assert (await world.get(name, "/me/notices"))["notices"] == []


async def test_a_suspended_person_sees_the_end_reason_and_contact_and_is_reinstated(
    world: ApiWorld,
) -> None:
    body = {"reason": "spam", "userId": world.ids["ben"]}
    ok_json(await world.ask("ana", "POST", "/reports", body), 201)
    [case] = (await world.get("mod", "/moderation/queue"))["cases"]
    until = "2100-02-01T00:00:00.000Z"
    await _decide(world, case, "suspend", reason="Scams.", note="IP 10.0.0.1", until=until)
    world.clock.advance(seconds=3)
    problem = refused(await world.ask("ben", "GET", "/inbox"), 403, "account-suspended")
    assert (problem["until"], problem["reason"]) == (until, "Scams.")
    assert "contact this site's support" in problem["detail"]
    assert "10.0.0.1" not in str(problem)
    [listed] = (await world.get("mod", "/moderation/suspended"))["people"]
    assert (listed["userId"], listed["suspendedUntil"]) == (world.ids["ben"], until)
    place = f"/moderation/people/{world.ids['ben']}"
    sanctions = await world.get("mod", f"{place}/sanctions")
    assert (sanctions["isSuspended"], sanctions["suspensionReason"]) == (True, "Scams.")
    lifted = {"reason": "We were wrong.", "note": "reviewed"}
    entry = ok_json(await world.ask("mod", "POST", f"{place}/reinstate", lifted))
    assert (entry["decision"], entry["caseId"]) == ("reinstate", None)
    refused(await world.ask("mod", "POST", f"{place}/reinstate", lifted), 409, "not-suspended")
    world.clock.advance(seconds=3)
    ok_json(await world.ask("ben", "GET", "/inbox"))
    kinds = [one["kind"] for one in (await world.get("ben", "/me/notices"))["notices"]]
    assert sorted(kinds) == ["reinstated", "suspended"]
    assert (await world.get("mod", "/moderation/suspended"))["people"] == []
    assert (await world.get("mod", f"{place}/sanctions"))["isSuspended"] is False
    assert entry in (await world.get("mod", "/moderation/audit-log"))["entries"]
    assert entry in (await world.get("mod", f"{place}/audit-log"))["entries"]


async def test_the_context_of_a_held_message_has_its_position(world: ApiWorld) -> None:
    thread = await world.talk()
    for text in ("one", "two"):
        world.clock.advance(seconds=1)
        await world.say("ben", thread, text)
    world.clock.advance(seconds=1)
    body = {"body": SCAM, "clientMessageId": "h1"}
    ok_json(await world.ask("ana", "POST", f"/threads/{thread}/messages", body), 202)
    for text in ("three", "four"):
        world.clock.advance(seconds=1)
        await world.say("ben", thread, text)
    [case] = (await world.get("mod", "/moderation/queue"))["cases"]
    context = await world.get("mod", f"/moderation/cases/{case['caseId']}/context")
    said = [message["body"] for message in context["messages"]]
    assert said[: context["position"]] == ["one", "two"]
    assert said[context["position"] :] == ["three", "four"]


@pytest.mark.parametrize("apart_s", [0, 2])
async def test_sync_returns_every_notice_once(world: ApiWorld, apart_s: int) -> None:
    """All within a minute, or most of them older than sync's slack."""
    count = 2 * MAX_PAGE - 10
    cursor = (await world.get("ana", "/sync"))["cursor"]
    world.clock.advance(seconds=120)
    user, ids = UserId(world.ids["ana"]), world.contexts[Safety].ids
    sent = list[str]()
    for _ in range(count):
        world.clock.advance(seconds=apart_s)
        now_ms = world.clock.now_ms()
        notice = ModerationNotice(
            id=ids.notice(now_ms), user=user, kind=NoticeKind.WARNED, at_ms=now_ms
        )
        await world.contexts[Safety].store.write(items.notice_put(notice))
        sent.append(notice.id)
    given, cursor = await _all_notices(world, cursor)
    assert given == sorted(sent)
    for _ in range(2):
        given, cursor = await _all_notices(world, cursor)
        assert given == [], "nothing is returned twice"


async def _all_notices(world: ApiWorld, cursor: str) -> tuple[list[str], str]:
    given = list[str]()
    for _ in range(5):
        page = await world.get("ana", f"/sync?cursor={cursor}")
        assert len(notices_in(page)["created"]) <= MAX_PAGE
        given += [one["noticeId"] for one in notices_in(page)["created"]]
        cursor = page["cursor"]
        if not page["more"]:
            return given, cursor
    raise AssertionError("there is always more")

"""What people are told of moderation's decisions: held messages, notices, suspensions."""

from typing import Any

import pytest

from greenroom.ids import UserId
from greenroom.safety import records
from greenroom.safety.models import ModerationNotice, NoticeKind
from greenroom.safety.notices import MAX_PAGE
from tests.api.castle import SCAM
from tests.api.hall import Hall, refused, told

OUTCOMES = {
    "release": ("released", "sent", False),
    "remove": ("rejected", "rejected", False),
    "warn": ("warned", "rejected", True),
}


async def _held(hall: Hall, client_id: str = "h1") -> tuple[str, Any]:
    thread = await hall.talk()
    body = {"body": SCAM, "clientMessageId": client_id}
    told(await hall.ask("ana", "POST", f"/threads/{thread}/messages", body), 202)
    [case] = (await hall.get("mod", "/moderation/queue"))["cases"]
    return thread, case


async def _decide(hall: Hall, case: Any, decision: str, **fields: object) -> Any:
    place = f"/moderation/cases/{case['caseId']}"
    told(await hall.ask("mod", "POST", f"{place}/claim"))
    body = {"decision": decision, "version": case["version"]} | fields
    return told(await hall.ask("mod", "POST", f"{place}/decide", body))


@pytest.mark.parametrize("decision", OUTCOMES)
async def test_the_sender_of_a_held_message_is_told_the_outcome(hall: Hall, decision: str) -> None:
    kind, status, warned = OUTCOMES[decision]
    thread, case = await _held(hall)
    own = f"/threads/{thread}/held/h1"
    assert (await hall.get("ana", own))["status"] == "held"
    [waiting] = (await hall.get("ana", "/me/held"))["held"]
    assert (waiting["body"], waiting["threadId"]) == (SCAM, thread)
    cursor = (await hall.get("ana", "/sync"))["cursor"]
    hall.clock.advance(seconds=120)
    await _decide(hall, case, decision, reason="Please be kind.", note="not for her")
    assert (await hall.get("ana", "/me/held"))["held"] == []
    outcome = await hall.get("ana", own)
    assert (outcome["status"], outcome["warned"]) == (status, warned)
    [notice] = (await hall.get("ana", "/me/notices"))["notices"]
    assert (notice["kind"], notice["clientMessageId"]) == (kind, "h1")
    assert (notice["reason"], notice["threadId"]) == ("Please be kind.", thread)
    assert "not for her" not in str(notice)
    again = {"body": SCAM, "clientMessageId": "h1"}
    retried = told(await hall.ask("ana", "POST", f"/threads/{thread}/messages", again), 200)
    assert (retried["status"], retried["warned"]) == (status, warned)
    synced = await hall.get("ana", f"/sync?cursor={cursor}")
    assert synced["notices"] == [notice]
    once_more = await hall.get("ana", f"/sync?cursor={synced['cursor']}")
    assert once_more["notices"] == [], "nothing that was given comes again"


async def test_notices_are_for_their_user_and_listed_until_acknowledged(hall: Hall) -> None:
    thread, case = await _held(hall)
    await _decide(hall, case, "warn", reason="Please be kind.")
    [notice] = (await hall.get("ana", "/me/notices"))["notices"]
    assert (await hall.get("ben", "/me/notices"))["notices"] == []
    path = f"/me/notices/{notice['noticeId']}/acknowledge"
    refused(await hall.ask("ben", "POST", path), 404, "notice-not-found")
    told(await hall.ask("ana", "POST", path), 204)
    assert (await hall.get("ana", "/me/notices"))["notices"] == []
    refused(await hall.ask("ana", "POST", path), 404, "notice-not-found")
    refused(await hall.ask("ben", "GET", f"/threads/{thread}/held/h1"), 404, "message-not-found")


async def test_sync_gives_a_notice_that_was_acknowledged_once(hall: Hall) -> None:
    _, case = await _held(hall)
    cursor = (await hall.get("ana", "/sync"))["cursor"]
    hall.clock.advance(seconds=120)
    await _decide(hall, case, "warn", reason="Please be kind.")
    shown = await hall.get("ana", f"/sync?cursor={cursor}")
    [notice] = shown["notices"]
    assert shown["acknowledgedNoticeIds"] == []
    hall.clock.advance(seconds=1)
    path = f"/me/notices/{notice['noticeId']}/acknowledge"
    told(await hall.ask("ana", "POST", path), 204)
    for since in (shown["cursor"], cursor):
        synced = await hall.get("ana", f"/sync?cursor={since}")
        assert synced["acknowledgedNoticeIds"] == [notice["noticeId"]]
        assert synced["notices"] == []
    again = await hall.get("ana", f"/sync?cursor={synced['cursor']}")
    assert again["acknowledgedNoticeIds"] == [], "nothing that was given comes again"


async def test_sync_gives_an_old_notice_once_it_is_acknowledged(hall: Hall) -> None:
    _, case = await _held(hall)
    await _decide(hall, case, "warn")
    [notice] = (await hall.get("ana", "/me/notices"))["notices"]
    hall.clock.advance(seconds=86_400)
    cursor = (await hall.get("ana", "/sync"))["cursor"]
    hall.clock.advance(seconds=86_400)
    synced = await hall.get("ana", f"/sync?cursor={cursor}")
    assert (synced["notices"], synced["acknowledgedNoticeIds"]) == ([], [])
    path = f"/me/notices/{notice['noticeId']}/acknowledge"
    told(await hall.ask("ana", "POST", path), 204)
    synced = await hall.get("ana", f"/sync?cursor={synced['cursor']}")
    assert synced["acknowledgedNoticeIds"] == [notice["noticeId"]]


async def test_a_dismissed_report_tells_nobody(hall: Hall) -> None:
    body = {"reason": "spam", "userId": hall.ids["ben"]}
    told(await hall.ask("ana", "POST", "/reports", body), 201)
    [case] = (await hall.get("mod", "/moderation/queue"))["cases"]
    await _decide(hall, case, "dismiss", reason="nothing")
    for name in ("ana", "ben"):
        assert (await hall.get(name, "/me/notices"))["notices"] == []


async def test_a_suspended_person_is_told_how_long_why_and_what_next_and_is_reinstated(
    hall: Hall,
) -> None:
    body = {"reason": "spam", "userId": hall.ids["ben"]}
    told(await hall.ask("ana", "POST", "/reports", body), 201)
    [case] = (await hall.get("mod", "/moderation/queue"))["cases"]
    until = "2100-02-01T00:00:00.000Z"
    await _decide(hall, case, "suspend", reason="Scams.", note="IP 10.0.0.1", until=until)
    hall.clock.advance(seconds=3)
    problem = refused(await hall.ask("ben", "GET", "/inbox"), 403, "account-suspended")
    assert (problem["until"], problem["reason"]) == (until, "Scams.")
    assert "contact this site's support" in problem["detail"]
    assert "10.0.0.1" not in str(problem)
    [listed] = (await hall.get("mod", "/moderation/suspended"))["people"]
    assert (listed["userId"], listed["suspendedUntil"]) == (hall.ids["ben"], until)
    place = f"/moderation/people/{hall.ids['ben']}"
    standing = await hall.get("mod", f"{place}/standing")
    assert (standing["isSuspended"], standing["suspensionReason"]) == (True, "Scams.")
    lifted = {"reason": "We were wrong.", "note": "reviewed"}
    entry = told(await hall.ask("mod", "POST", f"{place}/reinstate", lifted))
    assert (entry["decision"], entry["caseId"]) == ("reinstate", None)
    refused(await hall.ask("mod", "POST", f"{place}/reinstate", lifted), 409, "not-suspended")
    hall.clock.advance(seconds=3)
    told(await hall.ask("ben", "GET", "/inbox"))
    kinds = [one["kind"] for one in (await hall.get("ben", "/me/notices"))["notices"]]
    assert sorted(kinds) == ["reinstated", "suspended"]
    assert (await hall.get("mod", "/moderation/suspended"))["people"] == []
    assert (await hall.get("mod", f"{place}/standing"))["isSuspended"] is False
    assert entry in (await hall.get("mod", "/moderation/record"))["entries"]
    assert entry in (await hall.get("mod", f"{place}/record"))["entries"]


async def test_the_context_of_a_held_message_says_where_it_belongs(hall: Hall) -> None:
    thread = await hall.talk()
    for text in ("one", "two"):
        hall.clock.advance(seconds=1)
        await hall.say("ben", thread, text)
    hall.clock.advance(seconds=1)
    body = {"body": SCAM, "clientMessageId": "h1"}
    told(await hall.ask("ana", "POST", f"/threads/{thread}/messages", body), 202)
    for text in ("three", "four"):
        hall.clock.advance(seconds=1)
        await hall.say("ben", thread, text)
    [case] = (await hall.get("mod", "/moderation/queue"))["cases"]
    context = await hall.get("mod", f"/moderation/cases/{case['caseId']}/context")
    said = [message["body"] for message in context["messages"]]
    assert said[: context["position"]] == ["one", "two"]
    assert said[context["position"] :] == ["three", "four"]


@pytest.mark.parametrize("apart_s", [0, 2])
async def test_sync_gives_every_notice_once_however_many(hall: Hall, apart_s: int) -> None:
    """All within a minute, or most of them older than what sync reads twice."""
    count = 2 * MAX_PAGE - 10
    cursor = (await hall.get("ana", "/sync"))["cursor"]
    hall.clock.advance(seconds=120)
    user, ids = UserId(hall.ids["ana"]), hall.contexts.safety.ids
    sent = list[str]()
    for _ in range(count):
        hall.clock.advance(seconds=apart_s)
        now_ms = hall.clock.now_ms()
        notice = ModerationNotice(
            id=ids.notice(now_ms), user=user, kind=NoticeKind.WARNED, at_ms=now_ms
        )
        await hall.contexts.safety.store.write(records.noticed(notice))
        sent.append(notice.id)
    given, cursor = await _all_notices(hall, cursor)
    assert given == sorted(sent)
    for _ in range(2):
        given, cursor = await _all_notices(hall, cursor)
        assert given == [], "nothing that was given comes again"


async def _all_notices(hall: Hall, cursor: str) -> tuple[list[str], str]:
    given = list[str]()
    for _ in range(5):
        page = await hall.get("ana", f"/sync?cursor={cursor}")
        assert len(page["notices"]) <= MAX_PAGE
        given += [one["noticeId"] for one in page["notices"]]
        cursor = page["cursor"]
        if not page["more"]:
            return given, cursor
    raise AssertionError("there is always more")

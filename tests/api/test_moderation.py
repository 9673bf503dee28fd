"""Blocks, hints, holds, reports and the moderation queue over HTTP, on both engines."""

from tests.api.world import ApiWorld, ok_json, refused

SCAM = "10000 followers for $9!!! Guaranteed income, dm me on telegram"


async def test_only_the_sender_sees_a_nudge(world: ApiWorld) -> None:
    thread = await world.talk()
    body = {"body": "Just write to me at ana@example.com", "clientMessageId": "n1"}
    sent = ok_json(await world.ask("ana", "POST", f"/threads/{thread}/messages", body), 201)
    assert sent["hints"][0]["code"] == "contact-details"
    assert sent["hints"][0]["text"].endswith(".")
    assert "contact-details" in sent["message"]["policyHints"]
    [message] = (await world.get("ben", f"/threads/{thread}/messages"))["messages"]
    assert message["policyHints"] == []


async def test_a_moderator_releases_a_held_message(world: ApiWorld) -> None:
    thread = await world.talk()
    path = f"/threads/{thread}/messages"
    body = {"body": SCAM, "clientMessageId": "h1"}
    held = ok_json(await world.ask("ana", "POST", path, body), 202)
    assert (held["status"], held["message"]) == ("held", None)
    assert (await world.get("ben", path))["messages"] == []
    [case] = (await world.get("mod", "/moderation/queue"))["cases"]
    assert (case["text"], case["subject"]["kind"]) == (SCAM, "held")
    assert case["spamScore"] > 0.5
    assert "release" in case["decisions"]
    place = f"/moderation/cases/{case['caseId']}"
    decision = {"decision": "release", "version": case["version"]}
    refused(await world.ask("mod", "POST", f"{place}/decide", decision), 409, "case-not-claimed")
    claimed = ok_json(await world.ask("mod", "POST", f"{place}/claim"))
    assert claimed["claimedByUserId"] == world.ids["mod"]
    entry = ok_json(await world.ask("mod", "POST", f"{place}/decide", decision))
    assert (await world.get("mod", f"{place}/audit-log"))["entries"] == [entry]
    assert [m["body"] for m in (await world.get("ben", path))["messages"]] == [
        ok_json(await world.ask("ana", "POST", path, body))["message"]["body"]
    ]
    assert (await world.get("mod", "/moderation/queue"))["cases"] == []


async def test_releasing_into_a_locked_conversation_is_refused(
    world: ApiWorld,
) -> None:
    thread = await world.talk()
    body = {"body": SCAM, "clientMessageId": "h1"}
    ok_json(await world.ask("ana", "POST", f"/threads/{thread}/messages", body), 202)
    ok_json(await world.ask("mod", "POST", f"/threads/{thread}/lock"))
    [case] = (await world.get("mod", "/moderation/queue"))["cases"]
    place = f"/moderation/cases/{case['caseId']}"
    ok_json(await world.ask("mod", "POST", f"{place}/claim"))
    decision = {"decision": "release", "version": case["version"]}
    answer = await world.ask("mod", "POST", f"{place}/decide", decision)
    assert "locked" in refused(answer, 409, "cannot-release")["detail"]
    ok_json(await world.ask("mod", "POST", f"/threads/{thread}/unlock"))
    ok_json(await world.ask("mod", "POST", f"{place}/decide", decision))
    page = await world.get("ben", f"/threads/{thread}/messages")
    assert [message["event"] for message in page["messages"]] == [
        "thread.locked",
        "thread.unlocked",
        None,
    ]


async def test_a_held_text_that_was_removed_is_rejected_to_its_author(world: ApiWorld) -> None:
    thread = await world.talk()
    path = f"/threads/{thread}/messages"
    body = {"body": SCAM, "clientMessageId": "h1"}
    ok_json(await world.ask("ana", "POST", path, body), 202)
    [case] = (await world.get("mod", "/moderation/queue"))["cases"]
    place = f"/moderation/cases/{case['caseId']}"
    ok_json(await world.ask("mod", "POST", f"{place}/claim"))
    decision = {"decision": "remove", "version": case["version"], "reason": "No advertising."}
    ok_json(await world.ask("mod", "POST", f"{place}/decide", decision))
    again = ok_json(await world.ask("ana", "POST", path, body), 200)
    assert (again["status"], again["reason"]) == ("rejected", "No advertising.")


async def test_a_report_reaches_the_queue_and_a_suspension_the_reported(world: ApiWorld) -> None:
    thread = await world.talk()
    message = await world.say("ana", thread, "You are wrong about Friday.")
    report = {"threadId": thread, "messageId": message["messageId"], "reason": "harassment"}
    first = ok_json(await world.ask("ben", "POST", "/reports", report), 201)
    assert ok_json(await world.ask("ben", "POST", "/reports", report), 201) == first
    [own] = (await world.get("ben", "/reports"))["reports"]
    assert own["subject"]["messageId"] == message["messageId"]
    refused(await world.ask("cleo", "POST", "/reports", report), 404, "thread-not-found")
    both = report | {"userId": world.ids["ana"]}
    refused(await world.ask("ben", "POST", "/reports", both), 422, "invalid-report")
    [case] = (await world.get("mod", "/moderation/queue?tag=HARASSMENT"))["cases"]
    place = f"/moderation/cases/{case['caseId']}"
    assert case["aboutUserId"] == world.ids["ana"]
    [shown] = (await world.get("mod", f"{place}/reports"))["reports"]
    assert shown["reporterUserId"] == world.ids["ben"]
    ok_json(await world.ask("mod", "POST", f"{place}/claim"))
    decision = {"decision": "suspend", "version": 1, "until": "2100-02-01T00:00:00Z"}
    refused(
        await world.ask("mod", "POST", f"{place}/decide", decision | {"version": 7}),
        412,
        "case-changed",
    )
    ok_json(await world.ask("mod", "POST", f"{place}/decide", decision))
    world.clock.advance(seconds=5)
    refused(await world.ask("ana", "GET", "/inbox"), 403, "account-suspended")
    sanctions = await world.get("mod", f"/moderation/people/{world.ids['ana']}/sanctions")
    assert (sanctions["suspensions"], sanctions["userId"]) == (1, world.ids["ana"])
    record = await world.get("mod", f"/moderation/people/{world.ids['ana']}/audit-log")
    assert [entry["decision"] for entry in record["entries"]] == ["suspend"]
    path = f"/threads/{thread}/messages/{message['messageId']}"
    assert (await world.get("ben", path))["body"] == ""


async def test_a_blocked_person_notices_nothing_and_reaches_nobody(world: ApiWorld) -> None:
    thread = ok_json(await world.ask("ana", "PUT", f"/direct/{world.ids['ben']}"))["threadId"]
    await world.accept("ben", thread)
    block = ok_json(await world.ask("ben", "PUT", f"/blocks/{world.ids['ana']}"))
    assert (await world.get("ben", "/blocks"))["blocks"] == [block]
    assert (await world.get("ana", "/blocks"))["blocks"] == []
    body = {"body": "Hello?", "clientMessageId": "x1"}
    sent = await world.ask("ana", "POST", f"/threads/{thread}/messages", body)
    assert ok_json(sent, 201)["status"] == "sent"
    refused(await world.ask("ben", "GET", f"/threads/{thread}/messages"), 404, "thread-not-found")
    ok_json(await world.ask("ben", "DELETE", f"/blocks/{world.ids['ana']}"), 204)
    assert (await world.get("ben", "/blocks"))["blocks"] == []
    assert (await world.get("ben", f"/threads/{thread}/messages"))["messages"] == []
    refused(
        await world.ask("ben", "PUT", f"/blocks/{world.ids['ben']}"), 422, "cannot-block-yourself"
    )


async def test_a_rate_limit_says_when_to_retry(world: ApiWorld) -> None:
    thread = await world.talk()
    path = f"/threads/{thread}/messages"
    for number in range(60):
        body = {"body": f"Line {number}", "clientMessageId": f"m{number}"}
        answer = await world.ask("ana", "POST", path, body)
        if answer.status_code != 201:
            break
    assert int(answer.headers["retry-after"]) > 0
    refused(answer, 429, "too-many")

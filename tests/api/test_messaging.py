"""Conversations over HTTP, from first contact to sync, on both engines."""

from typing import Any

from tests.api.world import ApiWorld, ok_json, refused
from tests.sync_pages import inbox_in


async def test_first_contact_waits_until_it_is_accepted(world: ApiWorld) -> None:
    first = {"body": "Hello Ben! Are you free on 14 May?"}
    seen = await world.open("ana", "ben", subject="Editorial", message=first)
    thread = seen["threadId"]
    expected: dict[str, object] = {"senderUserId": world.ids["ana"], "status": "pending"}
    expected |= {
        "targetUserId": world.ids["ben"],
        "reason": None,
        "expiresAt": None,
        "maxMessages": 3,
    }
    [asked] = seen["requests"]
    assert asked == expected | {"requestId": asked["requestId"]}
    [row] = (await world.get("ben", "/inbox?folder=requests"))["threads"]
    assert (row["threadId"], row["mine"]["folder"], row["mine"]["unread"]) == (
        thread,
        "requests",
        1,
    )
    [request] = row["requests"]
    assert request["requestId"].startswith("rqt_")
    reply = {"body": "Yes", "clientMessageId": "b1"}
    early = await world.ask("ben", "POST", f"/threads/{thread}/messages", reply)
    refused(early, 409, "accept-first")
    accepted = ok_json(await world.ask("ben", "POST", f"/requests/{request['requestId']}/accept"))
    assert accepted["mine"]["folder"] == "action"
    assert (await world.get("ana", f"/threads/{thread}"))["requests"] == []
    await world.say("ben", thread, "I am. Shall I keep it for you?")
    counts = await world.get("ana", "/inbox/counts")
    assert (counts["badge"], counts["unread"]["action"], counts["more"]) == (1, 1, False)


async def test_a_pending_sender_learns_nothing(world: ApiWorld) -> None:
    thread = (await world.open("ana", "ben", message={"body": "Hello!"}))["threadId"]

    async def known() -> Any:
        page = await world.get("ana", f"/threads/{thread}/messages")
        return await world.get("ana", f"/threads/{thread}"), page

    before = await known()
    ok_json(await world.ask("ben", "PUT", f"/threads/{thread}/read", {"seq": 1}))
    assert await known() == before
    row = await world.get("ben", f"/threads/{thread}")
    request = row["requests"][0]["requestId"]
    ok_json(await world.ask("ben", "POST", f"/requests/{request}/decline"), 204)
    assert await known() == before
    refused(await world.ask("ben", "GET", f"/threads/{thread}"), 404, "thread-not-found")


async def test_a_message_is_sent_once(world: ApiWorld) -> None:
    thread = await world.talk()
    path = f"/threads/{thread}/messages"
    body = {"body": "Is Friday still free?", "clientMessageId": "c-1"}
    first = await world.ask("ana", "POST", path, body)
    again = await world.ask("ana", "POST", path, body)
    assert (first.status_code, again.status_code) == (201, 200)
    assert first.json() == again.json()
    assert first.headers["etag"] == '"1"'
    other = await world.ask("ana", "POST", path, body | {"body": "Or Saturday?"})
    refused(other, 422, "client-id-reused")
    by_key = {"body": "By key"}
    keyed = [await world.ask("ana", "POST", path, by_key, Idempotency_Key="k-1") for _ in range(2)]
    assert [answer.status_code for answer in keyed] == [201, 200]
    unnamed = [await world.ask("ana", "POST", path, by_key) for _ in range(2)]
    assert [answer.status_code for answer in unnamed] == [201, 201]
    page = await world.get("ben", path)
    assert [message["seq"] for message in page["messages"]] == [1, 2, 3, 4]


async def test_a_thread_is_opened_once_by_its_key(world: ApiWorld) -> None:
    body: dict[str, object] = {"kind": "inquiry"}
    body["participants"] = [{"userId": world.ids["ben"]}]
    body |= {"message": {"body": "Hello!"}}
    first = await world.ask("ana", "POST", "/threads", body, Idempotency_Key="order-17")
    again = await world.ask("ana", "POST", "/threads", body, Idempotency_Key="order-17")
    assert first.json()["sent"]["message"] == again.json()["sent"]["message"]
    assert first.headers["location"] == again.headers["location"]
    assert first.headers["location"] == f"/v1/threads/{first.json()['thread']['threadId']}"
    other = body | {"kind": "invite"}
    reused = await world.ask("ana", "POST", "/threads", other, Idempotency_Key="order-17")
    refused(reused, 422, "opening-key-reused")
    empty = body | {"message": {"body": " "}}
    refused(await world.ask("ana", "POST", "/threads", empty), 422, "invalid-text")
    assert len((await world.get("ana", "/inbox"))["threads"]) == 1


async def test_messages_are_edited_reacted_to_and_deleted(world: ApiWorld) -> None:
    thread = await world.talk()
    message = await world.say("ana", thread, "Friday?")
    path = f"/threads/{thread}/messages/{message['messageId']}"
    edited = await world.ask("ana", "PATCH", path, {"body": "Saturday?"}, If_Match='"1"')
    assert (ok_json(edited)["body"], edited.headers["etag"]) == ("Saturday?", '"2"')
    late = await world.ask("ana", "PATCH", path, {"body": "Sunday?"}, If_Match='"1"')
    assert refused(late, 412, "version-mismatch")["version"] == 2
    refused(await world.ask("ben", "PATCH", path, {"body": "Never"}), 403, "not-yours")
    [edit] = (await world.get("ben", f"{path}/edits"))["edits"]
    assert edit["body"] == "Friday?"
    liked = ok_json(await world.ask("ben", "PUT", f"{path}/reactions/👍"))
    assert liked["reactions"] == {"👍": [world.ids["ben"]]}
    refused(await world.ask("ben", "PUT", f"{path}/reactions/no"), 422, "invalid-reaction")
    taken = ok_json(await world.ask("ben", "DELETE", f"{path}/reactions/👍"))
    assert taken["reactions"] == {}
    gone = ok_json(await world.ask("ana", "DELETE", path))
    assert (gone["body"], gone["seq"], gone["deletedByUserId"]) == ("", 1, world.ids["ana"])
    assert (await world.get("ben", path))["body"] == ""
    assert (await world.get("ben", f"{path}/edits"))["edits"] == []


async def test_history_is_read_both_ways_and_around_a_message(world: ApiWorld) -> None:
    thread = await world.talk()
    sent = [await world.say("ana", thread, f"Line {n}") for n in range(1, 6)]
    path = f"/threads/{thread}/messages"

    async def seqs(query: str) -> tuple[list[int], bool, bool]:
        page = await world.get("ben", f"{path}?{query}")
        found = [message["seq"] for message in page["messages"]]
        return found, page["hasBefore"], page["hasAfter"]

    third = sent[2]["messageId"]
    assert await seqs("limit=2") == ([4, 5], True, False)
    assert await seqs(f"before={third}&limit=1") == ([2], True, True)
    assert await seqs(f"after={third}&limit=1") == ([4], True, True)
    assert await seqs(f"around={third}&limit=3") == ([2, 3, 4], True, True)
    assert await seqs(f"before={third}&after={third}&limit=1") == ([4], True, True)


async def test_reading_shows_and_unread_is_exact(world: ApiWorld) -> None:
    thread = await world.talk()
    for text in ("One", "Two", "Three"):
        await world.say("ana", thread, text)
    mine = ok_json(await world.ask("ben", "PUT", f"/threads/{thread}/read", {"seq": 2}))
    assert (mine["unread"], mine["lastReadSeq"]) == (1, 2)
    page = await world.get("ana", f"/threads/{thread}/messages")
    ben = world.ids["ben"]
    assert [message["seenBy"] for message in page["messages"]] == [[ben], [ben], []]
    ok_json(await world.ask("ben", "PUT", f"/threads/{thread}/delivered", {"seq": 3}), 204)
    people = (await world.get("ana", f"/threads/{thread}"))["participants"]
    [his] = [one for one in people if one["userId"] == ben]
    assert (his["lastReadSeq"], his["lastDeliveredSeq"]) == (2, 3)
    mine = ok_json(await world.ask("ben", "PUT", f"/threads/{thread}/unread", {"seq": 1}))
    assert mine["unread"] == 3
    too_far = await world.ask("ben", "PUT", f"/threads/{thread}/read", {"seq": 4})
    refused(too_far, 422, "invalid-read-position")


async def test_a_cached_page_shows_the_current_state_for_its_viewer(world: ApiWorld) -> None:
    """The rendered page is partly cached."""
    thread, ana, ben = await world.talk(), world.ids["ana"], world.ids["ben"]
    path = f"/threads/{thread}/messages"
    kind = await world.say("ana", thread, "Is Friday free?")
    hinted = await world.say("ana", thread, "Write to me at ana@example.com then")

    async def page(name: str) -> dict[str, Any]:
        messages = (await world.get(name, path))["messages"]
        return {message["messageId"]: message for message in messages}

    for _ in range(2):
        for name, sees_hints in (("ana", True), ("ben", False)):
            shown = await page(name)
            assert bool(shown[hinted["messageId"]]["policyHints"]) is sees_hints
            assert shown[kind["messageId"]] == {**kind, "seenBy": []}
    ok_json(await world.ask("ben", "PUT", f"/threads/{thread}/read", {"seq": kind["seq"]}))
    for name in ("ana", "ben"):
        shown = await page(name)
        assert [one["seenBy"] for one in shown.values()][-2:] == [[ben], []]
    one = f"{path}/{kind['messageId']}"
    edited = ok_json(await world.ask("ana", "PATCH", one, {"body": "Is Saturday free?"}))
    assert (await page("ben"))[kind["messageId"]] == {**edited, "seenBy": [ben]}
    ok_json(await world.ask("ben", "PUT", f"{one}/reactions/👍"))
    for name in ("ana", "ben"):
        shown = await page(name)
        assert shown[kind["messageId"]]["reactions"] == {"👍": [ben]}
        assert shown[kind["messageId"]]["authorUserId"] == ana


async def test_a_row_is_pinned_muted_archived_and_marked_in_one_request(world: ApiWorld) -> None:
    thread = await world.talk()
    path = f"/threads/{thread}/mine"
    wishes = {"pinned": True, "mutedUntil": "2100-01-02T00:00:00+01:00"}
    mine = ok_json(await world.ask("ben", "PATCH", path, wishes))
    assert (mine["pinned"], mine["mutedUntil"]) == (True, "2100-01-01T23:00:00.000Z")
    mine = ok_json(await world.ask("ben", "PATCH", path, {"archived": True, "mutedUntil": None}))
    assert (mine["folder"], mine["archived"], mine["mutedUntil"]) == ("archived", True, None)
    assert (await world.get("ben", "/inbox"))["threads"] == []
    await world.say("ana", thread, "Are you there?")
    [row] = (await world.get("ben", "/inbox"))["threads"]
    assert (row["mine"]["archived"], row["mine"]["pinned"]) == (False, True)
    mine = ok_json(await world.ask("ben", "PATCH", path, {"spam": True}))
    assert mine["folder"] == "spam"
    refused(await world.ask("ben", "PATCH", path, {"starred": True}), 400, "invalid-request")


async def test_a_draft_waits_for_its_owner(world: ApiWorld) -> None:
    thread = await world.talk()
    path = f"/threads/{thread}/draft"
    saved = ok_json(await world.ask("ana", "PUT", path, {"body": "Dear B"}))
    assert await world.get("ana", path) == saved
    assert (await world.get("ana", f"/threads/{thread}"))["mine"]["hasDraft"]
    assert (await world.get("ben", path))["body"] == ""
    ok_json(await world.ask("ana", "DELETE", path), 204)
    assert await world.get("ana", path) == {"body": "", "savedAt": None}


async def test_sync_returns_what_has_changed(world: ApiWorld) -> None:
    thread = await world.talk()
    start = await world.get("ben", "/sync")
    assert set(start["reset"]) == {"inbox", "notices", "scheduled", "files", "waiting"}
    assert inbox_in(start)["threads"] == []
    world.clock.advance(seconds=60)
    message = await world.say("ana", thread, "Friday?")
    synced = await world.get("ben", f"/sync?cursor={start['cursor']}")
    [change] = inbox_in(synced)["threads"]
    assert change["thread"] == await world.get("ben", f"/threads/{thread}")
    assert [found["messageId"] for found in change["messages"]] == [message["messageId"]]
    assert (inbox_in(synced)["gone"], synced["more"], synced["reset"]) == ([], False, [])
    world.clock.advance(seconds=60)
    own = world.ids["ben"]
    ok_json(await world.ask("ben", "DELETE", f"/threads/{thread}/participants/{own}"), 204)
    synced = await world.get("ben", f"/sync?cursor={synced['cursor']}")
    assert inbox_in(synced) == {"gone": [thread], "threads": []}
    refused(await world.ask("ana", "GET", "/sync?cursor=made-up"), 400, "invalid-cursor")


async def test_a_group_is_named_grows_and_shrinks(world: ApiWorld) -> None:
    thread = (await world.open("ana", "ben", kind="group"))["threadId"]
    await world.accept("ben", thread)
    answer = await world.ask("ana", "GET", f"/threads/{thread}")
    tag = answer.headers["etag"]
    named = await world.ask("ana", "PATCH", f"/threads/{thread}", {"subject": "May"}, If_Match=tag)
    assert ok_json(named)["subject"] == "May"
    stale = await world.ask("ana", "PATCH", f"/threads/{thread}", {"subject": "June"}, If_Match=tag)
    assert "version" not in refused(stale, 412, "thread-changed")
    added = {"userId": world.ids["dan"], "role": "host"}
    grown = ok_json(await world.ask("ana", "POST", f"/threads/{thread}/participants", added), 201)
    assert {one["userId"] for one in grown["participants"]} >= {world.ids["dan"]}
    path = f"/threads/{thread}/participants/{world.ids['dan']}"
    ok_json(await world.ask("ana", "DELETE", path), 204)
    page = await world.get("ben", f"/threads/{thread}/messages")
    events = [message["event"] for message in page["messages"]]
    assert events == ["subject.changed", "participant.added", "participant.removed"]


async def test_the_direct_conversation_of_two_is_one(world: ApiWorld) -> None:
    mine = ok_json(await world.ask("ana", "PUT", f"/direct/{world.ids['ben']}"))
    theirs = ok_json(await world.ask("ben", "PUT", f"/direct/{world.ids['ana']}"))
    assert mine["threadId"] == theirs["threadId"]
    refused(await world.ask("ana", "PUT", f"/direct/{world.ids['ana']}"), 422, "invalid-thread")
    refused(await world.ask("ana", "PUT", "/direct/usr_nobody"), 404, "person-not-found")


async def test_only_moderators_can_lock_a_thread(world: ApiWorld) -> None:
    thread = await world.talk()
    refused(await world.ask("ana", "POST", f"/threads/{thread}/lock"), 403, "role-not-allowed")
    locked = ok_json(await world.ask("mod", "POST", f"/threads/{thread}/lock"))
    assert locked["status"] == "locked"
    body = {"body": "Hello?", "clientMessageId": "l1"}
    silent = await world.ask("ana", "POST", f"/threads/{thread}/messages", body)
    refused(silent, 409, "conversation-locked")
    ok_json(await world.ask("mod", "POST", f"/threads/{thread}/unlock"))
    await world.say("ana", thread, "Hello!")


async def test_a_row_distinguishes_a_system_event_from_a_text(world: ApiWorld) -> None:
    thread = await world.talk()

    async def last() -> tuple[str, str | None]:
        [row] = (await world.get("ben", "/inbox"))["threads"]
        whole = await world.get("ben", f"/threads/{thread}")
        assert (row["preview"], row["previewEvent"]) == (whole["preview"], whole["previewEvent"])
        return row["preview"], row["previewEvent"]

    await world.say("ana", thread, "thread.locked")
    assert await last() == ("thread.locked", None)
    ok_json(await world.ask("mod", "POST", f"/threads/{thread}/lock"))
    assert await last() == ("", "thread.locked")
    ok_json(await world.ask("mod", "POST", f"/threads/{thread}/unlock"))
    ok_json(await world.ask("ben", "PUT", f"/blocks/{world.ids['ana']}?threadId={thread}"))
    await world.say("ana", thread, "Hello?")
    ok_json(await world.ask("ben", "DELETE", f"/blocks/{world.ids['ana']}"), 204)
    assert await last() == ("", "thread.unlocked")
    await world.say("ana", thread, "Hello!")
    assert await last() == ("Hello!", None)


async def test_a_blocked_user_sees_no_difference(world: ApiWorld) -> None:
    thread = await world.talk()
    await world.say("ana", thread, "Is Friday still free?")
    await world.say("ben", thread, "It is.")
    world.clock.advance(seconds=1)
    cursor = (await world.get("ana", "/sync"))["cursor"]
    world.clock.advance(seconds=60)

    async def known() -> Any:
        answer = await world.ask("ana", "GET", f"/threads/{thread}")
        page = await world.get("ana", f"/threads/{thread}/messages")
        inbox = await world.get("ana", "/inbox")
        changes = inbox_in(await world.get("ana", f"/sync?cursor={cursor}"))["threads"]
        return ok_json(answer), answer.headers["etag"], page, inbox, changes

    before = await known()
    assert [one["lastReadSeq"] for one in before[0]["participants"]] == [1, 2]
    path = f"/blocks/{world.ids['ana']}?threadId={thread}"
    ok_json(await world.ask("ben", "PUT", path))
    assert (await world.get("ben", "/inbox"))["threads"] == []
    assert await known() == before
    await world.say("ana", thread, "Hello?")
    assert (await world.get("ben", "/inbox"))["threads"] == []
    ok_json(await world.ask("ben", "DELETE", f"/blocks/{world.ids['ana']}"), 204)
    assert len((await world.get("ana", f"/threads/{thread}/messages"))["messages"]) == 3
    [row] = (await world.get("ben", "/inbox"))["threads"]
    assert (row["preview"], row["lastSeq"], row["mine"]["unread"]) == ("It is.", 2, 0)
    assert len((await world.get("ben", f"/threads/{thread}/messages"))["messages"]) == 2


async def test_an_existing_conversation_is_returned_instead_of_a_new_one(world: ApiWorld) -> None:
    people = [{"userId": world.ids["ben"]}]
    asked = {"kind": "inquiry", "participants": people, "message": {"body": "Hello Ben!"}}
    made = await world.ask("ana", "POST", "/threads", asked, Idempotency_Key="k")
    again = await world.ask("ana", "POST", "/threads", asked, Idempotency_Key="k")
    assert ok_json(made, 201)["sent"]["message"] == ok_json(again, 200)["sent"]["message"]
    thread = made.json()["thread"]["threadId"]
    assert again.headers["location"] == made.headers["location"] == f"/v1/threads/{thread}"
    del asked["message"]
    waiting = ok_json(await world.ask("ana", "POST", "/threads", asked), 200)
    assert (waiting["thread"]["threadId"], waiting["sent"]) == (thread, None)
    other = await world.ask("ana", "POST", "/threads", asked | {"kind": "booking"})
    problem = refused(other, 409, "already-asked")
    assert (problem["threadId"], problem["againAt"][-1]) == (thread, "Z")
    await world.accept("ben", thread)
    ok_json(await world.ask("ana", "POST", "/threads", asked | {"kind": "direct"}), 201)
    ok_json(await world.ask("ben", "POST", "/threads", _direct(world, "ana")), 200)


async def test_asking_again_after_withdrawing_says_from_when_it_is_possible(
    world: ApiWorld,
) -> None:
    opened = ok_json(await world.ask("ana", "POST", "/threads", _direct(world, "ben")), 201)
    waiting = await world.ask("ana", "POST", "/threads", _direct(world, "ben"))
    assert ok_json(waiting, 200)["thread"] == opened["thread"]
    [request] = opened["thread"]["requests"]
    ok_json(await world.ask("ana", "DELETE", f"/requests/{request['requestId']}"), 204)
    for way in (
        world.ask("ana", "POST", "/threads", _direct(world, "ben")),
        world.ask("ana", "PUT", f"/direct/{world.ids['ben']}"),
    ):
        problem = refused(await way, 409, "request-withdrawn")
        assert problem["againAt"] == "2100-01-15T00:00:00.000Z"
        assert problem["againAt"] in problem["detail"]


def _direct(world: ApiWorld, name: str) -> object:
    return {"kind": "direct", "participants": [{"userId": world.ids[name]}]}


async def test_a_refused_first_message_leaves_no_conversation(world: ApiWorld) -> None:
    body = {"kind": "inquiry", "participants": [{"userId": world.ids["ben"]}]}
    link = body | {"message": {"body": "Look at https://example.com/may"}}
    refused(await world.ask("ana", "POST", "/threads", link), 422, "plain-text-only")
    scam = body | {"message": {"body": "10000 followers for $9!!! Guaranteed income, dm me"}}
    held = ok_json(await world.ask("ana", "POST", "/threads", scam), 201)
    assert held["sent"]["status"] == "held"
    for name in ("ana", "ben"):
        assert (await world.get(name, "/inbox"))["threads"] == []


async def test_a_moderator_outside_gives_support_and_is_shown_no_message(world: ApiWorld) -> None:
    thread = await world.talk("ana", "ben")
    people = f"/threads/{thread}/participants"
    for _ in range(2):
        given = await world.ask("mod", "PATCH", f"{people}/{world.ids['ben']}", {"role": "support"})
        await world.say("ana", thread, "A secret")
    shown = ok_json(given, 200)
    roles = {one["userId"]: one["role"] for one in shown["participants"]}
    assert roles[world.ids["ben"]] == "support"
    assert "secret" not in given.text
    refused(
        await world.ask("mod", "PATCH", f"{people}/{world.ids['ana']}", {"role": "host"}),
        404,
        "thread-not-found",
    )
    cleo = {"userId": world.ids["cleo"], "role": "support"}
    ok_json(await world.ask("mod", "POST", people, cleo), 201)
    await world.say("ana", thread, "A secret")
    again = await world.ask("mod", "POST", people, cleo)
    assert (again.status_code, "secret" in again.text) == (200, False)
    assert (await world.ask("mod", "GET", f"/threads/{thread}")).status_code == 404


async def test_a_mute_lasts_until_the_end_of_the_year_9999_at_most(sqlite_world: ApiWorld) -> None:
    world = sqlite_world
    path = f"/threads/{await world.talk()}/mine"
    for until in ("9999-12-31T23:59:59.999Z", "2200-01-01T00:00:00.001Z"):
        mine = ok_json(await world.ask("ana", "PATCH", path, {"mutedUntil": until}))
        assert mine["mutedUntil"] == until
    for until in ("9999-12-31T23:59:59.999-01:00", "1969-12-31T23:59:59.999Z"):
        answer = await world.ask("ana", "PATCH", path, {"mutedUntil": until})
        assert "1970 and 9999" in refused(answer, 422, "invalid-read-position")["detail"]

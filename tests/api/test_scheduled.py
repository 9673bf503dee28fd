"""Scheduled messages over REST, and in the events and sync of their author."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from tests.api.world import ApiWorld, ok_json, refused
from tests.privacy.world import privacy_world
from tests.stores import SQLITE


def _at(world: Any, **ahead: float) -> str:
    now = datetime.fromtimestamp(world.clock.now_ms() / 1000, UTC)
    return (now + timedelta(**ahead)).isoformat()


async def _schedule(world: ApiWorld, thread: str, **headers: str) -> Any:
    new = {"body": "Good morning!", "sendAt": _at(world, hours=1)}
    path = f"/threads/{thread}/scheduled-messages"
    return ok_json(await world.ask("ana", "POST", path, new, **headers), 201)


async def test_from_scheduling_to_sending(world: ApiWorld) -> None:
    thread = await world.talk()
    scheduled = await _schedule(world, thread)
    assert scheduled["status"] == "pending"
    place = f"/scheduled-messages/{scheduled['scheduledMessageId']}"
    listed = await world.get("ana", f"/scheduled-messages?threadId={thread}")
    assert listed == {"scheduledMessages": [scheduled]}
    assert await world.get("ana", "/scheduled-messages?threadId=thr_none") == {
        "scheduledMessages": []
    }
    answer = await world.ask("ana", "PATCH", place, {"body": "Good day!"}, If_Match='"1"')
    changed = ok_json(answer)
    assert (changed["body"], changed["version"]) == ("Good day!", 2)
    assert answer.headers["etag"] == '"2"'
    stale = await world.ask("ana", "PATCH", place, {"body": "Hello"}, If_Match='"1"')
    refused(stale, 412, "version-mismatch")
    world.clock.advance(seconds=3600)
    await world.run_timers()
    page = await world.get("ben", f"/threads/{thread}/messages")
    assert [message["body"] for message in page["messages"]] == ["Good day!"]
    refused(await world.ask("ana", "GET", place), 404, "scheduled-message-not-found")
    refused(await world.ask("ana", "DELETE", place), 404, "scheduled-message-not-found")


async def test_a_retry_with_a_key_is_answered_as_the_first_time(world: ApiWorld) -> None:
    thread = await world.talk()
    first = await _schedule(world, thread, Idempotency_Key="tomorrow")
    place = f"/scheduled-messages/{first['scheduledMessageId']}"
    assert await _schedule(world, thread, Idempotency_Key="tomorrow") == first
    ok_json(await world.ask("ana", "DELETE", place), 204)
    assert await _schedule(world, thread, Idempotency_Key="tomorrow") == first
    assert await world.get("ana", "/scheduled-messages") == {"scheduledMessages": []}
    other = {"body": "Another text", "sendAt": _at(world, hours=1)}
    path = f"/threads/{thread}/scheduled-messages"
    answer = await world.ask("ana", "POST", path, other, Idempotency_Key="tomorrow")
    refused(answer, 422, "idempotency-key-reused")


@pytest.mark.parametrize(
    ("send_at", "code"),
    [
        ("2020-01-01T00:00:00Z", "invalid-send-time"),
        ("9999-12-31T23:59:59Z", "invalid-send-time"),
        ("2100-01-02T00:00:00", "invalid-request"),
        ("tomorrow", "invalid-request"),
        (4102444800000, "invalid-request"),
        (None, "invalid-request"),
    ],
)
async def test_bad_times_are_refused(sqlite_world: ApiWorld, send_at: object, code: str) -> None:
    thread = await sqlite_world.talk()
    path = f"/threads/{thread}/scheduled-messages"
    answer = await sqlite_world.ask("ana", "POST", path, {"body": "x", "sendAt": send_at})
    assert answer.json()["type"] == f"/problems/{code}", answer.text
    assert answer.status_code in (400, 422)


async def test_sending_now(sqlite_world: ApiWorld) -> None:
    thread = await sqlite_world.talk()
    scheduled = await _schedule(sqlite_world, thread)
    place = f"/scheduled-messages/{scheduled['scheduledMessageId']}"
    sent = ok_json(await sqlite_world.ask("ana", "POST", f"{place}/send"))
    assert (sent["status"], sent["message"]["body"]) == ("sent", "Good morning!")
    refused(
        await sqlite_world.ask("ana", "POST", f"{place}/send"), 404, "scheduled-message-not-found"
    )


async def test_why_it_failed_is_told_as_a_problem(sqlite_world: ApiWorld) -> None:
    world = sqlite_world
    thread = await world.talk()
    await _schedule(world, thread)
    ok_json(await world.ask("mod", "POST", f"/threads/{thread}/lock"))
    world.clock.advance(seconds=3600)
    await world.run_timers()
    [failed] = (await world.get("ana", "/scheduled-messages"))["scheduledMessages"]
    assert failed["status"] == "failed"
    assert failed["problem"]["type"] == "/problems/conversation-locked"
    assert "locked" in failed["problem"]["detail"]


async def test_only_its_author_gets_the_events(tmp_path: Any) -> None:
    async with privacy_world(f"{SQLITE}{tmp_path}/events.db") as world:
        for name in ("ana", "ben"):
            await world.join(name)
        thread = await world.talk("ana", "ben")
        ana, ben = world.listen("ana"), world.listen("ben")
        new = {"body": "Good morning!", "sendAt": _at(world, hours=1)}
        await world.call("ana", "POST", f"/threads/{thread}/scheduled-messages", new)
        world.clock.advance(seconds=3600)
        await world.run_timers()
        told = [event for event in ana.take() if event["type"] == "scheduled_message.changed"]
        assert [event["scheduledMessage"]["status"] for event in told] == ["pending", "sent"]
        [created] = ben.take()
        assert created["type"] == "message.created"
        assert told[-1]["messageId"] == created["message"]["messageId"]


async def _synced(world: ApiWorld, cursor: str | None) -> tuple[str, Any]:
    page = await world.get("ana", "/sync" + (f"?cursor={cursor}" if cursor else ""))
    return page["cursor"], page


async def test_sync_gives_the_list_when_it_has_changed(sqlite_world: ApiWorld) -> None:
    world = sqlite_world
    thread = await world.talk()
    cursor, page = await _synced(world, None)
    assert "scheduled" in page["reset"]
    world.clock.advance(seconds=90)
    cursor, page = await _synced(world, cursor)
    assert "scheduled" not in page
    scheduled = await _schedule(world, thread)
    cursor, page = await _synced(world, cursor)
    assert page["scheduled"] == {"scheduledMessages": [scheduled]}
    world.clock.advance(seconds=90)
    cursor, page = await _synced(world, cursor)
    cursor, page = await _synced(world, cursor)
    assert "scheduled" not in page, "nothing has changed for a while"
    place = f"/scheduled-messages/{scheduled['scheduledMessageId']}"
    ok_json(await world.ask("ana", "DELETE", place), 204)
    _, page = await _synced(world, cursor)
    assert page["scheduled"] == {"scheduledMessages": []}

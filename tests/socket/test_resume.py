"""Resume: missed events are replayed, then events are live, without gaps or duplicates.

A client that needs strict order sends `auth` and `resume` at once, as `ReconnectingClient` does.
"""

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, TypeAlias

import pytest

from greenroom.api.sync import Known, Page
from greenroom.api.ws import event_delivery
from greenroom.clock import ManualClock
from greenroom.ids import ThreadId, UserId
from greenroom.messaging import Messaging
from greenroom.messaging.events import MessageCreated
from greenroom.messaging.history import history
from greenroom.messaging.records import KEPT_MS
from greenroom.people.actor import Actor
from greenroom.store.problems import StoreUnavailable
from greenroom.store.server_clock import SLACK_MS
from tests.socket.client import Client, sending
from tests.socket.node import CAST, Node, held, serving
from tests.stores import IN_2100_MS
from tests.sync_pages import inbox_in


async def reconnect(
    node: Node, name: str, cursor: str, **have: int
) -> tuple[Client, dict[str, Any]]:
    """Reconnects and resumes. Returns the reply; replayed frames are among the events."""
    client = await node.connect()
    authenticated = await client.begin("auth", token=node.token(name))
    resumed = await client.begin("resume", cursor=cursor, have=have)
    assert (await authenticated)["type"] == "ack"
    return client, await resumed


def replayed(events: list[dict[str, Any]]) -> dict[str, Any]:
    """All pages of the replay, merged."""
    pages = [inbox_in(event["changes"]) for event in events if event["type"] == "synced"]
    threads = {change["thread"]["threadId"]: change for page in pages for change in page["threads"]}
    return {"threads": threads, "gone": [gone for page in pages for gone in page["gone"]]}


Gate: TypeAlias = Callable[[], Awaitable[None]]
Message: TypeAlias = dict[str, Any]


def gated(node: Node, monkeypatch: pytest.MonkeyPatch, gate: Gate, *, before: bool) -> None:
    """Runs a function before or after each page of a replay is read."""
    read = node.socket_server.sync.changes

    async def changes(actor: Actor, cursor: str | None, known: Known) -> Page:
        if before:
            await gate()
        found = await read(actor, cursor, known)
        if not before:
            await gate()
        return found

    monkeypatch.setattr(node.socket_server.sync, "changes", changes)


async def test_resume_replays_everything_missed_and_nothing_else(
    tmp_path: Path,
) -> None:
    async with serving(tmp_path, clock=ManualClock(IN_2100_MS)) as node:
        await node.join(*CAST, "dora")
        talk, left = await node.talk("ana", "ben"), await node.group("ben", "ana", "cleo")
        untouched = await node.talk("ana", "cleo")
        mine = [await node.say("ana", talk, f"mine {number}") for number in range(3)]
        held(node).advance(ms=2 * SLACK_MS)
        ana = await node.connect("ana")
        cursor = (await ana.ask("ping"))["cursor"]
        await ana.close()
        held(node).advance(ms=2 * SLACK_MS)

        new = await node.say("ben", talk, "new")
        first, second, third = (message["messageId"] for message in mine)
        at = f"/threads/{talk}/messages"
        await node.call("ana", "PATCH", f"{at}/{first}", {"body": "edited"})
        await node.call("ben", "PUT", f"{at}/{second}/reactions/👍")
        await node.call("ana", "DELETE", f"{at}/{third}")
        await node.call("ben", "PUT", f"/threads/{talk}/read", {"seq": new["seq"]})
        await node.call("ana", "PATCH", f"/threads/{talk}/mine", {"pinned": True})
        await node.call("ben", "DELETE", f"/threads/{left}/participants/{node.id('ana')}")
        asked = await node.open("dora", "ana")
        question = await node.say("dora", asked, "may I ask?")

        have = {talk: mine[-1]["seq"], untouched: 1}
        client, ack = await reconnect(node, "ana", cursor, **have)
        async with client:
            assert ack["type"] == "ack"
            assert ack["cursor"]
            assert "reset" not in ack
            found = replayed(client.take())
            assert found["threads"].keys() == {talk, asked}
            assert found["gone"] == [left]
            messages = {
                message["messageId"]: message for message in found["threads"][talk]["messages"]
            }
            assert messages.keys() == {first, second, third, new["messageId"]}
            assert messages[first]["body"] == "edited"
            assert messages[second]["reactions"] == {"👍": [node.id("ben")]}
            assert messages[third]["deletedAt"]
            assert found["threads"][talk]["thread"]["mine"]["pinned"]
            seen = {
                one["userId"]: one["lastReadSeq"]
                for one in found["threads"][talk]["thread"]["participants"]
            }
            assert seen[node.id("ben")] == new["seq"]
            (request,) = found["threads"][asked]["thread"]["requests"]
            assert request["senderUserId"] == node.id("dora")
            told = [message["messageId"] for message in found["threads"][asked]["messages"]]
            assert told == [question["messageId"]]
            shown = found["threads"][talk]["messages"]
            reloaded = {one["messageId"]: one for one in await node.history("ana", talk)}
            assert all(reloaded[one["messageId"]] == one for one in shown), "the same as over REST"

            live = await node.say("ben", talk, "live")
            (event,) = await client.events_so_far()
            assert event["message"]["messageId"] == live["messageId"]


async def test_many_changed_threads_come_in_several_pages(node: Node) -> None:
    others = [f"p{number:02}" for number in range(45)]
    await node.join(*others)
    async with await node.connect("ana") as ana:
        cursor = ana.hello["cursor"]
    for other in others:
        thread = await node.open(other, "ana")
        await node.say(other, thread, f"hello from {other}")
    client, ack = await reconnect(node, "ana", cursor)
    async with client:
        assert ack["type"] == "ack"
        events = client.take()
        pages = [event for event in events if event["type"] == "synced"]
        assert len(pages) > 1
        assert {page["id"] for page in pages} == {ack["id"]}
        assert len(replayed(events)["threads"]) == 45


class ReconnectingClient:
    """Connects, reads for a while, is disconnected, and resumes with what it has."""

    def __init__(self, node: Node, name: str, thread: str, cursor: str, first: Message) -> None:
        self.node, self.name, self.thread, self.cursor = node, name, thread, cursor
        self.seen: list[Message] = [first]

    async def stay(self, enough: int) -> None:
        """Reads until this many messages were seen in total."""
        raw = await self.node.raw()
        have = {self.thread: self.seen[-1]["seq"]}
        raw.text(
            {"type": "auth", "id": 1, "token": self.node.token(self.name)},
            {"type": "resume", "id": 2, "cursor": self.cursor, "have": have},
        )
        while len(self.seen) < enough:
            await self._take(await raw.frame())
        raw.abort()

    async def _take(self, frame: dict[str, Any]) -> None:
        if frame["type"] == "message.created":
            self.seen.append(frame["message"])
        elif frame["type"] == "synced":
            for change in inbox_in(frame["changes"])["threads"]:
                if change["truncated"] and change["messages"]:
                    await self._read_up_to(change["messages"][0]["seq"])
                self.seen += change["messages"]
            self.cursor = frame["changes"]["cursor"]
        elif frame["id"] == 2:
            assert frame["type"] == "ack", frame
            self.cursor = frame["cursor"]

    async def _read_up_to(self, seq: int) -> None:
        """A replay has the last hundred messages of a thread; older ones come from history."""
        while self.seen[-1]["seq"] < seq - 1:
            after = self.seen[-1]["messageId"]
            path = f"/threads/{self.thread}/messages?after={after}&limit=50"
            page = (await self.node.call(self.name, "GET", path))["messages"]
            self.seen += [message for message in page if message["seq"] < seq]


async def reconnect_repeatedly(node: Node, messages: int, times: int) -> list[int]:
    """What Ben has seen while Ana kept sending and he reconnected this many times."""
    thread = await node.talk("ana", "ben")
    async with await node.connect("ben") as before:
        cursor = before.hello["cursor"]
    ben = ReconnectingClient(node, "ben", thread, cursor, (await node.history("ben", thread))[0])

    async def talk(ana: Client) -> None:
        answers: list[asyncio.Future[dict[str, Any]]] = []
        for number in range(messages):
            request = sending(thread, f"message number {number}")
            answers.append(await ana.begin("send", **request))
            if number % 3 == 0:
                await answers[max(0, number - 6)]
        for answer in answers:
            assert (await answer)["type"] == "ack"

    async with await node.connect("ana") as ana:
        talking = asyncio.create_task(talk(ana))
        for stay in range(times):
            await ben.stay(6 + stay * messages // times)
        await talking
        await ben.stay(messages + 1)
    return [message["seq"] for message in ben.seen]


@pytest.mark.both_loops
async def test_nothing_is_lost_duplicated_or_reordered_while_a_client_reconnects(
    node: Node,
) -> None:
    assert await reconnect_repeatedly(node, 300, 10) == list(range(1, 302))


async def test_nothing_is_lost_duplicated_or_reordered_on_dynamodb(
    tmp_path: Path, dynamodb_url: str
) -> None:
    async with serving(tmp_path, dynamodb_url=dynamodb_url) as node:
        await node.join(*CAST)
        assert await reconnect_repeatedly(node, 60, 5) == list(range(1, 62))


@pytest.mark.both_loops
async def test_a_message_sent_during_a_replay_comes_once_after_it(
    node: Node, monkeypatch: pytest.MonkeyPatch
) -> None:
    thread = await node.talk("ana", "ben")
    async with await node.connect("ben") as before:
        cursor = before.hello["cursor"]
    await node.say("ana", thread, "missed")
    during: list[str] = []

    async def say() -> None:
        during.append(f"said during the replay {len(during)}")
        await node.say("ana", thread, during[-1])

    gated(node, monkeypatch, say, before=True)
    gated(node, monkeypatch, say, before=False)
    client, _ = await reconnect(node, "ben", cursor, **{thread: 1})
    async with client:
        await node.say("ana", thread, "live")
        events = await client.events_so_far()
    assert [event["type"] for event in events] == ["synced", "message.created", "message.created"]
    (page,) = replayed(events)["threads"].values()
    assert [message["body"] for message in page["messages"]] == ["missed", during[0]]
    assert [event["message"]["body"] for event in events[1:]] == [during[1], "live"]
    assert [message["seq"] for message in page["messages"]] == [2, 3]
    assert [event["message"]["seq"] for event in events[1:]] == [4, 5]


async def test_a_late_event_is_not_sent_to_a_client_that_has_the_message(
    node: Node,
) -> None:
    """A sync can show a message before its writer has published it."""
    thread = await node.talk("ana", "ben")
    async with await node.connect("ben") as before:
        cursor = before.hello["cursor"]
    said = await node.say("ana", thread, "in time")
    client, _ = await reconnect(node, "ben", cursor, **{thread: 1})
    async with client:
        (page,) = await client.events_so_far()
        cursor = page["changes"]["cursor"]
    messaging = node.contexts[Messaging]
    head = await messaging.thread_cache.read(ThreadId(thread))
    messages = (await history(messaging, Actor(UserId(node.id("ben"))), ThreadId(thread))).messages
    assert head is not None
    assert messages[-1].id == said["messageId"]
    client, _ = await reconnect(node, "ben", cursor, **{thread: 2})
    async with client:
        messaging.publish(head, MessageCreated(messages[-1]))
        await node.say("ana", thread, "later")
        assert [event["message"]["body"] for event in await client.events_so_far()] == ["later"]


async def test_a_change_during_a_replay_is_sent_if_it_is_newer(
    node: Node, monkeypatch: pytest.MonkeyPatch
) -> None:
    thread = await node.talk("ana", "ben")
    async with await node.connect("ben") as before:
        cursor = before.hello["cursor"]
    missed = (await node.say("ana", thread, "missed"))["messageId"]
    path = f"/threads/{thread}/messages/{missed}"

    async def edit() -> None:
        await node.call("ana", "PATCH", path, {"body": "edited before"})

    async def react() -> None:
        await node.call("ana", "PUT", f"{path}/reactions/👍")

    gated(node, monkeypatch, edit, before=True)
    gated(node, monkeypatch, react, before=False)
    client, _ = await reconnect(node, "ben", cursor, **{thread: 1})
    async with client:
        page, changed = await client.events_so_far()
    (message,) = replayed([page])["threads"][thread]["messages"]
    assert (message["body"], message["version"]) == ("edited before", 2)
    assert (changed["type"], changed["message"]["version"]) == ("reaction.changed", 3)


async def test_live_events_before_the_resume_are_not_replayed(node: Node) -> None:
    thread = await node.talk("ana", "ben")
    async with await node.connect("ben") as before:
        cursor = before.hello["cursor"]
    missed = await node.say("ana", thread, "missed")
    async with await node.connect("ben") as ben:
        live = await node.say("ana", thread, "live")
        assert (await ben.event("message.created"))["message"]["seq"] == live["seq"]
        assert (await ben.ask("resume", cursor=cursor, have={thread: 1}))["type"] == "ack"
        (page,) = replayed(await ben.events_so_far())["threads"].values()
        assert [message["seq"] for message in page["messages"]] == [missed["seq"]]


async def test_a_cursor_that_is_too_old_gets_a_reset(tmp_path: Path) -> None:
    async with serving(tmp_path, clock=ManualClock(IN_2100_MS)) as node:
        await node.join(*CAST)
        thread = await node.talk("ana", "ben")
        async with await node.connect("ben") as before:
            old = before.hello["cursor"]
        held(node).advance(ms=KEPT_MS)
        await node.say("ana", thread, "missed")
        client, ack = await reconnect(node, "ben", old)
        async with client:
            assert (ack["type"], set(ack["reset"])) == ("ack", {"inbox", "notices", "files"})
            assert not await client.events_so_far(), "it must start again from the inbox"
            live = await node.say("ana", thread, "live")
            assert (await client.event("message.created"))["message"]["seq"] == live["seq"]
        again, ack = await reconnect(node, "ben", ack["cursor"], **{thread: live["seq"]})
        async with again:
            assert "reset" not in ack, "the new cursor is valid"


async def test_an_invalid_cursor_is_refused_and_the_socket_stays_open(
    node: Node, monkeypatch: pytest.MonkeyPatch
) -> None:
    thread = await node.talk("ana", "ben")
    async with await node.connect("ana") as ana:
        anas = ana.hello["cursor"]
    said: list[dict[str, Any]] = []

    async def say() -> None:
        said.append(await node.say("ana", thread, f"said meanwhile {len(said)}"))

    gated(node, monkeypatch, say, before=True)
    async with await node.connect("ben") as ben:
        bens = ben.hello["cursor"]
        tampered = bens[:-3] + ("aaa" if bens[-3:] != "aaa" else "bbb")
        for cursor in (anas, tampered, "nonsense", "", "\0", "x" * 4096):
            answer = await ben.ask("resume", cursor=cursor)
            assert answer["problem"]["type"] == "/problems/invalid-cursor", cursor
            assert (await ben.ask("ping"))["cursor"], "nothing was lost"
        told = [event["message"]["seq"] for event in await ben.events_so_far()]
        assert told == [message["seq"] for message in said]
        assert (await ben.ask("resume", cursor=bens))["type"] == "ack"


async def test_a_second_resume_at_once_is_refused(
    node: Node, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened = asyncio.Event()

    async def wait() -> None:
        await opened.wait()

    gated(node, monkeypatch, wait, before=True)
    async with await node.connect("ben") as ben:
        cursor = ben.hello["cursor"]
        first = await ben.begin("resume", cursor=cursor)
        second = await ben.ask("resume", cursor=cursor)
        assert second["problem"]["type"] == "/problems/resume-in-progress"
        assert second["problem"]["status"] == 409
        assert "cursor" not in await ben.ask("ping"), "no cursor before the replay is complete"
        opened.set()
        assert (await first)["type"] == "ack"
        assert (await ben.ask("ping"))["cursor"]
        assert (await ben.ask("resume", cursor=cursor))["type"] == "ack", "one after the other"


async def test_after_a_gap_there_is_no_cursor_until_the_client_resumes(
    node: Node,
) -> None:
    thread = await node.talk("ana", "ben")
    async with await node.connect("ben") as ben:
        cursor = (await ben.ask("ping"))["cursor"]
        node.socket_server.hub._on_gap()
        node.socket_server.hub._on_gap()
        await ben.event("resync")
        assert "cursor" not in await ben.ask("ping")
        renewed = await ben.ask("auth", token=node.token("ben"))
        assert renewed["type"] == "ack"
        assert "cursor" not in renewed
        missed = await node.say("ana", thread, "missed or not")
        assert await ben.events_so_far() == [], "one resync is enough, the rest is replayed"
        ack = await ben.ask("resume", cursor=cursor, have={thread: 1})
        assert ack["cursor"]
        (page,) = replayed(await ben.events_so_far())["threads"].values()
        assert [message["seq"] for message in page["messages"]] == [missed["seq"]]
        assert (await ben.ask("ping"))["cursor"]
        live = await node.say("ana", thread, "live")
        assert (await ben.event("message.created"))["message"]["seq"] == live["seq"]


async def test_a_resume_that_fails_leaves_everything_as_it_was(
    node: Node, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def fail() -> None:
        raise StoreUnavailable("for a test")

    async with await node.connect("ben") as ben:
        cursor = (await ben.ask("ping"))["cursor"]
        node.socket_server.hub._on_gap()
        await ben.event("resync")
        with monkeypatch.context() as patched:
            gated(node, patched, fail, before=True)
            answer = await ben.ask("resume", cursor=cursor)
            assert answer["problem"]["status"] == 503
        assert "cursor" not in await ben.ask("ping"), "it is still behind"
        assert (await ben.ask("resume", cursor=cursor))["type"] == "ack"
        assert (await ben.ask("ping"))["cursor"]


@pytest.mark.parametrize("how", ["the bus", "too many"])
async def test_a_gap_during_a_replay_is_announced_after_it(
    node: Node, monkeypatch: pytest.MonkeyPatch, how: str
) -> None:
    thread = await node.talk("ana", "ben")
    monkeypatch.setattr(event_delivery, "MOST_HELD", 3)
    said: list[int] = []

    async def lose() -> None:
        if how == "the bus":
            node.socket_server.hub._on_gap()
        for number in range(5):
            said.append((await node.say("ana", thread, f"{how} {number}"))["seq"])

    async with await node.connect("ben") as ben:
        with monkeypatch.context() as patched:
            gated(node, patched, lose, before=False)
            ack = await ben.ask("resume", cursor=ben.hello["cursor"], have={thread: 1})
        assert ack["cursor"]
        (page, resync) = await ben.events_so_far()
        assert (page["type"], resync["type"]) == ("synced", "resync")
        assert "cursor" not in await ben.ask("ping")
        assert (await ben.ask("resume", cursor=ack["cursor"], have={thread: 1}))["cursor"]
        (page,) = replayed(await ben.events_so_far())["threads"].values()
        assert [message["seq"] for message in page["messages"]] == said


async def test_a_disconnect_during_a_replay_leaves_nothing_behind(
    node: Node, monkeypatch: pytest.MonkeyPatch
) -> None:
    reached, opened = asyncio.Event(), asyncio.Event()

    async def wait() -> None:
        reached.set()
        await opened.wait()

    gated(node, monkeypatch, wait, before=True)
    ben = await node.connect("ben")
    await ben.begin("resume", cursor=ben.hello["cursor"])
    await reached.wait()
    await ben.close()
    opened.set()
    await node.quiet()

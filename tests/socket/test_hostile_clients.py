"""Clients that flood the server, do not read, do not answer, or disconnect at any moment."""

import asyncio
import json
import logging
from pathlib import Path
from typing import Any

import pytest

from greenroom.api.ws.session import MOST_UNDER_WAY, Session
from greenroom.api.ws.socket_server import Timeouts
from tests.socket.client import sending
from tests.socket.node import CAST, Node, serving, until
from tests.socket.raw_client import CLOSE, PING, PONG, TEXT, RawClient, framed

GONE_AWAY = 1001
MOST_IN_MEMORY = 1_500_000
"""Limits of one client's unprocessed input and of its unsent output."""


def only_session(node: Node) -> Session:
    (session,) = node.socket_server.sessions
    return session


def buffered_bytes(session: Session) -> int:
    transport: Any = session.transport
    written = transport._transport.underlying_transport.get_write_buffer_size()
    waiting = session.outbox._bytes
    return int(written + waiting + sum(map(len, session._unread or ())))


@pytest.mark.both_loops
async def test_a_flood_without_reading_takes_little_memory_and_others_are_served(
    node: Node,
) -> None:
    thread = await node.talk("ben", "cleo")
    raw = await node.raw("ana", most_unread=4096)
    session = only_session(node)
    pings = [json.dumps({"type": "ping", "id": number}).encode() for number in range(1, 5001)]
    raw.writer.write(b"".join(framed(TEXT, ping) for ping in pings))
    heaviest = most = 0
    async with await node.connect("ben") as ben:
        for number in range(20):
            ack = await ben.send(thread, f"message {number}")
            assert ack["type"] == "ack"
            heaviest = max(heaviest, buffered_bytes(session))
            most = max(most, len(session._tasks))
    assert session.outbox.is_full, "the flood exceeds the limit"
    assert 0 < heaviest < MOST_IN_MEMORY
    assert most <= MOST_UNDER_WAY
    answered: set[int] = set()
    while len(answered) < len(pings):
        answer = await raw.frame()
        assert answer["type"] == "ack"
        answered.add(answer["id"])
        heaviest = max(heaviest, buffered_bytes(session))
    assert heaviest < MOST_IN_MEMORY
    assert answered == set(range(1, len(pings) + 1)), "none is lost"
    raw.abort()


async def test_a_flood_of_messages_is_done_in_order_and_others_are_served(node: Node) -> None:
    flooded, thread = await node.talk("ana", "ben"), await node.talk("ben", "cleo")
    raw = await node.raw("ana", most_unread=4096)
    for number in range(1, 1001):
        raw.text({"type": "send", "id": number, **sending(flooded, f"message {number}")})
    async with await node.connect("cleo") as cleo:
        for number in range(5):
            assert (await cleo.send(thread, f"message {number}"))["type"] == "ack"
    seqs: dict[int, int] = {}
    while len(seqs) < 1000:
        frame = await raw.frame()
        if frame["type"] != "message.created":
            assert frame["type"] == "ack", frame
            seqs[frame["id"]] = frame["message"]["seq"]
    assert [seqs[number] for number in range(1, 1001)] == list(range(2, 1002))
    raw.abort()


async def test_a_flood_without_a_token_is_closed_soon(node: Node) -> None:
    raw = await node.raw()
    raw.writer.write(framed(TEXT, b'{"type":"ping","id":1}') * 10_000)
    code, _ = await raw.closed()
    assert code == 1008
    await node.quiet()


async def test_a_flood_of_protocol_pings_takes_little_memory(node: Node) -> None:
    raw = await node.raw("ana", most_unread=4096)
    session = only_session(node)
    raw.writer.write(framed(PING, b"x" * 125) * 40_000)
    heaviest = 0
    async with await node.connect("ben") as ben:
        for _ in range(50):
            assert (await ben.ask("ping"))["type"] == "ack"
            heaviest = max(heaviest, buffered_bytes(session))
    assert heaviest < MOST_IN_MEMORY
    raw.abort()


async def test_a_flood_of_focus_and_typing_is_rate_limited(node: Node) -> None:
    threads = [await node.talk("ana", "ben"), await node.talk("ana", "cleo")]
    raw = await node.raw("ana")
    before = node.written()
    for number in range(1000):
        raw.text({"type": "focus", "threadIds": [threads[number % 2]]})
        raw.text({"type": "typing", "threadId": threads[number % 2], "on": number % 3 > 0})
    raw.text({"type": "ping", "id": 1})
    await raw.answer(1)
    await node.quiet(1)
    assert 0 < node.written() - before < 100
    raw.abort()


@pytest.mark.both_loops
async def test_a_client_that_answers_no_ping_is_closed(tmp_path: Path) -> None:
    timeouts = Timeouts(idle=0.1, pong=0.05)
    async with serving(tmp_path, timeouts=timeouts) as node:
        await node.join(*CAST)
        dead, alive = await node.raw("ana"), await node.raw("ben")
        for _ in range(3):
            kind, payload = await alive.next()
            assert kind == PING
            alive.send(PONG, payload)
        kinds = [(await dead.next())[0], (await dead.next())[0]]
        assert kinds == [PING, CLOSE]
        await until(lambda: len(node.socket_server.sessions) == 1)
        alive.text({"type": "ping", "id": 1})
        assert (await alive.answer(1))["type"] == "ack"
        for raw in (dead, alive):
            raw.abort()


async def test_a_client_that_reads_nothing_is_closed(tmp_path: Path) -> None:
    timeouts = Timeouts(idle=0.1, pong=0.05)
    async with serving(tmp_path, timeouts=timeouts) as node:
        await node.join(*CAST)
        raw = await node.raw("ana", most_unread=4096)
        raw.pause()
        raw.writer.write(framed(TEXT, b'{"type":"ping","id":1}') * 20_000)
        await until(lambda: not node.socket_server.sessions)
        raw.abort()


@pytest.mark.both_loops
async def test_a_disconnect_at_any_moment_leaves_nothing_behind(
    node: Node, caplog: pytest.LogCaptureFixture
) -> None:
    """Accepted requests complete, and no state of the client remains."""
    caplog.set_level(logging.WARNING)
    thread = await node.talk("ana", "ben")
    cursor = (await (await node.connect("ana")).ask("ping"))["cursor"]
    token = node.token("ana")
    said: list[dict[str, Any]] = [
        {"type": "auth", "id": 1, "token": token},
        {"type": "resume", "id": 2, "cursor": cursor},
        {"type": "focus", "threadIds": [thread]},
        {"type": "typing", "threadId": thread},
        {"type": "send", "id": 3, **sending(thread, "the last word", "last")},
    ]
    whole = b"".join(framed(TEXT, json.dumps(frame).encode()) for frame in said)
    for size in (0, 1, 5, 100, len(whole) - 1, len(whole)):
        raw = await node.raw()
        raw.writer.write(whole[:size])
        raw.writer.close()
    for turns in range(12):
        raw = await node.raw()
        raw.writer.write(whole)
        for _ in range(turns):
            await asyncio.sleep(0)
        raw.abort()
    await node.http.close()
    await node.quiet()
    assert node.socket_server.hub._subscribers.keys() <= {"all"}
    assert not caplog.records, caplog.records


async def test_a_message_of_a_disconnected_client_is_sent(node: Node) -> None:
    thread = await node.talk("ana", "ben")
    raw = await node.raw("ana")
    async with await node.connect("ben") as ben:
        raw.text({"type": "send", "id": 1, **sending(thread, "the last word", "last")})
        raw.writer.close()
        told = await ben.event("message.created")
        assert told["message"]["body"] == "the last word"
    again = await node.say("ana", thread, "the last word", "last")
    assert again["messageId"] == told["message"]["messageId"]


async def test_last_frames_arrive_while_the_client_keeps_sending(node: Node) -> None:
    """Closing a TCP socket with unread input resets it."""
    raw = await node.raw("ana")
    raw.writer.write(framed(TEXT, b"nonsense" * 1000) * 200)
    code, _ = await raw.closed()
    assert code == 1008


async def test_a_client_that_sends_no_close_frame_is_disconnected(tmp_path: Path) -> None:
    async with serving(tmp_path, timeouts=Timeouts(close_reply=0.1)) as node:
        raw = await RawClient.connect(node.port)
        raw.text({"type": "auth", "id": 1, "token": "nonsense"})
        assert (await raw.frame())["type"] == "problem"
        assert (await raw.next())[0] == CLOSE
        assert await raw.reader.read() == b""
        await node.quiet()
        raw.abort()


async def test_a_failing_connection_does_not_affect_others(
    node: Node, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    thread = await node.talk("ana", "ben")
    async with await node.connect("ben") as broken:
        session = only_session(node)
        async with await node.connect("ana") as ana, await node.connect("ben") as ben:

            def fail(_: object) -> None:
                raise RuntimeError("for a test")

            monkeypatch.setattr(session.delivery, "on_message", fail)
            assert (await ana.send(thread, "hello"))["type"] == "ack"
            assert (await ben.event("message.created"))["message"]["body"] == "hello"
            assert not broken.events
    assert "for a test" in caplog.text


async def test_unread_history_pages_do_not_pile_up(node: Node) -> None:
    """A small request has a large reply, so replies are sent one at a time, as they are read."""
    thread = await node.talk("ana", "ben")
    async with await node.connect("ana") as ana:
        for _ in range(20):
            await ana.send(thread, "Could we begin a little later? " * 250)
    count = len(await node.history("ben", thread))
    assert count > 5
    raw = await node.raw("ben")
    raw.pause()
    for number in range(200):
        raw.text({"type": "history", "id": number + 1, "threadId": thread, "limit": 50})
    async with await node.connect("cleo") as other:
        for _ in range(5):
            assert (await other.ask("ping"))["type"] == "ack"
            await asyncio.sleep(0.1)
        (session,) = [
            one for one in node.socket_server.sessions if one.delivery.user == node.id("ben")
        ]
        # Each waits for the one before.
        await until(lambda: session.outbox.is_full and len(session._tasks) > 150)
    raw.resume()
    answers = [await raw.answer(number + 1) for number in range(200)]
    assert {len(answer["page"]["messages"]) for answer in answers} == {count}
    raw.abort()

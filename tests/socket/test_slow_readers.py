"""Slow readers: a bounded queue, then `resync`, without delaying others."""

import asyncio
import time
from collections.abc import Callable
from typing import Any

import pytest

from greenroom.api.messaging.focused_threads import FocusedThreads
from greenroom.api.ws.session import Session
from greenroom.realtime import outbox
from greenroom.realtime.outbox import MOST_WAITING, Outbox
from tests.socket.client import Client, sending
from tests.socket.node import Node, until
from tests.socket.raw_client import RawClient
from tests.sync_pages import inbox_in

LONG = "A long story. " * 500
"""Seven thousand letters: a few such messages fill the network buffers."""


async def slow(node: Node, name: str) -> tuple[RawClient, Session]:
    """A connected client that reads nothing."""
    before = set(node.socket_server.sessions)
    raw = await node.raw(name, most_unread=4096)
    raw.pause()
    (session,) = node.socket_server.sessions - before
    return raw, session


async def fill(ana: Client, thread: str, is_enough: Callable[[], bool]) -> int:
    """Sends until the condition holds. Returns the number of messages."""
    for sent in range(1000):
        if is_enough():
            return sent
        began = time.monotonic()
        ack = await ana.send(thread, f"{sent} {LONG}")
        assert ack["type"] == "ack", ack
        assert time.monotonic() - began < 2, "a slow reader delays nobody"
    raise AssertionError("it takes more than a thousand messages")


@pytest.mark.both_loops
async def test_a_slow_reader_must_resync_and_delays_nobody(
    node: Node, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(outbox, "MOST_WAITING_BYTES", 200_000)
    thread = await node.talk("ana", "ben")
    cursor: str = (await (await node.connect("ben")).ask("ping"))["cursor"]
    raw, session = await slow(node, "ben")
    async with await node.connect("ana") as ana, await node.connect("ben") as quick:
        waited: list[int] = []

        def is_behind() -> bool:
            waited.append(session.outbox._bytes)
            return session.outbox.is_behind

        sent = await fill(ana, thread, is_behind)
        assert 0 < max(waited) <= 200_000
        assert session.outbox.waiting == 0, "the queue is dropped"
        told = [
            event for event in await quick.events_so_far() if event["type"] == "message.created"
        ]
        assert len(told) == sent, "the other device received them all"

        raw.resume()
        seqs = []
        while (frame := await raw.frame())["type"] != "resync":
            assert frame["type"] == "message.created"
            seqs.append(frame["message"]["seq"])
        assert seqs == list(range(2, 2 + len(seqs)))
        assert len(seqs) < sent
        raw.text({"type": "ping", "id": 1})
        assert "cursor" not in await raw.answer(1)
        raw.text({"type": "resume", "id": 2, "cursor": cursor, "have": {thread: seqs[-1]}})
        frame = await raw.frame()
        assert frame["type"] == "synced"
        (page,) = (
            change
            for change in inbox_in(frame["changes"])["threads"]
            if change["thread"]["threadId"] == thread
        )
        first = page["messages"][0]["seq"]
        assert first == seqs[-1] + 1 or page["truncated"]
        assert page["messages"][-1]["seq"] == sent + 1
        assert (await raw.answer(2))["cursor"]
        live = await ana.send(thread, "live again")
        assert (await raw.frame())["message"]["seq"] == live["message"]["seq"]
    raw.abort()


async def test_a_reader_that_is_a_little_slow_loses_nothing(node: Node) -> None:
    thread = await node.talk("ana", "ben")
    raw, session = await slow(node, "ben")
    async with await node.connect("ana") as ana:
        sent = await fill(ana, thread, lambda: session.outbox.waiting == 5)
        raw.resume()
        seqs = [(await raw.frame())["message"]["seq"] for _ in range(sent)]
        assert seqs == list(range(2, 2 + sent))
        raw.text({"type": "ping", "id": 1})
        assert (await raw.answer(1))["cursor"]
    raw.abort()


async def test_there_is_no_cursor_while_events_are_queued(node: Node) -> None:
    """The reply would overtake queued events, and they may still be dropped."""
    thread = await node.talk("ana", "ben")
    raw, session = await slow(node, "ben")
    async with await node.connect("ana") as ana:
        await fill(ana, thread, lambda: session.outbox.waiting == 5)
        assert session.cursor() is None
    raw.abort()


async def test_ephemeral_events_are_never_queued(node: Node) -> None:
    thread = await node.talk("ana", "ben")
    raw, session = await slow(node, "ben")
    raw.text({"type": "focus", "threadIds": [thread]})
    await until(lambda: bool(session.part(FocusedThreads).threads))
    async with await node.connect("ana") as ana:
        await fill(ana, thread, lambda: session.outbox.is_full)
        before = session.outbox.waiting
        await ana.say("typing", threadId=thread)
        await node.quiet(2)
        assert session.outbox.waiting == before
    raw.abort()


async def test_a_long_replay_is_read_no_faster_than_the_client_reads(node: Node) -> None:
    others = [f"p{number:02}" for number in range(45)]
    await node.join(*others)
    async with await node.connect("ana") as ana:
        cursor = ana.hello["cursor"]
    for other in others:
        thread = await node.open(other, "ana")
        await node.say(other, thread, f"{other}: {LONG}")
    raw = await node.raw("ana", most_unread=4096)
    (session,) = node.socket_server.sessions
    pages: list[Any] = []
    heaviest = 0
    raw.text({"type": "resume", "id": 1, "cursor": cursor})
    transport: Any = session.transport
    while True:
        heaviest = max(heaviest, transport._transport.underlying_transport.get_write_buffer_size())
        frame = await raw.frame()
        if frame["type"] == "ack":
            break
        pages.append(frame)
        await asyncio.sleep(0)
    assert sum(len(inbox_in(page["changes"])["threads"]) for page in pages) == 45
    assert len(pages) >= 3
    biggest = max(len(str(page)) for page in pages)
    assert heaviest < 2 * biggest, "one page at a time"
    raw.abort()


# The outbox alone.


class FakeTransport:
    """A transport that accepts `accepts` payloads and then is full."""

    def __init__(self, accepts: int) -> None:
        self.accepts = accepts
        self.sent: list[bytes] = []
        self.outbox = Outbox(self.write, b"resync")

    def write(self, payload: bytes) -> None:
        self.sent.append(payload)
        self.accepts -= 1
        if self.accepts <= 0:
            self.outbox.pause()

    def drain(self, accepts: int) -> None:
        self.accepts = accepts
        self.outbox.resume()


def numbered(*numbers: int) -> list[bytes]:
    return [str(number).encode() for number in numbers]


def test_queued_events_are_sent_in_order() -> None:
    transport = FakeTransport(accepts=2)
    for payload in numbered(*range(6)):
        transport.outbox.send_event(payload)
    assert transport.sent == numbered(0, 1)
    transport.drain(accepts=3)
    assert transport.sent == numbered(0, 1, 2, 3, 4)
    assert transport.outbox.waiting == 1
    transport.drain(accepts=9)
    assert transport.sent == numbered(*range(6))
    assert not transport.outbox.is_behind


def test_replies_are_never_dropped() -> None:
    transport = FakeTransport(accepts=1)
    for payload in numbered(*range(MOST_WAITING + 5)):
        transport.outbox.send_event(payload)
    transport.outbox.send_reply(b"answer")
    assert transport.outbox.is_behind
    assert transport.sent == [b"0", b"answer"]


def test_an_overflow_is_reported_once() -> None:
    transport = FakeTransport(accepts=1)
    for payload in numbered(*range(3 * MOST_WAITING)):
        transport.outbox.send_event(payload)
    assert (transport.outbox.waiting, transport.outbox.is_behind) == (0, True)
    transport.outbox.require_resync()
    transport.drain(accepts=9)
    transport.outbox.send_event(b"after")
    transport.outbox.require_resync()
    assert transport.sent == [b"0", b"resync"]
    transport.outbox.mark_resumed()
    transport.outbox.send_event(b"live")
    assert transport.sent == [b"0", b"resync", b"live"]
    transport.outbox.require_resync()
    assert transport.sent[-1] == b"resync", "a new drop is reported again"


def test_an_overflow_by_size(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(outbox, "MOST_WAITING_BYTES", 10)
    transport = FakeTransport(accepts=1)
    transport.outbox.send_event(b"first")
    transport.outbox.send_event(b"x" * 10)
    assert not transport.outbox.is_behind
    transport.outbox.send_event(b"x")
    assert transport.outbox.is_behind


def test_ephemeral_events_are_dropped_while_the_transport_is_full() -> None:
    transport = FakeTransport(accepts=1)
    transport.outbox.send_ephemeral(b"typing")
    transport.outbox.send_ephemeral(b"typing again")
    assert (transport.sent, transport.outbox.waiting) == ([b"typing"], 0)


async def test_waiters_continue_when_the_transport_is_writable_or_closed() -> None:
    transport = FakeTransport(accepts=1)
    await transport.outbox.wait_writable()
    transport.outbox.send_event(b"0")
    waiting = [asyncio.ensure_future(transport.outbox.wait_writable()) for _ in range(2)]
    await asyncio.sleep(0)
    assert not any(one.done() for one in waiting)
    transport.drain(accepts=9)
    await asyncio.gather(*waiting)
    transport.outbox.pause()
    last = asyncio.ensure_future(transport.outbox.wait_writable())
    await asyncio.sleep(0)
    transport.outbox.close()
    await last


async def test_requests_of_a_slow_reader_wait(node: Node) -> None:
    thread = await node.talk("ana", "ben")
    raw, session = await slow(node, "ben")
    async with await node.connect("ana") as ana:
        await fill(ana, thread, lambda: session.outbox.is_full)
        raw.text({"type": "send", "id": 7, **sending(thread, "from the slow one", "slow")})
        seen = await ana.events_so_far()
        assert "from the slow one" not in [
            event["message"]["body"] for event in seen if "message" in event
        ]
        raw.resume()
        ack = await raw.answer(7)
        assert ack["message"]["body"] == "from the slow one"
    raw.abort()

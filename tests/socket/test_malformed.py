"""Malformed frames and protocol violations: a clear problem, or a close with a reason."""

import json
import logging
import struct
from typing import Any

import pytest

from greenroom.api.ws.transport import MOST_BYTES
from tests.socket.client import sending
from tests.socket.node import Node
from tests.socket.raw_client import (
    BINARY,
    CLOSE,
    CONTINUATION,
    PING,
    PONG,
    TEXT,
    RawClient,
    Refused,
    framed,
)

AGAINST_THE_PROTOCOL, TOO_BIG, TOO_MUCH = 1002, 1009, 1008
DEEP = b"[" * 50_000 + b"]" * 50_000
NO_FRAMES = {
    "nothing": (b"", None),
    "no JSON": (b"hello", None),
    "half of it": (b'{"type":"ping","id":7', None),
    "a list": (b'[{"type":"ping","id":7}]', None),
    "null": (b"null", None),
    "a number": (b"7", None),
    "not a number": (b"NaN", None),
    "two at once": (b'{"type":"ping","id":7}{"type":"ping","id":8}', None),
    "no type": (b'{"id":7}', 7),
    "an unknown type": (b'{"type":"shout","id":7}', 7),
    "a type that is no text": (b'{"type":7,"id":7}', 7),
    "an event": (b'{"type":"message.created","id":7}', 7),
    "no number": (b'{"type":"ping"}', None),
    "a number that is text": (b'{"type":"ping","id":"7"}', None),
    "a number with a point": (b'{"type":"ping","id":7.5}', None),
    "a number below zero": (b'{"type":"ping","id":-7}', -7),
    "a number that is too big": (
        b'{"type":"ping","id":99999999999999999999}',
        99999999999999999999,
    ),
    "a number with 5,000 digits": (b'{"type":"ping","id":' + b"9" * 5000 + b"}", None),
    "an unknown field": (b'{"type":"ping","id":7,"loud":true}', 7),
    "a missing field": (b'{"type":"read","id":7,"threadId":"t"}', 7),
    "a wrong type": (b'{"type":"read","id":7,"threadId":"t","seq":"1"}', 7),
    "an empty id": (b'{"type":"read","id":7,"threadId":"","seq":1}', 7),
    "an id that is too long": (
        b'{"type":"read","id":7,"threadId":"' + b"t" * 65 + b'","seq":1}',
        7,
    ),
    "too many on screen": (json.dumps({"type": "focus", "threadIds": ["t"] * 21}).encode(), None),
    "too many that it has": (
        json.dumps(
            {"type": "resume", "id": 7, "cursor": "c", "have": {f"t{n}": 1 for n in range(1001)}}
        ).encode(),
        7,
    ),
    "nested deep": (DEEP, None),
    "nested deep before the type": (b'{"x":' + DEEP + b',"id":7,"type":"ping"}', None),
    "nested deep in a field": (b'{"type":"ping","id":7,"x":' + DEEP + b"}", None),
    "a lone surrogate": (b'{"type":"ping","id":7,"\\ud800":1}', None),
    "a lone surrogate in a body": (
        b'{"type":"send","id":7,"threadId":"t","clientMessageId":"c","body":"\\ud800"}',
        None,
    ),
    "a bare NUL": (b'{"type":"ping","id":7}\0', None),
    "invalid UTF-8": (
        b'{"type":"send","id":7,"threadId":"t","clientMessageId":"c","body":"\xff\xfe"}',
        7,
    ),
    "a surrogate in UTF-8": (
        b'{"type":"send","id":7,"threadId":"t","clientMessageId":"c","body":"\xed\xa0\x80"}',
        7,
    ),
    "UTF-16": ('{"type":"ping","id":7}'.encode("utf-16"), None),
    "a byte order mark": (b'\xef\xbb\xbf{"type":"ping","id":7}', None),
    "a long unknown field": (b'{"type":"ping","id":7,"' + b"x" * 100_000 + b'":1}', 7),
}


@pytest.mark.both_loops
async def test_an_invalid_frame_gets_a_problem_and_the_socket_stays_open(
    node: Node, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.WARNING)
    raw = await node.raw("ana")
    for name, (payload, number) in NO_FRAMES.items():
        raw.send(TEXT, payload)
        answer = await raw.frame()
        assert answer["type"] == "problem", name
        assert answer["problem"]["type"] == "/problems/invalid-frame", name
        assert answer["problem"]["status"] == 400
        assert answer.get("id") == number, name
        assert len(json.dumps(answer)) < 1000, name
        raw.text({"type": "ping", "id": 1})
        assert (await raw.answer(1))["type"] == "ack", name
    raw.abort()
    await node.quiet()
    assert not caplog.records, "client errors are not logged as server errors"


async def test_too_many_invalid_frames_close_the_socket(node: Node) -> None:
    raw = await node.raw("ana")
    for _ in range(1000):
        raw.send(TEXT, b"nonsense")
    answers = 0
    while True:
        kind, payload = await raw.next()
        if kind == CLOSE:
            break
        answers += json.loads(payload)["type"] == "problem"
    assert struct.unpack("!H", payload[:2]) == (TOO_MUCH,)
    assert answers == node.socket_server.most_invalid
    raw.abort()


@pytest.mark.both_loops
async def test_a_binary_frame_with_json_is_accepted(node: Node) -> None:
    raw = await node.raw("ana")
    raw.send(BINARY, b'{"type":"ping","id":7}')
    assert (await raw.answer(7))["type"] == "ack"
    raw.abort()


@pytest.mark.both_loops
async def test_a_frame_in_fragments_with_a_ping_among_them(node: Node) -> None:
    thread = await node.talk("ana", "ben")
    raw = await node.raw("ana")
    request = {"type": "send", "id": 7, **sending(thread, "Füße, 写真, 👍")}
    whole = json.dumps(request, ensure_ascii=False).encode()
    for place in range(len(whole)):
        raw.send(TEXT if place == 0 else CONTINUATION, whole[place : place + 1], fin=False)
        if place == 50:
            raw.send(PING, b"are you there?")
    raw.send(CONTINUATION, b"")
    kind, payload = await raw.next()
    assert (kind, payload) == (PONG, b"are you there?")
    assert (await raw.answer(7))["message"]["body"] == "Füße, 写真, 👍"
    raw.abort()


async def test_endless_empty_fragments_take_no_memory(node: Node) -> None:
    raw = await node.raw("ana")
    raw.send(TEXT, b'{"type":"ping",', fin=False)
    raw.writer.write(framed(CONTINUATION, b"", fin=False) * 50_000)
    raw.send(CONTINUATION, b'"id":7}')
    assert (await raw.answer(7))["type"] == "ack"
    raw.abort()


AGAINST = {
    "continues nothing": framed(CONTINUATION, b"{}"),
    "text within text": framed(TEXT, b"{", fin=False) + framed(TEXT, b"{}"),
    "binary within text": framed(TEXT, b"{", fin=False) + framed(BINARY, b"{}"),
    "an unknown kind": framed(3, b"{}"),
    "an unknown control frame": framed(11, b""),
    "half a ping": framed(PING, b"", fin=False),
    "a long ping": framed(PING, b"x" * 126),
    "unmasked": b"\x81\x02{}",
    "half a close code": framed(CLOSE, b"x"),
    "a close code that is none": framed(CLOSE, struct.pack("!H", 1005)),
}


async def test_a_protocol_violation_closes_the_socket(
    node: Node, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.WARNING)
    for name, frames in AGAINST.items():
        raw = await node.raw("ana")
        raw.writer.write(frames)
        code, _ = await raw.closed()
        assert code == AGAINST_THE_PROTOCOL, name
    await node.quiet()
    assert not caplog.records


async def test_reserved_bits_close_the_socket(node: Node) -> None:
    raw = await node.raw("ana")
    raw.send(TEXT, b'{"type":"ping","id":1}', rsv=4)  # claims compression, which was not negotiated
    assert (await raw.closed())[0] == 1002


def huge(size: int) -> bytes:
    return b'{"type":"ping","id":7,"x":"' + b"x" * size + b'"}'


HUGE = {
    "whole": framed(TEXT, huge(MOST_BYTES)),
    "its beginning": framed(TEXT, huge(MOST_BYTES))[:100],
    "as big as can be": struct.pack("!BBQ", 0x81, 0xFF, 2**62) + bytes(4) + b"x" * 1000,
    "in fragments": framed(TEXT, huge(99_999), fin=False) + framed(CONTINUATION, huge(99_999)),
}


@pytest.mark.both_loops
async def test_a_huge_frame_closes_the_socket(node: Node) -> None:
    for name, sent in HUGE.items():
        raw = await node.raw("ana")
        raw.writer.write(sent)
        code, reason = await raw.closed()
        assert code == TOO_BIG, name
        assert "131072" in reason
    await node.quiet()


async def test_the_largest_allowed_frame_is_read(node: Node) -> None:
    thread = await node.talk("ana", "ben")
    raw = await node.raw("ana")
    request = {"type": "send", "id": 7, **sending(thread, "")}
    rest = MOST_BYTES - len(json.dumps(request))
    raw.text(request | {"body": "x" * rest})
    answer = await raw.answer(7)
    assert answer["problem"]["type"] == "/problems/invalid-text"
    raw.abort()


ODD = ("\0", "\u2028", "a\0b", "../..", "#", "%00", "\ufffe", "t\n")


async def test_malformed_ids_are_not_found(node: Node) -> None:
    thread = await node.talk("ana", "ben")
    first = (await node.history("ana", thread))[0]["messageId"]
    in_thread: dict[str, dict[str, Any]] = {
        "send": {"clientMessageId": "c", "body": "hello"},
        "read": {"seq": 1},
        "react": {"messageId": first, "emoji": "👍"},
    }
    async with await node.connect("ana") as ana:
        for odd in ODD:
            for kind, fields in in_thread.items():
                answer = await ana.ask(kind, threadId=odd, **fields)
                assert answer["problem"]["type"] == "/problems/thread-not-found", (kind, odd)
            edit = await ana.ask("edit", threadId=thread, messageId=odd, body="hello")
            assert edit["problem"]["type"] == "/problems/message-not-found", odd
            named = await ana.ask("send", threadId=thread, clientMessageId=odd, body="hello")
            assert named["problem"]["type"] == "/problems/invalid-text", odd
        for late in ("msg_" + "7" * 26, "msg_" + "z" * 26):  # after the year 9999
            page = await ana.ask("history", threadId=thread, after=late)
            assert page["problem"]["type"] == "/problems/message-not-found"
            edit = await ana.ask("edit", threadId=thread, messageId=late, body="hello")
            assert edit["problem"]["type"] == "/problems/message-not-found"
            await ana.say("typing", threadId=odd)
            await ana.say("focus", threadIds=[odd])
            for _ in range(2):
                told = await ana.event("problem")
                assert told["problem"]["type"] == "/problems/thread-not-found", odd
    assert len(await node.history("ana", thread)) == 1


@pytest.mark.both_loops
async def test_a_close_frame_is_answered(node: Node) -> None:
    for code in (1000, 1001, 3000, 4999, None):
        raw = await node.raw("ana")
        raw.send(CLOSE, b"" if code is None else struct.pack("!H", code) + b"bye")
        kind, payload = await raw.next()
        assert kind == CLOSE
        assert struct.unpack("!H", payload[:2]) == (code or 1000,)
        assert await raw.reader.read() == b""
        raw.abort()
    await node.quiet()


async def test_an_invalid_handshake_is_refused(node: Node) -> None:
    for headers in (
        {"Sec-WebSocket-Version": "12"},
        {"Sec-WebSocket-Key": "short"},
        {"Sec-WebSocket-Key": "ünïcode"},
        {"Content-Length": "5"},
    ):
        with pytest.raises(Refused) as refusal:
            await RawClient.connect(node.port, headers=headers)
        assert refusal.value.status == 400
    with pytest.raises(EOFError):
        await RawClient.connect(node.port, headers={"Long": "x" * 15_000, "Longer": "y" * 2_000})
    assert not node.socket_server.sessions

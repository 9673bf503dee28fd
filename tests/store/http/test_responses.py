"""Which responses are valid, and whether the connection is kept."""

import asyncio

import pytest

from greenroom.store.dynamo import connection
from greenroom.store.dynamo.connection import HttpResponse, NoResponse
from tests.socket.node import until
from tests.store.http.server import OK, REQUEST, Peer, answering, split, talking

CHUNKED = (
    b"HTTP/1.1 400 Bad Request\r\nTransfer-Encoding: chunked\r\n\r\n"
    b"3;x=y\r\none\r\n4\r\n two\r\n0\r\nx-trailer: 1\r\n\r\n"
)


LARGE = b"x" * 900_000
HINTS = b"HTTP/1.1 103 Hints\r\nlink: a\r\n\r\nHTTP/1.1 100 Go on\r\n\r\n"


@pytest.mark.parametrize(
    ("parts", "expected"),
    [
        ([OK], HttpResponse(200, b"ok")),
        (split(OK), HttpResponse(200, b"ok")),
        ([CHUNKED], HttpResponse(400, b"one two")),
        (split(CHUNKED), HttpResponse(400, b"one two")),
        ([b"HTTP/1.1 500 No\r\ncontent-length: 0\r\n\r\n"], HttpResponse(500, b"")),
        ([b"HTTP/1.1 204 No Content\r\n\r\n"], HttpResponse(204, b"")),
        ([b"HTTP/1.1 100 Continue\r\n\r\n", OK], HttpResponse(200, b"ok")),
        ([HINTS + OK], HttpResponse(200, b"ok")),
        ([b"HTTP/1.1 200 OK\r\ncontent-length: 900000\r\n\r\n", LARGE], HttpResponse(200, LARGE)),
    ],
    ids=range(9),
)
async def test_answers_that_are_whole_keep_the_connection(
    parts: list[bytes], expected: HttpResponse
) -> None:
    async with talking(answering(*parts)) as (client, server):
        for _ in range(3):
            assert await client.send(REQUEST) == expected
        assert server.opened == 1


@pytest.mark.parametrize(
    "answer",
    [
        b"HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: 2\r\n\r\nok",
        b"HTTP/1.0 200 OK\r\ncontent-length: 2\r\n\r\nok",
        OK + OK,
        OK + b"HTTP/1",
        OK + b"garbage",
    ],
)
async def test_after_some_answers_the_connection_is_not_used_again(answer: bytes) -> None:
    async with talking(answering(answer)) as (client, server):
        for _ in range(3):
            assert await client.send(REQUEST) == HttpResponse(200, b"ok")
        assert server.opened == 3
        await until(lambda: server.open == 0)


@pytest.mark.parametrize(
    "parts",
    [
        [],
        [b"HTTP/1.1 200 OK\r\ncontent-le"],
        [OK[:-1]],
        [CHUNKED[:-2]],
        [b"HTTP/1.1 100 Continue\r\n\r\n"],
        [b"HTTP/1.1 200 OK\r\n\r\nno length is given"],
        [b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\ncontent-length: 3\r\n\r\nok"],
        [b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\ntransfer-encoding: chunked\r\n\r\nok"],
        [b"SSH-2.0-OpenSSH_9.6\r\n"],
        [b"HTTP/1.1 200 OK\r\nx: \0\r\n\r\n"],
        [b"HTTP/1.1 200 OK\r\n", *[b"x-filler: " + b"x" * 1000 + b"\r\n"] * 100],
        [b"HTTP/1.1 100 Continue\r\n\r\n" * 10_000],
    ],
    ids=range(12),
)
async def test_truncated_and_malformed_responses_are_refused(parts: list[bytes]) -> None:
    async def handler(peer: Peer) -> None:
        await peer.request()
        await peer.write(*parts)
        peer.close()

    async with talking(handler) as (client, server):
        for _ in range(2):
            with pytest.raises(NoResponse):
                await client.send(REQUEST)
        assert server.opened == 2


@pytest.mark.parametrize(
    "answer",
    [
        b"HTTP/1.1 200 OK\r\ncontent-length: 9999999999\r\n\r\n" + b"x" * 300_000,
        b"HTTP/1.1 200 OK\r\n" + b"x-filler: x\r\n" * 8_000,
        b"HTTP/1.1 100 Continue\r\n\r\n" * 8_000,
    ],
    ids=["body", "head", "heads"],
)
async def test_an_answer_may_be_only_so_large(
    monkeypatch: pytest.MonkeyPatch, answer: bytes
) -> None:
    monkeypatch.setattr(connection, "MAX_BYTES", 250_000)
    async with talking(answering(answer)) as (client, server):
        with pytest.raises(NoResponse, match="too large"):
            await client.send(REQUEST)
        await until(lambda: server.open == 0)


async def test_a_protocol_upgrade_closes_the_connection() -> None:
    upgrade = b"HTTP/1.1 101 Switch\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n"
    async with talking(answering(upgrade)) as (client, server):
        assert await client.send(REQUEST) == HttpResponse(101, b"")
        await until(lambda: server.open == 0)


async def test_an_answer_that_does_not_come_is_waited_for_only_so_long() -> None:
    async def handler(peer: Peer) -> None:
        await peer.request()
        await peer.write(OK[:10])

    async with talking(handler, response_seconds=0.1) as (client, server):
        with pytest.raises(NoResponse, match=r"0\.1 seconds"):
            await client.send(REQUEST)
        await until(lambda: server.open == 0)


async def test_a_response_that_arrives_in_parts_may_take_longer() -> None:
    async def slow(peer: Peer) -> None:
        await peer.request()
        for part in (OK[:9], OK[9:20], OK[20:30], OK[30:]):
            await asyncio.sleep(0.2)
            await peer.write(part)
        await peer.request()

    async with talking(slow, response_seconds=0.7) as (client, _):
        assert await client.send(REQUEST) == HttpResponse(200, b"ok")
        with pytest.raises(NoResponse, match=r"0\.7 seconds"):
            await client.send(REQUEST)

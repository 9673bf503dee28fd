"""Connections that never send a complete request are closed; others are not affected."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from greenroom.api import http_limits
from tests.socket.node import CAST, Node, serving

_UPGRADE = (
    b"GET /v1/socket HTTP/1.1\r\nHost: greenroom\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
)
_POST = b"POST /v1/threads HTTP/1.1\r\nHost: greenroom\r\nContent-Length: 100\r\n\r\n{"


@pytest.fixture
async def node(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Node]:
    monkeypatch.setattr(http_limits, "REQUEST_SECONDS", 0.5)
    async with serving(tmp_path) as found:
        await found.join(*CAST)
        yield found


@asynccontextmanager
async def connection(
    node: Node,
) -> AsyncIterator[tuple[asyncio.StreamReader, asyncio.StreamWriter]]:
    reader, writer = await asyncio.open_connection("127.0.0.1", node.port)
    try:
        yield reader, writer
    finally:
        writer.close()


@pytest.mark.parametrize("begun", [b"", b"GET / HT", _UPGRADE, _POST], ids=range(4))
async def test_an_unfinished_request_times_out(node: Node, begun: bytes) -> None:
    async with connection(node) as (reader, writer):
        writer.write(begun)
        answer = await asyncio.wait_for(reader.read(), 20)
        assert answer.startswith((b"HTTP/1.1 408", b"HTTP/1.1 401")), answer


async def test_slowly_sent_bytes_do_not_extend_the_timeout(node: Node) -> None:
    async with connection(node) as (reader, writer):
        reading = asyncio.create_task(reader.read())
        writer.write(b"GET / HTTP/1.1\r\nx: ")
        while not reading.done():
            writer.write(b"y")
            await asyncio.wait([reading], timeout=0.05)
        assert reading.result().startswith(b"HTTP/1.1 408")


async def test_each_request_on_a_connection_has_its_own_timeout(node: Node) -> None:
    async with connection(node) as (reader, writer):
        for _ in range(4):
            await asyncio.sleep(0.3)
            writer.write(b"GET /healthz HTTP/1.1\r\nHost: greenroom\r\n\r\n")
            head = await asyncio.wait_for(reader.readuntil(b"\r\n\r\n"), 20)
            assert head.startswith(b"HTTP/1.1 200")
            length = int(head.lower().split(b"content-length: ")[1].split(b"\r\n")[0])
            await reader.readexactly(length)


async def test_the_request_timeout_does_not_apply_to_an_open_socket(node: Node) -> None:
    async with await node.connect("ana") as ana:
        await asyncio.sleep(1)
        assert (await ana.ask("ping"))["type"] == "ack"

"""Limits on idle, slow and unauthenticated connections."""

import asyncio
import gc
import resource
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from greenroom.api import http_limits
from greenroom.api.ws.socket_server import Timeouts
from tests.socket.node import CAST, Node, serving, until
from tests.socket.raw_client import TEXT, RawClient, framed

_LARGE = b"GET /schema/openapi.json HTTP/1.1\r\nHost: greenroom\r\n\r\n"
_HEALTH = b"GET /healthz HTTP/1.1\r\nHost: greenroom\r\nConnection: close\r\n\r\n"


@pytest.fixture
async def node(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Node]:
    monkeypatch.setattr(http_limits, "WRITE_SECONDS", 0.5)
    async with serving(tmp_path, timeouts=Timeouts(idle=0.5, pong=0.5)) as found:
        await found.join(*CAST)
        yield found


def _never_reads(port: int, request: bytes) -> socket.socket:
    connection = socket.socket()
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
    connection.connect(("127.0.0.1", port))
    connection.setblocking(False)
    connection.send(request)
    return connection


def _open_connections() -> int:
    """Checked on the server: the client still has unread data and cannot tell."""
    protocols = (
        one for one in gc.get_objects() if isinstance(one, http_limits.LimitedHttpProtocol)
    )
    return sum(one in one.connections for one in protocols)


@pytest.mark.parametrize("times", [5, 60])
async def test_an_unread_response_closes_the_connection(node: Node, times: int) -> None:
    held = [_never_reads(node.port, _LARGE * times) for _ in range(3)]
    try:
        await until(lambda: _open_connections() == 3)
        # Half of the idle timeout, which would be too short.
        await asyncio.sleep(2.5)
        assert _open_connections() == 0
    finally:
        for connection in held:
            connection.close()


async def test_a_slow_reader_gets_the_whole_response(node: Node) -> None:
    reader, writer = await asyncio.open_connection("127.0.0.1", node.port, limit=4096)
    writer.write(_LARGE.replace(b"\r\n\r\n", b"\r\nConnection: close\r\n\r\n"))
    length, ends = 0, time.monotonic() + 2
    while piece := await reader.read(8192):
        length += len(piece)
        await asyncio.sleep(0.02 if time.monotonic() < ends else 0)
    writer.close()
    assert length > 100_000


async def test_a_socket_that_reads_nothing_is_closed(node: Node) -> None:
    raw = await node.raw("ana")
    raw.pause()
    raw.text(*({"type": "ping", "id": number} for number in range(1, 5000)))
    await until(lambda: not node.socket_server.sessions)
    raw.abort()


async def test_one_more_socket_closes_the_oldest_of_the_same_user(tmp_path: Path) -> None:
    async with serving(tmp_path, most_per_user=3) as node:
        await node.join(*CAST)
        ben = await node.raw("ben")
        own = [await node.raw("ana") for _ in range(3)]
        newest = await node.raw("ana")
        frame = await own[0].frame()
        assert frame["problem"]["type"] == "/problems/too-many-sockets"
        assert (await own[0].closed())[0] == 4429
        for raw in (*own[1:], newest, ben):
            raw.text({"type": "ping", "id": 9})
            assert (await raw.answer(9))["type"] == "ack"
        own[1].abort()
        await until(lambda: len(node.socket_server.sessions) == 3)
        again = await node.raw("ana")
        for raw in (own[2], newest, again, ben):
            raw.text({"type": "ping", "id": 10})
            assert (await raw.answer(10))["type"] == "ack", "there is capacity again"
            raw.abort()
        await node.quiet()
        assert (node.socket_server.by_user, node.socket_server.waiting) == ({}, {})


async def test_the_oldest_unauthenticated_socket_is_closed_for_a_new_one(tmp_path: Path) -> None:
    async with serving(tmp_path, most_unauthenticated=3) as node:
        await node.join(*CAST)
        silent = [await node.raw() for _ in range(4)]
        assert (await silent[0].closed())[0] == 4408
        for _ in range(10):
            (await node.raw("ana")).abort()
        for raw in silent:
            raw.abort()


async def test_little_is_read_from_a_client_without_a_token(tmp_path: Path) -> None:
    async with serving(tmp_path, timeouts=Timeouts(first_frame=1)) as node:
        raw = await node.raw()
        raw.writer.write(framed(TEXT, b"x" * 120_000)[:100_000])
        [session] = node.socket_server.sessions
        waiting = session.transport._on_authenticated.__self__  # type: ignore[attr-defined]
        await until(lambda: waiting._left <= 0)
        await asyncio.sleep(0.2)
        assert waiting._left == 0, "nothing more is read"
        raw.abort()
        await node.quiet()


async def test_a_large_request_right_after_the_token_is_read(tmp_path: Path) -> None:
    async with serving(tmp_path) as node:
        await node.join(*CAST)
        for size in (0, 2000, 11_000, 13_000, 29_000):
            raw: RawClient = await node.raw()
            known = {f"thr_{number:020}": 1 for number in range(size // 30)}
            auth = {"type": "auth", "id": 1, "token": node.token("ana")}
            raw.text(auth, {"type": "resume", "id": 2, "cursor": "x", "have": known})
            raw.text({"type": "ping", "id": 3})
            assert (await raw.answer(1))["type"] == "ack", size
            assert (await raw.answer(2))["problem"]["type"] == "/problems/invalid-cursor"
            assert (await raw.answer(3))["type"] == "ack"
            raw.abort()


def _few_files() -> None:
    resource.setrlimit(resource.RLIMIT_NOFILE, (200, 200))


@pytest.mark.parametrize("request_", [_LARGE, b"", b"POST /v1/threads HTTP/1.1\r\n"], ids=range(3))
def test_health_checks_work_at_the_connection_limit(tmp_path: Path, request_: bytes) -> None:
    process = subprocess.Popen(
        [sys.executable, "-m", "greenroom", "serve"],
        stdout=subprocess.PIPE,
        text=True,
        env={"PATH": "/usr/bin:/bin", "GREENROOM_DATA": str(tmp_path), "GREENROOM_PORT": "0"},
        preexec_fn=_few_files,
    )
    assert process.stdout is not None
    held: list[socket.socket] = []
    try:
        address = process.stdout.readline().split()[-1]
        port = int(address.rpartition(":")[2])
        for _ in range(300):
            held.append(_never_reads(port, request_))
        for path in ("/readyz", "/healthz"):
            with urllib.request.urlopen(f"{address}{path}", timeout=5) as answer:
                assert answer.status == 200
    finally:
        for connection in held:
            connection.close()
        process.terminate()
        process.wait(60)
        process.stdout.close()

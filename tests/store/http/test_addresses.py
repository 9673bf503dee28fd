"""A host with several addresses, where some do not respond."""

import asyncio
import socket
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

import pytest

from greenroom.store.dynamo.connection import ConnectFailed, HttpResponse
from greenroom.store.dynamo.http import HttpClient
from tests.store.http.server import OK, REQUEST, answering, talking

HOST = "several.example"
SILENT, ABSENT, THERE = "127.0.0.2", "127.0.0.3", "127.0.0.1"


@contextmanager
def silent(port: int) -> Iterator[None]:
    """An address that does not respond: its accept queue is full."""
    with ExitStack() as stack:
        listener = stack.enter_context(socket.socket())
        listener.bind((SILENT, port))
        listener.listen(0)
        for _ in range(4):
            one = stack.enter_context(socket.socket())
            one.setblocking(False)
            one.connect_ex((SILENT, port))
        yield


def resolve(monkeypatch: pytest.MonkeyPatch, *hosts: str) -> None:
    loop = asyncio.get_running_loop()
    resolved = loop.getaddrinfo

    async def getaddrinfo(host: str, port: int, **options: Any) -> list[Any]:
        if host != HOST:  # uvloop looks up addresses too
            return await resolved(host, port, **options)
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (one, port)) for one in hosts]

    monkeypatch.setattr(loop, "getaddrinfo", getaddrinfo)


def _client(port: int) -> HttpClient:
    return HttpClient(f"http://{HOST}:{port}/", connect_seconds=1.5, response_seconds=5.0)


@pytest.mark.parametrize("hosts", [(SILENT, THERE), (ABSENT, THERE), (SILENT, ABSENT, THERE)])
async def test_an_address_that_does_not_answer_leaves_time_for_the_next(
    monkeypatch: pytest.MonkeyPatch, hosts: tuple[str, ...]
) -> None:
    async with talking(answering(OK)) as (known, server):
        resolve(monkeypatch, *hosts)
        client = _client(known._port)
        with silent(known._port):
            assert await client.send(REQUEST) == HttpResponse(200, b"ok")
        assert server.opened == 1
        await client.close()


@pytest.mark.parametrize(("hosts", "reason"), [((SILENT, SILENT), "Timeout"), ((ABSENT,) * 2, "")])
async def test_without_a_responding_address_nothing_is_sent(
    monkeypatch: pytest.MonkeyPatch, hosts: tuple[str, ...], reason: str
) -> None:
    async with talking(answering(OK)) as (known, server):
        resolve(monkeypatch, *hosts)
        client = _client(known._port)
        with silent(known._port), pytest.raises(ConnectFailed, match=f"{HOST}.*{reason}"):
            await client.send(REQUEST)
        assert server.opened == 0
        await client.close()

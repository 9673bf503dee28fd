"""Answers that are given before the app is reached have a request id and are counted."""

import asyncio
from pathlib import Path

import pytest

from greenroom.api import http_limits
from greenroom.api.http_limits import health_only
from greenroom.metrics import Metrics
from tests.socket.node import Node, serving
from tests.socket.raw_client import RawClient, Refused


async def _answer(node: Node, request: bytes) -> dict[str, str]:
    """The headers of the answer; its status is under `status`."""
    reader, writer = await asyncio.open_connection("127.0.0.1", node.port)
    writer.write(request)
    head = (await asyncio.wait_for(reader.read(), 20)).split(b"\r\n\r\n")[0].decode()
    writer.close()
    first, *lines = head.split("\r\n")
    return {"status": first.split(" ")[1]} | dict(line.lower().split(": ", 1) for line in lines)


async def test_a_malformed_request(tmp_path: Path) -> None:
    async with serving(tmp_path) as node:
        answer = await _answer(node, b"GET / HTTP/1.1\nHost: greenroom\r\n\r\n")
        assert (answer["status"], len(answer["x-request-id"])) == ("400", 16)
        metrics = node.socket_server.metrics
        assert metrics.http_requests["other", "unmatched", "400"] == 1
        assert metrics.refusals["http", "invalid-request"] == 1


async def test_an_unfinished_request(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(http_limits, "REQUEST_SECONDS", 0.2)
    async with serving(tmp_path) as node:
        answer = await _answer(node, b"GET / HT")
        assert (answer["status"], len(answer["x-request-id"])) == ("408", 16)
        assert node.socket_server.metrics.http_requests["other", "unmatched", "408"] == 1


@pytest.mark.parametrize(
    ("path", "status", "route", "code"),
    [
        ("/v1/socket", 503, "/v1/socket", "overloaded"),
        ("/v1/nothing", 404, "unmatched", "no-such-page"),
    ],
)
async def test_a_refused_upgrade(
    tmp_path: Path, path: str, status: int, route: str, code: str
) -> None:
    async with serving(tmp_path, most_connections=0) as node:
        with pytest.raises(Refused) as refusal:
            await RawClient.connect(node.port, path, headers={"X-Request-Id": "find-me"})
        assert refusal.value.status == status
        assert refusal.value.headers["x-request-id"] == "find-me"
        metrics = node.socket_server.metrics
        assert metrics.http_requests["GET", route, str(status)] == 1
        assert metrics.refusals["http", code] == 1


async def test_a_connection_beyond_the_limit() -> None:
    metrics, sent = Metrics(), list[dict[str, object]]()

    async def send(message: dict[str, object]) -> None:
        sent.append(message)

    scope = {"path": "/v1/me", "method": "GET", "headers": [(b"x-request-id", b"find-me")]}
    await health_only(None, metrics)(scope, None, send)
    assert (b"x-request-id", b"find-me") in sent[0]["headers"]  # type: ignore[operator]
    assert metrics.http_requests["GET", "unmatched", "503"] == 1
    assert metrics.refusals["http", "overloaded"] == 1

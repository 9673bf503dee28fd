"""Tokens that are signed as they should be, with claims of every type and size: refused, never 500,
over REST and over the socket."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from greenroom.api.tokens import Claims, SharedSecret
from tests.socket.node import CAST, SECRET, Node, serving
from tests.socket.raw import Raw

_WORDS = "x" * 5000
VALUES: dict[str, bytes] = {
    "null": b"null",
    "true": b"true",
    "nothing": b'""',
    "text": b'"\\u0000\\u202e../../x"',
    "long text": b'"' + _WORDS.encode() + b'"',
    "a lone surrogate": b'"\\ud800"',
    "no UTF-8": b'"\xff"',
    "zero": b"0",
    "minus": b"-1",
    "huge": b"1e308",
    "more than huge": b"1e309",
    "minus huge": b"-1e308",
    "tiny": b"1e-320",
    "milliseconds": b"1790000000000",
    "the year 9999": b"253402300799",
    "the year 10000": b"253402300800",
    "2**63": b"9223372036854775808",
    "2**64": b"18446744073709551616",
    "many digits": b"9" * 400,
    "more digits": b"9" * 5000,
    "NaN": b"NaN",
    "infinity": b"Infinity",
    "a list": b"[]",
    "a list of numbers": b"[1, 2]",
    "a list of texts": b'["admin", "x"]',
    "a deep list": b"[" * 500 + b"]" * 500,
    "an object": b'{"a": 1}',
}
NAMES = [field.encode_name for field in msgspec.structs.fields(Claims)]
_MUST_FIT = {"sub", "exp"}


@pytest.fixture
async def node(tmp_path: Path) -> AsyncIterator[Node]:
    async with serving(tmp_path) as found:
        await found.join(*CAST)
        yield found


def _token(node: Node, name: str, value: bytes) -> str:
    claims: dict[str, object] = {"sub": node.id("ana"), "exp": node.clock.now_ms() // 1000 + 600}
    given = claims | {name: msgspec.Raw(value)}
    return SharedSecret(SECRET).sign(given)


def test_there_are_claims_to_try() -> None:
    assert {"sub", "exp", "nbf", "iat", "iss", "aud", "scope"} <= set(NAMES)


@pytest.mark.parametrize("name", NAMES)
async def test_no_claim_can_hurt(node: Node, name: str) -> None:
    refused = 0
    for kind, value in VALUES.items():
        token = _token(node, name, value)
        header = {"Authorization": f"Bearer {token}"}
        async with node.http.get("/v1/inbox", headers=header) as answer:
            status = answer.status
            document = await answer.json(content_type=None)
        # A token may be for somebody who has no account, or without the scope that is asked for.
        assert status in (200, 401, 403), (name, kind, document)
        if name in _MUST_FIT and kind != "the year 9999":
            assert status == 401 or (name, status) == ("sub", 403), (name, kind, document)
        told = await _on_the_socket(node, token)
        assert (told["type"] == "ack") == (status == 200), (name, kind, told)
        if status != 200:
            assert told["problem"]["status"] == status, (name, kind, told)
            assert document["type"] == told["problem"]["type"]
        refused += status == 401
    assert refused > 5


async def _on_the_socket(node: Node, token: str) -> dict[str, Any]:
    raw: Raw = await node.raw()
    try:
        raw.text({"type": "auth", "id": 1, "token": token})
        answer: dict[str, Any] = await raw.frame()
        return answer
    finally:
        raw.abort()

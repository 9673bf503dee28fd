"""Malformed tokens, and correctly signed tokens with claims of every type and size: refused with
the same plain sentence over REST and the socket, never 500."""

from base64 import urlsafe_b64encode
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import jwt
import msgspec
import pytest

from greenroom.api.tokens import Claims, Fault, InvalidToken, SharedSecret, TokenExpired
from tests.socket.node import CAST, Node, serving
from tests.socket.raw_client import RawClient
from tests.stores import SECRET

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
SENTENCES = {str(InvalidToken(fault)) for fault in Fault} | {str(TokenExpired())}
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


def test_the_list_of_hostile_claims_is_not_empty() -> None:
    assert {"sub", "exp", "nbf", "iat", "iss", "aud", "scope"} <= set(NAMES)


@pytest.mark.parametrize("name", NAMES)
async def test_no_claim_causes_a_server_error(node: Node, name: str) -> None:
    refused = 0
    for kind, value in VALUES.items():
        token = _token(node, name, value)
        header = {"Authorization": f"Bearer {token}"}
        async with node.http.get("/v1/inbox", headers=header) as answer:
            status = answer.status
            document = await answer.json(content_type=None)
        # The token may be for a user without an account, or lack the required scope.
        assert status in (200, 401, 403), (name, kind, document)
        if name in _MUST_FIT and kind != "the year 9999":
            assert status == 401 or (name, status) == ("sub", 403), (name, kind, document)
        reply = await _on_the_socket(node, token)
        assert (reply["type"] == "ack") == (status == 200), (name, kind, reply)
        if status != 200:
            assert reply["problem"]["status"] == status, (name, kind, reply)
            assert document == reply["problem"]
        if status == 401:
            assert document["detail"] in SENTENCES, (name, kind)
        refused += status == 401
    assert refused > 5


def _malformed(good: str) -> dict[str, str]:
    header, payload, signature = good.split(".")

    def signed(payload: bytes) -> str:
        return jwt.PyJWS().encode(payload, SECRET, "HS256")

    def headed(header: bytes) -> str:
        return f"{_base64(header)}.{payload}.{signature}"

    return {
        "one word": "x",
        "two parts": f"{header}.{payload}",
        "four parts": f"{good}.x",
        "empty parts": "..",
        "no header": f".{payload}.{signature}",
        "no payload": f"{header}..{signature}",
        "no signature": f"{header}.{payload}.",
        "a header of one letter": f"x.{payload}.{signature}",
        "a header that is no JSON": headed(b"{"),
        "a header that is a list": headed(b"[]"),
        "a header that is no text": headed(bytes([255, 254])),
        "a header without an algorithm": headed(b"{}"),
        "an algorithm that is a list": headed(b'{"alg":[]}'),
        "no algorithm": headed(b'{"alg":"none"}'),
        "another algorithm": headed(b'{"alg":"RS256"}'),
        "a critical extension": headed(b'{"alg":"HS256","crit":["x"]}'),
        "another signature": f"{header}.{payload}.{signature[::-1]}",
        "a signature that is no base64": f"{header}.{payload}.{signature[:-1]}!",
        "a payload that is no base64": f"{header}.!{payload}.{signature}",
        "an empty payload": signed(b""),
        "a payload that is no JSON": signed(b"{"),
        "a payload that is a list": signed(b"[]"),
        "a payload that is no text": signed(bytes([255, 254])),
        "a payload without claims": signed(b"{}"),
        "a payload that is deep": signed(b"[" * 2000),
        "too long": f"{header}.{payload}.{'x' * 9000}",
    }


def _base64(raw: bytes) -> str:
    return urlsafe_b64encode(raw).rstrip(b"=").decode()


async def test_a_malformed_token_is_refused_with_a_plain_sentence(node: Node) -> None:
    """The same over REST and the socket, and never a library's message."""
    good = _token(node, "jti", b'"1"')
    for kind, token in _malformed(good).items():
        header = {"Authorization": f"Bearer {token}"}
        async with node.http.get("/v1/inbox", headers=header) as answer:
            document = await answer.json(content_type=None)
        assert document["status"] == 401, (kind, document)
        assert document["detail"] in SENTENCES, (kind, document)
        assert (await _on_the_socket(node, token))["problem"] == document, kind


async def _on_the_socket(node: Node, token: str) -> dict[str, Any]:
    raw: RawClient = await node.raw()
    try:
        raw.text({"type": "auth", "id": 1, "token": token})
        answer: dict[str, Any] = await raw.frame()
        return answer
    finally:
        raw.abort()

"""Requests that two HTTP servers could read differently are refused, and the connection closed."""

import asyncio
from contextlib import suppress
from pathlib import Path

import pytest

from tests.socket.node import Node, serving

_CHUNKED = b"Transfer-Encoding: chunked\r\n"
_NO_CHUNK = b"\r\n0\r\n\r\n"
_HEAD = b"POST /v1/threads HTTP/1.1\r\nHost: greenroom\r\n"
_HIDDEN = b"GET /healthz HTTP/1.1\r\nHost: greenroom\r\n\r\n"
AMBIGUOUS = {
    "length and chunks": _HEAD + b"Content-Length: 5\r\n" + _CHUNKED + _NO_CHUNK,
    "chunks and length": _HEAD
    + b"Transfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n",
    "two lengths": _HEAD + b"Content-Length: 0\r\nContent-Length: 44\r\n\r\n",
    "the same length twice": _HEAD + b"Content-Length: 0\r\nContent-Length: 0\r\n\r\n",
    "lengths in one header": _HEAD + b"Content-Length: 0, 0\r\n\r\n",
    "a signed length": _HEAD + b"Content-Length: +0\r\n\r\n",
    "a negative length": _HEAD + b"Content-Length: -1\r\n\r\n",
    "a length in hex": _HEAD + b"Content-Length: 0x0\r\n\r\n",
    "chunks twice": _HEAD
    + b"Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    "another coding": _HEAD + b"Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n",
    "an unknown coding": _HEAD + b"Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n",
    "bare LF": _HEAD.replace(b"\r\n", b"\n") + b"\n",
    "one bare LF": _HEAD + b"X: y\n\r\n",
    "bare CR": _HEAD + b"X: y\rContent-Length: 44\r\n\r\n",
    "a folded header": _HEAD + b"X: y\r\n Content-Length: 44\r\n\r\n",
    "a folded length": _HEAD + b"Content-Length:\r\n 0\r\n\r\n",
    "a blank before the colon": _HEAD + b"Content-Length : 44\r\n\r\n",
    "a tab before the colon": _HEAD + b"Transfer-Encoding\t: chunked\r\n\r\n",
    "no colon": _HEAD + b"Content-Length\r\n\r\n",
    "an empty name": _HEAD + b": 44\r\n\r\n",
    "NUL in a header": _HEAD + b"X: a\x00b\r\n\r\n",
    "two hosts": _HEAD + b"Host: other\r\n\r\n",
    "no host": b"GET /healthz HTTP/1.1\r\n\r\n",
    "a chunk of a bad size": _HEAD + b"Transfer-Encoding: chunked\r\n\r\n-1\r\n\r\n",
    "a chunk without its end": _HEAD + b"Transfer-Encoding: chunked\r\n\r\n1\r\nab0\r\n\r\n",
    "an unknown version": b"GET /healthz HTTP/1.2x\r\nHost: greenroom\r\n\r\n",
    "blanks in the target": b"GET /healthz /x HTTP/1.1\r\nHost: greenroom\r\n\r\n",
}


async def _answers(node: Node, *pieces: bytes) -> bytes:
    reader, writer = await asyncio.open_connection("127.0.0.1", node.port)
    try:
        for piece in pieces:
            writer.write(piece)
            with suppress(ConnectionError):
                await writer.drain()
            await asyncio.sleep(0.01)
        return await asyncio.wait_for(_read(reader), 10)
    finally:
        writer.close()


async def _read(reader: asyncio.StreamReader) -> bytes:
    """Reads everything. A TCP connection closed with unread input is reset."""
    found = b""
    with suppress(ConnectionResetError):
        while piece := await reader.read(65536):
            found += piece
    return found


@pytest.mark.parametrize("name", AMBIGUOUS)
async def test_an_ambiguous_request_is_refused_and_nothing_after_it_is_read(
    tmp_path: Path, name: str
) -> None:
    async with serving(tmp_path) as node:
        for pieces in ((AMBIGUOUS[name] + _HIDDEN,), (AMBIGUOUS[name], _HIDDEN)):
            answer = await _answers(node, *pieces)
            assert answer.count(b"HTTP/1.1 ") == 1, answer
            status = int(answer.split(b" ", 2)[1])
            # A malformed body may have been refused earlier for lack of a token.
            allowed = (400, 401, 501) if "chunk of" in name or "without its" in name else (400, 501)
            assert status in allowed, answer
            assert b"no-store" in answer
            assert b"application/problem+json" in answer


@pytest.mark.parametrize(
    "request_",
    [
        _HEAD + b"Content-Length: 2\r\n\r\n{}",
        _HEAD + b"Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n",
        _HEAD + b"Content-Length: 6\r\n\r\na\nb\rc\n",
    ],
)
async def test_an_unambiguous_request_is_accepted(tmp_path: Path, request_: bytes) -> None:
    last = _HIDDEN.replace(b"\r\n\r\n", b"\r\nConnection: close\r\n\r\n")
    async with serving(tmp_path) as node:
        for pieces in ((request_ + last,), tuple(bytes([b]) for b in request_[-8:])):
            first = request_[:-8] if len(pieces) > 1 else b""
            answer = await _answers(node, first, *pieces, *((last,) if first else ()))
            assert answer.count(b"HTTP/1.1 401") == 1, answer
            assert answer.count(b"HTTP/1.1 200") == 1, answer

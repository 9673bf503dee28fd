"""Serves the stand-in over HTTP/1.1: `python -m bench.standin.server` prints where it listens.

POST /              a call of DynamoDB's, answered after the delay
GET  /counters      what was counted since the start
POST /delay/{ms}    how long each answer waits from now on
"""

import asyncio
import gc
import logging
import re
import signal
from typing import cast

import msgspec
import uvloop

from bench.standin.actions import Database, Refusal
from bench.standin.conditions import Unknown

_HEAD = re.compile(
    rb"(?i)^(?P<method>[A-Z]+) (?P<path>\S+) HTTP/1\.1\r\n"
    rb"(?=(?:.*?\r\nx-amz-target: *\w+\.(?P<action>\w+))?)"
    rb"(?=(?:.*?\r\ncontent-length: *(?P<length>\d+))?)",
    re.DOTALL,
)
_ANSWER = (
    "HTTP/1.1 {status} {reason}\r\nServer: Server\r\nDate: Mon, 16 Nov 2026 00:00:00 GMT\r\n"
    "Content-Type: application/x-amz-json-1.0\r\nContent-Length: {length}\r\n"
    "Connection: keep-alive\r\n"
    "x-amzn-RequestId: 0123456789ABCDEFGHIJKLMNOPQRSTUVVV4KQNSO5AEMVJF66Q9ASUAAJG\r\n"
    "x-amz-crc32: 2745614147\r\n\r\n"
)
_REASONS = {200: "OK", 400: "Bad Request", 404: "Not Found", 500: "Internal Server Error"}
_log = logging.getLogger(__name__)


class Counters(msgspec.Struct, frozen=True):
    calls: dict[str, int]
    bytes: int
    """Of requests and answers, heads included."""
    frames: int
    frame_transactions: int


class StandIn:
    """The database, its delay and its counters, shared by all connections."""

    def __init__(self) -> None:
        self.database = Database()
        self.delay = 0.0
        self.bytes = 0
        self.calls: dict[str, int] = {}

    def answer(self, head: re.Match[bytes], body: bytes) -> bytes:
        action = head["action"]
        if action is None:
            return self._control(head["method"], head["path"].decode())
        called = action.decode()
        self.calls[called] = self.calls.get(called, 0) + 1
        try:
            payload = msgspec.json.decode(body)
            return _rendered(200, self.database.answer(called, body, payload))
        except Refusal as refusal:
            return _rendered(400, refusal.answer)
        except (Unknown, LookupError, AssertionError, TypeError) as reason:
            _log.exception("%s: %s", called, body.decode(errors="replace"))
            told = {"__type": "StandInDoesNotKnow", "message": f"{called}: {reason}"}
            return _rendered(500, told)

    def _control(self, method: bytes, path: str) -> bytes:
        if method == b"GET" and path == "/counters":
            return _rendered(200, self._counters())
        if method == b"POST" and path.startswith("/delay/"):
            self.delay = float(path.removeprefix("/delay/")) / 1000
            return _rendered(200, {})
        return _rendered(404, {})

    def _counters(self) -> Counters:
        database = self.database
        return Counters(self.calls, self.bytes, database.frames, database.frame_transactions)


def _rendered(status: int, answer: object) -> bytes:
    body = msgspec.json.encode(answer)
    head = _ANSWER.format(status=status, reason=_REASONS[status], length=len(body))
    return head.encode() + body


class Connection(asyncio.Protocol):
    def __init__(self, standin: StandIn) -> None:
        self._standin = standin
        self._received = b""
        self._transport: asyncio.Transport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)

    def data_received(self, data: bytes) -> None:
        self._received += data
        while (end := self._received.find(b"\r\n\r\n")) >= 0:
            head = _HEAD.match(self._received, 0, end)
            assert self._transport is not None
            if head is None:
                self._transport.close()
                return
            whole = end + 4 + int(head["length"] or 0)
            if len(self._received) < whole:
                return
            body = self._received[end + 4 : whole]
            self._received = self._received[whole:]
            self._send(head, body, whole)

    def _send(self, head: re.Match[bytes], body: bytes, size: int) -> None:
        standin = self._standin
        answer = standin.answer(head, body)
        assert self._transport is not None
        if head["action"] is not None:
            standin.bytes += size + len(answer)
            if standin.delay:
                loop = asyncio.get_running_loop()
                loop.call_later(standin.delay, self._transport.write, answer)
                return
        self._transport.write(answer)


async def serve() -> None:
    loop = asyncio.get_running_loop()
    done = asyncio.Event()
    loop.add_signal_handler(signal.SIGTERM, done.set)
    standin = StandIn()
    server = await loop.create_server(lambda: Connection(standin), "127.0.0.1", 0)
    print(f"127.0.0.1:{server.sockets[0].getsockname()[1]}", flush=True)
    await done.wait()
    server.close()


if __name__ == "__main__":
    gc.disable()  # it holds nothing but items, and looking through them takes 100 ms and more
    uvloop.run(serve())

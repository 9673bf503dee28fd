"""The idle clients of `make bench-connections`: a process that only holds open sockets.

    python -m bench.idle_clients ws://127.0.0.1:8080/v1/socket < commands

A command is a line of JSON, `{"open": 9990}`: open that many more, each authenticated as a
different user. The answer is a line, `{"open": total, "seconds": duration}`; `closed` is how many
the server has closed. The process ends at the end of its input.
"""

import asyncio
import itertools
import resource
import sys
import time
from functools import partial
from typing import Any

import msgspec
import uvloop
from picows import WSFrame, WSListener, WSMsgType, WSTransport, ws_connect

from bench.peers.greenroom import token_of

AT_ONCE = 64
_PORTS = 20_000
"""The ports of one local address: each connection to the same server needs one."""
_SPARE_FILES = 300


class Opened(msgspec.Struct):
    open: int
    seconds: float
    closed: int


class Open(msgspec.Struct):
    open: int


class TooFewFiles(Exception):
    """The system's limit of open files is too low."""


def user(number: int) -> str:
    return f"usr_crowd{number}"


class IdleClients:
    def __init__(self, url: str) -> None:
        self._url = url
        self._numbers = itertools.count()
        self._here: set[_IdleClient] = set()
        self._closed = 0

    async def open(self, count: int) -> Opened:
        begun = time.perf_counter()
        turns = iter(range(count))
        await asyncio.gather(*(self._keep_opening(turns) for _ in range(AT_ONCE)))
        return Opened(len(self._here), time.perf_counter() - begun, self._closed)

    async def _keep_opening(self, turns: Any) -> None:
        for _ in turns:
            number = next(self._numbers)
            made = partial(_IdleClient, self, token_of(user(number)))
            place = (f"127.0.0.{1 + number // _PORTS}", 0)
            _, member = await ws_connect(made, self._url, local_addr=place)
            assert isinstance(member, _IdleClient)
            await member.is_in
            self._here.add(member)

    def lose(self, member: "_IdleClient") -> None:
        self._here.discard(member)
        self._closed += 1


class _IdleClient(WSListener):
    def __init__(self, clients: IdleClients, token: str) -> None:
        self._crowd = clients
        self._token = token
        self.is_in: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    def on_ws_connected(self, transport: WSTransport) -> None:
        frame = {"type": "auth", "id": 0, "token": self._token}
        transport.send(WSMsgType.TEXT, msgspec.json.encode(frame))

    def on_ws_frame(self, transport: WSTransport, frame: WSFrame) -> None:
        if not self.is_in.done():
            answer = frame.get_payload_as_ascii_text()
            if '"type":"ack"' in answer:
                self.is_in.set_result(None)
            else:
                self.is_in.set_exception(RuntimeError(answer))

    def on_ws_disconnected(self, transport: WSTransport) -> None:
        self._crowd.lose(self)
        if not self.is_in.done():
            self.is_in.set_exception(ConnectionError("closed before it was let in"))


def check_files(count: int) -> None:
    """Raises the limit of this process as far as allowed, and fails if that is too low."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = count + _SPARE_FILES
    if hard != resource.RLIM_INFINITY and hard < wanted:
        raise TooFewFiles(
            f"{count} sockets need {wanted} open files in the server's process and in ours, and "
            f"the system allows {hard}: raise `ulimit -Hn`, or ask for fewer with --connections"
        )
    if soft != resource.RLIM_INFINITY and soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))


async def main(url: str) -> None:
    clients = IdleClients(url)
    reader = asyncio.StreamReader()
    await asyncio.get_running_loop().connect_read_pipe(
        lambda: asyncio.StreamReaderProtocol(reader), sys.stdin
    )
    async for line in reader:
        asked = msgspec.json.decode(line, type=Open)
        opened = await clients.open(asked.open)
        print(msgspec.json.encode(opened).decode(), flush=True)


if __name__ == "__main__":
    uvloop.run(main(sys.argv[1]))

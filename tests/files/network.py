"""A network for the tests of URLs: names resolve as the test says, and every connection leads to a
server of the test. Nothing leaves this machine."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Any

from greenroom.files import public_fetch
from greenroom.files.public_fetch import Connection, Reached

PUBLIC = "93.184.215.14"
OK = b"HTTP/1.1 200 OK\r\nContent-Length: 123456\r\n\r\n"


class Network:
    """Answers the names as told: the last answer again and again."""

    def __init__(self, port: int, *answers: Sequence[str]) -> None:
        self._port = port
        self._answers = list(answers)
        self.connected: list[str] = []
        self.resolved = 0

    async def ask(self, url: str) -> Reached:
        return await public_fetch.ask(url, resolve=self.resolve, connect=self.connect)

    async def resolve(self, host: str, port: int) -> Sequence[str]:
        self.resolved += 1
        return self._answers.pop(0) if len(self._answers) > 1 else self._answers[0]

    async def connect(self, host: str, port: int, **options: Any) -> Connection:
        self.connected.append(host)
        return await asyncio.open_connection("127.0.0.1", self._port, limit=options["limit"])


@asynccontextmanager
async def answering(answer: bytes, asked: list[bytes] | None = None) -> AsyncIterator[int]:
    """The port of a server that answers every request like this, and notes it in `asked`."""

    async def handle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = await reader.readuntil(b"\r\n\r\n")
        if asked is not None:
            asked.append(head)
        writer.write(answer)
        await writer.drain()
        writer.close()

    server = await asyncio.start_server(handle, "127.0.0.1", 0)
    try:
        yield server.sockets[0].getsockname()[1]
    finally:
        server.close()
        await server.wait_closed()

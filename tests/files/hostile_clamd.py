"""A server in clamd's place that says and does what a test wants."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from typing import TypeAlias

from greenroom.files.clamd import Address

Behave: TypeAlias = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


@asynccontextmanager
async def serving(scan: Behave, version: bytes = b"ClamAV 1.4.6\0") -> AsyncIterator[Address]:
    """Does `scan` with every file, and answers other commands with `version`."""

    async def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(OSError, EOFError):
            if await reader.readuntil(b"\0") == b"zINSTREAM\0":
                await scan(reader, writer)
            else:
                writer.write(version)
                await writer.drain()
        writer.transport.abort() if reader.at_eof() else writer.close()

    server = await asyncio.start_server(connected, "127.0.0.1", 0)
    try:
        yield Address("127.0.0.1", server.sockets[0].getsockname()[1])
    finally:
        server.close()


async def read_file(reader: asyncio.StreamReader) -> int:
    """Reads a file to its end, and returns how many bytes it has."""
    size = 0
    while length := int.from_bytes(await reader.readexactly(4)):
        size += len(await reader.readexactly(length))
    return size


def answering(reply: bytes) -> Behave:
    """Answers so, once it has the whole file."""

    async def scan(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await read_file(reader)
        writer.write(reply)
        await writer.drain()

    return scan

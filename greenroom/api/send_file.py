"""Sends a file to a client by the kernel (`sendfile`), without its bytes passing through Python.

This is ASGI's extension `http.response.zerocopysend`. The file is read in a thread, because a read
may wait for the disk. A thread stays with a client for a moment only: one that does not read is
waited for by the event loop.

Careful: the socket belongs to the transport. A copy of its descriptor is used, which stays valid
when the connection is lost.
"""

import asyncio
import os
import select
import socket
from contextlib import suppress
from functools import partial
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import RequestResponseCycle

from greenroom.api.downloads import Download, Downloads
from greenroom.blobs.folder.disk_threads import DiskThreads

EXTENSION = "http.response.zerocopysend"
_AT_ONCE = 4 * 1024 * 1024
"""Bytes that a thread sends before another client may have its turn."""
_STAY_MS = 5
"""How long a thread waits for a client that reads."""
_threads = DiskThreads()


class ReaderGone(Exception):
    """The client has left, or has read nothing for too long."""


class _Sent:
    """Stands for bytes that h11 counts but does not see."""

    def __init__(self, count: int) -> None:
        self._count = count

    def __len__(self) -> int:
        return self._count


async def send_file(
    cycle: RequestResponseCycle,
    downloads: Downloads,
    file: int,
    offset: int,
    count: int,
    *,
    stall_seconds: float,
) -> None:
    """The next part of the response's body. Raises `ReaderGone`."""
    await _flushed(cycle, stall_seconds)
    copy = os.dup(cycle.transport.get_extra_info("socket").fileno())
    try:
        with downloads.one(partial(_end, cycle, copy)) as download:
            await _send_all(cycle, download, copy, file, offset, count, stall_seconds)
    finally:
        os.close(copy)


async def _send_all(
    cycle: RequestResponseCycle,
    download: Download,
    copy: int,
    file: int,
    offset: int,
    count: int,
    stall_seconds: float,
) -> None:
    end = offset + count
    while offset < end:
        most = min(_AT_ONCE, end - offset)
        sent = await _threads.run(_send_some, copy, file, offset, most)
        if cycle.disconnected or sent < 0:
            raise ReaderGone
        if sent == 0:
            await _writable(copy, stall_seconds)
            continue
        offset += sent
        download.sent += sent
        data: Any = _Sent(sent)
        cycle.conn.send_with_data_passthrough(h11.Data(data=data))


def _end(cycle: RequestResponseCycle, copy: int) -> None:
    """Ends a download from outside. The shutdown wakes it if it waits for its client."""
    cycle.disconnected = True
    with suppress(OSError), socket.socket(fileno=os.dup(copy)) as connection:
        connection.shutdown(socket.SHUT_RDWR)


def _send_some(connection: int, file: int, offset: int, most: int) -> int:
    """How many bytes were sent; below 0 if the connection is lost."""
    sent, ready = 0, select.poll()
    ready.register(connection, select.POLLOUT)
    while sent < most:
        try:
            count = os.sendfile(connection, file, offset + sent, most - sent)
        except BlockingIOError:
            if not ready.poll(_STAY_MS):
                return sent
            continue
        except OSError:
            return -1
        if not count:  # the file is shorter than it was
            return -1
        sent += count
    return sent


async def _flushed(cycle: RequestResponseCycle, seconds: float) -> None:
    """Waits for what the transport has not sent yet: the headers."""
    pause = 0.0
    deadline = asyncio.get_running_loop().time() + seconds
    while not cycle.disconnected and cycle.transport.get_write_buffer_size():
        if asyncio.get_running_loop().time() > deadline:
            raise ReaderGone
        await asyncio.sleep(pause)
        pause = min(0.05, pause + 0.001)
    if cycle.disconnected:
        raise ReaderGone


async def _writable(connection: int, seconds: float) -> None:
    loop = asyncio.get_running_loop()
    ready: asyncio.Future[None] = loop.create_future()

    def on_writable() -> None:
        if not ready.done():
            ready.set_result(None)

    loop.add_writer(connection, on_writable)
    try:
        await asyncio.wait_for(ready, seconds)
    except TimeoutError:
        raise ReaderGone from None
    finally:
        loop.remove_writer(connection)

"""Greenroom on an SQLite file or on the given store, over its socket.

The server is a process of its own, from this checkout or another. On SQLite the ack and the event
to the recipient come after the fsync of their group.
"""

import asyncio
import itertools
import os
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import aiohttp
import jwt
import msgspec
from picows import WSFrame, WSListener, WSMsgType, WSTransport, ws_connect

from bench.peers import Received

SECRET = "a secret that only the benchmark has"
START_SECONDS = 60


class _Body(msgspec.Struct):
    body: str = ""


class _Page(msgspec.Struct):
    messages: list[_Body]


class _Told(msgspec.Struct):
    type: str
    id: int | None = None
    message: _Body | None = None
    page: _Page | None = None


_TOLD = msgspec.json.Decoder(_Told)


class _Socket(WSListener):
    def __init__(self) -> None:
        self.ready: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self.received: Received | None = None
        self.pages: dict[int, asyncio.Future[int]] = {}

    def on_ws_frame(self, transport: WSTransport, frame: WSFrame) -> None:
        if frame.msg_type != WSMsgType.TEXT:
            return
        told = _TOLD.decode(frame.get_payload_as_memoryview())
        if not self.ready.done():
            self.ready.set_result(None)
        elif told.type == "message.created" and told.message and self.received:
            self.received(told.message.body)
        elif told.page is not None and told.id is not None:
            self.pages.pop(told.id).set_result(len(told.page.messages))
        elif told.type == "problem":
            raise RuntimeError(frame.get_payload_as_utf8_text())


class _Pair:
    def __init__(
        self,
        thread: str,
        writer: WSTransport,
        reading: WSTransport,
        reader: _Socket,
    ) -> None:
        self._thread = thread
        self._writer = writer
        self._reading = reading
        self._reader = reader
        self._numbers = itertools.count(1)

    def listen(self, received: Received) -> None:
        self._reader.received = received

    def send(self, text: str) -> None:
        number = next(self._numbers)
        frame = {"type": "send", "id": number, "threadId": self._thread, "body": text}
        frame["clientMessageId"] = f"c{number}"
        self._writer.send(WSMsgType.TEXT, msgspec.json.encode(frame))

    async def last(self, count: int) -> int:
        number = next(self._numbers)
        frame = {"type": "history", "id": number, "threadId": self._thread, "limit": count}
        page: asyncio.Future[int] = asyncio.get_running_loop().create_future()
        self._reader.pages[number] = page
        self._reading.send(WSMsgType.TEXT, msgspec.json.encode(frame))
        return await page


class Greenroom:
    name = "greenroom"
    note = "SQLite in WAL mode, every commit fsynced before it is acked or told"

    def __init__(self, folder: Path, *, store: str = "", tree: Path | None = None) -> None:
        self._folder = folder
        self._store = store
        self._tree = tree
        self._process: asyncio.subprocess.Process | None = None
        self._http: aiohttp.ClientSession | None = None
        self.url = ""
        self._users = itertools.count(1)

    async def start(self) -> None:
        given = {"GREENROOM_PORT": "0", "GREENROOM_DATA": str(self._folder)}
        given |= {"GREENROOM_SECRET": SECRET, "GREENROOM_STORE": self._store}
        if self._tree is not None:
            given["PYTHONPATH"] = str(self._tree)
        self._process = await asyncio.create_subprocess_exec(
            sys.executable,
            "-m",
            "bench.peers.greenroom_server",
            stdout=asyncio.subprocess.PIPE,
            env={**os.environ, **given},
            cwd=self._tree,
        )
        assert self._process.stdout is not None
        started = asyncio.wait_for(self._process.stdout.readline(), START_SECONDS)
        self.url = (await started).decode().strip()
        self._http = aiohttp.ClientSession(self.url)

    async def stop(self) -> None:
        if self._http is not None:
            await self._http.close()
        if self._process is not None and self._process.returncode is None:
            self._process.terminate()
            await self._process.wait()

    def pids(self) -> Sequence[int]:
        return [] if self._process is None else [self._process.pid]

    async def pairs(self, count: int) -> Sequence[_Pair]:
        return [await self._pair() for _ in range(count)]

    async def _pair(self) -> _Pair:
        assert self._http is not None
        one, other = await self._user(), await self._user()
        opened = await self._call(
            one,
            "POST",
            "/v1/threads",
            {"kind": "inquiry", "participants": [{"userId": other[0], "role": "seller"}]},
        )
        thread = opened["thread"]["threadId"]
        first = {"body": "Hello, may I ask you something?", "clientMessageId": "first"}
        await self._call(one, "POST", f"/v1/threads/{thread}/messages", first)
        seen = await self._call(other, "GET", f"/v1/threads/{thread}")
        for request in seen["requests"]:
            await self._call(other, "POST", f"/v1/requests/{request['requestId']}/accept")
        writer, _ = await self._connected(one[1])
        reading, reader = await self._connected(other[1])
        return _Pair(thread, writer, reading, reader)

    async def _user(self) -> tuple[str, str]:
        user = f"usr_bench{next(self._users)}"
        token = token_of(user)
        await self._call((user, token), "PUT", "/v1/me", {"username": user.removeprefix("usr_")})
        return user, token

    async def _call(
        self, user: tuple[str, str], method: str, path: str, body: object = None
    ) -> Any:
        assert self._http is not None
        headers = {"Authorization": f"Bearer {user[1]}"}
        async with self._http.request(method, path, json=body, headers=headers) as answer:
            text = await answer.read()
            if answer.status >= 400:
                raise RuntimeError(f"{method} {path}: {answer.status} {text.decode()}")
            return msgspec.json.decode(text) if text else None

    async def _connected(self, token: str) -> tuple[WSTransport, _Socket]:
        url = self.url.replace("http://", "ws://") + "/v1/socket"
        transport, listener = await ws_connect(
            _Socket,
            url,
            enable_auto_ping=True,  # other servers are started first: silent sockets are closed
            auto_ping_idle_timeout=20,
            auto_ping_reply_timeout=20,
        )
        assert isinstance(listener, _Socket)
        frame = {"type": "auth", "id": 0, "token": token}
        transport.send(WSMsgType.TEXT, msgspec.json.encode(frame))
        await listener.ready
        return transport, listener


def token_of(user: str) -> str:
    now = int(time.time())
    claims = {"sub": user, "iat": now, "exp": now + 12 * 3600, "scope": "user"}
    return jwt.encode(claims, SECRET, "HS256")

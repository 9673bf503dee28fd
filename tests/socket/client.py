"""A client of the socket, as small as can be, and a server to talk to: the whole of it, in this
process, on a free port.
"""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from itertools import count
from pathlib import Path
from types import TracebackType
from typing import Any

import aiohttp

from greenroom import app
from greenroom.people.actor import Scope
from greenroom.settings import Settings

SECRET = "a secret for the tests of the socket"
_SECONDS = 20


class Node:
    """A running server."""

    def __init__(self, url: str, settings: Settings) -> None:
        self.url = url
        self.settings = settings
        self.http = aiohttp.ClientSession(url)

    async def token(self, user: str, *, hours: int = 1) -> str:
        return await app.token(self.settings, user, [Scope.USER], hours)

    async def call(self, user: str, method: str, path: str, **body: Any) -> Any:
        headers = {"Authorization": f"Bearer {await self.token(user)}"}
        async with self.http.request(method, path, headers=headers, json=body or None) as answer:
            text = await answer.text()
            assert answer.status < 400, text
            return json.loads(text) if text else None

    async def join(self, *users: str) -> None:
        for user in users:
            await self.call(user, "PUT", "/v1/me", username=user.removeprefix("usr_"))

    async def talk(self, one: str, other: str) -> str:
        """A conversation of two who have met."""
        opened = await self.call(
            one,
            "POST",
            "/v1/threads",
            kind="inquiry",
            participants=[{"userId": other, "role": "seller"}],
        )
        thread: str = opened["thread"]["threadId"]
        await self.call(
            one, "POST", f"/v1/threads/{thread}/messages", body="hello", clientMessageId="first"
        )
        seen = await self.call(other, "GET", f"/v1/threads/{thread}")
        for request in seen["thread"]["requests"] if "thread" in seen else seen["requests"]:
            await self.call(other, "POST", f"/v1/requests/{request['requestId']}/accept")
        return thread

    async def connect(self, user: str | None = None, **how: Any) -> "Client":
        socket = await self.http.ws_connect("/v1/socket", **how)
        client = Client(socket)
        if user is not None:
            client.hello = await client.ask("auth", token=await self.token(user))
        return client


class Client:
    def __init__(self, socket: aiohttp.ClientWebSocketResponse) -> None:
        self.socket = socket
        self.events: list[dict[str, Any]] = []
        self.hello: dict[str, Any] = {}
        self._numbers = count(1)
        self._asked: dict[int, asyncio.Future[dict[str, Any]]] = {}
        self._news = asyncio.Event()
        self._reader = asyncio.create_task(self._read())

    async def __aenter__(self) -> "Client":
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.close()

    async def close(self) -> None:
        await self.socket.close()
        await self._reader

    async def say(self, kind: str, **fields: Any) -> None:
        await self.socket.send_str(json.dumps({"type": kind, **fields}))

    def begin(self, kind: str, **fields: Any) -> "asyncio.Future[dict[str, Any]]":
        number = next(self._numbers)
        future: asyncio.Future[dict[str, Any]] = asyncio.get_running_loop().create_future()
        self._asked[number] = future
        asyncio.ensure_future(self.say(kind, id=number, **fields))  # noqa: RUF006
        return future

    async def ask(self, kind: str, **fields: Any) -> dict[str, Any]:
        """The answer: an `ack` or a `problem`."""
        return await asyncio.wait_for(self.begin(kind, **fields), _SECONDS)

    async def send(self, thread: str, body: str, name: str | None = None) -> dict[str, Any]:
        return await self.ask(
            "send", threadId=thread, body=body, clientMessageId=name or f"c-{body}"[:64]
        )

    async def event(self, kind: str) -> dict[str, Any]:
        """The first of this kind that nobody has taken yet; waits for it."""
        async with asyncio.timeout(_SECONDS):
            while True:
                for event in self.events:
                    if event["type"] == kind:
                        self.events.remove(event)
                        return event
                self._news.clear()
                await self._news.wait()

    async def closed(self) -> int | None:
        await asyncio.wait_for(self._reader, _SECONDS)
        return self.socket.close_code

    def take(self) -> list[dict[str, Any]]:
        taken, self.events = self.events, []
        return taken

    async def _read(self) -> None:
        async for message in self.socket:
            if message.type is not aiohttp.WSMsgType.TEXT:
                continue
            frame = json.loads(message.data)
            future = self._asked.pop(frame.get("id"), None) if _answers(frame) else None
            if future is not None and not future.done():
                future.set_result(frame)
            else:
                self.events.append(frame)
                self._news.set()
        self._news.set()


def _answers(frame: dict[str, Any]) -> bool:
    return frame["type"] in ("ack", "problem") and "id" in frame


@asynccontextmanager
async def serving(folder: Path, **settings: Any) -> AsyncIterator[Node]:
    chosen = Settings(port=0, data=folder, secret=SECRET, **settings)
    told: asyncio.Future[str] = asyncio.get_running_loop().create_future()
    server = asyncio.create_task(
        app.serve(chosen, create_tables=True, samples=False, tell=told.set_result)
    )
    waiting: list[asyncio.Future[Any]] = [told, server]
    await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
    if server.done():
        server.result()
    node = Node(await told, chosen)
    try:
        yield node
    finally:
        await node.http.close()
        server.cancel()
        await asyncio.gather(server, return_exceptions=True)

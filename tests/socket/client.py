"""A minimal client of the socket."""

import asyncio
import json
from itertools import count
from types import TracebackType
from typing import Any
from uuid import uuid4

import aiohttp

SECONDS = 20


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

    async def begin(self, kind: str, **fields: Any) -> "asyncio.Future[dict[str, Any]]":
        """Sends without waiting. The future gets the reply."""
        number = next(self._numbers)
        future: asyncio.Future[dict[str, Any]] = asyncio.get_running_loop().create_future()
        self._asked[number] = future
        await self.say(kind, id=number, **fields)
        return future

    async def ask(self, kind: str, **fields: Any) -> dict[str, Any]:
        """Returns the reply: an `ack` or a `problem`."""
        return await asyncio.wait_for(await self.begin(kind, **fields), SECONDS)

    async def send(self, thread: str, body: str, name: str | None = None) -> dict[str, Any]:
        return await self.ask("send", **sending(thread, body, name))

    async def event(self, kind: str) -> dict[str, Any]:
        """Waits for the next event of this kind and takes it."""
        async with asyncio.timeout(SECONDS):
            while True:
                for event in self.events:
                    if event["type"] == kind:
                        self.events.remove(event)
                        return event
                assert not self._reader.done(), f"closed without {kind}: {self.events}"
                self._news.clear()
                await self._news.wait()

    async def events_so_far(self) -> list[dict[str, Any]]:
        """All events received before the reply to a ping, which comes after them."""
        assert (await self.ask("ping"))["type"] == "ack"
        return self.take()

    def take(self) -> list[dict[str, Any]]:
        taken, self.events = self.events, []
        return taken

    async def closed(self) -> int | None:
        """Waits for the close and returns its code."""
        await asyncio.wait_for(self._reader, SECONDS)
        return self.socket.close_code

    async def _read(self) -> None:
        async for message in self.socket:
            if message.type is not aiohttp.WSMsgType.TEXT:
                continue
            frame = json.loads(message.data)
            future = self._asked.pop(frame["id"], None) if _answers(frame) else None
            if future is not None and not future.done():
                future.set_result(frame)
            else:
                self.events.append(frame)
                self._news.set()
        self._news.set()


def sending(thread: str, body: str, name: str | None = None) -> dict[str, Any]:
    return {"threadId": thread, "body": body, "clientMessageId": name or f"c-{uuid4().hex[:12]}"}


def _answers(frame: dict[str, Any]) -> bool:
    return frame["type"] in ("ack", "problem") and "id" in frame

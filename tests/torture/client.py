"""A socket client that always reconnects, as docs/guides/socket.md describes.

It keeps its state, a cursor, and how far each thread has no gap. It resumes after a reconnect and
when it is asked to, and reads over REST what was too much for a resume.
Careful: store a cursor only once everything before it has arrived.
"""

import asyncio
import json
import random
from collections.abc import Callable
from contextlib import suppress
from itertools import count
from typing import Any, TypeAlias

import aiohttp

from tests.torture.client_state import ClientState

Frame: TypeAlias = dict[str, Any]
LOST: Frame = {"type": "lost"}
"""Stands for the answer when the connection closes before there is one."""
REACH = 200
"""How many of a thread's last messages may still change."""
_NETWORK_ERRORS = (aiohttp.ClientError, OSError, TimeoutError)
_PAGE = 100


class Refused(Exception):
    """The server refused, and not because of a failure of its own."""


class Client:
    def __init__(
        self, user: str, token: str, urls: Callable[[], list[str]], chance: random.Random
    ) -> None:
        self.user = user
        self.view = ClientState()
        self.live = asyncio.Event()
        self.resumes = self.reloads = self.connections = self.gaps = self.resets = 0
        self.bugs: list[str] = []
        """Responses with status 500."""
        self._token = token
        self._urls = urls
        self._chance = chance
        self._cursor: str | None = None
        self._behind = asyncio.Event()
        self._may_connect = asyncio.Event()
        self._may_connect.set()
        self._numbers = count(1)
        self._asked: dict[int, asyncio.Future[Frame]] = {}
        self._socket: aiohttp.ClientWebSocketResponse | None = None
        self._http: aiohttp.ClientSession | None = None
        self._task: asyncio.Task[None] | None = None

    def start(self) -> None:
        self._task = asyncio.create_task(self._reconnect_forever())

    async def stop(self) -> None:
        if self._task is not None:
            self._task.cancel()
            await asyncio.wait([self._task])
        if self._http is not None:
            await self._http.close()

    async def reconnect(self) -> None:
        """Disconnects, and returns once it has resumed on a new connection."""
        before = self.resumes
        if self._socket is not None:
            await self._socket.close()
        while self.resumes == before or not self.is_settled:  # noqa: ASYNC110
            await asyncio.sleep(0.05)

    async def go_offline(self, seconds: float) -> None:
        self._may_connect.clear()
        if self._socket is not None:
            await self._socket.close()
        await asyncio.sleep(seconds)
        self._may_connect.set()

    @property
    def is_settled(self) -> bool:
        return self.live.is_set() and not self._behind.is_set()

    def has_stayed(self, connection: int) -> bool:
        """Whether it is still live on the connection with this number."""
        return self.live.is_set() and self.connections == connection

    # Requests.

    async def ask(self, kind: str, **fields: Any) -> Frame:
        """The answer, or `LOST`. Requests are written in the order of the calls."""
        number, socket = next(self._numbers), self._socket
        if socket is None or socket.closed:
            return LOST
        answer = self._asked[number] = asyncio.get_running_loop().create_future()
        try:
            await socket.send_str(json.dumps({"type": kind, "id": number, **fields}))
        except _NETWORK_ERRORS:
            self._lose(number)
        frame: Frame = await answer
        if frame["type"] == "problem" and frame["problem"]["status"] == 500:
            self.bugs.append(f"{kind}: {frame['problem']}")
        return frame

    async def say(self, kind: str, **fields: Any) -> None:
        """Sends a frame that has no answer."""
        with suppress(*_NETWORK_ERRORS):
            if self._socket is not None:
                await self._socket.send_str(json.dumps({"type": kind, **fields}))

    async def rest(self, method: str, path: str, **body: Any) -> Any:
        """Tries nodes until one answers."""
        while True:
            with suppress(*_NETWORK_ERRORS):
                status, answer = await self._rest(method, path, body)
                if status < 400:
                    return answer
                if status == 500:
                    self.bugs.append(f"{method} {path}: {answer}")
                if status < 500 and status != 409:
                    raise Refused(f"{method} {path}: {status} {answer}")
            await asyncio.sleep(self._chance.uniform(0.1, 0.5))

    async def try_rest(
        self, method: str, path: str, body: dict[str, Any] | None = None, key: str | None = None
    ) -> tuple[int, Any]:
        """One try: its status and answer. The status is 0 if the answer was lost."""
        try:
            status, answer = await self._rest(method, path, body or {}, key)
        except _NETWORK_ERRORS:
            return 0, None
        if status == 500:
            self.bugs.append(f"{method} {path}: {answer}")
        return status, answer

    async def _rest(
        self, method: str, path: str, body: dict[str, Any], key: str | None = None
    ) -> tuple[int, Any]:
        headers = {"Authorization": f"Bearer {self._token}"}
        async with self._session().request(
            method,
            self._some_url() + path,
            json=body or None,
            headers=headers if key is None else headers | {"Idempotency-Key": key},
            timeout=aiohttp.ClientTimeout(total=30),
        ) as answer:
            text = await answer.text()
            return answer.status, json.loads(text) if text else None

    def _some_url(self) -> str:
        urls = self._urls()
        if not urls:
            raise OSError("no node is up")
        return self._chance.choice(urls)

    def _session(self) -> aiohttp.ClientSession:
        if self._http is None:
            self._http = aiohttp.ClientSession()
        return self._http

    # The connection.

    async def _reconnect_forever(self) -> None:
        while True:
            await self._may_connect.wait()
            with suppress(*_NETWORK_ERRORS):
                async with asyncio.timeout(5):
                    url = self._some_url()
                    socket = await self._session().ws_connect(f"{url}/v1/socket", heartbeat=10)
                try:
                    await self._follow(socket)
                finally:
                    await socket.close()
            await asyncio.sleep(self._chance.uniform(0.02, 0.4))

    async def _follow(self, socket: aiohttp.ClientWebSocketResponse) -> None:
        self._socket = socket
        self.connections += 1
        begun = asyncio.create_task(self._begin(socket))
        try:
            async for message in socket:
                if message.type is aiohttp.WSMsgType.TEXT:
                    self._take(json.loads(message.data))
        finally:
            self.live.clear()
            self._socket = None
            for number in list(self._asked):
                self._lose(number)
            begun.cancel()
            await asyncio.wait([begun])
        if not begun.cancelled() and begun.exception() is not None:
            begun.result()

    async def _begin(self, socket: aiohttp.ClientWebSocketResponse) -> None:
        hello = await self.ask("auth", token=self._token)
        if hello["type"] != "ack":
            await socket.close()
            return
        if self._cursor is None:
            await self._load(hello["cursor"])
        self._behind.set()
        while True:
            if self._behind.is_set():
                await self._resume()
            elif not await self._ping():
                return
            gaps = self.view.gaps()
            with suppress(TimeoutError):
                async with asyncio.timeout(self._chance.uniform(1, 2)):
                    await self._behind.wait()
            if gaps & self.view.gaps():  # the node may have died before it published the event
                self.gaps += 1
                self._behind.set()

    async def _load(self, cursor: str) -> None:
        """The first load: everything, starting with the inbox."""
        inbox = await self.rest("GET", "/v1/inbox?limit=50")
        for row in inbox["threads"]:
            await self.reload(row["threadId"])
        self._cursor = cursor

    async def _resume(self) -> None:
        self._behind.clear()
        frame = await self.ask("resume", cursor=self._cursor, have=self.view.have())
        if frame["type"] != "ack":
            self._behind.set()
            await asyncio.sleep(self._chance.uniform(0.05, 0.3))
            return
        if "reset" in frame:  # the clock was set back: no cursor is too old
            self.resets += 1
            self.view.truncated |= self.view.threads.keys()
        while self.view.truncated:
            thread = next(iter(self.view.truncated))
            await self.reload(thread)
            self.view.truncated.discard(thread)
        self._cursor = frame["cursor"]
        self.resumes += 1
        self.live.set()

    async def _ping(self) -> bool:
        frame = await self.ask("ping")
        if "cursor" in frame and not self.view.truncated:
            self._cursor = frame["cursor"]
        return frame is not LOST

    async def reload(self, thread: str) -> None:
        """Reads what may have changed in a thread over REST."""
        self.reloads += 1
        have, place = self.view.have().get(thread, 0), ""
        while True:
            page = await self.rest("GET", f"/v1/threads/{thread}/messages?limit={_PAGE}{place}")
            for message in page["messages"]:
                self.view.apply_message(message)
            first = page["messages"][0]
            if not page["hasBefore"] or first["seq"] < have - REACH:
                break
            place = f"&before={first['messageId']}"
        self.view.apply_thread(await self.rest("GET", f"/v1/threads/{thread}"))

    # Incoming frames.

    def _take(self, frame: Frame) -> None:
        match frame:
            case {"type": "ack" | "problem", "id": number}:
                answer = self._asked.pop(number, None)
                if answer is not None and not answer.done():
                    answer.set_result(frame)
            case {"type": "synced", "changes": changes}:
                self.view.apply_changes(changes)
            case {"type": "receipt.moved", "threadId": thread, "userId": user}:
                read, delivered = frame["lastReadSeq"], frame["lastDeliveredSeq"]
                self.view.apply_receipt(thread, user, read, delivered)
            case {"type": "resync"}:
                self._behind.set()
            case {"message": message}:
                self.view.apply_message(message)

    def _lose(self, number: int) -> None:
        answer = self._asked.pop(number, None)
        if answer is not None and not answer.done():
            answer.set_result(LOST)

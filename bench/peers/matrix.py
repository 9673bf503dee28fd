"""Synapse on SQLite, with a minimal Matrix client: a room for two, PUT to send, a long poll of
/sync to receive, /messages to read backwards.
"""

import asyncio
import itertools
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from urllib.parse import quote

import aiohttp
import msgspec

from bench.peers import Received
from scripts.engines import Engine, synapse

_POLL_MS = 30_000
_FILTER = quote(
    '{"presence":{"types":[]},"account_data":{"types":[]},'
    '"room":{"timeline":{"limit":100},"state":{"lazy_load_members":true}}}'
)


class Content(msgspec.Struct):
    body: str = ""


class Event(msgspec.Struct):
    type: str
    content: Content


class Timeline(msgspec.Struct):
    events: list[Event] = []


class JoinedRoom(msgspec.Struct):
    timeline: Timeline


class Rooms(msgspec.Struct):
    join: dict[str, JoinedRoom] = {}


class Sync(msgspec.Struct):
    next_batch: str
    rooms: Rooms = msgspec.field(default_factory=Rooms)


class Messages(msgspec.Struct):
    chunk: list[Event]


_SYNC = msgspec.json.Decoder(Sync)
_MESSAGES = msgspec.json.Decoder(Messages)
_ANY = msgspec.json.Decoder(dict[str, Any])


class MatrixUser:
    def __init__(self, http: aiohttp.ClientSession, url: str) -> None:
        self._http = http
        self._url = f"{url}/_matrix/client/v3"
        self._headers: dict[str, str] = {}
        self.id = ""

    async def register(self, name: str) -> None:
        body = {"username": name, "password": "secret", "auth": {"type": "m.login.dummy"}}
        found = _ANY.decode(await self.call("POST", "/register", body))
        self.id = found["user_id"]
        self._headers = {"Authorization": f"Bearer {found['access_token']}"}

    async def call(self, method: str, path: str, body: object = None) -> bytes:
        data = None if body is None else msgspec.json.encode(body)
        async with self._http.request(
            method, self._url + path, data=data, headers=self._headers
        ) as response:
            answer = await response.read()
            if response.status != 200:
                raise RuntimeError(f"{method} {path}: {response.status} {answer.decode()}")
            return answer


class MatrixPair:
    """The reader's long poll runs as a task until it is cancelled."""

    def __init__(self, writer: MatrixUser, reader: MatrixUser, room: str) -> None:
        self._writer = writer
        self._reader = reader
        self._room = f"/rooms/{quote(room)}"
        self._numbers = itertools.count(1)
        self._heard: Received | None = None
        self.tasks: set[asyncio.Task[object]] = set()

    def listen(self, received: Received) -> None:
        self._heard = received

    def send(self, text: str) -> None:
        path = f"{self._room}/send/m.room.message/{next(self._numbers)}"
        self._begin(self._writer.call("PUT", path, {"msgtype": "m.text", "body": text}))

    async def last(self, count: int) -> int:
        path = f"{self._room}/messages?dir=b&limit={count}"
        events = _MESSAGES.decode(await self._reader.call("GET", path)).chunk
        return sum(event.type == "m.room.message" for event in events)

    async def go_online(self) -> None:
        first = _SYNC.decode(await self._reader.call("GET", f"/sync?filter={_FILTER}&timeout=0"))
        self._begin(self._poll(first.next_batch))

    async def _poll(self, since: str) -> None:
        while True:
            path = f"/sync?filter={_FILTER}&timeout={_POLL_MS}&since={since}"
            batch = _SYNC.decode(await self._reader.call("GET", path))
            since = batch.next_batch
            for room in batch.rooms.join.values():
                for event in room.timeline.events:
                    if event.type == "m.room.message" and self._heard is not None:
                        self._heard(event.content.body)

    def _begin(self, work: Any) -> None:
        task: asyncio.Task[object] = asyncio.ensure_future(work)
        self.tasks.add(task)
        task.add_done_callback(self._ended)

    def _ended(self, task: asyncio.Task[object]) -> None:
        self.tasks.discard(task)
        if not task.cancelled():
            task.result()  # an error is the loop's to report; the load then sees a pair that stalls


class SynapseOnSqlite:
    name = "synapse"
    note = "SQLite with a write-ahead log, every commit fsynced"

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._engine: Engine | None = None
        self._http: aiohttp.ClientSession | None = None
        self._pairs: list[MatrixPair] = []

    async def start(self) -> None:
        self._engine = synapse.start(self._folder)
        self._http = aiohttp.ClientSession(
            connector=aiohttp.TCPConnector(limit=0), timeout=aiohttp.ClientTimeout(total=120)
        )

    async def stop(self) -> None:
        tasks = [task for pair in self._pairs for task in pair.tasks]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        if self._http is not None:
            await self._http.close()
        if self._engine is not None:
            self._engine.stop()

    async def pairs(self, count: int) -> Sequence[MatrixPair]:
        return [await self._pair() for _ in range(count)]

    async def _pair(self) -> MatrixPair:
        assert self._engine is not None
        assert self._http is not None
        number = len(self._pairs)
        writer, reader = (MatrixUser(self._http, self._engine.url) for _ in range(2))
        await writer.register(f"writer{number}")
        await reader.register(f"reader{number}")
        wanted = {"preset": "private_chat", "is_direct": True, "invite": [reader.id]}
        room = _ANY.decode(await writer.call("POST", "/createRoom", wanted))["room_id"]
        await reader.call("POST", f"/join/{quote(room)}", {})
        pair = MatrixPair(writer, reader, room)
        await pair.go_online()
        self._pairs.append(pair)
        return pair

    def pids(self) -> Sequence[int]:
        return [] if self._engine is None else [self._engine.process.pid]

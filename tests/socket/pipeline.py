"""A client that sends without waiting for replies, and one that receives as the guide describes.

    sender = Sender(connect, random.Random(seed), window=16)
    await sender.send_all(messages, breaks=2)

The sender repeats unacknowledged messages with the same `clientMessageId`, on the same connection
or the next one, until each has a final reply.
"""

import asyncio
import os
import random
import socket
from collections import Counter, deque
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from typing import Any, TypeAlias

from tests.socket.client import Client
from tests.socket.node import Node
from tests.sync_pages import inbox_in

Frame: TypeAlias = dict[str, Any]
Connect: TypeAlias = Callable[[], Awaitable[Client]]
_GAP_SECONDS = 0.2
"""Shorter than in the guide: the stores of these tests are faster than real ones."""


@dataclass
class Message:
    """`name` is its `clientMessageId` and the first word of its text."""

    number: int
    thread: str
    name: str
    text: str
    reply_to: str | None = None
    tries: int = 0
    refusals: int = 0
    """Replies with a server error."""
    answer: Frame = field(default_factory=dict)
    """The ack, or a refusal that a retry does not change."""
    place: tuple[int, int] | None = None
    """Its connection and its position on it; None if the first try was not acked."""

    @property
    def body(self) -> str:
        return f"{self.name} {self.text}"

    @property
    def is_sent(self) -> bool:
        return self.answer.get("status") == "sent"

    @property
    def seq(self) -> int:
        return int(self.answer["message"]["seq"])


async def connected(node: Node, name: str) -> Client:
    """Authenticates, with retries while the store fails."""
    client = Client(await node.http.ws_connect("/v1/socket"))
    while client.hello.get("type") != "ack":
        client.hello = await client.ask("auth", token=node.token(name))
    return client


class Sender:
    def __init__(self, connect: Connect, chance: random.Random, window: int) -> None:
        self._connect = connect
        self._chance = chance
        self._window = window
        self._todo: deque[Message] = deque()
        self._under_way: set[int] = set()
        self._connections = 0
        self._news = asyncio.Event()

    async def send_all(self, messages: Sequence[Message], *, breaks: int = 0) -> None:
        """Breaks the connection `breaks` times, each time after a few messages."""
        self._todo.extend(messages)
        few = max(2, len(messages) // (breaks + 1))
        for left in range(breaks, -1, -1):
            self._connections += 1
            client = await self._connect()
            await self._talk(client, self._chance.randint(1, few) if left else None)
            if left and self._chance.random() < 0.5:
                _abort(client)
            await client.close()
            # Without a reply on this connection: these go first, in the order of sending.
            unanswered = [one for one in messages if not one.answer]
            self._todo = deque(unanswered)
            self._under_way.clear()

    async def _talk(self, client: Client, most: int | None) -> None:
        position = 0
        while True:
            while self._todo and len(self._under_way) < self._window and position != most:
                position += 1
                await self._send(client, self._todo.popleft(), position)
            if position == most or not (self._todo or self._under_way):
                return
            self._news.clear()
            await self._news.wait()

    async def _send(self, client: Client, message: Message, position: int) -> None:
        message.tries += 1
        place = (self._connections, position) if message.tries == 1 else None
        self._under_way.add(message.number)
        fields = {"threadId": message.thread, "clientMessageId": message.name, "body": message.body}
        if message.reply_to is not None:
            fields["replyToMessageId"] = message.reply_to
        answer = await client.begin("send", **fields)
        answer.add_done_callback(partial(self._answered, message, place, self._connections))

    def _answered(
        self,
        message: Message,
        place: tuple[int, int] | None,
        connection: int,
        answer: "asyncio.Future[Frame]",
    ) -> None:
        if connection != self._connections or answer.cancelled():
            return
        frame = answer.result()
        self._under_way.discard(message.number)
        self._news.set()
        if frame["type"] == "ack" or frame["problem"]["status"] < 500:
            message.answer = frame
            message.place = place if frame["type"] == "ack" else None
            return
        message.refusals += 1
        # A client may retry at once, or after it has sent everything else.
        if self._chance.random() < 0.5:
            self._todo.appendleft(message)
        else:
            self._todo.append(message)


def _abort(client: Client) -> None:
    """Drops the connection without a close frame."""
    connection = client.socket.get_extra_info("socket")
    with suppress(OSError), socket.socket(fileno=os.dup(connection.fileno())) as same:
        same.shutdown(socket.SHUT_RDWR)


class Subscriber:
    """Resumes on `resync`, and when a gap remains."""

    def __init__(self, client: Client, threads: Sequence[str]) -> None:
        self.seen: dict[str, dict[int, str]] = {thread: {} for thread in threads}
        """Message ids by seq."""
        self.live: dict[str, list[int]] = {thread: [] for thread in threads}
        """The seqs of `message.created`, in order of arrival."""
        self.mistakes: list[str] = []
        self.resumes = 0
        self._client = client
        self._cursor = client.hello["cursor"]
        self._synced: set[str] = set()
        self._created: Counter[str] = Counter()
        self._task = asyncio.create_task(self._listen())

    def begin_with(self, thread: str, messages: Sequence[Frame]) -> None:
        """Adds the messages from before it connected."""
        self.seen[thread] |= {one["seq"]: one["messageId"] for one in messages}

    async def stop(self) -> None:
        self._task.cancel()
        with suppress(asyncio.CancelledError):
            await self._task
        await self._client.close()

    def has(self, thread: str, messages: Sequence[Frame]) -> bool:
        return self.seen[thread] == {one["seq"]: one["messageId"] for one in messages}

    async def _listen(self) -> None:
        loop = asyncio.get_running_loop()
        gaps, since = self._gaps(), loop.time()
        while True:
            told = self._client.take()
            for event in told:
                self._take(event)
            if self._gaps() != gaps:
                gaps, since = self._gaps(), loop.time()
            is_stuck = bool(gaps) and loop.time() - since > _GAP_SECONDS
            if is_stuck or any(event["type"] == "resync" for event in told):
                await self._resume()
                since = loop.time()
            await asyncio.sleep(0.005)

    async def _resume(self) -> None:
        self.resumes += 1
        while True:
            have = {thread: _without_gap(seen) for thread, seen in self.seen.items()}
            ack = await self._client.ask("resume", cursor=self._cursor, have=have)
            for event in self._client.take():
                self._take(event)
            if ack["type"] == "ack":
                self._cursor = ack["cursor"]
                return

    def _take(self, event: Frame) -> None:
        if event["type"] == "message.created" and event["threadId"] in self.seen:
            message = event["message"]
            self._created[message["messageId"]] += 1
            if self._created[message["messageId"]] > 1:
                self.mistakes.append(f"told twice: {message}")
            if message["messageId"] in self._synced:
                self.mistakes.append(f"told after it was synced: {message}")
            self.live[message["threadId"]].append(message["seq"])
            self._hear(message)
        elif event["type"] == "synced":
            for changed in inbox_in(event["changes"])["threads"]:
                is_ours = changed["thread"]["threadId"] in self.seen
                for message in changed["messages"] if is_ours else ():
                    self._synced.add(message["messageId"])
                    self._hear(message)

    def _hear(self, message: Frame) -> None:
        seen, seq = self.seen[message["threadId"]], message["seq"]
        if seen.setdefault(seq, message["messageId"]) != message["messageId"]:
            self.mistakes.append(f"two messages at {seq}: {seen[seq]} and {message}")

    def _gaps(self) -> dict[str, int]:
        found = {thread: _without_gap(seen) for thread, seen in self.seen.items()}
        return {
            thread: up_to
            for thread, up_to in found.items()
            if up_to < max(self.seen[thread] or [0])
        }


def _without_gap(seen: dict[int, str]) -> int:
    up_to = 0
    while up_to + 1 in seen:
        up_to += 1
    return up_to


async def whole_log(node: Node, name: str, thread: str) -> list[Frame]:
    """All messages of a thread, oldest first."""
    messages: list[Frame] = []
    place = ""
    while True:
        path = f"/threads/{thread}/messages?limit=100{place}"
        page = await node.call(name, "GET", path)
        messages = page["messages"] + messages
        if not page["hasBefore"]:
            return messages
        place = f"&before={messages[0]['messageId']}"

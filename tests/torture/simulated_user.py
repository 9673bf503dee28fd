"""A simulated user who keeps sending, reading, editing and reacting, and records every outcome.

Unacked messages are sent again. Some users pipeline: they send bursts, and after a reconnect first
repeat what was not acked, in order.
Careful: an unacked message, edit, reaction or read position may have been stored all the same. The
checks accept either outcome for those.
"""

import asyncio
import random
from collections import defaultdict
from collections.abc import Awaitable, Coroutine
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import count
from typing import Any

from tests.torture.client import REACH, Client, Frame
from tests.torture.scheduler import Scheduler, is_scheduled

_IMPATIENT = 0.04
_RECENT = REACH // 4
_HOT = 2
"""How many of the last messages others change at the same time."""
_EMOJI = "👍"
_TEXTS = (
    "could we begin a little later on that day?",
    "the light is at its best in the late afternoon.",
    "I have the smaller room as well, if you like it.",
    "thank you, that is fine with me.",
    "shall we meet at the door, or inside?",
)


@dataclass
class Sending:
    """One message with its client message id, which is also the first word of its text."""

    thread: str
    name: str
    body: str
    acks: set[tuple[str, int]] = field(default_factory=set)
    """Message id and seq of each ack; there must be exactly one in the end."""
    tries: int = 0
    place: tuple[int, int] | None = None
    """Number of the connection, and of the send on it; only if the first try was acked."""
    pipelined: bool = False
    failed: bool = False
    """Whether the server has answered with an error."""


@dataclass
class Edits:
    """The texts that a message may have now."""

    bodies: set[str]
    acked: dict[int, str] = field(default_factory=dict)
    """By version."""


class SimulatedUser:
    def __init__(self, client: Client, chance: random.Random, word: str) -> None:
        self.client = client
        self.user = client.user
        self.threads: list[str] = []
        self.sendings: dict[str, Sending] = {}
        self.edits: dict[str, Edits] = {}
        self.reactions: dict[str, bool | None] = {}
        """Whether this user's reaction is on a message; None if that is not certain."""
        self.read_tried: dict[str, int] = defaultdict(int)
        self.read_acked: dict[str, int] = defaultdict(int)
        self.went_back: list[str] = []
        """Acked read positions that a later look did not show."""
        self.reacted = 0
        self.refusals: list[str] = []
        self.scheduler = Scheduler(client, chance, word)
        self._chance = chance
        self._word = word
        self._numbers = count(1)
        self._places = count(1)
        self._ending = asyncio.Event()
        self._tasks: set[asyncio.Task[None]] = set()

    def begin(self, thread: str, *, at_once: int, pause: float) -> None:
        self.threads.append(thread)
        self._start(self._talk(thread, at_once, pause))

    def begin_pipelining(self, thread: str, *, at_once: int, pause: float) -> None:
        """As many messages as with `begin`."""
        self.threads.append(thread)
        self._start(self._pipeline(thread, at_once, pause))

    def begin_reading(self) -> None:
        self._start(self._read_edit_react())

    def begin_scheduling(self) -> None:
        self._start(self._schedule())

    def finish(self) -> None:
        """Starts nothing new."""
        self._ending.set()

    @property
    def _over(self) -> bool:
        return self._ending.is_set()

    @property
    def is_settled(self) -> bool:
        return not self._tasks and self.client.is_settled

    def stop(self) -> None:
        for task in self._tasks:
            task.cancel()

    def _start(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._ended)
        return task

    def _ended(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and (mistake := task.exception()):
            self.refusals.append(f"{type(mistake).__name__}: {mistake}")

    # Sending.

    async def _talk(self, thread: str, at_once: int, pause: float) -> None:
        room = asyncio.Semaphore(at_once)
        while not self._over:
            await room.acquire()
            sending = self._next(thread)
            self._start(self._send(sending)).add_done_callback(lambda _: room.release())
            await asyncio.sleep(self._chance.uniform(0, 2 * pause))

    def _next(self, thread: str) -> Sending:
        name = f"{self._word}-{_spelt(next(self._numbers))}"
        sending = Sending(thread, name, f"{name} {self._chance.choice(_TEXTS)}")
        self.sendings[name] = sending
        return sending

    async def _pipeline(self, thread: str, at_once: int, pause: float) -> None:
        """Sends a burst after each pause, whether the one before is acked or not."""
        under_way: dict[asyncio.Task[bool], Sending] = {}
        again: list[Sending] = []
        try:
            while again or under_way or not self._over:
                await self.client.live.wait()
                burst, again = again, []
                room = 0 if self._over else at_once - len(under_way) - len(burst)
                if room > 0:
                    burst += [self._next(thread) for _ in range(self._chance.randint(1, room))]
                for sending in burst:
                    sending.pipelined = True
                    under_way[asyncio.create_task(self._try(sending))] = sending
                connection = self.client.connections
                await self._pause(self._chance.uniform(0, 2 * pause * max(1, len(burst))))
                if under_way and (self._over or not self.client.has_stayed(connection)):
                    await asyncio.wait(under_way)  # until each has an answer or is lost
                for task in [task for task in under_way if task.done()]:
                    sending = under_way.pop(task)
                    if not task.result():
                        again.append(sending)
        finally:
            for task in under_way:
                task.cancel()

    async def _pause(self, seconds: float) -> None:
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._ending.wait()

    async def _try(self, sending: Sending) -> bool:
        sending.tries += 1
        place = self.client.connections, next(self._places)
        asked = self.client.ask(
            "send", threadId=sending.thread, clientMessageId=sending.name, body=sending.body
        )
        frame = await asked
        if self._is_done(frame):
            self._acked(sending, frame)
            if sending.tries == 1:
                sending.place = place
        elif frame["type"] == "problem":
            sending.failed = True
            await asyncio.sleep(self._chance.uniform(0.05, 0.2))
        return bool(sending.acks)

    async def _send(self, sending: Sending) -> None:
        """Sends until it is acked, sometimes over REST at the same time with the same client
        message id."""
        while not sending.acks:
            await self.client.live.wait()
            sending.tries += 1
            impatient = self._chance.random() < _IMPATIENT
            place = self.client.connections, next(self._places)
            asked = self.client.ask(
                "send",
                threadId=sending.thread,
                clientMessageId=sending.name,
                body=sending.body,
            )
            if impatient:
                await asyncio.gather(self._take(sending, asked), self._post(sending))
            elif await self._take(sending, asked) and sending.tries == 1:
                sending.place = place

    async def _post(self, sending: Sending) -> None:
        body = {"clientMessageId": sending.name, "body": sending.body}
        path = f"/v1/threads/{sending.thread}/messages"
        self._acked(sending, await self.client.rest("POST", path, **body))

    async def _take(self, sending: Sending, asked: Awaitable[Frame]) -> bool:
        frame = await asked
        if self._is_done(frame):
            self._acked(sending, frame)
        return self._is_done(frame)

    def _acked(self, sending: Sending, sent: dict[str, Any]) -> None:
        if sent["status"] != "sent":
            self.refusals.append(f"{sending.body!r} is {sent['status']}")
            return
        message = sent["message"]
        sending.acks.add((message["messageId"], message["seq"]))
        self.edits.setdefault(message["messageId"], Edits({sending.body}))

    def _is_done(self, frame: Frame) -> bool:
        """Failures of the server pass; any other refusal is a finding."""
        if frame["type"] == "problem" and frame["problem"]["status"] < 500:
            self.refusals.append(str(frame["problem"]))
        return bool(frame["type"] == "ack")

    async def _schedule(self) -> None:
        while not self._over:
            thread = self._chance.choice(self.threads)
            one = self.scheduler.next(thread, _spelt(next(self._numbers)))
            self._start(self.scheduler.follow(one))
            await self._pause(self.scheduler.pause)

    # Reading, editing, reacting.

    async def _read_edit_react(self) -> None:
        while not self._over:
            await asyncio.sleep(self._chance.uniform(0.1, 0.8))
            await self.client.live.wait()
            thread = self._chance.choice(self.threads)
            acts = self._read, self._read, self._look, self._edit, self._react, self._type
            await self._chance.choice(acts)(thread)

    async def _read(self, thread: str) -> None:
        up_to = self.client.view.have()[thread]
        await self._mark_read(thread, self._chance.randint(max(0, up_to - 3), up_to))

    async def read_to_the_end(self, thread: str) -> None:
        """Repeats until the read position is certain. Sending marks as read, but a scheduled
        message does so only if its author had read everything."""
        seen = self.client.view.threads[thread]
        scheduled = [
            seq
            for seq, message in seen.messages.items()
            if message["authorUserId"] == self.user and is_scheduled(message["body"])
        ]
        seq = max(self.read_tried[thread], seen.up_to - 2, *scheduled, 0)
        while not await self._mark_read(thread, seq):  # noqa: ASYNC110
            await asyncio.sleep(0.1)

    async def _mark_read(self, thread: str, seq: int) -> bool:
        self.read_tried[thread] = max(self.read_tried[thread], seq)
        done = self._is_done(await self.client.ask("read", threadId=thread, seq=seq))
        if done:
            self.read_acked[thread] = max(self.read_acked[thread], seq)
        return done

    async def _look(self, thread: str) -> None:
        """Whatever was acked must show on every node."""
        read, last = self.read_acked[thread], self.client.view.have()[thread]
        seen = await self.client.rest("GET", f"/v1/threads/{thread}")
        shown = seen["lastSeq"], seen["mine"]["lastReadSeq"], seen["mine"]["unread"]
        if shown[0] < last or shown[1] < read or shown[2] != shown[0] - shown[1]:
            who = f"{self.user}, who has read {read} of {last}"
            self.went_back.append(f"{who}, is shown {shown[1]} of {shown[0]}, {shown[2]} unread")

    async def _edit(self, thread: str) -> None:
        """Edits a recent message of this user."""
        last = self.client.view.have()[thread]
        mine = [
            message_id
            for sending in list(self.sendings.values())[-20:]
            for message_id, seq in sending.acks
            if sending.thread == thread and seq > last - _RECENT
        ]
        if not mine:
            return
        message_id = self._chance.choice(mine)
        edits = self.edits[message_id]
        first = min(edits.bodies, key=len)
        body = f"{first.split()[0]} {self._chance.choice(_TEXTS)} (edited {len(edits.bodies)})"
        edits.bodies.add(body)
        frame = await self.client.ask("edit", threadId=thread, messageId=message_id, body=body)
        if self._is_done(frame):
            edits.acked[frame["message"]["version"]] = body

    async def _react(self, thread: str) -> None:
        seen = self.client.view.threads[thread]
        reach = self._chance.choice((_HOT, _RECENT))
        seq = self._chance.randint(max(1, seen.up_to - reach), seen.up_to)
        message = seen.messages[seq]
        if message["kind"] == "system":
            return
        message_id = message["messageId"]
        on = not self.reactions.get(message_id, False)
        self.reactions[message_id] = None
        frame = await self.client.ask(
            "react", threadId=thread, messageId=message_id, emoji=_EMOJI, on=on
        )
        if self._is_done(frame):
            self.reactions[message_id] = on
            self.reacted += 1

    async def _type(self, thread: str) -> None:
        await self.client.say("focus", threadIds=[thread])
        await self.client.say("typing", threadId=thread)


def _spelt(number: int) -> str:
    """In letters, because digits could look like a phone number."""
    word = ""
    while number:
        number, letter = divmod(number - 1, 26)
        word = chr(ord("a") + letter) + word
    return word

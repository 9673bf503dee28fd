"""A simulated user who schedules messages, changes and cancels some, and records every outcome.

Answers that were lost are asked for again, until the time of the message has come.
Careful: what was not acked may have been carried out all the same, and what was not found may have
been sent or canceled. The checks accept either outcome for those.
"""

import asyncio
import random
import time
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from tests.torture.client import Client

PREFIX = "later-"
_AHEAD_SECONDS = (0.3, 4.0)
_PAUSE_SECONDS = (0.2, 1.2)
_CHANGED, _CANCELED = 0.3, 0.25
_MOST_SECONDS = 6.0
"""How long an answer is asked for, also if the clock is set back meanwhile."""
_FAR_MS = 30_000
"""Only a clock that was wrong leads to a time as far away as this."""


@dataclass
class Scheduled:
    """One scheduled message. Its name is the first word of its text, and its idempotency key."""

    thread: str
    name: str
    send_ms: int
    body: str
    bodies: set[str]
    """The texts that it may have when it is sent."""
    id: str | None = None
    """Once it is acked."""
    tries: int = 0
    earliest_ms: int = 0
    """The earliest of the times that it may have."""
    changes: int = 0
    canceled: bool | None = False
    """None if that is not certain."""
    refused: bool = False
    """Whether it was certainly never scheduled."""

    @property
    def is_certain(self) -> bool:
        """Whether it must have been sent."""
        return self.id is not None and self.canceled is False


class Scheduler:
    def __init__(self, client: Client, chance: random.Random, word: str) -> None:
        self.scheduled: dict[str, Scheduled] = {}
        self.refusals: list[str] = []
        self.client = client
        self._chance = chance
        self._word = word

    def next(self, thread: str, number: str) -> Scheduled:
        name = f"{PREFIX}{self._word}-{number}"
        send_ms = now_ms() + round(1000 * self._chance.uniform(*_AHEAD_SECONDS))
        body = f"{name} as soon as it is time."
        one = Scheduled(thread, name, send_ms, body, {body}, earliest_ms=send_ms)
        self.scheduled[name] = one
        return one

    @property
    def pause(self) -> float:
        return self._chance.uniform(*_PAUSE_SECONDS)

    async def follow(self, one: Scheduled) -> None:
        """From scheduling to the last change, which may come at the time of the message."""
        if not await self._create(one):
            return
        drawn = self._chance.random()
        if drawn < _CHANGED + _CANCELED:
            left = (one.send_ms - now_ms()) / 1000
            left = min(max(0.0, left), _AHEAD_SECONDS[1])  # the clock may have been set
            races = self._chance.random() < 0.5
            await asyncio.sleep(left + self._chance.uniform(-0.1, 0.1) if races else left / 2)
            await (self._change(one) if drawn < _CHANGED else self._cancel(one))

    async def remaining(self) -> list[dict[str, Any]]:
        """What is still in the list. A time that lies too far ahead is moved to now."""
        listed: list[dict[str, Any]] = (await self.client.rest("GET", "/v1/scheduled-messages"))[
            "scheduledMessages"
        ]
        for item in listed:
            far = datetime.fromisoformat(item["sendAt"]).timestamp() * 1000 > now_ms() + _FAR_MS
            if item["status"] == "pending" and far:
                path = f"/v1/scheduled-messages/{item['scheduledMessageId']}"
                await self.client.try_rest("PATCH", path, {"sendAt": _iso(now_ms() + 1000)})
        return listed

    async def _create(self, one: Scheduled) -> bool:
        path = f"/v1/threads/{one.thread}/scheduled-messages"
        new = {"body": one.body, "sendAt": _iso(one.send_ms)}
        begun = time.monotonic()
        while one.id is None and now_ms() < one.send_ms and not _is_over(begun):
            one.tries += 1
            status, answer = await self.client.try_rest("POST", path, new, one.name)
            if status == 201:
                one.id = answer["scheduledMessageId"]
            elif status == 422 and "invalid-send-time" in answer["type"]:
                one.refused = one.tries == 1
                return False
            else:
                await self._failed("schedule", status, answer)
        return one.id is not None

    async def _change(self, one: Scheduled) -> None:
        """Repeated until it is acked, or too late."""
        body, send_ms = f"{one.body} It was changed.", now_ms() + self._chance.randint(200, 2000)
        change = {"body": body, "sendAt": _iso(send_ms)}
        one.bodies.add(body)
        one.earliest_ms = min(one.earliest_ms, send_ms)
        begun = time.monotonic()
        while now_ms() < send_ms and not _is_over(begun):
            status, answer = await self.client.try_rest("PATCH", _path(one), change)
            if status == 200:
                one.bodies, one.send_ms, one.earliest_ms = {body}, send_ms, send_ms
                one.changes += 1
            if status in (200, 404) or (status == 422 and "send-time" in answer["type"]):
                return
            await self._failed("change", status, answer)

    async def _cancel(self, one: Scheduled) -> None:
        """If the first answer is that there is none, it must have been sent. Later that may be the
        work of a try before."""
        while True:
            status, answer = await self.client.try_rest("DELETE", _path(one))
            if status in (204, 404):
                if status == 204:
                    one.canceled = True
                return
            one.canceled = None
            await self._failed("cancel", status, answer)

    async def _failed(self, what: str, status: int, answer: Any) -> None:
        if 400 <= status < 500 and status != 409:
            self.refusals.append(f"{what}: {status} {answer}")
        await asyncio.sleep(self._chance.uniform(0.1, 0.4))


def is_scheduled(body: str) -> bool:
    return body.startswith(PREFIX)


def now_ms() -> int:
    return time.time_ns() // 1_000_000


def _is_over(begun: float) -> bool:
    return time.monotonic() - begun > _MOST_SECONDS


def _iso(ms: int) -> str:
    return datetime.fromtimestamp(ms / 1000, UTC).isoformat(timespec="milliseconds")


def _path(one: Scheduled) -> str:
    return f"/v1/scheduled-messages/{one.id}"

"""Cards over HTTP: Ana buys from Ben, and what they do is one line each."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from itertools import count
from typing import Any

from httpx import Response

from greenroom.bookings import Bookings
from greenroom.clock import iso
from tests.api.world import ApiWorld, ok_json

OK = "sandbox:ok"
DAY_MS = 86_400_000
_keys = count(1)


def euros(amount: int) -> dict[str, object]:
    return {"minor": amount * 100, "currency": "EUR"}


@dataclass
class Deals:
    world: ApiWorld
    thread: str = ""

    def at(self, days: float) -> str:
        return iso(self.world.clock.now_ms() + int(days * DAY_MS))

    def terms(self, provider: str = "ben", price: int = 400, **more: object) -> dict[str, object]:
        return {
            "provider": self.world.ids[provider],
            "title": f"Portraits by {provider}",
            "city": "Berlin",
            "startsAt": self.at(20),
            "endsAt": self.at(20.2),
            "timeZone": "Europe/Berlin",
            "price": euros(price),
        } | more

    def offer(self, *legs: dict[str, object]) -> dict[str, object]:
        return {"type": "offer", "legs": list(legs) or [self.terms()]}

    async def propose(
        self,
        name: str,
        content: object,
        *,
        key: str = "",
        dry: bool = False,
        thread: str = "",
        **more: object,
    ) -> Response:
        path = f"/threads/{thread or self.thread}/cards{'?dryRun=true' if dry else ''}"
        body = {"content": content} | more
        made = await self.world.ask(name, "POST", path, body, Idempotency_Key=key or fresh_key())
        await self.settle()
        return made

    async def step(
        self,
        name: str,
        card: Any,
        transition: str,
        input: object = None,
        *,
        key: str = "",
        dry: bool = False,
        **more: object,
    ) -> Response:
        path = f"/cards/{card['cardId']}/steps{'?dryRun=true' if dry else ''}"
        body = {"transition": transition, "version": card["version"]} | more
        if input is not None:
            body["input"] = input
        made = await self.world.ask(name, "POST", path, body, Idempotency_Key=key or fresh_key())
        await self.settle()
        return made

    async def card(self, name: str, card: Any) -> Any:
        return (await self.world.get(name, f"/cards/{card['cardId']}"))["card"]

    async def booked(self, *legs: dict[str, object]) -> Any:
        """Ana has accepted and paid an offer. Returns the booking as she sees it."""
        offered = ok_json(await self.propose("ana", self.offer(*legs), paymentMethod=OK), 201)[
            "card"
        ]
        for name in dict.fromkeys(leg_provider(self.world, leg) for leg in legs or [self.terms()]):
            card = await self.card(name, offered)
            ok_json(await self.step(name, card, "accept"), 201)
        return await self.booking("ana")

    async def booking(self, name: str, thread: str = "") -> Any:
        return (await self.world.get(name, f"/threads/{thread or self.thread}/booking"))["booking"]

    async def settle(self) -> None:
        """Until payments and relays are done."""
        await self.world.contexts[Bookings].tasks.finish()


def leg_provider(world: ApiWorld, leg: dict[str, object]) -> str:
    return next(name for name, id in world.ids.items() if id == leg["provider"])


def fresh_key() -> str:
    return f"key-{next(_keys)}"


@asynccontextmanager
async def deals_in(world: ApiWorld, *sellers: str) -> AsyncIterator[Deals]:
    thread = (await world.open("ana", *sellers or ("ben",)))["threadId"]
    for name in sellers or ("ben",):
        await world.accept(name, thread)
    yield Deals(world, thread)

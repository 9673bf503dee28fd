"""A small world with named people: Ana buys, Ben sells, Cleo is a stranger, Mod moderates.

The clock stands still until it is told to go on; the ids are made from it.
"""

import dataclasses
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from greenroom.clock import HeldClock
from greenroom.ids import Ids, MessageId, ThreadId, UserId
from greenroom.messaging import Messaging, open as opening, send as sending
from greenroom.messaging.answer import accept
from greenroom.messaging.enforce import Enforcement
from greenroom.messaging.heads import Heads
from greenroom.messaging.models import Frame, Kind, Role, Thread
from greenroom.messaging.records import TABLES as MESSAGING_TABLES
from greenroom.people import People
from greenroom.people.actor import Actor, Scope
from greenroom.people.join import join
from greenroom.people.records import TABLES as PEOPLE_TABLES
from greenroom.safety import Safety
from greenroom.safety.limits import RATES, Limit, Limits, Rate
from greenroom.safety.records import TABLES as SAFETY_TABLES
from greenroom.store.base import Store
from greenroom.store.cursors import Cursors
from tests.stores import IN_2100_MS, SECRET, fresh_store

UNLIMITED = dict.fromkeys(
    Limit, Rate(most=10**9, window_ms=1000, unasked=10**6, step=10**6, keep_ms=1000)
)
TABLES = (*MESSAGING_TABLES, *SAFETY_TABLES, *PEOPLE_TABLES)


@dataclass
class World:
    messaging: Messaging
    clock: HeldClock
    actors: dict[str, Actor] = field(default_factory=dict)
    rates: Mapping[Limit, Rate] = field(default_factory=lambda: RATES)
    _sent: int = 0

    @property
    def store(self) -> Store:
        return self.messaging.store

    async def person(self, name: str, *scopes: Scope) -> Actor:
        if name not in self.actors:
            account = await join(self.messaging.people, name)
            self.actors[name] = Actor(account.id, frozenset({Scope.USER, *scopes}))
        return self.actors[name]

    def user(self, name: str) -> UserId:
        return self.actors[name].user

    async def inquiry(self, buyer: str = "ana", seller: str = "ben") -> Thread:
        """A running conversation of two who have met."""
        asks, asked = await self.person(buyer), await self.person(seller)
        thread = await opening.open_thread(
            self.messaging,
            asks,
            opening.Opening(
                kind=Kind.INQUIRY,
                role=Role.BUYER,
                others=(opening.Invited(asked.user, Role.SELLER),),
            ),
        )
        gate = thread.gates.get(asked.user)
        return thread if gate is None else await accept(self.messaging, asked, gate.id)

    async def say(
        self, name: str, thread: ThreadId, body: str, *, reply_to: MessageId | None = None
    ) -> Frame:
        self._sent += 1
        outgoing = sending.Outgoing(f"c{self._sent}", body, reply_to)
        sent = await sending.send(self.messaging, self.actors[name], thread, outgoing)
        assert isinstance(sent, sending.Sent)
        return sent.frame

    def another_node(self) -> "World":
        """The same people and tables, with none of the first one's memory."""
        messaging = contexts(self.store, self.clock, self.rates)
        sent = self._sent + 1_000_000
        return World(messaging, self.clock, dict(self.actors), self.rates, sent)


def contexts(store: Store, clock: HeldClock, rates: Mapping[Limit, Rate] = RATES) -> Messaging:
    ids = Ids(clock)
    people = People(store, clock, ids)
    safety = Safety(store, people, clock, ids, Limits(store, clock, rates=rates))
    messaging = Messaging(
        store=store,
        people=people,
        safety=safety,
        clock=clock,
        ids=ids,
        heads=Heads(store),
        cursors=Cursors(SECRET),
    )
    enforced = dataclasses.replace(safety, enforcer=Enforcement(messaging))
    return dataclasses.replace(messaging, safety=enforced)


@asynccontextmanager
async def world_on(url: str, rates: Mapping[Limit, Rate] = RATES) -> AsyncIterator[World]:
    clock = HeldClock(IN_2100_MS)
    async with fresh_store(url, TABLES, clock) as store:
        yield World(contexts(store, clock, rates), clock, rates=rates)

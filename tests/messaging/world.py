"""The shared world with messaging's verbs: Ana buys, Ben sells, Cleo is a stranger."""

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass

from greenroom.app import TABLES
from greenroom.clock import ManualClock
from greenroom.ids import MessageId, ThreadId
from greenroom.messaging import open as opening, send as sending
from greenroom.messaging.models import Kind, Message, Role, Thread
from greenroom.messaging.outgoing import Outgoing, Sent
from greenroom.messaging.respond import accept
from greenroom.policy import Limit
from greenroom.safety.limits import Rate
from tests.stores import IN_2100_MS, fresh_store
from tests.world import RATES, World


@dataclass(eq=False)
class MessagingWorld(World):
    _sent: int = 0

    async def inquiry(
        self, buyer: str = "ana", seller: str = "ben", kind: Kind = Kind.INQUIRY
    ) -> Thread:
        """A thread of two people that the seller has accepted."""
        asks, asked = await self.person(buyer), await self.person(seller)
        thread = await opening.open_thread(
            self.messaging,
            asks,
            opening.Opening(
                kind=kind,
                role=Role.BUYER,
                others=(opening.Invited(asked.user, Role.SELLER),),
            ),
        )
        gate = thread.gates.get(asked.user)
        return thread if gate is None else await accept(self.messaging, asked, gate.id)

    async def say(
        self, name: str, thread: ThreadId, body: str, *, reply_to: MessageId | None = None
    ) -> Message:
        self._sent += 1
        outgoing = Outgoing(f"c{self._sent}", body, reply_to)
        sent = await sending.send(self.messaging, self.actors[name], thread, outgoing)
        assert isinstance(sent, Sent)
        return sent.message

    def another_node(
        self, *, rates: Mapping[Limit, Rate] | None = None, clock: ManualClock | None = None
    ) -> "MessagingWorld":
        """The same people and tables, with nothing cached."""
        return MessagingWorld.over(
            self.store,
            clock or self.clock,
            self.rates if rates is None else rates,
            actors=dict(self.actors),
            _sent=self._sent + 1_000_000,
        )


@asynccontextmanager
async def world_on(url: str, rates: Mapping[Limit, Rate] = RATES) -> AsyncIterator[MessagingWorld]:
    clock = ManualClock(IN_2100_MS)
    async with fresh_store(url, TABLES, clock) as store:
        yield MessagingWorld.over(store, clock, rates)

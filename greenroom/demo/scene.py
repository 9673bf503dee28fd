"""Plays a sample booking: what its people say, propose and answer, and how time passes between.

All times count from the moment in which its conversation was opened, and each act has a key. So a
start that was interrupted continues where it stopped; a scene that was played to its end is marked.
"""

from datetime import UTC, datetime, timedelta

from greenroom.bookings import Bookings
from greenroom.bookings.cards.payloads import Input, LegTerms, Nothing, Offer, Payload
from greenroom.bookings.documents.read_documents import documents_of_thread
from greenroom.bookings.documents.sign import NewSignature, sign
from greenroom.bookings.leg_step import make_leg_step
from greenroom.bookings.make_deadline import make_deadline
from greenroom.bookings.models import Booking, Card
from greenroom.bookings.money import Money
from greenroom.bookings.move_card import CardMove
from greenroom.bookings.pay import pay_group
from greenroom.bookings.propose_card import NewCard
from greenroom.bookings.read_bookings import booking_of_thread
from greenroom.clock import ManualClock
from greenroom.demo import records
from greenroom.demo.seeding import Seeding
from greenroom.ids import ThreadId
from greenroom.messaging import Messaging
from greenroom.messaging.cards.propose import answer, propose
from greenroom.messaging.cards.relay import relay_group
from greenroom.messaging.models import GateStatus, Kind, Role, Thread
from greenroom.messaging.open import Invited, Opening, open_thread
from greenroom.messaging.outgoing import Outgoing
from greenroom.messaging.read import mark_read
from greenroom.messaging.respond import accept
from greenroom.messaging.send import send

_NOTHING = Nothing()
_OK = "sandbox:ok"


def euros(amount: int) -> Money:
    return Money(amount * 100, "EUR")


class Scene:
    def __init__(self, seeding: Seeding, key: str, buyer: str, seller: str, *, days: float) -> None:
        """It begins so many days before now."""
        began_ms = seeding.now_ms - int(days * 86_400_000)
        self._clock = ManualClock(began_ms)
        contexts = seeding.contexts_at(self._clock)
        self._messaging, self._bookings = contexts[Messaging], contexts[Bookings]
        self._actors, self._key = seeding.actors, key
        self._buyer, self._seller = buyer, seller
        self._acts = 0
        self._thread: Thread | None = None

    async def open(self, subject: str, text: str, *, city: str) -> bool:
        """Returns whether it is still to be played, or played to its end."""
        if await records.was_played(self._messaging.store, self._key):
            return False
        opener, seller = self._actors[self._buyer], self._actors[self._seller]
        opening = Opening(
            kind=Kind.INQUIRY,
            others=(Invited(seller.user, Role.SELLER),),
            role=Role.BUYER,
            subject=subject,
            city=city,
        )
        thread = await open_thread(self._messaging, opener, opening, key=self._key)
        self._clock.advance(ms=thread.created_ms - self._clock.now_ms())
        self._thread = thread
        gate = thread.gates.get(seller.user)
        if gate is not None and gate.status is GateStatus.PENDING:
            await accept(self._messaging, seller, gate.id)
        await self.say(self._buyer, text)
        return True

    @property
    def thread(self) -> ThreadId:
        assert self._thread is not None, "a scene begins with `open`"
        return self._thread.id

    def wait(self, *, days: float = 0, minutes: float = 0) -> None:
        self._clock.advance(ms=int(days * 86_400_000 + minutes * 60_000))

    def at(self, days: float, hour: int = 9) -> datetime:
        """So many days from now in the scene, at a full hour."""
        day = datetime.fromtimestamp(self._clock.now_ms() / 1000, UTC) + timedelta(days=days)
        return day.replace(hour=hour, minute=0, second=0, microsecond=0)

    def terms(
        self, title: str, price: int, *, days: float, hours: int, deposit: int = 0, place: str = ""
    ) -> LegTerms:
        return LegTerms(
            provider=self._actors[self._seller].user,
            title=title,
            place=place,
            city="Lisbon",
            starts_at=self.at(days),
            ends_at=self.at(days) + timedelta(hours=hours),
            time_zone="Europe/Lisbon",
            price=euros(price),
            deposit=euros(deposit) if deposit else None,
        )

    async def say(self, name: str, text: str) -> None:
        self.wait(minutes=4)
        await send(self._messaging, self._actors[name], self.thread, Outgoing(self._next(), text))

    async def offer(self, name: str, terms: LegTerms, note: str = "") -> Card:
        return await self.propose(name, Offer(legs=(terms,), note=note))

    async def propose(self, name: str, payload: Payload, *, pays: str = "") -> Card:
        self.wait(minutes=6)
        new = NewCard(key=self._next(), payload=payload, payment_method=pays)
        made = await propose(self._messaging, self._bookings, self._actors[name], self.thread, new)
        await self._bookings.tasks.finish()
        return made.answer.card

    async def answer(
        self, name: str, card: Card, transition: str, input: Input = _NOTHING, *, pays: str = ""
    ) -> Card:
        self.wait(minutes=25)
        move = CardMove(
            key=self._next(),
            version=card.version,
            transition=transition,
            input=input,
            payment_method=pays,
        )
        made = await answer(self._messaging, self._bookings, self._actors[name], card.id, move)
        await self._bookings.tasks.finish()
        return made.answer.card

    async def book(self, offered: Card) -> None:
        """The buyer accepts and pays."""
        await self.answer(self._buyer, offered, "accept", pays=_OK)

    async def sign(self, name: str) -> None:
        """Signs the contract of the only leg."""
        self.wait(minutes=9)
        user = self._actors[name].user
        [record] = await documents_of_thread(self._bookings, self.thread, user, staff=False)
        current = record.current
        signature = NewSignature(
            version=current.version,
            content_sha256=current.content_sha256,
            consent=True,
            ip="203.0.113.7",
            user_agent="Sample browser",
        )
        await sign(self._bookings, user, current.id, signature)
        booking = await self._booking()
        await relay_group(self._messaging, self._bookings, booking.id)

    async def let_expire(self, card: Card) -> None:
        if card.due is None:  # played before
            return
        self._clock.advance(ms=max(0, card.due.at_ms - self._clock.now_ms()))
        group = await make_deadline(self._bookings, card.id, card.version)
        if group is not None:
            await relay_group(self._messaging, self._bookings, group)

    async def reach_due(self) -> None:
        """Goes to the next thing that is due by itself: a deposit to hold, a provider to pay."""
        booking = await self._booking()
        leg = booking.legs[0]
        self._clock.advance(ms=max(0, leg.due_ms - self._clock.now_ms()))
        await make_leg_step(self._bookings, booking.id, leg.id)
        await pay_group(self._bookings, booking.id)
        await relay_group(self._messaging, self._bookings, booking.id)

    async def let_pass(self) -> None:
        """Until nothing of the booking is due by itself."""
        while (await self._booking()).legs[0].due_ms:
            await self.reach_due()

    async def end(self, *, unread: dict[str, int]) -> None:
        found = await self._messaging.thread_cache.read(self.thread)
        assert found is not None
        for name in (self._buyer, self._seller):
            seq = found.last_seq - unread.get(name, 0)
            await mark_read(self._messaging, self._actors[name], self.thread, seq)
        await records.note_played(self._messaging.store, self._key)

    async def _booking(self) -> Booking:
        found = await booking_of_thread(self._bookings, self.thread)
        assert found is not None, "something was offered"
        return found

    def _next(self) -> str:
        self._acts += 1
        return f"{self._key}:{self._acts}"

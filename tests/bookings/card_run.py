"""Runs random steps of one booking on a database, and compares it with the model after each."""

import asyncio
import random
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace as changed
from typing import Any, TypeVar

from sqlalchemy import Connection, event

from greenroom.bookings import Bookings, rows
from greenroom.bookings.card_keys import Answer
from greenroom.bookings.card_policy import BookingRules, Rules
from greenroom.bookings.cards.problems import CardChanged, CardKeyReused
from greenroom.bookings.leg_step import make_leg_step
from greenroom.bookings.make_deadline import make_deadline
from greenroom.bookings.models import (
    DepositState,
    LegStatus,
    Operation,
    Parties,
    Payment,
    PaymentState,
)
from greenroom.bookings.move_card import CardMove, move_card
from greenroom.bookings.pay import record_answer
from greenroom.bookings.payment_results import NotTaken, Taken
from greenroom.bookings.propose_card import NewCard, propose_card
from greenroom.clock import ManualClock
from greenroom.errors import Problem
from greenroom.ids import CardId, GroupId, Ids, LegId, ThreadId, UserId
from greenroom.sql.base import Database
from tests.bookings.card_checks import Stored, faults, stored
from tests.bookings.card_dice import MAYA, PEOPLE, SELLERS, STAFF, Dice
from tests.bookings.reference_bookings import BUYER_FEE, COMMISSION, OPEN, WAYS, Model, ModelCard

T = TypeVar("T")
RULES = Rules(
    bookings=BookingRules(seller_fee_basis_points=COMMISSION, buyer_fee_basis_points=BUYER_FEE)
)
_DAY_MS = 86_400_000
_OK = "sandbox:ok"


class Death(Exception):
    """The process ends between two statements."""


class Dying:
    """A database on which a transaction ends before its nth statement."""

    def __init__(self, database: Database, statement: int) -> None:
        self._database = database
        self._left = statement

    async def write(self, work: Callable[[Connection], T]) -> T:
        def dying(connection: Connection) -> T:
            def before(*_: Any) -> None:
                self._left -= 1
                if not self._left:
                    raise Death

            event.listen(connection, "before_cursor_execute", before)
            try:
                return work(connection)
            finally:
                event.remove(connection, "before_cursor_execute", before)

        return await self._database.write(dying)


@dataclass(frozen=True)
class Asked:
    """A request that can be repeated: a proposal, or a transition of a card."""

    user: UserId
    request: NewCard | CardMove
    card: CardId | None = None
    answer: Answer | None = None


class Difference(AssertionError):
    """The product and the model do not agree, or something that must hold does not."""


class CardRun:
    """One booking, from its first offer on. `log` says what was done."""

    def __init__(self, database: Database, dice: random.Random, number: int) -> None:
        self.clock = ManualClock()
        self.bookings = Bookings(database, self.clock, Ids(self.clock), RULES)
        self.dice = dice
        self.throw = Dice(dice, self.clock.now_ms)
        self.model = Model(MAYA, SELLERS)
        self.name = f"{number}"
        self.parties = Parties(ThreadId(f"thr_{number}"), MAYA, SELLERS)
        self.group: GroupId | None = None
        self.answered: list[Asked] = []
        self.provider_holds: set[str] = set()
        self.log: list[str] = []
        self._keys = 0
        self.now: Stored | None = None
        self.happened: Counter[str] = Counter()

    async def run(self, steps: int) -> None:
        try:
            for _ in range(steps):
                await self.step()
        except Exception as error:
            said = "\n".join(self.log[-25:])
            raise Difference(f"booking {self.name}: {error!r}\nafter:\n{said}") from error

    async def step(self) -> None:
        is_booked = bool(self.model.legs)
        await self.dice.choices(
            [
                self._propose,
                self._move,
                self._race,
                self._repeat,
                self._deadline,
                self._answer_payment,
                self._leg_step,
                self._die,
                self._jump,
            ],
            [6, 14, 2, 1, 1, 14, 3, 2, 2] if is_booked else [3, 8, 1, 1, 0.3, 12, 0, 1, 0.3],
        )[0]()
        await self._check()

    # People

    async def _propose(self) -> None:
        asked = self._proposal()
        await self._ask(asked, self._may(asked))

    def _proposal(self) -> Asked:
        legs = list(self.model.legs)
        payload = self.throw.payload("" if legs else "offer")
        of_legs = [UserId(one.provider) for one in self.model.legs.values()]
        user = self.dice.choice((MAYA, MAYA, MAYA, *(of_legs or SELLERS), *of_legs, *PEOPLE))
        leg = (
            LegId(self.dice.choice(legs))
            if legs and payload.__struct_config__.tag != "offer"
            else None
        )
        pays = _OK if user == MAYA else ""
        new = NewCard(key=self._key(), payload=payload, leg=leg, payment_method=pays)
        return Asked(user, new)

    async def _move(self) -> None:
        if asked := self._transition():
            await self._ask(asked, self._may(asked))

    def _transition(self, card_id: str = "") -> Asked | None:
        opened = [id for id, one in self.model.cards.items() if one.state in OPEN]
        known = opened if opened and self.dice.random() < 0.95 else list(self.model.cards)
        if not known:
            return None
        card_id = card_id or self.dice.choice(known)
        card = self.model.cards[card_id]
        transition = self.throw.transition(self._likely(card))
        user = self._somebody(card, transition)
        stale = self.dice.random() < 0.05
        move = CardMove(
            key=self._key(),
            version=card.version - 1 if stale else card.version,
            transition=transition,
            input=self.throw.input(transition, card.kind),
            payment_method=_OK if user == MAYA else "",
        )
        return Asked(user, move, CardId(card_id))

    def _somebody(self, card: ModelCard, transition: str) -> UserId:
        """Mostly one who may do it."""
        by, _ = WAYS.get((card.kind, card.state, transition), ("nobody", ""))
        who = dict[str, list[str]](
            waited=sorted(card.waits), proposer=[card.proposer], staff=[STAFF]
        )
        theirs = who.get(by, []) if self.dice.random() < 0.9 else []
        return UserId(self.dice.choice(theirs or list[str](PEOPLE)))

    def _likely(self, card: ModelCard) -> list[str]:
        """Accepting is chosen more often, so that bookings get on."""
        found = [
            name
            for (kind, state, name), (who, _) in WAYS.items()
            if (kind, state) == (card.kind, card.state) and who != "clock"
        ]
        return [*found, *(["accept"] * 4 if "accept" in found else [])]

    def _may(self, asked: Asked) -> bool:
        now_ms, user, request = self.clock.now_ms(), asked.user, asked.request
        self._look_at_deposits()
        if isinstance(request, NewCard):
            return self.model.may_propose(user, request.payload, request.leg or "", now_ms)
        assert asked.card is not None
        if request.version != self.model.cards[asked.card].version or self._is_late(asked.card):
            return False
        return self.model.may_move(
            user, asked.card, request.transition, request.input, now_ms, staff=user == STAFF
        )

    def _is_late(self, card_id: CardId) -> bool:
        """Whether its deadline has passed, which decides from then on."""
        card = None if self.now is None else self.now.cards.get(card_id)
        return bool(card and card.due and card.due.at_ms <= self.clock.now_ms())

    def _look_at_deposits(self) -> None:
        booking = None if self.now is None else self.now.booking
        legs = () if booking is None else booking.legs
        self.model.claimable = {
            leg.id: leg.deposit.money.minor
            for leg in legs
            if leg.deposit
            and leg.deposit.state in (DepositState.HELD, DepositState.CAPTURED)
            and not any(
                p.operation is Operation.CAPTURE
                and p.state in (PaymentState.REQUESTED, PaymentState.STUCK)
                for p in self._payments(leg.id)
            )
        }
        captured = DepositState.CAPTURED
        self.model.captured = {
            one.id for one in legs if one.deposit and one.deposit.state is captured
        }

    async def _ask(self, asked: Asked, may: bool) -> None:
        self.log.append(f"{asked.user} {asked.request} of {asked.card}: {may}")
        try:
            answer = await self._send(self.bookings, asked)
        except Problem as problem:
            self.log.append(f"  refused: {problem}")
            if may:
                raise Difference(f"refused, and should not be: {problem!r}") from problem
            return
        if not may:
            raise Difference(f"allowed, and should not be: {asked}")
        self._note(asked, answer)

    async def _send(self, bookings: Bookings, asked: Asked) -> Answer:
        user, request = asked.user, asked.request
        if isinstance(request, NewCard):
            return await propose_card(bookings, user, self.parties, request)
        assert asked.card is not None
        return await move_card(bookings, user, asked.card, request, staff=user == STAFF)

    def _note(self, asked: Asked, answer: Answer) -> None:
        """Does in the model what has happened."""
        if answer.replayed:
            raise Difference("a new key was answered with an old answer")
        self.happened[f"{answer.card.type} {answer.step.transition}"] += 1
        self.answered.append(Asked(asked.user, asked.request, asked.card, answer))
        now_ms, request = self.clock.now_ms(), asked.request
        self._look_at_deposits()
        if isinstance(request, NewCard):
            leg = request.leg or ""
            self.model.propose(answer.card.id, asked.user, request.payload, leg, now_ms)
        else:
            assert asked.card is not None
            self.model.move(asked.card, asked.user, request.transition, request.input, now_ms)

    async def _race(self) -> None:
        first = self._transition()
        if first is None:
            return
        assert first.card is not None
        rivals = [first, *(self._transition(first.card) for _ in range(self.dice.randrange(1, 5)))]
        asked = [one for one in rivals if one is not None]
        may = [self._may(one) for one in asked]
        self.log.append(f"a race: {[(one.user, one.request) for one in asked]}")
        ended = await asyncio.gather(
            *(self._send(self.bookings, one) for one in asked), return_exceptions=True
        )
        won = [n for n, one in enumerate(ended) if isinstance(one, Answer)]
        if len(won) != min(1, sum(may)) or not all(may[n] for n in won):
            raise Difference(f"{len(won)} winners of one version: {ended}")
        for n, one in enumerate(ended):
            if may[n] and n not in won and not isinstance(one, CardChanged):
                raise Difference(f"a loser is not told the new state: {one!r}")
        for n in won:
            answer = ended[n]
            assert isinstance(answer, Answer)
            self._note(asked[n], answer)

    async def _repeat(self) -> None:
        """The same key again: with the same content, or with other content."""
        if not self.answered:
            return
        old = self.dice.choice(self.answered)
        assert old.answer is not None
        if self.dice.random() < 0.5:
            again = await self._send(self.bookings, old)
            if not again.replayed or (again.card, again.step) != (old.answer.card, old.answer.step):
                raise Difference("a repeat has another answer")
            return
        other = self._proposal()
        assert isinstance(other.request, NewCard)
        stolen = NewCard(key=old.request.key, payload=other.request.payload, leg=other.request.leg)
        if isinstance(old.request, NewCard) and stolen.payload == old.request.payload:
            return
        try:
            await self._send(self.bookings, Asked(old.user, stolen))
        except CardKeyReused as refused:
            if refused.card != old.answer.card.id:
                raise Difference("a used key names another card") from refused
            return
        raise Difference("a key was used twice")

    async def _die(self) -> None:
        """A transaction that ends in the middle leaves nothing. Its repetition happens once."""
        asked = self._proposal() if self.dice.random() < 0.5 else self._transition()
        if asked is None:
            return
        self.log.append("dies:")
        statement = self.dice.randrange(1, 22)
        dying = changed(self.bookings, database=Dying(self.bookings.database, statement))  # type: ignore[arg-type]
        may = self._may(asked)
        try:
            answer = await self._send(dying, asked)
        except (Death, Problem):
            await self._check()
            await self._ask(asked, may)
            return
        self.log.append(f"{asked.user} {asked.request}, and the answer was lost")
        if not may:
            raise Difference("allowed, and should not be")
        self._note(asked, answer)
        await self._check()
        again = await self._send(self.bookings, asked)
        if not again.replayed or again.card != answer.card:
            raise Difference("the repeat of a lost answer happened again")

    # Time and the payment provider

    async def _deadline(self) -> None:
        cards = [] if self.now is None else [c for c in self.now.cards.values() if c.is_open]
        if not cards:
            return
        card = self.dice.choice(cards)
        assert card.due is not None
        behind_ms = card.due.at_ms - self.clock.now_ms()
        if behind_ms > 0:
            self.clock.advance(ms=behind_ms + self.dice.randrange(1000))
        self.log.append(f"deadline of {card.type} {card.id} version {card.version}")
        if self.dice.random() < 0.2 and await self._fires(card.id, card.version - 1):
            raise Difference("the deadline of an old version fired")
        now_ms = self.clock.now_ms()
        self._look_at_deposits()
        twice = [self._fires(card.id, card.version) for _ in range(self.dice.choice([1, 2]))]
        if sum(await asyncio.gather(*twice)) != 1:
            raise Difference("a deadline fired twice, or not at all")
        self.happened[f"{card.type} {card.state} {card.due.transition}"] += 1
        self.model.deadline(card.id, now_ms)

    async def _fires(self, card: CardId, version: int) -> bool:
        return await make_deadline(self.bookings, card, version) is not None

    async def _answer_payment(self) -> None:
        payments = self._payments()
        asked = [p for p in payments if p.state is PaymentState.REQUESTED]
        if not asked:
            return
        payment = self.dice.choice(asked)
        answer = self._provider(payment)
        self.log.append(f"provider: {payment.operation} {payment.money} {payment.key}: {answer}")
        times = self.dice.choice([1, 1, 2])
        assert self.group is not None
        group = self.group
        answers = [record_answer(self.bookings, group, payment.key, answer) for _ in range(times)]
        self._look_at_deposits()
        await asyncio.gather(*answers)
        self.happened[f"{payment.operation} {type(answer).__name__}"] += 1
        now_ms = self.clock.now_ms()
        match payment.operation, isinstance(answer, Taken):
            case Operation.CHARGE, True:
                args = (payment.card, payment.card_version, payment.key)
                self.model.charged(*args, payment.leg, payment.money.minor, now_ms)
            case Operation.CHARGE, False:
                self.model.not_charged(payment.card, payment.card_version)
            case Operation.CLAIM, True:
                self.model.claimed(payment.leg, payment.money.minor)

    def _provider(self, payment: Payment) -> Taken | NotTaken:
        """A hold that has ended cannot be used again."""
        is_lucky = self.dice.random() < (0.95 if payment.operation is Operation.CHARGE else 0.8)
        match payment.operation:
            case Operation.CLAIM | Operation.CAPTURE | Operation.RELEASE:
                is_there = payment.of in self.provider_holds
                self.provider_holds.discard(payment.of)
                is_lucky = is_there and (is_lucky or payment.operation is Operation.RELEASE)
            case Operation.HOLD if is_lucky:
                self.provider_holds.add(payment.key)
        if not is_lucky:
            return NotTaken(self.dice.choice(["declined", ""]))
        return Taken(f"ref-{payment.key}", self.clock.now_ms() + 7 * _DAY_MS)

    def _payments(self, leg: str = "") -> list[Payment]:
        found = [] if self.now is None else list(self.now.booking.payments.values())
        return [one for one in found if not leg or one.leg == leg]

    async def _leg_step(self) -> None:
        legs = [] if self.now is None else [leg for leg in self.now.booking.legs if leg.due_ms]
        if not legs or self.group is None:
            return
        leg = self.dice.choice(legs)
        if leg.due_ms > self.clock.now_ms():
            self.clock.advance(ms=leg.due_ms - self.clock.now_ms())
        self.log.append(f"step of leg {leg.id}, {leg.status}, {leg.deposit}")
        if not await make_leg_step(self.bookings, self.group, leg.id):
            raise Difference("a leg is due, and nothing happens")
        await self._load()
        assert self.now is not None
        after = self.now.booking.leg(leg.id)
        assert after is not None
        if after.is_paid_out and not leg.is_paid_out:
            self.model.closed(leg.id)
        if after.status is LegStatus.COMPLETED and leg.status is LegStatus.CONFIRMED:
            self.model.completed(leg.id)

    async def _jump(self) -> None:
        ms = self.dice.choice([1, 1000, 3_600_000, _DAY_MS, 3 * _DAY_MS])
        if self.dice.random() < 0.3:
            self.clock.set_back(days=self.dice.choice([1, 3]))
        else:
            self.clock.advance(ms=ms)

    # After each step

    async def _check(self) -> None:
        await self._load()
        if self.now is None:
            return
        self._check_charges()
        if found := list(faults(self.now, self.model, len(self.answered))):
            raise Difference("; ".join(found))

    async def _load(self) -> None:
        def work(connection: Connection) -> Stored | None:
            group = self.group or rows.group_of_thread(connection, self.parties.thread)
            return None if group is None else stored(connection, group)

        self.now = await self.bookings.database.read(work)
        self.group = None if self.now is None else self.now.booking.id

    def _check_charges(self) -> None:
        """A card that has just been accepted asks for what it costs."""
        for id, card in self.model.cards.items():
            if card.state != "accepted" or card.asked or card.charges:
                continue
            charges = [
                p for p in self._payments() if p.card == id and p.operation is Operation.CHARGE
            ]
            found = dict[str, int]()
            for one in charges:
                found[one.leg] = found.get(one.leg, 0) + one.money.minor
            if found != self.model.price_of(id):
                raise Difference(f"{found} is charged, not {self.model.price_of(id)}")
            card.asked = {one.key for one in charges}

    def _key(self) -> str:
        self._keys += 1
        return f"{self.name}:{self._keys}"


async def run_cards(
    database: Database, seed: int, steps: int, each: int = 100, first: int = 0
) -> Counter[str]:
    """Runs bookings of some steps each until there were so many. Counts what happened."""
    happened = Counter[str]()
    for number in range(first, first - (-steps // each)):
        run = CardRun(database, random.Random(f"{seed}/{number}"), number)
        await run.run(each)
        happened += run.happened
    return happened

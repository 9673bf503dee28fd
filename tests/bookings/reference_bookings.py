"""What cards, legs and money should do, written down plainly: one table and one purse for each leg.

It shares no code with greenroom/bookings/cards/decide.py and apply.py. Only the refund policy and
the contents of cards are the product's own: they have tests of their own.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from msgspec.structs import replace

from greenroom.bookings.cards import payloads as say
from greenroom.bookings.cards.leg_ids import leg_id_of
from greenroom.bookings.money import Money
from greenroom.bookings.policy import RefundRules
from greenroom.bookings.refunds import CancelledBy, Paid, RefundFacts, refund_of
from greenroom.ids import CardId

TABLE = """
    offer reschedule extras overtime safety    proposed countered accept      waited   applied
    offer reschedule extras overtime safety    proposed countered counter     waited   countered
    offer reschedule extras overtime safety    proposed countered decline     waited   declined
    offer reschedule extras overtime safety    proposed countered withdraw    proposer withdrawn
    offer reschedule extras overtime safety    proposed countered expire      clock    expired
    expense cancel deposit_claim complete      proposed           accept      waited   applied
    expense cancel deposit_claim complete      proposed           decline     waited   declined
    expense cancel deposit_claim complete      proposed           withdraw    proposer withdrawn
    expense cancel deposit_claim               proposed           expire      clock    expired
    complete proofs                            proposed           silence     clock    applied
    proofs                                     proposed           accept      waited   applied
    proofs                                     proposed           ask_changes waited   countered
    proofs                                     countered          deliver     waited   proposed
    proofs                                     proposed countered withdraw    proposer withdrawn
    proofs                                     countered          expire      clock    expired
    dispute                                    proposed           accept      waited   applied
    dispute                                    proposed           respond     waited   countered
    dispute                                    proposed           escalate    clock    countered
    dispute                                    proposed countered decide      staff    applied
    dispute                                    proposed countered withdraw    proposer withdrawn
    dispute                                    countered          expire      clock    expired
"""
_STATES = ("proposed", "countered")
PAID = ("offer", "extras", "overtime", "expense")
OPEN = ("proposed", "countered", "accepted")
LEG_IN = {"deposit_claim": ("confirmed", "completed"), "dispute": ("confirmed", "completed")}
IN_DISPUTE = ("dispute", "proofs")
"""What can go on while there is a dispute."""
OF_PROVIDERS = ("proofs", "expense", "deposit_claim")
MANY = ("expense",)
BUYER_FEE, COMMISSION = 500, 1000


def _ways() -> dict[tuple[str, str, str], tuple[str, str]]:
    found = {}
    for line in TABLE.strip().splitlines():
        words = line.split()
        cut = min(words.index(one) for one in _STATES if one in words[:-1])
        *states, name, who, to = words[cut:]
        for kind in words[:cut]:
            for state in states:
                found[kind, state, name] = (who, to)
    return found


WAYS = _ways()


@dataclass
class Purse:
    """The money of a leg, in cents."""

    taken: int = 0
    escrow: int = 0
    seller_due: int = 0
    fees: int = 0
    to_buyer: int = 0
    """Ever owed to the buyer."""
    paid_out: int = 0


@dataclass
class ModelLeg:
    provider: str
    starts_ms: int
    price: int
    fee: int
    deposit: int
    city: str
    category: str
    status: str = "confirmed"
    disputed_from: str = ""
    extras: int = 0
    is_paid_out: bool = False

    @property
    def paid(self) -> int:
        return self.price + self.fee + self.extras


@dataclass
class ModelCard:
    kind: str
    payload: say.Payload
    leg: str
    proposer: str
    state: str = "proposed"
    version: int = 1
    waits: set[str] = field(default_factory=set)
    staff: bool = False
    charges: dict[str, int] = field(default_factory=dict)
    """Payment keys whose money was taken, and is not given back."""
    asked: set[str] = field(default_factory=set)
    """Payments without which it does not take effect."""


class Model:
    def __init__(self, buyer: str, sellers: Sequence[str]) -> None:
        self.buyer, self.sellers = buyer, tuple(sellers)
        self.cards: dict[str, ModelCard] = {}
        self.legs: dict[str, ModelLeg] = {}
        self.purses: dict[str, Purse] = {}
        self.claimable: dict[str, int] = {}
        """The deposits that can be claimed now, by leg. The runner reads them from the booking."""
        self.captured: set[str] = set()
        """The legs whose deposit is captured. The runner reads them, too."""
        self._leg_of_key: dict[str, str] = {}

    # Who may do what

    def may_propose(self, user: str, payload: say.Payload, leg_id: str, now_ms: int) -> bool:
        kind, leg = say.type_of(payload), self.legs.get(leg_id)
        if kind != "offer" and leg is None:
            return False
        sellers = self.sellers if leg is None else (leg.provider,)
        if user not in (self.buyer, *sellers) or (kind in OF_PROVIDERS and user == self.buyer):
            return False
        if leg is not None and leg.status not in LEG_IN.get(kind, ("confirmed",)):
            return False
        opened = [one for one in self.cards.values() if one.state in OPEN]
        if kind not in MANY and any((one.kind, one.leg) == (kind, leg_id) for one in opened):
            return False
        if len(opened) >= 20 and kind not in ("cancel", "complete", "dispute"):
            return False
        return self._fits(user, payload, leg_id, now_ms)

    def may_move(
        self, user: str, card_id: str, name: str, given: say.Input, now_ms: int, *, staff: bool
    ) -> bool:
        card = self.cards[card_id]
        who, to = WAYS.get((card.kind, card.state, name), ("nobody", ""))
        allowed = {
            "waited": user in card.waits,
            "proposer": user == card.proposer,
            "staff": staff,
        }
        if not allowed.get(who, False):
            return False
        if to in ("declined", "withdrawn"):
            return True
        leg = self.legs.get(card.leg)
        if leg is not None and not self._goes_on(card, leg):
            return False
        match given:
            case say.Ruling(refund=refund, claim=claim):
                return self._is_there(refund, claim, card.leg)
            case say.Answer():
                return True
            case say.Nothing() | say.Noted() | say.Reasoned():
                return self._fits("", card.payload, card.leg, now_ms)
            case payload:
                return self._fits(user if name == "counter" else "", payload, card.leg, now_ms)

    def _goes_on(self, card: ModelCard, leg: ModelLeg) -> bool:
        statuses = LEG_IN.get(card.kind, ("confirmed",))
        return leg.status in statuses or (leg.status == "disputed" and card.kind in IN_DISPUTE)

    def _fits(self, by: str, payload: say.Payload, leg_id: str, now_ms: int) -> bool:
        match payload:
            case say.Offer(legs=legs):
                alone = by not in self.sellers or {one.provider for one in legs} == {by}
                return alone and all(
                    one.starts_at.timestamp() * 1000 >= now_ms - 300_000 for one in legs
                )
            case say.Reschedule(starts_at=at):
                return at.timestamp() * 1000 >= now_ms - 300_000
            case say.Complete():
                return now_ms >= self.legs[leg_id].starts_ms
            case say.Cancel(refund=refund):
                return self._is_there(refund, None, leg_id)
            case say.Dispute(refund=refund, claim=claim):
                return self._is_there(refund, claim, leg_id)
            case say.DepositClaim(amount=amount):
                return self._is_there(None, amount, leg_id)
            case _:
                return True

    def _is_there(self, refund: Money | None, claim: Money | None, leg_id: str) -> bool:
        leg, purse = self.legs[leg_id], self.purses[leg_id]
        held = min(leg.paid, purse.escrow + purse.seller_due + purse.fees)
        if refund is not None and refund.minor > held:
            return False
        return claim is None or 0 < claim.minor <= self.claimable.get(leg_id, 0)

    # What it does

    def propose(
        self, card_id: str, user: str, payload: say.Payload, leg_id: str, now_ms: int
    ) -> None:
        kind = say.type_of(payload)
        card = self.cards[card_id] = ModelCard(kind, payload, leg_id, user)
        if isinstance(payload, say.Cancel) and payload.refund is None:
            self._end(card_id, "applied")
            self._cancel(card, user, None, now_ms)
            return
        card.waits = self._others(user, card)
        if kind == "dispute":
            leg = self.legs[leg_id]
            leg.disputed_from, leg.status = leg.status, "disputed"
            self._close_moot()

    def move(self, card_id: str, user: str, name: str, given: say.Input, now_ms: int) -> None:
        card = self.cards[card_id]
        card.version += 1
        if name == "accept" and card.waits - {user}:
            card.waits -= {user}
            return
        _, to = WAYS[card.kind, card.state, name]
        if to == "applied" and self._price(card):
            card.state, card.waits = "accepted", set()
            return
        card.state, card.waits, card.staff = to, set(), False
        match name:
            case "counter" | "deliver":
                card.payload = self._next(card, given)
                card.proposer = user if name == "counter" else card.proposer
                card.waits = self._others(user, card)
            case "ask_changes":
                card.waits = {card.proposer}
            case "respond":
                card.payload, card.staff = self._next(card, given), True
            case "escalate":
                card.staff = True
            case "withdraw" | "expire" if card.kind == "dispute":
                leg = self.legs[card.leg]
                leg.status, leg.disputed_from = leg.disputed_from, ""
        if to == "applied":
            self._take_effect(card_id, user, given, now_ms)

    def _next(self, card: ModelCard, given: say.Input) -> say.Payload:
        if isinstance(given, say.Proofs) and isinstance(card.payload, say.Proofs):
            return replace(given, round=card.payload.round + 1)
        if isinstance(given, say.Answer) and isinstance(card.payload, say.Dispute):
            return replace(card.payload, answer=given.answer, answer_evidence=given.evidence)
        assert type(given) is type(card.payload)
        return given

    def deadline(self, card_id: str, now_ms: int) -> None:
        card = self.cards[card_id]
        if card.state == "accepted":
            self._fail(card_id, "failed")
            return
        names = ("silence", "escalate", "expire")
        name = next(one for one in names if (card.kind, card.state, one) in WAYS)
        leg = self.legs.get(card.leg)
        is_over = leg is not None and (
            leg.status not in LEG_IN.get(card.kind, ("confirmed",))
            or not self._fits("", card.payload, card.leg, now_ms)
        )
        if name == "silence" and is_over:
            self._end(card_id, "expired")
            card.version += 1
        else:
            self.move(card_id, "", name, say.Nothing(), now_ms)

    def charged(
        self, card_id: str, version: int, key: str, leg_id: str, minor: int, now_ms: int
    ) -> None:
        card, purse = self.cards[card_id], self.purse(leg_id)
        purse.taken += minor
        if card.state != "accepted" or card.version != version:
            purse.to_buyer += minor
            return
        purse.escrow += minor
        card.charges[key] = minor
        self._leg_of_key[key] = leg_id
        card.asked.discard(key)
        if card.asked:
            return
        if not self._is_possible(card):
            self._fail(card_id, "failed")
            return
        card.version += 1
        card.state = "applied"
        card.charges = {}
        self._take_effect(card_id, "", say.Nothing(), now_ms)

    def not_charged(self, card_id: str, version: int) -> None:
        card = self.cards[card_id]
        if card.state == "accepted" and card.version == version:
            self._fail(card_id, "failed")

    def claimed(self, leg_id: str, minor: int) -> None:
        purse = self.purse(leg_id)
        purse.taken += minor
        purse.seller_due += minor
        if self.legs[leg_id].is_paid_out:
            self._pay_out(leg_id)

    def closed(self, leg_id: str) -> None:
        self._pay_out(leg_id)
        self.legs[leg_id].is_paid_out = True

    def completed(self, leg_id: str) -> None:
        """By a card, or by itself some time after its end."""
        leg = self.legs[leg_id]
        self._divide(leg_id, 0, leg.fee)
        leg.status = "completed"

    def purse(self, leg_id: str) -> Purse:
        return self.purses.setdefault(leg_id, Purse())

    # Effects

    def _take_effect(self, card_id: str, user: str, given: say.Input, now_ms: int) -> None:
        card = self.cards[card_id]
        leg = self.legs.get(card.leg)
        match card.payload:
            case say.Offer(legs=legs):
                for terms, leg_id in zip(legs, self.new_legs(card_id, len(legs)), strict=True):
                    self._book(leg_id, terms)
                return
            case say.Extras() | say.Expense() | say.Overtime():
                assert leg is not None
                leg.extras += sum(self._price(card).values())
            case say.Reschedule(starts_at=at):
                assert leg is not None
                leg.starts_ms = round(at.timestamp() * 1000)
            case say.Complete():
                self.completed(card.leg)
            case say.Cancel(refund=refund):
                self._cancel(card, user, refund, now_ms)
            case say.Dispute(refund=refund, claim=claim):
                if isinstance(given, say.Ruling):
                    refund, claim = given.refund, given.claim
                self._settle(card.leg, _minor(refund), _minor(claim))
            case say.DepositClaim(amount=amount):
                self._claim(card.leg, amount.minor)
            case _:
                pass
        self._close_moot()

    def new_legs(self, card_id: str, number: int) -> Iterable[str]:
        """The product's ids of an offer's legs."""
        return [leg_id_of(CardId(card_id), one) for one in range(number)]

    def _book(self, leg_id: str, terms: say.LegTerms) -> None:
        deposit = 0 if terms.deposit is None else terms.deposit.minor
        price, starts_ms = terms.price.minor, round(terms.starts_at.timestamp() * 1000)
        fee = _share(price, BUYER_FEE)
        self.legs[leg_id] = ModelLeg(
            terms.provider, starts_ms, price, fee, deposit, terms.city, terms.category
        )
        self.purse(leg_id)

    def _price(self, card: ModelCard) -> dict[str, int]:
        """What has to be paid for it, by leg. Nothing for most."""
        match card.payload:
            case say.Offer(legs=legs):
                ids = self.new_legs(self._id_of(card), len(legs))
                prices = [one.price.minor for one in legs]
                paid = {id: p + _share(p, BUYER_FEE) for id, p in zip(ids, prices, strict=True)}
            case say.Extras(items=items):
                paid = {card.leg: sum(one.price.minor for one in items)}
            case say.Overtime(price=price) | say.Expense(price=price):
                paid = {card.leg: price.minor}
            case _:
                return {}
        return {leg: minor for leg, minor in paid.items() if minor}

    def price_of(self, card_id: str) -> dict[str, int]:
        return self._price(self.cards[card_id])

    def _id_of(self, card: ModelCard) -> str:
        return next(id for id, one in self.cards.items() if one is card)

    def _cancel(self, card: ModelCard, by: str, agreed: Money | None, now_ms: int) -> None:
        leg = self.legs[card.leg]
        if agreed is None:
            money = [Money(one, "EUR") for one in (leg.price, leg.extras, leg.fee)]
            facts = RefundFacts(Paid(*money), leg.starts_ms, "UTC", leg.city, leg.category)
            whose = CancelledBy.BUYER if by == self.buyer else CancelledBy.SELLER
            quote = refund_of(RefundRules(), facts, whose, now_ms)
            self._divide(card.leg, quote.refund.minor, quote.platform_keeps.minor)
        else:
            kept = leg.paid - agreed.minor
            self._divide(card.leg, agreed.minor, min(leg.fee, kept))
        self._pay_out(card.leg)
        leg.status, leg.is_paid_out = "cancelled", True
        self._close_moot()

    def _divide(self, leg_id: str, refund: int, fee: int) -> None:
        """All that was paid for the leg: to the buyer, to the platform, to the provider."""
        leg, purse = self.legs[leg_id], self.purses[leg_id]
        earned = leg.paid - refund - fee
        commission = _share(earned, COMMISSION)
        purse.escrow -= leg.paid
        purse.to_buyer += refund
        purse.fees += fee + commission
        purse.seller_due += earned - commission

    def _claim(self, leg_id: str, minor: int) -> None:
        """At once where the deposit has been captured; else when the provider has taken it."""
        if minor and leg_id in self.captured:
            self.claimed(leg_id, minor)

    def _settle(self, leg_id: str, refund: int, claim: int) -> None:
        leg, purse = self.legs[leg_id], self.purses[leg_id]
        if leg.disputed_from == "confirmed":
            self._divide(leg_id, refund, min(leg.fee, leg.paid - refund))
        else:
            from_seller = min(refund, purse.seller_due)
            purse.seller_due -= from_seller
            purse.fees -= refund - from_seller
            purse.to_buyer += refund
        self._claim(leg_id, claim)
        self._pay_out(leg_id)
        leg.status, leg.disputed_from, leg.is_paid_out = "completed", "", True

    def _pay_out(self, leg_id: str) -> None:
        purse = self.purses[leg_id]
        purse.paid_out += purse.seller_due
        purse.seller_due = 0

    # Ends

    def _is_possible(self, card: ModelCard) -> bool:
        leg = self.legs.get(card.leg)
        return leg is None or self._goes_on(card, leg)

    def _close_moot(self) -> None:
        """An open card of a leg that has ended, unless its type is for such a leg."""
        for id, card in self.cards.items():
            leg = self.legs.get(card.leg)
            if card.state not in OPEN or leg is None or self._goes_on(card, leg):
                continue
            if leg.status == "disputed" and leg.disputed_from in LEG_IN.get(
                card.kind, ("confirmed",)
            ):
                continue
            if card.state == "accepted":
                self._fail(id, "expired")
            else:
                self._end(id, "expired")
                card.version += 1

    def _fail(self, card_id: str, state: str) -> None:
        """What was taken for it goes back."""
        card = self.cards[card_id]
        for leg_id in self._legs_of(card):
            purse = self.purse(leg_id)
            taken = sum(m for key, m in card.charges.items() if self._leg_of_key[key] == leg_id)
            purse.escrow -= taken
            purse.to_buyer += taken
        card.charges = {}
        card.version += 1
        self._end(card_id, state)

    def _legs_of(self, card: ModelCard) -> set[str]:
        return {self._leg_of_key[key] for key in card.charges}

    def _end(self, card_id: str, state: str) -> None:
        card = self.cards[card_id]
        card.state, card.waits, card.staff = state, set(), False

    def _others(self, user: str, card: ModelCard) -> set[str]:
        if user != self.buyer:
            return {self.buyer}
        if isinstance(card.payload, say.Offer):
            return {one.provider for one in card.payload.legs}
        return {self.legs[card.leg].provider}


def _minor(money: Money | None) -> int:
    return 0 if money is None else money.minor


def _share(minor: int, basis_points: int) -> int:
    return (minor * basis_points + 5000) // 10_000

"""The values of bookings: groups of legs, cards with their steps, and who is what to them.

Careful: a group is the unit that is locked and changed as a whole. Its `Booking` holds all that a
rule may look at, so that a decision is a pure function of it.
"""

from collections.abc import Mapping
from enum import StrEnum

from msgspec import Struct

from greenroom.bookings.cards.payloads import Payload
from greenroom.bookings.chart import Code
from greenroom.bookings.journal import Ledger
from greenroom.bookings.money import Money
from greenroom.ids import CardId, GroupId, LegId, ThreadId, UserId


class Side(StrEnum):
    """What somebody is to a booking."""

    BUYER = "buyer"
    SELLER = "seller"
    STAFF = "staff"
    """A moderator or admin of the marketplace."""
    SYSTEM = "system"
    """A deadline, or the answer of the payment provider."""


class CardState(StrEnum):
    PROPOSED = "proposed"
    COUNTERED = "countered"
    """Answered with something else, which waits for the other side in turn."""
    ACCEPTED = "accepted"
    """Agreed; a payment is under way."""
    APPLIED = "applied"
    DECLINED = "declined"
    WITHDRAWN = "withdrawn"
    EXPIRED = "expired"
    FAILED = "failed"
    """Agreed, and the payment did not succeed. Nothing has changed."""


OPEN_STATES = frozenset({CardState.PROPOSED, CardState.COUNTERED, CardState.ACCEPTED})
"""In which a card waits for somebody, or for a payment."""


class CardType(StrEnum):
    OFFER = "offer"
    RESCHEDULE = "reschedule"
    EXTRAS = "extras"
    OVERTIME = "overtime"
    PROOFS = "proofs"
    EXPENSE = "expense"
    CANCEL = "cancel"
    DEPOSIT_CLAIM = "deposit_claim"
    COMPLETE = "complete"
    DISPUTE = "dispute"
    SAFETY = "safety"


class LegStatus(StrEnum):
    CONFIRMED = "confirmed"
    COMPLETED = "completed"
    CANCELLED = "cancelled"
    DISPUTED = "disputed"


class DepositState(StrEnum):
    SCHEDULED = "scheduled"
    """Held later: a hold on a card lasts a week."""
    HELD = "held"
    CAPTURED = "captured"
    """Charged, because a hold could neither last nor be renewed; it is paid back or claimed."""
    CLAIMED = "claimed"
    RELEASED = "released"
    FAILED = "failed"
    """The buyer's bank refused it."""


class Deposit(Struct, frozen=True, kw_only=True):
    money: Money
    state: DepositState = DepositState.SCHEDULED
    due_ms: int
    """When the next step is due: to hold it, to renew the hold, or to release it."""
    hold: str = ""
    """The key of the payment that holds it, and of the journal's pending transfer."""


class Charge(Struct, frozen=True, kw_only=True):
    """Something that was agreed later, and paid."""

    kind: CardType
    title: str
    price: Money
    card: CardId


class Leg(Struct, frozen=True, kw_only=True):
    """One provider's job."""

    id: LegId
    provider: UserId
    thread: ThreadId | None
    """None until its own thread has been opened."""
    status: LegStatus = LegStatus.CONFIRMED
    title: str
    service: str = ""
    place: str = ""
    city: str = ""
    category: str = ""
    starts_ms: int
    ends_ms: int
    time_zone: str = "UTC"
    price: Money
    fee: Money | None = None
    """The buyer's service fee."""
    charges: tuple[Charge, ...] = ()
    deposit: Deposit | None = None
    proofs_accepted: int = 0
    measures: tuple[str, ...] = ()
    disputed_from: LegStatus | None = None
    completed_ms: int = 0
    is_paid_out: bool = False
    closes_from_ms: int = 0
    """Postpones the payout while a claim or dispute is open."""
    due_ms: int = 0
    """When something of it is next due by itself; 0 for never (`leg_deadlines.py`)."""
    version: int = 1


class Due(Struct, frozen=True, kw_only=True):
    """The deadline of a version of a card: the transition that happens then."""

    transition: str
    at_ms: int
    remind_ms: int = 0
    """When those who have to answer are reminded; 0 for never."""


class Card(Struct, frozen=True, kw_only=True):
    id: CardId
    thread: ThreadId
    leg: LegId | None
    """None for an offer: its legs are made when it is applied."""
    type: CardType
    state: CardState
    version: int = 1
    proposer: UserId
    side: Side
    """The proposer's."""
    waits_on: tuple[UserId, ...] = ()
    """Whose answer it needs. With `waits_on_staff`, that of the marketplace's staff."""
    waits_on_staff: bool = False
    payload: Payload
    due: Due | None = None
    note: str = ""
    """What the last one to act wrote, or why it failed."""
    created_ms: int
    changed_ms: int

    @property
    def is_open(self) -> bool:
        return self.state in OPEN_STATES


class Step(Struct, frozen=True, kw_only=True):
    """A transition of a card: kept for good."""

    card: CardId
    version: int
    """The version that it made."""
    transition: str
    before: CardState | None
    after: CardState
    actor: UserId
    side: Side
    at_ms: int
    note: str = ""
    payload: Payload | None = None
    """Where the transition changed it."""


class OpenCard(Struct, frozen=True):
    id: CardId
    type: CardType
    leg: LegId | None


class Parties(Struct, frozen=True):
    """Who is what in a thread. Messaging knows it before there is a booking."""

    thread: ThreadId
    buyer: UserId
    sellers: tuple[UserId, ...]
    names: Mapping[UserId, str] = {}
    """As they are called now. Contracts print them."""


class Caller(Struct, frozen=True):
    user: UserId
    side: Side


class Operation(StrEnum):
    """What the payment provider is asked for."""

    CHARGE = "charge"
    """Takes the money from the buyer at once."""
    HOLD = "hold"
    """Reserves it for some days."""
    CLAIM = "claim"
    """Takes a part of a hold for the provider; the rest is free again."""
    CAPTURE = "capture"
    """Takes all of a hold before it ends, to keep it as the deposit."""
    RELEASE = "release"
    REFUND = "refund"
    """Sends money back that was charged or captured."""


class PaymentState(StrEnum):
    REQUESTED = "requested"
    DONE = "done"
    DECLINED = "declined"
    STUCK = "stuck"
    """Tried too often. Operators see it."""


class Payment(Struct, frozen=True, kw_only=True):
    """One operation of the payment provider, under a key that makes it happen once."""

    key: str
    number: int
    """In the order in which the booking asked for them."""
    leg: LegId
    card: CardId
    """The card that asked for it; or the leg, if it was due by itself."""
    card_version: int
    """The version that asked for it."""
    code: Code
    """What it is for in the journal."""
    operation: Operation
    money: Money
    title: str = ""
    method: str = ""
    """The buyer's means of payment, as it was when the booking asked for it."""
    of: str = ""
    """The key of the hold or charge that it claims, releases or refunds."""
    state: PaymentState = PaymentState.REQUESTED
    reference: str = ""
    """The provider's own id."""
    refunded: int = 0
    """How much of a charge has been sent back, or is on its way."""
    given_back: bool = False
    """Whether its card has ended without effect, so that the charge was for nothing."""
    capture_before_ms: int = 0
    tries: int = 0
    problem: str = ""
    asked_ms: int
    due_ms: int


class Booking(Struct, frozen=True, kw_only=True):
    """A booking group with its legs and its ledger."""

    id: GroupId
    thread: ThreadId
    """Where it was agreed: the thread of its only leg, or of the whole group."""
    buyer: UserId
    sellers: tuple[UserId, ...]
    names: Mapping[UserId, str] = {}
    """What they were called when the last card was proposed."""
    currency: str = ""
    """Of all its money; given by its first card with a price."""
    payment_method: str = ""
    """The provider's token for the buyer's means of payment."""
    legs: tuple[Leg, ...] = ()
    open_cards: tuple[OpenCard, ...] = ()
    cards: int = 0
    """How many it has had, open or not."""
    transfers: int = 0
    """How many its journal has."""
    ledgers: Mapping[LegId, Ledger] = {}
    """Also those of legs that are being paid for, and are not there yet."""
    payments: Mapping[str, Payment] = {}
    """By key, in the order of their numbers."""
    version: int = 1

    def leg(self, leg_id: LegId | None) -> Leg | None:
        return next((leg for leg in self.legs if leg.id == leg_id), None)

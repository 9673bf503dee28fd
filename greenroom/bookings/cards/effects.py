"""What an applied card does to its booking, as values: one closed union.

`apply.py` turns them into the new booking, transfers of the journal and payments.
"""

from typing import TypeAlias

from msgspec import Struct

from greenroom.bookings.cards.payloads import LegTerms
from greenroom.bookings.models import CardType, LegStatus
from greenroom.bookings.money import Money
from greenroom.bookings.refunds import RefundQuote
from greenroom.ids import CardId, LegId, ThreadId


class Book(Struct, frozen=True):
    """The legs become a booking."""

    card: CardId
    thread: ThreadId
    legs: tuple[LegTerms, ...]


class MoveLeg(Struct, frozen=True):
    leg: LegId
    starts_ms: int
    ends_ms: int


class AddCharge(Struct, frozen=True):
    card: CardId
    leg: LegId
    kind: CardType
    title: str
    price: Money


class AcceptProofs(Struct, frozen=True):
    leg: LegId
    round: int


class AgreeSafety(Struct, frozen=True):
    leg: LegId
    measures: tuple[str, ...]


class CancelLeg(Struct, frozen=True):
    """Pays back what the quote says, pays out the rest, and releases the deposit."""

    leg: LegId
    refund: RefundQuote


class ClaimDeposit(Struct, frozen=True):
    """Takes a part of the deposit for the provider, and releases the rest."""

    leg: LegId
    amount: Money


class CompleteLeg(Struct, frozen=True):
    """Pays the provider. The deposit stays held until its claim period is over."""

    leg: LegId


class OpenDispute(Struct, frozen=True):
    leg: LegId


class CloseDispute(Struct, frozen=True):
    """Without a decision: the leg is again what it was."""

    leg: LegId


class Settle(Struct, frozen=True):
    """Ends a dispute: refund and claim as agreed or decided; the rest is paid out."""

    leg: LegId
    refund: Money | None
    claim: Money | None
    status: LegStatus


Effect: TypeAlias = (
    Book
    | MoveLeg
    | AddCharge
    | AcceptProofs
    | AgreeSafety
    | CancelLeg
    | ClaimDeposit
    | CompleteLeg
    | OpenDispute
    | CloseDispute
    | Settle
)

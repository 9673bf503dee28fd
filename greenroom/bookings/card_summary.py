"""A card in one line of text: for previews, search and clients that do not know its type."""

from datetime import UTC

from greenroom.bookings.cards.payloads import (
    Cancel,
    Complete,
    DepositClaim,
    Dispute,
    Expense,
    Extras,
    Offer,
    Overtime,
    Payload,
    Proofs,
    Reschedule,
    Safety,
)
from greenroom.bookings.cards.types import DECLARATIONS
from greenroom.bookings.models import Card
from greenroom.bookings.money import Money, total


def summary_of(card: Card) -> str:
    """`Offer: Portraits, 400.00 EUR`."""
    headline, money = headline_of(card), money_of(card.payload)
    if money is None or not money.minor:
        return headline
    return f"{headline}{', ' if ': ' in headline else ': '}{money}"


def headline_of(card: Card) -> str:
    """The same without its amount: `Offer: Portraits`."""
    about = ", ".join(part for part in _about(card.payload) if part)
    title = DECLARATIONS[card.type].title
    return f"{title}: {about}" if about else title


def money_of(payload: Payload) -> Money | None:
    """What it is about, all in all."""
    match payload:
        case Offer(legs=legs):
            return total((leg.price for leg in legs), legs[0].price.currency)
        case Extras(items=items):
            return total((one.price for one in items), items[0].price.currency)
        case Overtime(price=price) | Expense(price=price):
            return price
        case DepositClaim(amount=amount):
            return amount
        case _:
            return None


def _about(payload: Payload) -> tuple[str, ...]:
    match payload:
        case Offer(legs=legs):
            return tuple(leg.title for leg in legs)
        case Reschedule(starts_at=starts_at):
            return (f"{starts_at.astimezone(UTC):%Y-%m-%d %H:%M} UTC",)
        case Extras(items=items):
            return tuple(one.title for one in items)
        case Overtime(minutes=minutes):
            return (f"{minutes} minutes",)
        case Proofs(title=title, round=round):
            return (title, f"round {round}")
        case Expense(title=title):
            return (title,)
        case Cancel(reason=reason) | Dispute(reason=reason) | DepositClaim(reason=reason):
            return (reason,)
        case Complete(note=note):
            return (note,)
        case Safety(measures=measures):
            return measures

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
    about = ", ".join(part for part in _about(card.payload) if part)
    title = DECLARATIONS[card.type].title
    return f"{title}: {about}" if about else title


def _about(payload: Payload) -> tuple[str, ...]:
    match payload:
        case Offer(legs=legs):
            price = total((leg.price for leg in legs), legs[0].price.currency)
            return (*(leg.title for leg in legs), _shown(price))
        case Reschedule(starts_at=starts_at):
            return (f"{starts_at.astimezone(UTC):%Y-%m-%d %H:%M} UTC",)
        case Extras(items=items):
            price = total((one.price for one in items), items[0].price.currency)
            return (*(one.title for one in items), _shown(price))
        case Overtime(minutes=minutes, price=price):
            return (f"{minutes} minutes", _shown(price))
        case Proofs(title=title, round=round):
            return (title, f"round {round}")
        case Expense(title=title, price=price):
            return (title, _shown(price))
        case Cancel(reason=reason) | Dispute(reason=reason):
            return (reason,)
        case DepositClaim(amount=amount, reason=reason):
            return (_shown(amount), reason)
        case Complete(note=note):
            return (note,)
        case Safety(measures=measures):
            return measures


def _shown(money: Money) -> str:
    return str(money) if money.minor else ""

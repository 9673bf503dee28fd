"""Says what the contract of a leg contains. Pure."""

from collections.abc import Mapping

from greenroom.bookings.card_policy import Rules
from greenroom.bookings.models import Booking, Leg
from greenroom.bookings.money import Money
from greenroom.bookings.pdf.documents import (
    Amount,
    Contract,
    Line,
    Party,
    RefundStep,
    Service,
)
from greenroom.bookings.policy import Share
from greenroom.ids import DocumentId, LegId, UserId

_LATER = -1
_SHARES: Mapping[Share, str] = {
    "as_price": "refunded like the price",
    "full": "refunded in full until the start",
    "none": "not refunded",
}


def document_id_of(leg: LegId) -> DocumentId:
    """A leg has one contract, in versions."""
    return DocumentId("doc_" + leg.removeprefix("leg_"))


def is_changed(before: Leg, after: Leg) -> bool:
    """Whether something changed that the contract states. Money that moves is no change."""
    return _agreed(before) != _agreed(after)


def _agreed(leg: Leg) -> tuple[object, ...]:
    deposit = None if leg.deposit is None else leg.deposit.money
    what = (leg.provider, leg.title, leg.service, leg.place, leg.city, leg.category)
    when = (leg.starts_ms, leg.ends_ms, leg.time_zone)
    return what, when, leg.price, leg.charges, deposit, leg.measures


def contract_of(booking: Booking, leg: Leg, version: int, now_ms: int, rules: Rules) -> Contract:
    """The marketplace's service fee is not part of it: it is no matter of the provider's."""
    return Contract(
        document_id=document_id_of(leg.id),
        version=version,
        title=leg.title,
        issued_ms=now_ms,
        parties=(
            Party("Client", _name(booking, booking.buyer), booking.buyer),
            Party("Provider", _name(booking, leg.provider), leg.provider),
        ),
        services=(_service(booking, leg),),
        extras=tuple(Line(one.title, _amount(one.price)) for one in leg.charges),
        deposit=None if leg.deposit is None else _amount(leg.deposit.money),
        cancellation=_cancellation(leg, rules),
        terms=_terms(leg, rules),
    )


def _name(booking: Booking, user: UserId) -> str:
    return booking.names.get(user) or user


def _service(booking: Booking, leg: Leg) -> Service:
    return Service(
        what=f"{leg.title} ({leg.service})" if leg.service else leg.title,
        provider=_name(booking, leg.provider),
        where="\n".join(filter(None, (leg.place, leg.city))),
        starts_ms=leg.starts_ms,
        ends_ms=leg.ends_ms,
        zone=leg.time_zone,
        price=_amount(leg.price),
    )


def _amount(money: Money) -> Amount:
    return Amount(money.minor, money.currency)


def _cancellation(leg: Leg, rules: Rules) -> tuple[RefundStep, ...]:
    _, steps = rules.refunds.steps_for(leg.city, leg.category)
    return (*(RefundStep(one.days, one.percent) for one in steps), RefundStep(_LATER, 0))


def _terms(leg: Leg, rules: Rules) -> str:
    parts = [
        "If the client cancels, the price is refunded as listed; days are calendar days at the "
        f"place of the job. Extras are {_SHARES[rules.refunds.extras]}. If the provider cancels, "
        "everything is refunded.",
    ]
    if leg.measures:
        agreed = "\n".join(f"- {one}" for one in leg.measures)
        parts.append(f"Agreed safety measures:\n{agreed}")
    return "\n\n".join(filter(None, (*parts, rules.documents.terms)))

"""What a buyer has paid for a leg, by its parts."""

from greenroom.bookings.models import Leg
from greenroom.bookings.money import Money, total, zero
from greenroom.bookings.refunds import Paid


def parts_paid(leg: Leg) -> Paid:
    """Expenses count as extras: the provider has had them."""
    currency = leg.price.currency
    return Paid(
        price=leg.price,
        extras=total((charge.price for charge in leg.charges), currency),
        fee=leg.fee or zero(currency),
    )


def paid_of(leg: Leg) -> Money:
    paid = parts_paid(leg)
    return paid.price + paid.extras + paid.fee

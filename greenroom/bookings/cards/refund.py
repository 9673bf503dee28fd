"""What a cancelled leg pays back: by the policy, or as the two have agreed."""

from greenroom.bookings.cards.declaration import Facts
from greenroom.bookings.models import Side
from greenroom.bookings.money import Money
from greenroom.bookings.paid import parts_paid
from greenroom.bookings.refunds import (
    CancelledBy,
    RefundFacts,
    RefundLine,
    RefundQuote,
    RefundReason,
    refund_of,
)


def refund_by_policy(facts: Facts) -> RefundQuote:
    leg = facts.the_leg
    about = RefundFacts(parts_paid(leg), leg.starts_ms, leg.time_zone, leg.city, leg.category)
    by = CancelledBy.SELLER if facts.caller.side is Side.SELLER else CancelledBy.BUYER
    return refund_of(facts.rules.refunds, about, by, facts.now_ms)


def agreed_refund(facts: Facts, refund: Money) -> RefundQuote:
    """Taken from what the provider would get, then from the service fee."""
    paid = parts_paid(facts.the_leg)
    for_seller = paid.price + paid.extras
    from_seller = min(refund, for_seller)
    from_fee = refund - from_seller
    lines = (
        RefundLine("price", for_seller, 0, from_seller, for_seller - from_seller),
        RefundLine("fee", paid.fee, 0, from_fee, paid.fee - from_fee),
    )
    return RefundQuote(
        RefundReason.AGREED,
        "agreed",
        percent=0,
        until_ms=None,
        lines=lines,
        refund=refund,
        seller_keeps=for_seller - from_seller,
        platform_keeps=paid.fee - from_fee,
    )

"""Works out what a cancellation refunds, line by line.

Days are those of the calendar at the place of the job, not spans of 24 hours: a step of 7 days for
a job on a Monday lasts until the end of the Monday before, at whatever hour the job starts, and
also when the clocks change in between. So a person can read the date from a calendar.

What is refunded is rounded half up to a minor unit; what is kept is the rest of what was paid.
"""

from datetime import date, timedelta
from enum import StrEnum

from msgspec import Struct

from greenroom.bookings.money import Money, total
from greenroom.bookings.policy import RefundRules, RefundStep, Share
from greenroom.bookings.problems import InvalidStart
from greenroom.bookings.time_zones import local_day, midnight_ms, zone
from greenroom.ids import LAST_MS

_ALL = 100
_DAY_MS = 86_400_000
_MARGIN_MS = 400 * _DAY_MS
"""So that no step leaves the years that dates have."""


class CancelledBy(StrEnum):
    BUYER = "buyer"
    SELLER = "seller"


class Paid(Struct, frozen=True):
    """What the buyer paid for a leg. The deposit is not part of it: it is released in any case."""

    price: Money
    extras: Money
    fee: Money
    """The buyer's service fee, which the platform gets."""


class RefundFacts(Struct, frozen=True):
    """What a refund depends on."""

    paid: Paid
    start_ms: int
    time_zone: str
    """Where the job is: `Europe/Berlin`."""
    city: str
    category: str


class RefundReason(StrEnum):
    SELLER_CANCELLED = "seller_cancelled"
    STEP = "step"
    """A step of the rule applies."""
    TOO_LATE = "too_late"
    """The last step has passed."""
    AGREED = "agreed"
    """The two have agreed on an amount; no policy applies."""
    STARTED = "started"
    """The job has begun. What went wrong in it is for a dispute."""


class RefundLine(Struct, frozen=True):
    part: str
    """`price`, `extras` or `fee`."""
    paid: Money
    percent: int
    refund: Money
    kept: Money


class RefundQuote(Struct, frozen=True):
    reason: RefundReason
    rule: str
    """`default`, or the category and city of the rule that applies."""
    percent: int
    """Of the price."""
    until_ms: int | None
    """When less will be refunded; None if nothing will change."""
    lines: tuple[RefundLine, ...]
    refund: Money
    """To the buyer."""
    seller_keeps: Money
    platform_keeps: Money


def refund_of(
    policy: RefundRules, facts: RefundFacts, cancelled_by: CancelledBy, now_ms: int
) -> RefundQuote:
    check_start(facts.start_ms)
    rule, steps = policy.steps_for(facts.city, facts.category)
    if cancelled_by is CancelledBy.SELLER:
        return _quote(facts.paid, RefundReason.SELLER_CANCELLED, rule, (_ALL, _ALL, _ALL), None)
    if now_ms >= facts.start_ms:
        return _quote(facts.paid, RefundReason.STARTED, rule, (0, 0, 0), None)
    for step in steps:
        until_ms = step_ends_ms(step, facts.start_ms, facts.time_zone)
        if now_ms < until_ms:
            shares = _shares(policy, step.percent)
            return _quote(facts.paid, RefundReason.STEP, rule, shares, until_ms)
    return _quote(facts.paid, RefundReason.TOO_LATE, rule, _shares(policy, 0), facts.start_ms)


def step_ends_ms(step: RefundStep, start_ms: int, time_zone: str) -> int:
    """The first moment at which the step no longer holds."""
    place = zone(time_zone)
    day: date = local_day(start_ms, place) - timedelta(days=step.days - 1)
    return min(midnight_ms(day, place), start_ms)


def check_start(start_ms: int) -> None:
    if type(start_ms) is not int or not _MARGIN_MS <= start_ms <= LAST_MS - _MARGIN_MS:
        raise InvalidStart("give milliseconds since 1970, of a year from 1972 to 9998")


def _shares(policy: RefundRules, percent: int) -> tuple[int, int, int]:
    return percent, _share(policy.extras, percent), _share(policy.fee, percent)


def _share(share: Share, percent: int) -> int:
    return {"as_price": percent, "full": _ALL, "none": 0}[share]


def _quote(
    paid: Paid,
    reason: RefundReason,
    rule: str,
    shares: tuple[int, int, int],
    until_ms: int | None,
) -> RefundQuote:
    parts = (("price", paid.price), ("extras", paid.extras), ("fee", paid.fee))
    price, extras, fee = lines = tuple(
        _line(part, money, percent) for (part, money), percent in zip(parts, shares, strict=True)
    )
    return RefundQuote(
        reason,
        rule,
        percent=price.percent,
        until_ms=until_ms if any(shares) else None,
        lines=lines,
        refund=total((line.refund for line in lines), paid.price.currency),
        seller_keeps=price.kept + extras.kept,
        platform_keeps=fee.kept,
    )


def _line(part: str, paid: Money, percent: int) -> RefundLine:
    refund = paid.percent(percent * _ALL)
    return RefundLine(part, paid, percent, refund, paid - refund)

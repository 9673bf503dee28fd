"""The summary of a booking that its conversation carries: enough for a row or a head. Pure."""

from collections.abc import Sequence
from datetime import datetime

import msgspec
from msgspec import Struct

from greenroom.bookings.cards.instants import instant_of
from greenroom.bookings.models import DepositState, Leg, LegStatus
from greenroom.bookings.money import Money, total
from greenroom.bookings.paid import parts_paid


class ProjectSnapshot(Struct, frozen=True, rename="camel"):
    title: str
    """Of the leg that is next, or was last."""
    status: LegStatus
    starts_at: datetime
    ends_at: datetime
    time_zone: str
    legs: int
    total: Money
    """What has been agreed: price and extras, without the buyer's service fee. Of several legs only
    the prices of their offer, which everybody in the conversation has seen."""
    deposit: DepositState | None
    """None where there are several legs."""


def project_snapshot(legs: Sequence[Leg], now_ms: int) -> ProjectSnapshot | None:
    """None where nothing is booked."""
    if not legs:
        return None
    leg = _next_of(legs, now_ms)
    return ProjectSnapshot(
        title=leg.title,
        status=leg.status,
        starts_at=instant_of(leg.starts_ms),
        ends_at=instant_of(leg.ends_ms),
        time_zone=leg.time_zone,
        legs=len(legs),
        total=_agreed(legs),
        deposit=None if leg.deposit is None or len(legs) > 1 else leg.deposit.state,
    )


def _agreed(legs: Sequence[Leg]) -> Money:
    if len(legs) == 1:
        paid = parts_paid(legs[0])
        return paid.price + paid.extras
    return total((leg.price for leg in legs), legs[0].price.currency)


def packed_snapshot(snapshot: ProjectSnapshot | None) -> str | None:
    return None if snapshot is None else msgspec.json.encode(snapshot).decode()


def _next_of(legs: Sequence[Leg], now_ms: int) -> Leg:
    ahead = [leg for leg in legs if leg.ends_ms > now_ms and leg.status is not LegStatus.CANCELLED]
    if ahead:
        return min(ahead, key=lambda leg: leg.starts_ms)
    return max(legs, key=lambda leg: leg.ends_ms)

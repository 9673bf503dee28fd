"""The status and the bindings that a thread gets from its booking. Pure."""

from collections.abc import Sequence

from greenroom.bookings.models import CardState, CardType, Leg, LegStatus
from greenroom.bookings.news import CardNews
from greenroom.ids import ThreadId
from greenroom.messaging.models import Status, Thread
from greenroom.messaging.set_status import ThreadChange

_WAITING = frozenset({CardState.PROPOSED, CardState.COUNTERED, CardState.ACCEPTED})


def change_of(head: Thread, news: CardNews) -> ThreadChange:
    """What the card changes about the thread."""
    legs = legs_of(head.id, news.thread, news.legs)
    if not legs:
        return ThreadChange(status=_before_booking(head, news))
    own = legs[0].id if len(news.legs) == 1 else None
    return ThreadChange(
        status=status_of(legs),
        lbg_id=news.group,
        leg_id=own or (legs[0].id if head.id != news.thread else None),
    )


def legs_of(thread: ThreadId, home: ThreadId, legs: Sequence[Leg]) -> tuple[Leg, ...]:
    """The legs that the thread is about: its own, or all of the group in its home."""
    if thread == home:
        return tuple(legs)
    return tuple(leg for leg in legs if leg.thread == thread)


def status_of(legs: Sequence[Leg]) -> Status:
    statuses = {leg.status for leg in legs}
    if LegStatus.DISPUTED in statuses:
        return Status.DISPUTED
    if LegStatus.CONFIRMED in statuses:
        return Status.CONFIRMED
    return Status.COMPLETED if LegStatus.COMPLETED in statuses else Status.ARCHIVED


def _before_booking(head: Thread, news: CardNews) -> Status:
    """An open offer waits for a decision; without one the conversation is open again."""
    is_offer = news.card.type is CardType.OFFER
    others = set(head.open_cards) - {news.card.id}
    if others or (is_offer and news.card.state in _WAITING):
        return Status.PENDING_DECISION
    status = head.locked_from or head.status
    return Status.OPEN if status is Status.PENDING_DECISION else status

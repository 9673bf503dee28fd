"""The timer of a leg: when its deposit is held or renewed, and when its provider is paid."""

from greenroom.background.models import Timer
from greenroom.background.schedule import schedule
from greenroom.bookings.models import Leg
from greenroom.bookings.news import CardNews
from greenroom.ids import GroupId, LegId
from greenroom.store.base import Op

KIND = "leg_deadline"


def leg_timer_ops(news: CardNews) -> tuple[Op, ...]:
    """For the legs whose deadline this step has set. A later one replaces the earlier one."""
    return tuple(
        schedule(leg_timer(news.group, leg))
        for leg in news.legs
        if leg.due_ms and leg.id in news.due_legs
    )


def leg_timer(group: GroupId, leg: Leg) -> Timer:
    return Timer(KIND, leg.id, leg.due_ms, {"groupId": group, "legId": leg.id})


def leg_in(timer: Timer) -> tuple[GroupId, LegId]:
    return GroupId(str(timer.payload["groupId"])), LegId(str(timer.payload["legId"]))

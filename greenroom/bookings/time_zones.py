"""Local days of a time zone, as the instants at which they begin."""

from datetime import UTC, date, datetime
from functools import cache
from zoneinfo import ZoneInfo, available_timezones

from greenroom.bookings.problems import UnknownTimeZone

_NO_PLACES = frozenset({"Factory", "localtime", "posixrules"})
"""In some copies of the database: they differ from machine to machine, and browsers refuse them."""


def zone(name: str) -> ZoneInfo:
    """Refuses what is not the name of a zone, such as a path."""
    if name not in _names():
        raise UnknownTimeZone(name)
    return ZoneInfo(name)


def local_day(ms: int, time_zone: ZoneInfo) -> date:
    """The date on the wall at a time."""
    return datetime.fromtimestamp(ms // 1000, UTC).astimezone(time_zone).date()


def midnight_ms(day: date, time_zone: ZoneInfo) -> int:
    """When the day begins. If its midnight comes twice because clocks are set back, the second one;
    if clocks skip it, the moment at which they do."""
    at = datetime(day.year, day.month, day.day, tzinfo=time_zone)
    return int(max(at.timestamp(), at.replace(fold=1).timestamp())) * 1000


@cache
def _names() -> frozenset[str]:
    return frozenset(available_timezones()) - _NO_PLACES

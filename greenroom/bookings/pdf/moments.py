"""Writes moments with their time zone: `21 November 2026, 14:00 (Europe/Berlin, UTC+1)`. Pure."""

from datetime import UTC, datetime, timedelta, tzinfo
from typing import Final
from zoneinfo import ZoneInfo

_MONTHS: Final = (
    *("January", "February", "March", "April", "May", "June"),
    *("July", "August", "September", "October", "November", "December"),
)


def day(at_ms: int, zone: str = "UTC") -> str:
    return _day(_moment(at_ms, zone))


def moment(at_ms: int, zone: str = "UTC") -> str:
    at = _moment(at_ms, zone)
    return f"{_day(at)}, {at:%H:%M} ({_zone(at, zone)})"


def exact(at_ms: int) -> str:
    """In UTC, to the second, as the certificate needs it."""
    at = _moment(at_ms, "UTC")
    return f"{_day(at)}, {at:%H:%M:%S} UTC"


def period(starts_ms: int, ends_ms: int, zone: str = "UTC") -> str:
    starts, ends = _moment(starts_ms, zone), _moment(ends_ms, zone)
    if starts.utcoffset() != ends.utcoffset():
        return f"{moment(starts_ms, zone)} to {moment(ends_ms, zone)}"
    end = f"{ends:%H:%M}" if starts.date() == ends.date() else f"{_day(ends)}, {ends:%H:%M}"
    return f"{_day(starts)}, {starts:%H:%M} to {end} ({_zone(starts, zone)})"


def _moment(at_ms: int, zone: str) -> datetime:
    """Rounded down to a second; never a float."""
    return (datetime(1970, 1, 1, tzinfo=UTC) + timedelta(seconds=at_ms // 1000)).astimezone(
        _zone_info(zone)
    )


def _zone_info(zone: str) -> tzinfo:
    """`ZoneInfo` refuses names that leave the folder of zones."""
    try:
        return UTC if zone == "UTC" else ZoneInfo(zone)
    except (KeyError, OSError, ValueError) as error:  # not found is a KeyError
        raise ValueError(f"not a time zone: {zone!r}") from error


def _day(at: datetime) -> str:
    return f"{at.day} {_MONTHS[at.month - 1]} {at.year}"


def _zone(at: datetime, zone: str) -> str:
    if zone == "UTC":
        return "UTC"
    minutes = int((at.utcoffset() or timedelta()).total_seconds()) // 60
    hours, rest = divmod(abs(minutes), 60)
    offset = f"{'-' if minutes < 0 else '+'}{hours}" + (f":{rest:02}" if rest else "")
    return f"{zone}, UTC{offset}"

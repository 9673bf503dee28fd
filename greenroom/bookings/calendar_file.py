"""A leg as a calendar file (RFC 5545), which replaces its earlier versions in the calendar. Pure.

Times are in UTC, so that no definition of a time zone has to travel with them.
"""

from datetime import UTC, datetime

from greenroom.bookings.models import Leg, LegStatus

MEDIA_TYPE = "text/calendar"
_MOST_BYTES = 75
_ESCAPES = str.maketrans({"\\": "\\\\", ";": "\\;", ",": "\\,", "\n": "\\n"})
_ALARM = (
    "BEGIN:VALARM",
    "ACTION:DISPLAY",
    "DESCRIPTION:Reminder",
    "TRIGGER:-P1D",
    "END:VALARM",
)
"""Calendars remind of it a day before."""


def calendar_of(leg: Leg, domain: str, now_ms: int) -> bytes:
    """`SEQUENCE` counts the leg's versions; a cancelled leg is taken out of the calendar."""
    cancelled = leg.status is LegStatus.CANCELLED
    lines = (
        "BEGIN:VCALENDAR",
        "VERSION:2.0",
        "PRODID:-//Greenroom//Bookings//EN",
        "CALSCALE:GREGORIAN",
        f"METHOD:{'CANCEL' if cancelled else 'PUBLISH'}",
        "BEGIN:VEVENT",
        f"UID:{leg.id}@{domain}",
        f"SEQUENCE:{leg.version - 1}",
        f"DTSTAMP:{_time(now_ms)}",
        f"DTSTART:{_time(leg.starts_ms)}",
        f"DTEND:{_time(leg.ends_ms)}",
        f"SUMMARY:{_text(leg.title)}",
        *_optional("LOCATION", ", ".join(one for one in (leg.place, leg.city) if one)),
        *_optional("DESCRIPTION", leg.service),
        f"STATUS:{'CANCELLED' if cancelled else 'CONFIRMED'}",
        *(() if cancelled else _ALARM),
        "END:VEVENT",
        "END:VCALENDAR",
    )
    return b"".join(_folded(line) for line in lines)


def _optional(name: str, text: str) -> tuple[str, ...]:
    return (f"{name}:{_text(text)}",) if text else ()


def _time(ms: int) -> str:
    return f"{datetime.fromtimestamp(ms // 1000, UTC):%Y%m%dT%H%M%SZ}"


def _text(text: str) -> str:
    """Escaped, and without control characters, which could begin a line of their own."""
    one_kind = text.replace("\r\n", "\n").replace("\r", "\n")
    shown = "".join(one for one in one_kind if one == "\n" or (one >= " " and one != "\x7f"))
    return shown.translate(_ESCAPES)


def _folded(line: str) -> bytes:
    """Lines of at most 75 bytes, cut between characters; a continuation begins with a blank."""
    parts: list[bytes] = []
    part = b""
    for one in line:
        encoded = one.encode("utf-8", "replace")
        if len(part) + len(encoded) > _MOST_BYTES:
            parts.append(part)
            part = b" "
        part += encoded
    return b"\r\n".join((*parts, part)) + b"\r\n"

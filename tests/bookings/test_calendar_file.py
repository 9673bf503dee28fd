"""The calendar file of a leg: read back by a parser of RFC 5545."""

from collections.abc import Mapping
from datetime import UTC, datetime

import pytest
from hypothesis import given, strategies as st
from msgspec.structs import replace

from greenroom.bookings.calendar_file import calendar_of
from greenroom.bookings.models import Leg, LegStatus
from greenroom.bookings.money import Money
from greenroom.ids import LegId, UserId

STARTS = datetime(2100, 6, 1, 9, 30, tzinfo=UTC)
NOW_MS = 4_000_000_000_000
LEG = Leg(
    id=LegId("leg_1"),
    provider=UserId("usr_1"),
    thread=None,
    title="Portraits",
    place="Studio 4; 2nd floor",
    city="Berlin",
    starts_ms=int(STARTS.timestamp() * 1000),
    ends_ms=int(STARTS.timestamp() * 1000) + 7_200_000,
    time_zone="Europe/Berlin",
    price=Money(1, "EUR"),
)


def parsed(file: bytes) -> Mapping[str, str]:
    """The properties, unfolded and unescaped."""
    assert file.endswith(b"\r\n")
    lines = file.removesuffix(b"\r\n").split(b"\r\n")
    assert all(len(line) <= 75 for line in lines)
    found: dict[str, str] = {}
    inside = ""
    for line in file.decode().replace("\r\n ", "").removesuffix("\r\n").split("\r\n"):
        assert "\n" not in line
        assert "\r" not in line
        name, _, value = line.partition(":")
        if name in ("BEGIN", "END"):
            inside = "VALARM " if (name, value) == ("BEGIN", "VALARM") else ""
            name = f"{name} {value}"
        else:
            name = inside + name
        assert name not in found
        found[name] = _unescaped(value)
    return found


def _unescaped(value: str) -> str:
    shown, rest = "", iter(value)
    for one in rest:
        if one == "\\":
            following = next(rest)
            shown += "\n" if following in "nN" else following
        else:
            assert one not in ";,"
            shown += one
    return shown


def test_a_leg_is_an_event_in_utc() -> None:
    found = parsed(calendar_of(LEG, "greenroom", NOW_MS))
    assert found["DTSTART"] == "21000601T093000Z"
    assert found["DTEND"] == "21000601T113000Z"
    assert found["SUMMARY"] == "Portraits"
    assert found["LOCATION"] == "Studio 4; 2nd floor, Berlin"
    assert (found["UID"], found["SEQUENCE"]) == ("leg_1@greenroom", "0")
    assert (found["METHOD"], found["STATUS"]) == ("PUBLISH", "CONFIRMED")
    assert (found["VALARM ACTION"], found["VALARM TRIGGER"]) == ("DISPLAY", "-P1D")


def test_a_cancelled_leg_is_taken_out_of_the_calendar() -> None:
    leg = replace(LEG, status=LegStatus.CANCELLED, version=4)
    found = parsed(calendar_of(leg, "greenroom", NOW_MS))
    assert (found["METHOD"], found["STATUS"]) == ("CANCEL", "CANCELLED")
    assert found["SEQUENCE"] == "3"
    assert "BEGIN VALARM" not in found


@given(st.text(max_size=200))
def test_no_title_breaks_out_of_its_line(title: str) -> None:
    found = parsed(calendar_of(replace(LEG, title=title), "greenroom", NOW_MS))
    assert set(found) == set(parsed(calendar_of(LEG, "greenroom", NOW_MS)))


@pytest.mark.parametrize("title", ["Ä" * 60, "👩‍👩‍👧" * 20, "a\r\nEND:VEVENT\r\nb", "x\\;,y"])
def test_long_and_hostile_titles_are_read_back(title: str) -> None:
    found = parsed(calendar_of(replace(LEG, title=title), "greenroom", NOW_MS))
    assert found["SUMMARY"] == title.replace("\r\n", "\n")

"""Time zones: their names, and when a day begins where clocks are changed at midnight."""

from datetime import UTC, date, datetime

import pytest

from greenroom.bookings.problems import UnknownTimeZone
from greenroom.bookings.time_zones import local_day, midnight_ms, zone


@pytest.mark.parametrize(
    "name", ["", "Europe", "Mars/Base", "../../etc/passwd", "/etc/localtime", "a" * 9000, "\0"]
)
def test_what_is_no_time_zone_is_refused(name: str) -> None:
    with pytest.raises(UnknownTimeZone, match="Europe/Berlin"):
        zone(name)


@pytest.mark.parametrize(
    ("name", "day", "begins"),
    [
        ("Europe/Berlin", date(2027, 3, 28), "2027-03-27T23:00"),
        ("Europe/Berlin", date(2027, 3, 29), "2027-03-28T22:00"),
        ("America/Santiago", date(2026, 9, 6), "2026-09-06T04:00"),  # clocks skip this midnight
        ("America/Havana", date(2026, 11, 1), "2026-11-01T05:00"),  # this midnight comes twice
        ("Pacific/Apia", date(2011, 12, 30), "2011-12-30T10:00"),  # the whole day was skipped
        ("Pacific/Apia", date(2011, 12, 31), "2011-12-30T10:00"),
    ],
)
def test_a_day_begins_once(name: str, day: date, begins: str) -> None:
    expected = datetime.fromisoformat(begins).replace(tzinfo=UTC)
    assert midnight_ms(day, zone(name)) == int(expected.timestamp()) * 1000


def test_a_day_is_that_of_the_wall() -> None:
    new_year = int(datetime(2027, 1, 1, tzinfo=UTC).timestamp()) * 1000
    assert local_day(new_year, zone("America/New_York")) == date(2026, 12, 31)
    assert local_day(new_year, zone("Asia/Tokyo")) == date(2027, 1, 1)

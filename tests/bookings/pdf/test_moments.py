"""Tests of how moments are written."""

import pytest

from greenroom.bookings.pdf.moments import day, exact, moment, period

_HOUR_MS = 3_600_000
_SPRING_MS = 1_774_742_400_000
"""29 March 2026, 00:00 UTC: an hour before Berlin changes to summer time."""


def test_a_moment_is_written_with_its_zone() -> None:
    assert moment(_SPRING_MS, "Europe/Berlin") == "29 March 2026, 01:00 (Europe/Berlin, UTC+1)"
    assert moment(_SPRING_MS, "Asia/Kolkata") == "29 March 2026, 05:30 (Asia/Kolkata, UTC+5:30)"
    assert moment(_SPRING_MS, "America/St_Johns").endswith("(America/St_Johns, UTC-2:30)")
    assert exact(_SPRING_MS + 1_999) == "29 March 2026, 00:00:01 UTC"
    assert day(-1) == "31 December 1969"


def test_a_period_says_its_day_once() -> None:
    written = period(_SPRING_MS, _SPRING_MS + _HOUR_MS, "UTC")
    assert written == "29 March 2026, 00:00 to 01:00 (UTC)"


def test_a_period_over_midnight_says_both_days() -> None:
    written = period(_SPRING_MS - _HOUR_MS, _SPRING_MS + _HOUR_MS, "UTC")
    assert written == "28 March 2026, 23:00 to 29 March 2026, 01:00 (UTC)"


def test_a_period_over_a_clock_change_says_both_offsets() -> None:
    written = period(_SPRING_MS, _SPRING_MS + 2 * _HOUR_MS, "Europe/Berlin")
    assert written.count("Europe/Berlin") == 2
    assert "01:00 (Europe/Berlin, UTC+1) to" in written
    assert written.endswith("04:00 (Europe/Berlin, UTC+2)")


@pytest.mark.parametrize("zone", ["Mars/Base", "../../etc/passwd", "", "/etc/localtime", "a\0b"])
def test_what_is_no_time_zone_is_refused(zone: str) -> None:
    with pytest.raises(ValueError, match="not a time zone"):
        moment(0, zone)

"""Dates, times, weekdays and numbers follow the browser's locale and time zone."""

import re
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest
from playwright.async_api import expect

from tests.web.conftest import OpenWindow

pytestmark = pytest.mark.asyncio(loop_scope="session")

EDITORIAL = "Editorial in Lisbon"

GERMAN_DAYS = {"Mo", "Di", "Mi", "Do", "Fr", "Sa", "So"}
ENGLISH_DAYS = {"Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"}

CLOCKS = [
    ("de-DE", "Asia/Tokyo", "{at:%H:%M}"),
    ("en-GB", "Europe/London", "{at:%H:%M}"),
    ("en-US", "America/New_York", "{hour}:{at:%M %p}"),
    ("en-US", "Asia/Kolkata", "{hour}:{at:%M %p}"),
]


@pytest.mark.parametrize(("locale", "zone", "shown"), CLOCKS)
async def test_times_follow_the_browser(
    window: OpenWindow, locale: str, zone: str, shown: str
) -> None:
    maya = await window("Maya Lindqvist", locale=locale, timezone_id=zone)
    await maya.open(EDITORIAL)
    await maya.say("What time is it?")
    time = maya.message("What time is it?").locator("time")
    at = datetime.fromisoformat(str(await time.get_attribute("datetime"))).astimezone(
        ZoneInfo(zone)
    )
    wanted = shown.format(at=at, hour=at.hour % 12 or 12)
    assert re.sub(r"\s", " ", await time.inner_text()) == wanted


@pytest.mark.parametrize(
    ("locale", "days", "date", "number"),
    [
        ("de-DE", GERMAN_DAYS, r"\d{1,2}\. \w+( \d{4})?|\d\d\.\d\d\.\d{4}", "1.500"),
        ("en-US", ENGLISH_DAYS, r"[A-Z][a-z]{2} \d{1,2}(, \d{4})?", "1,500"),
        ("en-GB", ENGLISH_DAYS, r"\d{1,2} [A-Z][a-z]{2,3}( \d{4})?", "1,500"),
    ],
)
async def test_weekdays_dates_and_numbers_follow_the_browser(
    window: OpenWindow, locale: str, days: set[str], date: str, number: str
) -> None:
    maya = await window("Maya Lindqvist", locale=locale, timezone_id="UTC")
    await expect(maya.row(EDITORIAL)).to_be_visible()
    old = 0
    for time in await maya.page.locator("[data-thread] time").all():
        at = datetime.fromisoformat(str(await time.get_attribute("datetime")))
        age = (datetime.now(UTC).date() - at.astimezone(UTC).date()).days
        text = await time.inner_text()
        if age <= 0:
            continue
        old += 1
        assert text in days if age < 7 else re.fullmatch(date, text), (text, age)
    assert old > 0, "some rows are older than today"
    await maya.open(EDITORIAL)
    await maya.field.fill("x" * 9500)
    await expect(maya.page.get_by_text(f"{number} characters too long")).to_be_visible()

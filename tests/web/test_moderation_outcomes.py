"""Decisions reach the person concerned, and a suspension can be lifted."""

import pytest
from playwright.async_api import Page, expect

from tests.web.conftest import OpenWindow

pytestmark = pytest.mark.asyncio(loop_scope="session")

_HELD = "Guaranteed income, I promise: 500 a day from home, no risk at all"
_REASON = "Please don't advertise here."


async def _decide(page: Page, text: str, key: str, reason: str) -> None:
    queue = page.get_by_role("region", name="Open cases")
    await queue.get_by_role("button", name=text).click()
    await page.get_by_label("Message to the person").fill(reason)
    await page.get_by_role("button", name=key).click()


async def test_a_warning_reaches_the_sender_at_once_and_after_a_reload(window: OpenWindow) -> None:
    maya = await window("Maya Lindqvist")
    await maya.open("Editorial in Lisbon")
    await maya.say(_HELD)
    await maya.page.get_by_role("button", name="Send anyway").click()
    await expect(maya.message(_HELD)).to_contain_text("Under review")
    ada = await window("Ada Okafor")
    await ada.go("/moderation")
    queue = ada.page.get_by_role("region", name="Open cases")
    await queue.get_by_role("button", name=_HELD).click()
    place = ada.page.locator("[data-held-here]")
    await expect(place).to_contain_text("The held message was written here")
    await _decide(ada.page, _HELD, "Warn", _REASON)
    await expect(queue.get_by_role("button", name=_HELD)).to_have_count(0)

    row = maya.message(_HELD)
    await expect(row).to_contain_text(f"you've been warned: {_REASON}")
    await expect(row).not_to_contain_text("Under review")
    await maya.page.reload()
    await expect(maya.message(_HELD)).to_contain_text("you've been warned")
    await maya.page.get_by_role("button", name="Read", exact=True).click()
    dialog = maya.page.get_by_role("dialog", name="From our moderators")
    await expect(dialog).to_contain_text("You've been warned")
    await expect(dialog).to_contain_text(_REASON)
    await expect(dialog).to_contain_text("contact this site's support")
    await dialog.get_by_role("button", name="Got it").click()
    await expect(maya.page.locator("[data-notices]")).to_have_count(0)
    await maya.page.reload()
    await maya.open("Editorial in Lisbon")
    await expect(maya.page.locator("[data-notices]")).to_have_count(0)


async def test_a_permanent_suspension_asks_twice_gives_a_reason_and_can_be_lifted(
    window: OpenWindow,
) -> None:
    maya = await window("Maya Lindqvist")
    await maya.open("Editorial in Lisbon")
    await maya.say(_HELD)
    await maya.page.get_by_role("button", name="Send anyway").click()
    await expect(maya.message(_HELD)).to_contain_text("Under review")
    ada = await window("Ada Okafor")
    await ada.go("/moderation")
    await _decide(ada.page, _HELD, "Suspend", _REASON)
    first = ada.page.get_by_role("dialog", name="Suspend Maya Lindqvist?")
    await first.get_by_role("button", name="Permanently…").click()
    second = ada.page.get_by_role("dialog", name="Suspend Maya Lindqvist permanently?")
    await second.get_by_role("button", name="Suspend permanently").click()

    told = maya.page.locator(".banner")
    await expect(told.first).to_contain_text("Your account was suspended permanently")
    await expect(told.first).to_contain_text(_REASON)
    await expect(told.first).to_contain_text("contact this site's support")

    await ada.page.get_by_role("radio", name="People").check()
    people = ada.page.get_by_role("list", name="Suspended people")
    await people.get_by_role("button", name="Maya Lindqvist").click()
    await ada.page.get_by_role("button", name="Reinstate").click()
    dialog = ada.page.get_by_role("dialog", name="Reinstate Maya Lindqvist?")
    await dialog.get_by_label("Message to the person").fill("We were wrong.")
    await dialog.get_by_role("button", name="Reinstate").click()
    await expect(ada.page.get_by_text("No one is suspended")).to_be_visible()

    await told.first.get_by_role("button", name="Try again").click()
    await maya.open("Editorial in Lisbon")
    await maya.page.get_by_role("button", name="Read", exact=True).click()
    notice = maya.page.get_by_role("dialog", name="From our moderators")
    await expect(notice).to_contain_text("no longer suspended")
    await expect(notice).to_contain_text("We were wrong.")

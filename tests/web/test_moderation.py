"""Moderation by keyboard, and the delivery of released messages."""

import pytest
from playwright.async_api import expect

from tests.web.conftest import OpenWindow
from tests.web.window import Window

pytestmark = pytest.mark.asyncio(loop_scope="session")

_HELD = "Guaranteed income, I promise: 500 a day from home, no risk at all"


async def test_a_held_message_is_released(window: OpenWindow) -> None:
    maya, jonas = await window("Maya Lindqvist"), await window("Jonas Achterberg")
    await maya.open("Editorial in Lisbon")
    await jonas.open("Editorial in Lisbon")
    await _say_held(maya)
    await jonas.sees(_HELD, times=0)
    await maya.page.reload()
    await maya.sees(_HELD)

    ada = await window("Ada Okafor")
    await expect(ada.page.get_by_role("link", name="Moderation")).to_be_visible()
    await ada.page.keyboard.press("g")
    await ada.page.keyboard.press("m")
    queue = ada.page.get_by_role("region", name="Open cases")
    await queue.get_by_role("button", name=_HELD).click()
    case = ada.page.get_by_role("article", name="Held message")
    await expect(case).to_contain_text("or rather from the first look on?")
    await expect(ada.page.get_by_role("button", name="Release")).to_be_enabled()
    await ada.page.keyboard.press("r")
    await expect(queue.get_by_role("button", name=_HELD)).to_have_count(0)

    await jonas.sees(_HELD)
    await maya.sees(_HELD)
    await expect(maya.message(_HELD)).not_to_contain_text("Under review")


async def test_a_held_message_shows_on_the_authors_other_devices(window: OpenWindow) -> None:
    """On a device opened later, and on one that becomes visible again."""
    maya, open_before = await window("Maya Lindqvist"), await window("Maya Lindqvist")
    for one in (maya, open_before):
        await one.open("Editorial in Lisbon")
    await _say_held(maya)
    opened_later = await window("Maya Lindqvist")
    await opened_later.open("Editorial in Lisbon")
    await open_before.page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
    for one in (open_before, opened_later):
        await expect(one.message(_HELD)).to_contain_text("Under review")
        await one.sees(_HELD)


async def test_a_held_picture_shows_on_a_device_that_has_not_sent_it(window: OpenWindow) -> None:
    author = await window("Best Deals")
    await author.open("Driver next week")
    held = author.page.locator("[data-state=held]")
    await expect(held).to_contain_text("File from another device")
    await expect(held.locator(".file-page img")).to_be_visible()


@pytest.mark.parametrize(
    ("key", "told"), [("x", "Your message was not delivered"), ("w", "You've been warned")]
)
async def test_the_author_of_a_held_message_learns_the_decision(
    window: OpenWindow, key: str, told: str
) -> None:
    """In the conversation and in a notice, live and after a reload, until acknowledged."""
    maya = await window("Maya Lindqvist")
    await maya.open("Editorial in Lisbon")
    await _say_held(maya)
    ada = await window("Ada Okafor")
    await ada.go("/moderation")
    queue = ada.page.get_by_role("region", name="Open cases")
    await queue.get_by_role("button", name=_HELD).click()
    await expect(ada.page.get_by_role("button", name="Release")).to_be_enabled()
    await ada.page.keyboard.press(key)
    notice = maya.page.locator("[data-notices]")
    for _ in range(2):
        await expect(maya.message(_HELD)).to_contain_text("Not delivered")
        await expect(notice).to_be_visible()
        await maya.page.reload()
    await notice.get_by_role("button", name="Read").click()
    await expect(maya.page.locator("[data-notice]")).to_contain_text(told)
    await maya.button("Got it").click()
    await expect(notice).to_have_count(0)
    await maya.page.reload()
    await maya.sees("or rather from the first look on?")
    await expect(notice).to_have_count(0)


async def _say_held(maya: Window) -> None:
    """The author is told first that it will be reviewed."""
    await maya.say(_HELD)
    asked = maya.page.get_by_role("alertdialog", name="We'll review this before it's delivered")
    await asked.get_by_role("button", name="Send anyway").click()
    await expect(maya.message(_HELD)).to_contain_text("Under review")


async def test_a_report_is_decided_and_stays_in_the_log(window: OpenWindow) -> None:
    ada = await window("Ada Okafor")
    await ada.go("/moderation")
    queue = ada.page.get_by_role("region", name="Open cases")
    await queue.get_by_role("button", name="1 report").click()
    case = ada.page.get_by_role("article", name="Reported message")
    await expect(case).to_contain_text("Second account this week with the same sentence.")
    await expect(case).to_contain_text("Jonas Achterberg")
    await expect(ada.page.get_by_role("button", name="Remove")).to_be_enabled()
    await ada.page.keyboard.press("x")
    await expect(queue.get_by_role("button", name="1 report")).to_have_count(0)
    await ada.page.get_by_role("radio", name="Decisions").check()
    record = ada.page.get_by_role("list", name="Decisions").get_by_role("listitem")
    await expect(record.first).to_contain_text("Removed")
    await expect(record.first).to_contain_text("Best Deals")
    await expect(record.first).to_contain_text("by you")
    await expect(record).to_have_count(6)


async def test_a_reported_message_is_in_the_queue(window: OpenWindow) -> None:
    maya, ada = await window("Maya Lindqvist"), await window("Ada Okafor")
    await maya.open("Editorial in Lisbon")
    await maya.with_message("or rather from the first look on?", "More actions")
    await maya.page.get_by_role("menuitem", name="Report message").click()
    dialog = maya.page.get_by_role("dialog", name="Report")
    await dialog.get_by_role("radio", name="Something else").check()
    await dialog.get_by_label("Anything else we should know?").fill("Only to see how it is done.")
    await dialog.get_by_role("button", name="Send report").click()
    await expect(maya.page.get_by_text("A moderator will review it").first).to_be_visible()
    await ada.go("/moderation")
    await ada.page.get_by_role("button", name="or rather from the first look on?").click()
    case = ada.page.get_by_role("article", name="Reported message")
    await expect(case).to_contain_text("Only to see how it is done.")
    await expect(case).to_contain_text("Could you tell me your sizes again")


async def test_a_key_that_is_held_down_decides_once(window: OpenWindow) -> None:
    ada = await window("Ada Okafor")
    await ada.go("/moderation")
    queue = ada.page.get_by_role("region", name="Open cases").locator("[data-case]")
    await expect(queue).to_have_count(4)
    await queue.last.click()
    await expect(ada.page.get_by_role("button", name="Dismiss")).to_be_enabled()
    for _ in range(12):
        await ada.page.keyboard.down("d")
    await ada.page.keyboard.up("d")
    await expect(queue).to_have_count(3)
    await ada.page.wait_for_timeout(500)
    await expect(queue).to_have_count(3)


async def test_only_moderators_see_the_page(window: OpenWindow) -> None:
    maya = await window("Maya Lindqvist")
    await expect(maya.page.get_by_role("link", name="Moderation")).to_have_count(0)
    await maya.go("/moderation")
    await expect(maya.page.get_by_text("Only moderators can see this")).to_be_visible()

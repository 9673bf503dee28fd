"""Scheduled messages: written now, sent later, the same in all windows of their author."""

import asyncio
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from playwright.async_api import Locator, expect

from tests.web.conftest import OpenWindow
from tests.web.test_accessibility import PHONE
from tests.web.window import Window

pytestmark = pytest.mark.asyncio(loop_scope="session")

EDITORIAL = "Editorial in Lisbon"
MAYA, JONAS = "Maya Lindqvist", "Jonas Achterberg"
MIN_TARGET_PX = 44


def _item(window: Window, text: str) -> Locator:
    return window.page.locator("[data-scheduled]", has_text=text)


async def _schedule(window: Window, text: str, when: str = "Tomorrow at") -> None:
    await window.field.fill(text)
    await window.button("Send later").click()
    await window.page.get_by_role("menuitem", name=when).click()
    await expect(window.field).to_have_value("")


async def _show(window: Window) -> None:
    await window.page.get_by_role("button", name="scheduled message").click()


async def _schedule_by_rest(window: Window, text: str, seconds: float) -> Any:
    at = datetime.now(UTC) + timedelta(seconds=seconds)
    path = f"/v1/threads/{await window.thread_id(EDITORIAL)}/scheduled-messages"
    return await window.ask("POST", path, {"body": text, "sendAt": at.isoformat()})


async def test_a_message_for_tomorrow_is_in_all_windows_of_its_author(window: OpenWindow) -> None:
    first, second = await window(MAYA), await window(MAYA)
    for one in (first, second):
        await one.open(EDITORIAL)
    await _schedule(first, "Good morning, Jonas.")
    line = second.page.get_by_role("button", name="1 scheduled message")
    await expect(line).to_contain_text("Tomorrow at 9:00")
    await _show(second)
    await expect(_item(second, "Good morning, Jonas.")).to_contain_text("Tomorrow at 9:00")
    await expect(_item(second, "Good morning, Jonas.")).to_contain_text("in ")
    thread = await first.thread_id(EDITORIAL)
    saved = await first.ask("GET", f"/v1/scheduled-messages?threadId={thread}")
    [message] = saved["scheduledMessages"]
    at = datetime.fromisoformat(message["sendAt"]).astimezone()
    tomorrow = datetime.now().astimezone() + timedelta(days=1)
    assert (at.date(), at.hour, at.minute) == (tomorrow.date(), 9, 0)
    await asyncio.sleep(1)  # the draft is deleted a moment later
    assert (await first.ask("GET", f"/v1/threads/{thread}/draft"))["body"] == ""


async def test_text_and_time_can_be_edited(window: OpenWindow) -> None:
    first, second = await window(MAYA), await window(MAYA)
    await first.open(EDITORIAL)
    await _schedule(first, "Something to improve.")
    await _show(first)
    await second.go("/scheduled")
    await _item(first, "Something to improve.").get_by_role("button", name="Edit").click()
    dialog = first.page.get_by_role("dialog", name="Edit scheduled message")
    await dialog.get_by_label("Message").fill("Something better.")
    day = (datetime.now() + timedelta(days=3)).strftime("%Y-%m-%d")
    await dialog.get_by_label("Date and time").fill(f"{day}T14:05")
    await dialog.get_by_role("button", name="Save").click()
    await expect(dialog).to_have_count(0)
    for one in (first, second):
        await expect(_item(one, "Something better.")).to_contain_text("2:05 PM")
    await _item(first, "Something better.").get_by_role("button", name="Edit").click()
    await dialog.get_by_label("Date and time").fill("2020-01-01T09:00")
    await dialog.get_by_role("button", name="Save").click()
    await expect(dialog.get_by_role("alert")).to_contain_text("This time has passed")


async def test_a_canceled_message_is_gone_everywhere(window: OpenWindow) -> None:
    first, second = await window(MAYA), await window(MAYA)
    for one in (first, second):
        await one.open(EDITORIAL)
    await _schedule(first, "Not after all.")
    await _show(first)
    await _show(second)
    cancel = _item(first, "Not after all.").get_by_role("button", name="Cancel")
    await cancel.click()
    dialog = first.page.get_by_role("dialog", name="Cancel this scheduled message?")
    await expect(dialog).to_contain_text("its text is deleted")
    await dialog.get_by_role("button", name="Keep").click()
    await expect(cancel).to_be_focused()
    await cancel.click()
    await dialog.get_by_role("button", name="Cancel message").click()
    for one in (first, second):
        await expect(_item(one, "Not after all.")).to_have_count(0)
    await expect(first.field).to_be_focused()


async def test_undo_puts_the_text_back_into_the_composer(window: OpenWindow) -> None:
    maya = await window(MAYA)
    await maya.open(EDITORIAL)
    await _schedule(maya, "Too early.")
    await maya.button("Undo").click()
    await expect(maya.field).to_have_value("Too early.")
    await expect(maya.page.get_by_role("button", name="scheduled message")).to_have_count(0)


async def test_sent_now_it_arrives_and_leaves_the_list(window: OpenWindow) -> None:
    maya, jonas = await window(MAYA), await window(JONAS)
    await maya.open(EDITORIAL)
    await jonas.open(EDITORIAL)
    await _schedule(maya, "On second thought: now.")
    await _show(maya)
    await _item(maya, "On second thought: now.").get_by_role("button", name="Send now").click()
    await jonas.sees("On second thought: now.")
    await maya.sees("On second thought: now.")
    await expect(_item(maya, "On second thought: now.")).to_have_count(0)


async def test_at_its_time_it_vanishes_and_the_message_appears(window: OpenWindow) -> None:
    maya, jonas = await window(MAYA), await window(JONAS)
    await maya.open(EDITORIAL)
    await jonas.open(EDITORIAL)
    await _schedule_by_rest(maya, "Right on time.", 3)
    await expect(maya.page.get_by_role("button", name="1 scheduled message")).to_be_visible()
    for one in (maya, jonas):
        await one.sees("Right on time.")
    await expect(maya.page.get_by_role("button", name="scheduled message")).to_have_count(0)


async def test_a_failed_message_says_why_and_can_be_tried_again(window: OpenWindow) -> None:
    maya, jonas = await window(MAYA), await window(JONAS)
    ines = await window("Inês Carvalho")
    await maya.open(EDITORIAL)
    await jonas.open(EDITORIAL)
    thread = await maya.thread_id(EDITORIAL)
    await _schedule_by_rest(maya, "Into a locked room.", 3)
    await ines.ask("POST", f"/v1/threads/{thread}/lock")
    line = maya.page.get_by_role("button", name="1 scheduled message")
    await expect(line).to_contain_text("1 not sent")
    await _show(maya)
    item = _item(maya, "Into a locked room.")
    await expect(item).to_contain_text("Not sent. This conversation is locked.")
    await item.get_by_role("button", name="Try again").click()
    await expect(maya.page.locator(".toasts")).to_contain_text("locked")
    await ines.ask("POST", f"/v1/threads/{thread}/unlock")
    await item.get_by_role("button", name="Try again").click()
    await jonas.sees("Into a locked room.")
    await expect(item).to_have_count(0)


async def test_a_failed_message_can_be_deleted(window: OpenWindow) -> None:
    maya, ines = await window(MAYA), await window("Inês Carvalho")
    await _schedule_by_rest(maya, "Never mind.", 2)
    await ines.ask("POST", f"/v1/threads/{await maya.thread_id(EDITORIAL)}/lock")
    await maya.go("/scheduled")
    await expect(maya.page.get_by_role("heading", name="Not sent")).to_be_visible()
    await _item(maya, "Never mind.").get_by_role("button", name="Delete").click()
    await maya.page.get_by_role("dialog").get_by_role("button", name="Delete").click()
    await expect(_item(maya, "Never mind.")).to_have_count(0)


async def test_a_refused_message_stays_in_the_composer_with_the_reason(
    window: OpenWindow,
) -> None:
    maya = await window(MAYA)
    await maya.open(EDITORIAL)
    await maya.field.fill("In ten years.")
    await maya.button("Send later").click()
    await maya.page.get_by_role("menuitem", name="Choose a time").click()
    dialog = maya.page.get_by_role("dialog", name="Send later")
    await dialog.get_by_label("Date and time").fill(f"{datetime.now().year + 10}-01-01T09:00")
    await dialog.get_by_role("button", name="Schedule").click()
    await expect(maya.page.get_by_role("alert")).to_contain_text("Not scheduled.")
    await expect(maya.page.get_by_role("alert")).to_contain_text("within 366 days")
    await expect(maya.field).to_have_value("In ten years.")


async def test_the_page_lists_all_and_its_count_agrees(window: OpenWindow) -> None:
    maya = await window(MAYA)
    await maya.open(EDITORIAL)
    await _schedule(maya, "One more.")
    entry = maya.page.get_by_role("link", name="Scheduled")
    await expect(entry).to_contain_text("2 scheduled messages")
    await entry.click()
    await expect(maya.page.get_by_role("heading", name="Scheduled", level=1)).to_be_visible()
    await expect(maya.page.locator("[data-scheduled]")).to_have_count(2)
    await _item(maya, "One more.").get_by_role("link", name=JONAS).click()
    await expect(maya.field).to_be_visible()
    await maya.go("/scheduled")
    for left in (1, 0):
        await maya.page.get_by_role("button", name="Cancel").first.click()
        await maya.button("Cancel message").click()
        await expect(maya.page.locator("[data-scheduled]")).to_have_count(left)
    await expect(maya.page.get_by_text("No scheduled messages")).to_be_visible()
    await expect(entry).not_to_contain_text("scheduled message")


async def test_the_keyboard_is_enough_to_send_later(window: OpenWindow) -> None:
    maya = await window(MAYA)
    await maya.open(EDITORIAL)
    keyboard = maya.page.keyboard
    await maya.field.fill("Without a mouse.")
    await keyboard.press("Tab")
    await expect(maya.button("Send later")).to_be_focused()
    await keyboard.press("Enter")
    await expect(maya.page.get_by_role("menuitem", name="In one hour")).to_be_focused()
    await keyboard.press("Escape")
    await expect(maya.page.get_by_role("menu")).to_have_count(0)
    await expect(maya.button("Send later")).to_be_focused()
    await keyboard.press("Enter")
    await keyboard.press("End")
    await expect(maya.page.get_by_role("menuitem", name="Choose a time")).to_be_focused()
    await keyboard.press("Enter")
    await expect(maya.page.get_by_role("dialog", name="Send later")).to_be_visible()
    await keyboard.press("Escape")
    await expect(maya.button("Send later")).to_be_focused()
    await keyboard.press("Enter")
    await keyboard.press("ArrowDown")
    await keyboard.press("Enter")
    await expect(maya.field).to_be_focused()
    await expect(maya.field).to_have_value("")
    line = maya.page.get_by_role("button", name="1 scheduled message")
    await line.focus()
    await keyboard.press("Enter")
    await expect(_item(maya, "Without a mouse.")).to_be_visible()
    await keyboard.press("Tab")
    await expect(_item(maya, "Without a mouse.").get_by_role("button", name="Edit")).to_be_focused()


async def test_a_phone_has_large_targets_and_no_sideways_scrolling(window: OpenWindow) -> None:
    maya = await window(MAYA, **PHONE)
    await maya.open(EDITORIAL)
    await maya.field.fill("From the phone.")
    await _at_least_44(maya.button("Send later"), maya.button("Send"))
    await maya.button("Send later").tap()
    await _at_least_44(*await maya.page.get_by_role("menuitem").all())
    await maya.page.get_by_role("menuitem", name="Tomorrow at").tap()
    line = maya.page.get_by_role("button", name="1 scheduled message")
    await line.tap()
    item = _item(maya, "From the phone.")
    await expect(item).to_be_visible()
    await _at_least_44(line, *await item.get_by_role("button").all())
    await maya.go("/scheduled")
    await expect(_item(maya, "From the phone.")).to_be_visible()
    wide = await maya.page.evaluate("document.documentElement.scrollWidth - innerWidth")
    assert wide <= 0, "the page does not scroll sideways"


async def _at_least_44(*targets: Locator) -> None:
    assert targets
    for target in targets:
        box = await target.bounding_box()
        assert box is not None
        assert min(box["width"], box["height"]) >= MIN_TARGET_PX, await target.inner_text()


async def test_times_follow_the_locale_and_the_time_zone(window: OpenWindow) -> None:
    maya = await window(MAYA, locale="de-DE", timezone_id="Asia/Kolkata")
    await maya.open(EDITORIAL)
    await maya.field.fill("Namaste.")
    await maya.button("Send later").click()
    await expect(maya.page.get_by_role("menuitem", name="Tomorrow at 09:00")).to_be_visible()
    await maya.page.get_by_role("menuitem", name="Tomorrow at 09:00").click()
    await _show(maya)
    await expect(_item(maya, "Namaste.")).to_contain_text("Tomorrow at 09:00")
    thread = await maya.thread_id(EDITORIAL)
    found = await maya.ask("GET", f"/v1/scheduled-messages?threadId={thread}")
    assert "T03:30:00" in found["scheduledMessages"][0]["sendAt"]

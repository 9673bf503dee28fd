"""Inbox actions: mark all as read, hide until the next message, withdraw a request."""

import re

import pytest
from playwright.async_api import expect

from tests.web.conftest import OpenWindow

pytestmark = pytest.mark.asyncio(loop_scope="session")

EDITORIAL = "Editorial in Lisbon"
REQUEST = "A test shoot in our second room?"


async def test_mark_all_as_read_asks_first(window: OpenWindow) -> None:
    maya, phone = await window("Maya Lindqvist"), await window("Maya Lindqvist")
    for one in (maya, phone):
        await expect(one.row(EDITORIAL)).to_contain_text("2 unread messages")
    await maya.button("Mark all as read").click()
    asked = maya.page.get_by_role("dialog", name="Mark all as read?")
    await expect(asked).to_contain_text("You can't undo this")
    await asked.get_by_role("button", name="Mark all as read").click()
    for one in (maya, phone):
        await expect(one.row(EDITORIAL)).not_to_contain_text("unread")
        await expect(one.page).to_have_title(re.compile(r"^Inbox"))
        await expect(one.button("Mark all as read")).to_have_count(0)


async def test_a_hidden_conversation_returns_with_the_next_message(window: OpenWindow) -> None:
    maya, jonas = await window("Maya Lindqvist"), await window("Jonas Achterberg")
    await maya.open(EDITORIAL)
    await maya.choose("Hide until next message")
    await expect(maya.row(EDITORIAL)).to_have_count(0)
    await maya.button("Undo").click()
    await expect(maya.row(EDITORIAL)).to_be_visible()
    await maya.open(EDITORIAL)
    await maya.choose("Hide until next message")
    await expect(maya.row(EDITORIAL)).to_have_count(0)
    await maya.folder("Hidden")
    await expect(maya.row(EDITORIAL)).to_be_visible()
    await maya.folder("All")
    await jonas.open(EDITORIAL)
    await jonas.say("Are you still there?")
    await expect(maya.row("Are you still there?")).to_be_visible()


async def test_a_sent_request_is_listed_and_withdrawn(window: OpenWindow) -> None:
    nord, maya = await window("Studio Nord"), await window("Maya Lindqvist")
    await expect(maya.row(REQUEST)).to_be_visible()
    await nord.folder("Requests")
    await nord.button("Sent requests").click()
    sent = nord.page.get_by_role("dialog", name="Sent requests").locator("[data-sent]")
    await expect(sent).to_contain_text("Maya Lindqvist")
    await sent.get_by_role("button", name="Withdraw").click()
    asked = nord.page.get_by_role("dialog", name="Withdraw this request?")
    await expect(maya.row(REQUEST)).to_be_visible()
    await asked.get_by_role("button", name="Withdraw").click()
    await expect(sent).to_have_count(0)
    await expect(maya.row(REQUEST)).to_have_count(0)

"""Slow responses, lost connections and odd texts do not break a window."""

import asyncio

import pytest
from playwright.async_api import Locator, Route, expect

from tests.realtime.cuttable_link import CuttableLink
from tests.web.conftest import OpenWindow
from tests.web.window import Window

pytestmark = pytest.mark.asyncio(loop_scope="session")

EDITORIAL, STUDIO = "Editorial in Lisbon", "The day at Studio Nord"


def _over(cuttable_link: CuttableLink) -> str:
    return cuttable_link.url.replace("nats:", "http:")


async def _offline(one: Window, cuttable_link: CuttableLink) -> None:
    cuttable_link.cut()
    await expect(one.page.get_by_text("Can't reach the server. We")).to_be_visible()


async def test_nested_quotes_have_a_maximum_depth(window: OpenWindow) -> None:
    maya, jonas = await window("Maya Lindqvist"), await window("Jonas Achterberg")
    await maya.open(EDITORIAL)
    await maya.say(">" * 3000 + " deep")
    await maya.sees("> deep")
    await expect(jonas.row(EDITORIAL)).to_contain_text(">>>")
    await jonas.open(EDITORIAL)
    await jonas.sees("> deep")
    assert await jonas.message("> deep").locator("blockquote").count() == 8
    await jonas.say("Still here.")
    await maya.sees("Still here.")


async def test_text_typed_after_enter_is_the_next_message(window: OpenWindow) -> None:
    maya, jonas = await window("Maya Lindqvist"), await window("Jonas Achterberg")
    await maya.open(STUDIO)
    await jonas.open(STUDIO)

    async def slowly(route: Route) -> None:
        await asyncio.sleep(0.8)
        await route.continue_()

    await maya.page.route("**/v1/preview", slowly)
    await maya.say("It is 300 in total")
    await maya.field.press_sequentially("And the rest")
    await jonas.sees("It is 300 in total")
    await expect(maya.field).to_have_value("And the rest")
    await maya.field.press("Enter")
    await jonas.sees("And the rest")
    assert (await jonas.texts())[-2:] == ["It is 300 in total", "And the rest"]
    await maya.say("Write to maya.lindqvist@example.com")
    await maya.field.press_sequentially("or call")
    await expect(maya.page.get_by_role("alertdialog")).to_be_visible()
    await expect(maya.field).to_have_value("Write to maya.lindqvist@example.com\nor call")


async def test_signing_out_asks_before_it_discards_a_message(
    window: OpenWindow, cuttable_link: CuttableLink
) -> None:
    maya, jonas = (
        await window("Maya Lindqvist", url=_over(cuttable_link)),
        await window("Jonas Achterberg"),
    )
    await maya.open(EDITORIAL)
    await jonas.open(EDITORIAL)
    await _offline(maya, cuttable_link)
    await maya.say("Not yet on its way.")
    await maya.sees("Not yet on its way.")

    async def sign_out() -> Locator:
        await maya.button("Account: Maya Lindqvist").click()
        await maya.page.get_by_role("menuitem", name="Sign out").click()
        asked = maya.page.get_by_role("dialog", name="Sign out?")
        await expect(asked).to_contain_text("1 message hasn't been sent")
        return asked

    await (await sign_out()).get_by_role("button", name="Cancel").click()
    await maya.sees("Not yet on its way.")
    cuttable_link.mend()
    await jonas.sees("Not yet on its way.")

    await _offline(maya, cuttable_link)
    await maya.say("Better not.")
    await maya.sees("Better not.")
    await (await sign_out()).get_by_role("button", name="Sign out").click()
    cuttable_link.mend()
    await maya.sign_in("Maya Lindqvist")
    await maya.open(EDITORIAL)
    await maya.sees("Not yet on its way.")
    await maya.sees("Better not.", times=0)
    await jonas.sees("Better not.", times=0)


async def test_a_case_cannot_be_decided_before_it_is_loaded(window: OpenWindow) -> None:
    ada = await window("Ada Okafor")
    seen = asyncio.Event()

    async def later(route: Route) -> None:
        await seen.wait()
        await route.continue_()

    await ada.page.route("**/context", later)
    await ada.go("/moderation")
    cases = ada.page.get_by_role("region", name="Open cases").locator("[data-case]")
    await expect(cases).to_have_count(4)
    await cases.last.click()
    await expect(ada.button("Dismiss")).to_be_disabled()
    await ada.page.keyboard.press("d")
    seen.set()
    await expect(ada.button("Dismiss")).to_be_enabled()
    await expect(cases).to_have_count(4)
    for _ in range(12):
        await ada.page.keyboard.down("d")
    await ada.page.keyboard.up("d")
    await expect(cases).to_have_count(3)
    await expect(
        ada.page.get_by_role("group", name="Decide").get_by_role("button").first
    ).to_be_enabled()
    await expect(cases).to_have_count(3)


async def test_an_invalid_url_shows_page_not_found(window: OpenWindow) -> None:
    maya = await window("Maya Lindqvist")
    await maya.go("/inbox/%E0%A4%A")
    await expect(maya.page.get_by_text("Page not found")).to_be_visible()
    await maya.button("Go to inbox").click()
    await expect(maya.row(EDITORIAL)).to_be_visible()


async def test_offline_shows_no_false_state_and_blocks_nothing(
    window: OpenWindow, cuttable_link: CuttableLink
) -> None:
    maya = await window("Maya Lindqvist", url=_over(cuttable_link))
    await maya.open(EDITORIAL)
    await maya.say("A tpyo.")
    await expect(maya.message("A tpyo.")).to_contain_text("Sent")
    await _offline(maya, cuttable_link)

    await maya.field.press("ArrowUp")
    await expect(maya.field).to_have_value("A tpyo.")
    await maya.say("A typo.")
    await maya.sees("A typo.")
    await maya.say("Written after the edit.")
    await maya.sees("Written after the edit.")

    await maya.folder("Spam")
    await expect(maya.page.get_by_text("Your conversations didn't load")).to_be_visible()
    await maya.folder("All")
    await maya.open(STUDIO)
    await expect(maya.page.get_by_text("This conversation didn't load")).to_be_visible()
    await expect(maya.page.get_by_text("Write the first message")).to_have_count(0)
    await maya.open(EDITORIAL)
    await maya.sees("Written after the edit.")
    await expect(maya.page.get_by_text("This is the start")).to_have_count(0)
    await maya.page.keyboard.press("Escape")
    await maya.page.keyboard.press("n")
    await expect(maya.page.get_by_text("This page didn't load")).to_be_visible()

    cuttable_link.mend()
    await expect(maya.page.get_by_role("heading", name="New conversation")).to_be_visible()
    await maya.go("/inbox")
    await maya.open(EDITORIAL)
    await maya.sees("Written after the edit.")
    await maya.sees("A typo.")


async def test_a_dialog_restores_the_focus(window: OpenWindow) -> None:
    maya = await window("Maya Lindqvist")
    await maya.row(EDITORIAL).focus()
    await maya.page.keyboard.press("?")
    await expect(maya.page.get_by_role("dialog")).to_be_visible()
    await maya.page.keyboard.press("Escape")
    await expect(maya.row(EDITORIAL)).to_be_focused()


async def test_no_text_renders_as_an_empty_message(window: OpenWindow) -> None:
    maya = await window("Maya Lindqvist")
    await maya.open(EDITORIAL)
    for text, shown in (
        ("```npm run build```", "npm run build"),
        ("```", "```"),
        ("``` words beside it", "words beside it"),
        ("```python\nprint(1)\n```", "print(1)"),
    ):
        await maya.say(text)
        await maya.sees(shown)
        await expect(maya.messages.locator("[data-message] .bubble").last).to_have_text(shown)

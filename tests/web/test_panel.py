"""Two people edit the project panel of a booking: live, at the same field, and what is deleted."""

import asyncio
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from playwright.async_api import Locator, Route, expect

from tests.web.conftest import OpenWindow
from tests.web.test_accessibility import PHONE
from tests.web.window import Window

pytestmark = pytest.mark.asyncio(loop_scope="session")

EDITORIAL = "Editorial in Lisbon"
MAYA, JONAS = "Maya Lindqvist", "Jonas Achterberg"


async def _open_project(window: Window, tab: str) -> None:
    await window.open(EDITORIAL)
    await window.page.get_by_role("radio", name="Project").check()
    await _tab(window, tab).click()
    await expect(_tab(window, tab)).to_have_attribute("aria-selected", "true")


def _tab(window: Window, name: str) -> Locator:
    return window.page.get_by_role("tab", name=name)


def _shot(window: Window, object_id: str) -> Locator:
    return window.page.locator(f'[data-object="{object_id}"]')


def _in_shot(window: Window, object_id: str, field: str) -> Locator:
    return _shot(window, object_id).get_by_label(field)


@asynccontextmanager
async def _held_edits(window: Window) -> AsyncIterator[None]:
    """What the window sends within the block reaches the server after it."""
    free = asyncio.Event()

    async def hold(route: Route) -> None:
        await free.wait()
        await route.continue_()

    await window.page.route("**/edits", hold)
    yield
    free.set()


def _object(window: Window, title: str) -> Locator:
    return window.page.get_by_role("listitem", name=title)


async def test_two_people_edit_a_shot_list(window: OpenWindow) -> None:
    maya, jonas = await window(MAYA), await window(JONAS)
    for one in (maya, jonas):
        await _open_project(one, "Shot list")
        await expect(one.page.locator("[data-object]")).to_have_count(5)
    await expect(maya.page.get_by_text(f"{JONAS} is here")).to_be_visible()

    # Different fields of a shot merge, and each sees where the other one is.
    hers, his = _object(maya, "Coat at the viewpoint"), _object(jonas, "Coat at the viewpoint")
    await his.get_by_label("Notes").focus()
    await expect(hers.get_by_text(f"{JONAS} is editing this")).to_be_visible()
    await hers.get_by_label("How many").fill("8")
    await his.get_by_label("Notes").fill("Golden hour, 19:10.")
    await expect(his.get_by_label("How many")).to_have_value("8")
    await expect(hers.get_by_label("Notes")).to_have_value("Golden hour, 19:10.")

    # The same field: the second one gets both texts, and chooses.
    hers, his = (_in_shot(one, "shot-5", "Title") for one in (maya, jonas))
    async with _held_edits(jonas):
        await his.fill("Linen in the yard")
        await hers.fill("Linen at the tiles")
        await hers.blur()
        await expect(_object(jonas, "Linen at the tiles")).to_be_visible()
    clash = jonas.page.get_by_role("alert")
    await expect(clash).to_contain_text(f"{MAYA} changed this")
    await expect(clash).to_contain_text("Linen at the tiles")
    await expect(clash).to_contain_text("Linen in the yard")
    await expect(hers).to_have_value("Linen at the tiles")
    await clash.get_by_role("button", name="Keep my text").click()
    await expect(hers).to_have_value("Linen in the yard")
    await expect(clash).to_have_count(0)

    # A deleted shot wins, and the editor is told, with the text.
    async with _held_edits(maya):
        await _in_shot(maya, "shot-3", "Notes").fill("Only if it rains, with umbrellas.")
        await _shot(jonas, "shot-3").get_by_role("button", name="Delete").click()
        dialog = jonas.page.get_by_role("dialog")
        await dialog.get_by_role("button", name="Delete").click()
        await expect(maya.page.locator("[data-object]")).to_have_count(4)
    lost = maya.page.get_by_role("alert")
    await expect(lost).to_contain_text(f"{JONAS} deleted this")
    await expect(lost).to_contain_text("Only if it rains, with umbrellas.")

    # The history says who did what, and a reload shows the same.
    await maya.button("History").click()
    history = maya.page.get_by_role("dialog", name="History of Shot list")
    await expect(history).to_contain_text(f"{JONAS} deleted Boots on wet stone")
    await maya.page.reload()
    await _open_project(maya, "Shot list")
    await expect(_in_shot(maya, "shot-5", "Title")).to_have_value("Linen in the yard")


async def test_the_tabs_work_with_the_keyboard_and_on_a_phone(window: OpenWindow) -> None:
    maya = await window(MAYA, **PHONE)
    await maya.open(EDITORIAL)
    await maya.button("Details").click()
    await maya.page.get_by_role("radio", name="Project").check()
    await _tab(maya, "Brief").focus()
    for key, name in (("ArrowRight", "Moodboard"), ("End", "Actions"), ("ArrowRight", "Brief")):
        await maya.page.keyboard.press(key)
        await expect(_tab(maya, name)).to_be_focused()
        await expect(_tab(maya, name)).to_have_attribute("aria-selected", "true")
    text = maya.page.locator("[data-object]").first.get_by_label("Text")
    await expect(text).to_have_value(re.compile("^Eight pages"))
    width = await maya.page.evaluate("document.documentElement.scrollWidth - innerWidth")
    assert width <= 0

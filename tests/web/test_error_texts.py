"""Texts for refused input and deleted messages, and large font sizes."""

import pytest
from playwright.async_api import expect

from tests.web.conftest import OpenWindow

pytestmark = pytest.mark.asyncio(loop_scope="session")

EDITORIAL = "Editorial in Lisbon"
CLIPPED = """() => {
    const rail = document.querySelector(".rail").getBoundingClientRect();
    return [...document.querySelectorAll(".folder-name")].filter((one) => {
        const name = one.getBoundingClientRect();
        return name.left < rail.left || name.right > rail.right;
    }).map((one) => one.innerText);
}"""


async def test_a_row_says_that_the_last_message_was_deleted(window: OpenWindow) -> None:
    maya, jonas = await window("Maya Lindqvist"), await window("Jonas Achterberg")
    await jonas.open(EDITORIAL)
    await jonas.say("Forget this one.")
    await expect(maya.row(EDITORIAL)).to_contain_text("Forget this one.")
    await jonas.with_message("Forget this one.", "More actions")
    await jonas.page.get_by_role("menuitem", name="Delete").click()
    await jonas.page.get_by_role("dialog").get_by_role("button", name="Delete").click()
    for one in (maya, jonas):
        await expect(one.row(EDITORIAL)).to_contain_text("Message deleted")


async def test_a_blank_name_is_refused(window: OpenWindow) -> None:
    maya = await window("Maya Lindqvist")
    await maya.go("/settings")
    name = maya.page.get_by_role("textbox", name="Name", exact=True)
    await expect(name).to_have_value("Maya Lindqvist")
    await name.fill("   ")
    await maya.button("Save").click()
    await expect(maya.page.get_by_role("alert")).to_have_text("Enter a name.")


async def test_a_direct_message_to_two_people_says_why_it_cannot_be_sent(
    window: OpenWindow,
) -> None:
    maya = await window("Maya Lindqvist")
    await maya.go("/new")
    find = maya.page.get_by_role("combobox")
    for name in ("Jonas Achterberg", "Mateo Ruiz"):
        await find.fill(name)
        await maya.page.get_by_role("option", name=name).click()
    await maya.field.fill("Hello")
    await expect(maya.button("Send")).to_be_enabled()
    await maya.page.get_by_role("radio", name="Direct").check()
    await expect(maya.button("Send")).to_be_disabled()
    await expect(maya.page.get_by_role("alert")).to_contain_text("goes to one person")
    await maya.button("Remove Mateo Ruiz").click()
    await expect(maya.button("Send")).to_be_enabled()


async def test_the_navigation_grows_with_the_font_size(window: OpenWindow) -> None:
    maya = await window("Maya Lindqvist")
    await maya.page.evaluate("document.documentElement.style.fontSize = '200%'")
    for width in (1024, 1600):
        await maya.page.set_viewport_size({"width": width, "height": 900})
        assert await maya.page.evaluate(CLIPPED) == []

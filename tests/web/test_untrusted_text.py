"""Messages and names are shown as text, whatever they contain."""

import pytest
from playwright.async_api import Dialog, expect

from tests.web.conftest import OpenWindow

pytestmark = pytest.mark.asyncio(loop_scope="session")

TEXTS = (
    "<img src=x onerror=window.robbed=1>",
    "<script>window.robbed=1</script>",
    "[press me](javascript:window.robbed=1)",
    "**bold <svg onload=window.robbed=1> bold**",
    "`<b>code</b>` and <iframe src=//example.com></iframe>",
    "{@html '<img src=x onerror=window.robbed=1>'} ${window.robbed=1} {{window.robbed=1}}",
    "](javascript:window.robbed=1) [x]( data:text/html,<script>window.robbed=1</script>)",
)


async def test_no_message_runs_a_script(window: OpenWindow) -> None:
    ines, maya = await window("Inês Carvalho"), await window("Maya Lindqvist")
    asked: list[str] = []

    def hear(dialog: Dialog) -> None:
        asked.append(dialog.message)

    for one in (ines, maya):
        await one.open("The deposit of the Porto booking")
        one.page.on("dialog", hear)
    for number, text in enumerate(TEXTS):
        await ines.say(f"Look, {number}: {text}")
        anyway = ines.button("Send anyway")
        said = ines.message(f"Look, {number}:")
        await expect(anyway.or_(said).first).to_be_visible()
        if await anyway.is_visible():
            await anyway.click()
        await maya.sees(f"Look, {number}:")
    for one in (ines, maya):
        assert await one.page.evaluate("window.robbed") is None
        written = one.message("Look, ").locator(".bubble")
        await expect(written).to_have_count(len(TEXTS))
        inside = written.locator("img, script, iframe, svg[onload], a[href^='javascript:' i]")
        await expect(inside).to_have_count(0)
        hrefs = await one.messages.locator("a[href]").evaluate_all("all => all.map(it => it.href)")
        assert [href for href in hrefs if not href.startswith(("http://", "https://"))] == []
    assert asked == []


@pytest.mark.parametrize("sign", [">", "*", "`", "[", "- ", "\u202e"])
async def test_deeply_nested_markup_is_shown(window: OpenWindow, sign: str) -> None:
    """In the conversation and in the list, for both users, also after a reload."""
    ines, maya = await window("Inês Carvalho"), await window("Maya Lindqvist")
    for one in (ines, maya):
        await one.open("The deposit of the Porto booking")
    await ines.say(sign * 3000 + " so deep it goes")
    await maya.sees("so deep it goes")
    await maya.page.reload()
    await maya.sees("so deep it goes")
    await maya.say("Still here.")
    await ines.sees("Still here.")


@pytest.mark.parametrize("path", ["/inbox/%E0%A4%A", "/inbox/thr_%00", "/inbox?folder=nowhere"])
async def test_an_invalid_url_shows_a_page(window: OpenWindow, path: str) -> None:
    maya = await window("Maya Lindqvist")
    await maya.go(path)
    await expect(maya.page.get_by_role("navigation", name="Main")).to_be_visible()
    await expect(maya.page.locator("h1:not(.sr), h2").first).to_be_visible()


async def test_a_name_is_shown_as_text(window: OpenWindow) -> None:
    jonas, maya = await window("Jonas Achterberg"), await window("Maya Lindqvist")
    await jonas.go("/settings")
    name = jonas.page.get_by_role("textbox", name="Name", exact=True)
    await expect(name).to_have_value("Jonas Achterberg")
    await name.fill("<b onclick=alert(1)>J</b>")
    await jonas.button("Save").click()
    await expect(jonas.page.get_by_text("Saved")).to_be_visible()
    await maya.page.reload()
    await expect(maya.row("<b onclick=alert(1)>J</b>")).to_be_visible()

"""How files look in the demo's conversation: on a phone, at 200 % zoom, blurred and hidden."""

import pytest
from playwright.async_api import Request, expect

from tests.web.conftest import OpenWindow
from tests.web.test_accessibility import PHONE
from tests.web.window import Window

pytestmark = pytest.mark.asyncio(loop_scope="session")

SCOUTING = "Scouting in Sintra"
CLOSE_UP = "The test from last week"

_OUTSIDE = """() => [...document.querySelectorAll(".bubble.files")].flatMap((bubble) => {
    const edge = bubble.getBoundingClientRect().right;
    return [...bubble.querySelectorAll("*")]
        .filter((one) => one.checkVisibility() && one.getBoundingClientRect().right > edge + 0.5)
        .map((one) => one.outerHTML.slice(0, 120));
})"""
"""What reaches over the edge of its message."""

_SMALL = """(selector) => [...document.querySelectorAll(selector)]
    .filter((one) => one.checkVisibility())
    .map((one) => [one.ariaLabel ?? one.textContent, one.getBoundingClientRect()])
    .filter(([, { width, height }]) => Math.min(width, height) < 44)
    .map(([name, { width, height }]) => `${name}: ${width} x ${height}`)"""


async def _scouting(window: Window) -> Window:
    await window.open(SCOUTING)
    await expect(window.messages.locator(".tile[data-shown]")).to_have_count(6)
    return window


async def test_files_stay_in_their_message_on_a_phone(window: OpenWindow) -> None:
    maya = await _scouting(await window("Maya Lindqvist", **PHONE))
    assert await maya.messages.locator(".bubble.files").count() == 6
    assert await maya.page.evaluate(_OUTSIDE) == []


async def test_a_voice_note_and_a_pdf_are_received_on_a_phone(window: OpenWindow) -> None:
    maya = await _scouting(await window("Maya Lindqvist", **PHONE))
    voice = maya.messages.locator(".voice")
    await voice.get_by_role("button", name="Play").tap()
    await expect(voice).to_have_attribute("data-playing", "true")
    row = maya.messages.locator(".file-row", has_text="Shot list.pdf")
    await expect(row.locator("img")).to_be_visible()
    async with maya.page.expect_download():
        await row.get_by_role("button", name="Download Shot list.pdf").tap()


async def test_the_buttons_of_files_are_large_enough_for_a_finger(window: OpenWindow) -> None:
    maya = await _scouting(await window("Maya Lindqvist", **PHONE))
    buttons = ".bubble.files :is(.btn, .icon-btn)"
    assert await maya.page.locator(buttons).count() > 5
    assert await maya.page.evaluate(_SMALL, buttons) == []
    await maya.messages.locator(".tile-open").first.click()
    await expect(maya.page.locator(".gallery-step")).to_have_count(2)
    assert await maya.page.evaluate(_SMALL, ".gallery button") == []


async def test_a_sensitive_picture_is_not_fetched_before_it_is_asked_for(
    window: OpenWindow,
) -> None:
    maya = await window("Maya Lindqvist")
    fetched: list[str] = []

    def note(request: Request) -> None:
        if "close-up" in request.url:
            fetched.append(request.url.partition("?")[0].rpartition("/")[2])

    maya.page.on("request", note)
    await _scouting(maya)
    tile = maya.message(CLOSE_UP).locator(".tile")
    await expect(tile).to_have_attribute("data-shown", "blurred")
    await expect(tile.locator("img")).to_be_visible()
    assert fetched == ["blurred"]
    await tile.get_by_role("button", name="Show").press("Enter")
    await expect(tile).to_have_attribute("data-shown", "clear")
    assert fetched == ["blurred", "medium"]
    opens = tile.get_by_role("button", name="Open: A shoulder in soft light")
    await expect(opens).to_be_focused()
    await tile.get_by_role("button", name="Blur again").click()
    await expect(tile).to_have_attribute("data-shown", "blurred")
    await expect(tile.get_by_role("button", name="Show")).to_be_focused()


async def test_a_hidden_picture_says_why(window: OpenWindow) -> None:
    maya = await window("Maya Lindqvist")
    await maya.ask("PUT", "/v1/me/file-preferences", {"safeMode": "hide"})
    await _scouting(maya)
    tile = maya.message(CLOSE_UP).locator(".tile")
    await expect(tile).to_contain_text("Hidden because it may be sensitive.")
    assert await tile.locator("img").count() == 0
    await tile.get_by_role("link", name="Change this in Settings").click()
    await expect(maya.page.get_by_role("heading", name="Sensitive pictures")).to_be_visible()


async def test_a_choice_on_one_device_changes_the_pictures_on_the_other_at_once(
    window: OpenWindow,
) -> None:
    maya, phone = await window("Maya Lindqvist"), await window("Maya Lindqvist")
    await _scouting(phone)
    await maya.go("/settings")
    tile = phone.message(CLOSE_UP).locator(".tile")
    for mode, shown in (("Hide", "hidden"), ("Show", "clear"), ("Blur", "blurred")):
        choice = maya.page.get_by_role("radio", name=mode)
        await expect(choice).to_be_enabled()  # once the present choice is loaded
        await choice.dispatch_event("click")
        await expect(tile).to_have_attribute("data-shown", shown)
    await phone.ask("PUT", "/v1/me/file-preferences", {"safeMode": "hide"})
    await expect(maya.page.get_by_role("radio", name="Hide")).to_be_checked()


@pytest.mark.parametrize("width", [1280, 640])
async def test_the_gallery_needs_no_swipes_and_keeps_its_keys(
    window: OpenWindow, width: int
) -> None:
    """640 pixels are what a window has at 200 % zoom."""
    maya = await _scouting(await window("Maya Lindqvist", viewport={"width": width, "height": 500}))
    await maya.messages.locator(".tile-open").first.click()
    gallery = maya.page.get_by_role("dialog", name="Pictures and videos")
    for place in range(2, 7):
        await gallery.get_by_role("button", name="Next").click()
        await expect(gallery).to_contain_text(f"{place} of 6")
    # A button without a function loses the focus a frame later.
    await maya.page.wait_for_timeout(100)
    await maya.page.keyboard.press("ArrowLeft")
    await expect(gallery).to_contain_text("5 of 6")
    await maya.page.keyboard.press("End")
    await gallery.get_by_role("button", name="Show").click()
    await expect(gallery.get_by_role("img", name="A shoulder in soft light")).to_be_visible()
    await maya.page.keyboard.press("Home")
    await expect(gallery).to_contain_text("1 of 6")


async def test_a_reply_names_the_files_that_it_answers(window: OpenWindow) -> None:
    maya = await _scouting(await window("Maya Lindqvist"))
    quote = maya.message("The terrace! And the mist").locator(".quote")
    for name in ("terrace.jpg", "lake.jpg", "valley.jpg", "forest.jpg"):
        await expect(quote).to_contain_text(name)
    await maya.with_message("I filmed the coast road", "Reply")
    answered = maya.page.locator(".aim")
    await expect(answered).to_contain_text("I filmed the coast road")
    await expect(answered).to_contain_text("coast road.mp4")


async def test_a_held_picture_is_named_in_the_queue(window: OpenWindow) -> None:
    ada = await window("Ada Okafor")
    await ada.go("/moderation")
    await ada.page.locator("[data-case]", has_text="Picture").click()
    file = ada.page.locator("[data-case-file]")
    await expect(file).to_contain_text("Like a picture that was removed")
    assert await file.locator("[data-revealed]").count() == 0

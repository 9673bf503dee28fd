"""Pictures of people and conversations in the web app: chosen, seen by others at once, removed."""

from pathlib import Path

import pytest
from playwright.async_api import Locator, Route, expect

from tests.web import sample_files
from tests.web.conftest import OpenWindow
from tests.web.window import Window

pytestmark = pytest.mark.asyncio(loop_scope="session")

EDITORIAL, GROUP = "Editorial in Lisbon", "The day at Studio Nord"
MAYA, JONAS = "Maya Lindqvist", "Jonas Achterberg"
_TONE = "#c01830"
_COLOR = """one => {
    if (!one.complete || one.naturalWidth === 0) return null;
    const canvas = document.createElement("canvas");
    const context = canvas.getContext("2d");
    context.drawImage(one, 0, 0, 1, 1, 0, 0, 1, 1);
    return [...context.getImageData(0, 0, 1, 1).data].slice(0, 3);
}"""
"""Of the upper left pixel, which has the tone of the picture."""


def _avatar(window: Window, row: str) -> Locator:
    return window.row(row).locator(".avatar").first


async def _has_tone(image: Locator) -> bool:
    color = await image.evaluate(_COLOR)
    wanted = bytes.fromhex(_TONE.removeprefix("#"))
    return color is not None and all(abs(a - b) < 16 for a, b in zip(color, wanted, strict=True))


async def _choose(window: Window, path: Path) -> None:
    await window.page.locator("[data-picture]").set_input_files(str(path))


async def _expect_tone(image: Locator) -> None:
    await expect(image).to_be_visible()
    for _ in range(100):
        if await _has_tone(image):
            return
        await image.page.wait_for_timeout(100)
    raise AssertionError("the new picture is not shown")


async def test_others_see_a_new_profile_picture_at_once_and_its_removal(
    window: OpenWindow, tmp_path: Path
) -> None:
    maya, jonas = await window(MAYA), await window(JONAS)
    avatar = _avatar(jonas, EDITORIAL)
    await expect(avatar.locator("img")).to_be_visible()
    assert not await _has_tone(avatar.locator("img"))
    await maya.go("/settings")
    await _choose(maya, sample_files.picture(tmp_path / "me.png", tone=_TONE))
    await expect(maya.page.get_by_text("Picture updated")).to_be_visible()
    await _expect_tone(maya.page.locator(".own-picture img"))
    await _expect_tone(avatar.locator("img"))
    await maya.page.locator(".own-picture").get_by_role("button", name="Remove").click()
    await expect(maya.page.locator(".own-picture img")).to_have_count(0)
    await expect(avatar.locator("img")).to_have_count(0)
    await expect(avatar).to_have_text("ML")


async def test_others_see_the_picture_of_a_conversation_at_once_and_its_removal(
    window: OpenWindow, tmp_path: Path
) -> None:
    jonas, maya = await window(JONAS), await window(MAYA)
    shown = _avatar(maya, GROUP)
    await jonas.open(GROUP)
    await jonas.button("Rename or add people").click()
    await _choose(jonas, sample_files.picture(tmp_path / "group.png", tone=_TONE))
    await _expect_tone(shown.locator("img"))
    await _expect_tone(_avatar(jonas, GROUP).locator("img"))
    await jonas.page.locator(".own-picture").get_by_role("button", name="Remove").click()
    await expect(maya.row(GROUP).locator(".avatar-pair")).to_be_visible()


async def test_the_picture_of_a_conversation_is_not_attached_to_a_message(
    window: OpenWindow, tmp_path: Path
) -> None:
    jonas = await window(JONAS)
    await jonas.open(GROUP)
    held: list[Route] = []
    await jonas.page.route("**/v1/uploads/**", lambda route: held.append(route))
    await jonas.button("Rename or add people").click()
    await _choose(jonas, sample_files.picture(tmp_path / "group.png", tone=_TONE))
    await expect(jonas.page.locator(".own-picture")).to_contain_text("Uploading")
    await jonas.page.keyboard.press("Escape")
    await expect(jonas.page.get_by_role("dialog")).to_have_count(0)
    # A file for a message, so that the tray is there.
    await jonas.page.locator("[data-picker]").set_input_files(
        str(sample_files.picture(tmp_path / "message.png"))
    )
    chips = jonas.page.locator(".chip")
    await expect(chips).to_have_count(1)
    await expect(chips).to_contain_text("message.png")
    assert held
    await jonas.page.reload()
    await expect(chips).to_have_count(1)
    await expect(chips).to_contain_text("message.png")


async def _band(ada: Window, file: str, about: str, band: int) -> None:
    """A moderator sets the band of a picture in the case about this person or conversation."""
    cases = (await ada.ask("GET", "/v1/moderation/queue"))["cases"]
    (case,) = (one["caseId"] for one in cases if about in one["subject"].values())
    await ada.ask("POST", f"/v1/moderation/cases/{case}/claim")
    body = {"caseId": case, "band": band}
    await ada.ask("PUT", f"/v1/moderation/files/{file}/band", body)


async def test_a_profile_picture_that_a_moderator_hides_goes_from_the_screens_of_others_at_once(
    window: OpenWindow,
) -> None:
    jonas, ada = await window(JONAS), await window("Ada Okafor")
    avatar = _avatar(jonas, EDITORIAL)
    await expect(avatar.locator("img")).to_be_visible()
    thread = await jonas.ask("GET", f"/v1/threads/{await jonas.thread_id(EDITORIAL)}")
    ids = "&".join(f"id={one['userId']}" for one in thread["participants"])
    people = (await jonas.ask("GET", f"/v1/people?{ids}"))["people"]
    (maya,) = (one for one in people if one["displayName"] == MAYA)
    await jonas.ask("POST", "/v1/reports", {"userId": maya["userId"], "reason": "nsfw"})
    await _band(ada, maya["avatar"]["fileId"], maya["userId"], 2)
    await expect(avatar.locator("img")).to_have_count(0)
    await expect(avatar).to_have_text("ML")
    await _band(ada, maya["avatar"]["fileId"], maya["userId"], 0)
    await expect(avatar.locator("img")).to_be_visible()


async def test_a_conversations_picture_that_a_moderator_hides_goes_from_the_screens_at_once(
    window: OpenWindow, tmp_path: Path
) -> None:
    jonas, maya, ada = await window(JONAS), await window(MAYA), await window("Ada Okafor")
    await jonas.open(GROUP)
    await jonas.button("Rename or add people").click()
    await _choose(jonas, sample_files.picture(tmp_path / "group.png", tone=_TONE))
    shown = _avatar(maya, GROUP).locator("img")
    await _expect_tone(shown)
    thread = await maya.ask("GET", f"/v1/threads/{await maya.thread_id(GROUP)}")
    report = {"threadId": thread["threadId"], "reason": "nsfw"}
    await maya.ask("POST", "/v1/reports", report)
    await _band(ada, thread["picture"]["fileId"], thread["threadId"], 1)
    await expect(shown).to_have_count(0)
    field = jonas.page.locator(".own-picture")
    await expect(field).to_contain_text("Most people don't see this picture")
    await expect(field.get_by_role("button", name="Ask for a review")).to_be_visible()


async def test_a_file_that_is_no_picture_is_refused_and_the_old_picture_stays(
    window: OpenWindow, tmp_path: Path
) -> None:
    maya = await window(MAYA)
    await maya.go("/settings")
    field = maya.page.locator(".own-picture")
    await expect(field.locator("img")).to_be_visible()
    (tmp_path / "me.png").write_text("Not a picture at all.")
    await _choose(maya, tmp_path / "me.png")
    await expect(field.get_by_role("alert")).to_be_visible()
    await expect(field.locator("img")).to_be_visible()

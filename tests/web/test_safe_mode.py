"""Safe mode in the web app: PDFs, appeals for pictures, conversations that require it."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.async_api import expect

from tests.web import sample_files
from tests.web.conftest import OpenWindow
from tests.web.demo_server import DemoServer, copy_data
from tests.web.window import Window

pytestmark = pytest.mark.asyncio(loop_scope="session")

EDITORIAL, SCOUTING = "Editorial in Lisbon", "Scouting in Sintra"
SHOT_LIST, CLOSE_UP = "Shot list and call times", "The test from last week"
MAYA, JONAS, ADA = "Maya Lindqvist", "Jonas Achterberg", "Ada Okafor"


@pytest.fixture
def demo_server(seeded: Path, tmp_path: Path) -> Iterator[DemoServer]:
    """Without the model, which would say that the pictures of strangers are harmless."""
    data = copy_data(seeded, tmp_path / "data")
    running = DemoServer(data, GREENROOM_FILES_RATE_PICTURES="false").start()
    yield running
    running.stop()


async def _report(by: Window, **about: str) -> None:
    await by.ask("POST", "/v1/reports", {**about, "reason": "nsfw"})


async def _set_band(ada: Window, file: str, about: str, band: int) -> None:
    """A moderator sets the band in the case about this message or person."""
    cases = (await ada.ask("GET", "/v1/moderation/queue"))["cases"]
    (case,) = (one["caseId"] for one in cases if about in one["subject"].values())
    await ada.ask("POST", f"/v1/moderation/cases/{case}/claim")
    body = {"caseId": case, "band": band}
    await ada.ask("PUT", f"/v1/moderation/files/{file}/band", body)


async def _message(window: Window, thread: str, text: str) -> dict[str, Any]:
    page = await window.ask("GET", f"/v1/threads/{thread}/messages")
    (found,) = (one for one in page["messages"] if one["body"].startswith(text))
    return dict(found)


async def test_a_sensitive_pdf_is_blurred_until_it_is_asked_for_and_an_explicit_one_hidden(
    window: OpenWindow,
) -> None:
    maya, jonas, ada = await window(MAYA), await window(JONAS), await window(ADA)
    for one in (maya, jonas):
        await one.open(SCOUTING)
    thread = await maya.thread_id(SCOUTING)
    message = await _message(maya, thread, SHOT_LIST)
    await _report(maya, threadId=thread, messageId=message["messageId"])
    file = message["attachments"][0]["fileId"]
    row = maya.message(SHOT_LIST).locator(".file-row", has_text="Shot list.pdf")
    download = row.get_by_role("button", name="Download Shot list.pdf")
    await expect(download).to_be_visible()

    await _set_band(ada, file, message["messageId"], 1)
    await expect(row).to_contain_text("This may be sensitive.")
    await expect(row.locator("img")).to_be_visible()
    await expect(download).to_have_count(0)
    await row.get_by_role("button", name="Show").press("Enter")
    await expect(row).to_have_attribute("data-shown", "clear")
    await expect(row.get_by_role("button", name="Blur again")).to_be_focused()
    async with maya.page.expect_download():
        await download.click()

    own = jonas.message(SHOT_LIST)
    await expect(own).to_contain_text("Others see “Shot list.pdf” blurred")
    await expect(own.get_by_role("button", name="Ask for a review")).to_be_visible()

    await _set_band(ada, file, message["messageId"], 2)
    await expect(row).to_contain_text("Hidden because it may be explicit.")
    await expect(row.locator(".thumbhash, img, button")).to_have_count(0)
    await expect(row.get_by_role("link", name="Change this in Settings")).to_be_visible()


async def test_a_download_that_is_hidden_meanwhile_says_why(window: OpenWindow) -> None:
    maya = await window(MAYA)
    await maya.open(SCOUTING)
    row = maya.message(SHOT_LIST).locator(".file-row", has_text="Shot list.pdf")
    await expect(row).to_have_attribute("data-shown", "clear")
    hidden = {"shown": "hidden", "canReveal": False, "urls": {}}
    file = (await _message(maya, await maya.thread_id(SCOUTING), SHOT_LIST))["attachments"][0]
    answer = {"files": [{"fileId": file["fileId"], **hidden}], "expiresAt": "2030-01-01T00:00:00Z"}
    await maya.page.route("**/v1/file-urls", lambda route: route.fulfill(json=answer))
    await row.get_by_role("button", name="Download Shot list.pdf").click()
    await expect(maya.page.get_by_text("This file is hidden because")).to_be_visible()


async def test_the_owner_of_a_picture_learns_of_its_band_and_appeals(window: OpenWindow) -> None:
    maya, jonas, ada = await window(MAYA), await window(JONAS), await window(ADA)
    me = await maya.ask("GET", "/v1/me")
    await maya.go("/settings")
    field = maya.page.locator(".own-picture")
    await expect(field.locator("img")).to_be_visible()
    await _report(jonas, userId=me["userId"])
    await _set_band(ada, me["avatar"]["fileId"], me["userId"], 1)
    await expect(field).to_contain_text("Most people don't see this picture")
    stored = maya.page.locator(".own-files .file-row", has_text="maya.jpg")
    await expect(stored).to_contain_text("Most people don't see this picture")

    await maya.button("Read").click()
    notice = maya.page.get_by_role("dialog", name="From our moderators")
    await expect(notice.get_by_role("button", name="Ask for a review")).to_be_visible()
    await notice.get_by_role("button", name="Got it").click()

    await field.get_by_role("button", name="Ask for a review").click()
    await maya.page.get_by_role("dialog").get_by_role("button", name="Send").click()
    await expect(field).to_contain_text("You've already asked for a review.")
    queue = (await ada.ask("GET", "/v1/moderation/queue"))["cases"]
    assert any(me["avatar"]["fileId"] in one["subject"].values() for one in queue)


async def test_a_conversation_that_requires_safe_mode_blurs_pictures_on_screen_at_once(
    window: OpenWindow,
) -> None:
    maya, jonas = await window(MAYA), await window(JONAS)
    await maya.ask("PUT", "/v1/me/file-preferences", {"safeMode": "show"})
    for one in (maya, jonas):
        await one.open(SCOUTING)
    tile = maya.message(CLOSE_UP).locator(".tile")
    await expect(tile).to_have_attribute("data-shown", "clear")
    switch = jonas.page.get_by_role("switch", name="Blur sensitive pictures")
    await switch.click()
    await expect(switch).to_have_attribute("aria-checked", "true")
    await expect(tile).to_have_attribute("data-shown", "blurred")
    told = maya.page.get_by_text("Sensitive pictures are blurred for everyone here")
    await expect(told).to_be_visible()
    assert await maya.page.get_by_role("switch", name="Blur sensitive pictures").count() == 0
    await switch.click()
    await expect(tile).to_have_attribute("data-shown", "clear")
    await expect(told).to_have_count(0)


async def test_pictures_of_someone_unknown_are_shown_after_a_reply(
    window: OpenWindow, tmp_path: Path
) -> None:
    maya, jonas, new = await window(MAYA), await window(JONAS), await window("Best Deals")
    thread, me = await jonas.thread_id(SCOUTING), await new.ask("GET", "/v1/me")
    body = {"userId": me["userId"], "role": "member"}
    await jonas.ask("POST", f"/v1/threads/{thread}/participants", body)
    await maya.open(SCOUTING)
    path = sample_files.picture(tmp_path / "new.png")
    await maya.page.locator("[data-picker]").set_input_files(str(path))
    await maya.say("Where the car waits")
    await new.open(SCOUTING)
    tile = new.message("Where the car waits").locator(".tile")
    await expect(tile).to_have_attribute("data-shown", "blurred")
    await new.say("I am on my way")
    await expect(tile).to_have_attribute("data-shown", "clear")

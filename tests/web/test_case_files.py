"""A moderator plays and saves the files of a case, not only sees its pictures."""

import io
import wave
from pathlib import Path

import pytest
from playwright.async_api import expect

from tests.web import sample_files
from tests.web.conftest import OpenWindow

pytestmark = pytest.mark.asyncio(loop_scope="session")

EDITORIAL = "Editorial in Lisbon"


def _sound(path: Path, seconds: int = 1) -> Path:
    file = io.BytesIO()
    with wave.open(file, "wb") as sound:
        sound.setparams((1, 2, 8000, 0, "NONE", ""))
        sound.writeframes(b"\x00\x10" * 8000 * seconds)
    path.write_bytes(file.getvalue())
    return path


async def test_a_moderator_plays_a_reported_clip_and_sound(
    window: OpenWindow, tmp_path: Path
) -> None:
    maya, jonas = await window("Maya Lindqvist"), await window("Jonas Achterberg")
    await maya.open(EDITORIAL)
    paths = [sample_files.clip(tmp_path / "walk.mp4"), _sound(tmp_path / "threat.wav")]
    await maya.page.locator("[data-picker]").set_input_files([str(path) for path in paths])
    for path in paths:
        await expect(maya.page.locator(".chip", has_text=path.name)).to_be_visible()
    await maya.say("Listen to this")
    await jonas.open(EDITORIAL)
    await expect(jonas.message("Listen to this").locator(".tile")).to_be_visible()
    thread = await maya.thread_id(EDITORIAL)
    page = await maya.ask("GET", f"/v1/threads/{thread}/messages?limit=1")
    message = page["messages"][-1]["messageId"]
    report = {"threadId": thread, "messageId": message, "reason": "nsfw", "note": "Both of them."}
    await jonas.ask("POST", "/v1/reports", report)

    ada = await window("Ada Okafor")
    await ada.go("/moderation")
    cases = await ada.ask("GET", "/v1/moderation/queue")
    (case,) = (
        one["caseId"] for one in cases["cases"] if one["subject"].get("messageId") == message
    )
    await ada.page.locator(f"[data-case={case}]").click()
    clip = ada.page.locator("[data-case-file]", has_text="walk.mp4")
    sound = ada.page.locator("[data-case-file]", has_text="threat.wav")
    await expect(clip.get_by_role("img")).to_have_count(0)  # blurred: it has no name yet
    await expect(clip.locator("video")).to_have_count(0)
    await clip.get_by_role("button", name="Show").click()
    await sound.get_by_role("button", name="Listen").click()
    for media in (clip.locator("video"), sound.locator("audio")):
        seconds = await media.evaluate(
            """async (media) => {
                media.muted = true;
                await media.play();
                return media.duration;
            }"""
        )
        assert seconds > 0.5
    async with ada.page.expect_download() as saved:
        await sound.get_by_role("button", name="Download").click()
    copy = tmp_path / "copy.wav"
    await (await saved.value).save_as(copy)
    assert copy.read_bytes() == paths[1].read_bytes()

"""Voice notes and other sounds: recorded, played, and not lost when something fails."""

import re
import wave
from pathlib import Path

import pytest
from playwright.async_api import Route, expect

from tests.web import sample_files
from tests.web.conftest import OpenWindow
from tests.web.window import Window

pytestmark = [
    pytest.mark.asyncio(loop_scope="session"),
    pytest.mark.skipif(not sample_files.has_ffmpeg(), reason="ffmpeg reads the duration"),
]

EDITORIAL = "Editorial in Lisbon"
MAYA, JONAS = "Maya Lindqvist", "Jonas Achterberg"
_AMR = b"#!AMR\n" + bytes(64)
"""A sound that Chromium cannot play."""

_KEEP_STREAM = """
    const { mediaDevices } = navigator;
    const getUserMedia = mediaDevices.getUserMedia.bind(mediaDevices);
    mediaDevices.getUserMedia = async (...given) => (window.stream = await getUserMedia(...given));
"""


async def _record(window: Window) -> None:
    await window.open(EDITORIAL)
    await window.button("Attach").click()
    await window.page.get_by_role("menuitem", name="Voice note").click()
    await expect(window.page.get_by_role("timer")).to_have_text("0:02")


async def test_a_voice_note_is_recorded_and_played(window: OpenWindow) -> None:
    maya, jonas = await window(MAYA), await window(JONAS)
    await jonas.open(EDITORIAL)
    await _record(maya)
    await expect(maya.page.get_by_text("Enter to send")).to_have_count(0)
    await maya.button("Send voice note").click()
    for one in (maya, jonas):
        await expect(one.messages.locator(".voice-time")).to_have_text(re.compile("0:0[1-9]"))
    voice = jonas.messages.locator(".voice")
    heights = await voice.locator("rect").evaluate_all(
        "all => all.map((one) => one.height.baseVal.value)"
    )
    assert len(set(heights)) > 1, "the beeps are louder than the silence between them"
    await voice.get_by_role("button", name="Play").click()
    await expect(voice).to_have_attribute("data-playing", "true")
    position = voice.get_by_role("slider")
    await expect(position).not_to_have_value("0")


async def test_what_was_recorded_is_kept_when_the_microphone_is_unplugged(
    window: OpenWindow,
) -> None:
    maya = await window()
    await maya.page.add_init_script(_KEEP_STREAM)
    await maya.sign_in(MAYA)
    await _record(maya)
    await maya.page.evaluate("() => stream.getTracks().forEach((one) => one.stop())")
    recorder = maya.page.get_by_role("group", name="Voice note")
    await expect(recorder.get_by_role("alert")).to_have_text(
        "The microphone stopped. You can still send this."
    )
    await maya.button("Send voice note").click()
    await expect(maya.messages.locator(".voice-time")).to_have_text(re.compile("0:0[1-9]"))
    await expect(maya.field).to_be_focused()


async def test_a_sound_that_the_browser_cannot_play_is_fetched_twice_and_then_offered(
    window: OpenWindow, tmp_path: Path
) -> None:
    maya = await window(MAYA)
    fetched: list[str] = []

    async def answer(route: Route) -> None:
        if route.request.resource_type != "media":
            return await route.continue_()
        fetched.append(route.request.url)
        return await route.fulfill(body=_AMR, content_type="audio/amr")

    await maya.page.route("**/*", answer)
    await maya.open(EDITORIAL)
    path = tmp_path / "call.wav"
    with wave.open(str(path), "wb") as sound:
        sound.setparams((1, 2, 8000, 0, "NONE", ""))
        sound.writeframes(bytes(16_000))
    await maya.page.locator("[data-picker]").set_input_files(str(path))
    await maya.say("The whole call")
    voice = maya.message("The whole call").locator(".voice")
    play = voice.get_by_role("button", name="Play call.wav")
    for tries in (2, 4):
        await play.click()
        await expect(voice.get_by_role("alert")).to_have_text("Your browser can't play this sound.")
        await maya.page.wait_for_timeout(200)
        assert len(fetched) == tries
        await expect(play).to_be_visible()
    async with maya.page.expect_download():
        await voice.get_by_role("button", name="Download call.wav").click()

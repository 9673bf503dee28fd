"""A file whose metadata cannot be removed is refused, and its owner can send the original."""

import asyncio
import struct
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.async_api import Locator, expect

from tests.files.pictures import jpeg_with_place
from tests.web.conftest import OpenWindow
from tests.web.demo_server import DemoServer
from tests.web.window import Window

pytestmark = pytest.mark.asyncio(loop_scope="session")

EDITORIAL = "Editorial in Lisbon"
MAYA, JONAS = "Maya Lindqvist", "Jonas Achterberg"
_OFFER = "Send the original: {}"


def _photo() -> bytes:
    """Its pixels cannot be read, the place where it was taken can."""
    content = jpeg_with_place()
    at = content.index(b"\xff\xc0")
    return content[:at] + b"\xff\xc1\0\0" + content[at + 4 :]


def _video() -> bytes:
    """It begins with its type, and has a place and no pictures."""
    return struct.pack(">I", 12) + b"ftypisom" + b"\0\0\0\x22\xa9xyz\0\x1252.49"


def _file(path: Path, content: bytes) -> Path:
    path.write_bytes(content)
    return path


async def _attach_refused(window: Window, path: Path) -> Locator:
    await window.page.locator("[data-picker]").set_input_files(str(path))
    chip = window.page.locator(".chip", has_text=path.name)
    await expect(chip).to_contain_text("or send the original")
    await expect(chip.get_by_role("button", name=f"Try {path.name} again")).to_have_count(0)
    return chip


@pytest.mark.parametrize(
    ("name", "content"),
    [pytest.param("look.jpg", _photo, id="photo"), pytest.param("clip.mp4", _video, id="video")],
)
async def test_a_file_that_is_refused_for_its_metadata_can_be_sent_as_the_original(
    window: OpenWindow, tmp_path: Path, name: str, content: Callable[[], bytes]
) -> None:
    maya, jonas = await window(MAYA), await window(JONAS)
    for one in (maya, jonas):
        await one.open(EDITORIAL)
    path = _file(tmp_path / name, content())
    chip = await _attach_refused(maya, path)
    await expect(chip).to_contain_text("The original may say where it was taken.")
    await chip.get_by_role("button", name=_OFFER.format(name)).click()
    await expect(maya.page.locator('.chip[data-upload="ready"]', has_text=name)).to_be_visible()
    await maya.say("As it is")
    row = jonas.message("As it is").locator(".file-row", has_text=name)
    async with jonas.page.expect_download() as downloading:
        await row.get_by_role("button", name=f"Download {name}").click()
    saved = await (await downloading.value).path()
    assert await asyncio.to_thread(saved.read_bytes) == path.read_bytes()


async def test_the_original_is_chosen_again_after_the_page_was_loaded_again(
    window: OpenWindow, tmp_path: Path
) -> None:
    """The browser keeps no content of a file that the server has."""
    maya = await window(MAYA)
    await maya.open(EDITORIAL)
    path = _file(tmp_path / "look.jpg", _photo())
    await _attach_refused(maya, path)
    await maya.page.reload()
    await maya.button(_OFFER.format("look.jpg")).click()
    async with maya.page.expect_file_chooser() as choosing:
        await maya.button("Choose look.jpg again").click()
    await (await choosing.value).set_files(str(path))
    await expect(maya.page.locator('.chip[data-upload="ready"]')).to_be_visible()


async def test_the_original_can_be_asked_for_in_another_tab(
    window: OpenWindow, demo_server: DemoServer, tmp_path: Path
) -> None:
    """The tab that has the file uploads it."""
    maya = await window(MAYA)
    await maya.open(EDITORIAL)
    await _attach_refused(maya, _file(tmp_path / "look.jpg", _photo()))
    other = Window(await maya.page.context.new_page(), demo_server.url)
    await other.sign_in(MAYA)
    await other.open(EDITORIAL)
    await _attach_refused(other, _file(tmp_path / "second.jpg", _photo()))
    await maya.button(_OFFER.format("second.jpg")).click()
    for one in (maya, other):
        ready = one.page.locator('.chip[data-upload="ready"]', has_text="second.jpg")
        await expect(ready).to_be_visible()

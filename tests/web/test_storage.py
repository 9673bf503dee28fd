"""The room that one's files take, in the settings: it follows what is uploaded and deleted."""

import os
import re
from pathlib import Path

import pytest
from playwright.async_api import expect

from tests.web.conftest import OpenWindow
from tests.web.window import Window

pytestmark = pytest.mark.asyncio(loop_scope="session")

_SIZE = 7_000_000
_UNITS = {"B": 1, "kB": 1000, "KB": 1000, "MB": 1_000_000, "GB": 1_000_000_000}


async def _used(window: Window) -> float:
    """Bytes, as precisely as they are shown."""
    text = await window.page.locator("#storage-used strong").inner_text()
    number, unit = re.fullmatch(r"([\d.,]+)\s*(\w+)", text).groups()  # type: ignore[union-attr]
    return float(number.replace(",", "")) * _UNITS[unit]


async def test_the_used_storage_follows_uploads_and_deletions(
    window: OpenWindow, tmp_path: Path
) -> None:
    maya = await window("Maya Lindqvist")
    await maya.go("/settings")
    meter = maya.page.get_by_role("meter")
    await expect(meter).to_be_visible()
    before = await _used(maya)
    (tmp_path / "large.bin").write_bytes(os.urandom(_SIZE))
    await maya.go("/inbox")
    await maya.open("Editorial in Lisbon")
    await maya.page.locator("[data-picker]").set_input_files(str(tmp_path / "large.bin"))
    chip = maya.page.locator(".chip", has_text="large.bin")
    await expect(chip).to_have_attribute("data-upload", "ready")
    await maya.go("/settings")
    await expect(meter).to_be_visible()
    grown = await _used(maya)
    assert grown - before == pytest.approx(_SIZE, rel=0.1)
    exact = await maya.ask("GET", "/v1/me/storage")
    assert grown == pytest.approx(exact["bytes"], rel=0.05)
    await maya.button("Delete large.bin").click()
    await expect(maya.button("Delete large.bin")).to_have_count(0)
    for _ in range(50):
        if await _used(maya) == before:
            return
        await maya.page.wait_for_timeout(100)
    raise AssertionError("the room is not given back")

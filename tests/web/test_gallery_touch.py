"""The gallery on a phone, with real touches: two fingers zoom, one moves on or closes."""

import re
from collections.abc import Sequence
from pathlib import Path

import pytest
from playwright.async_api import CDPSession, Locator, expect

from tests.web import sample_files
from tests.web.conftest import OpenWindow
from tests.web.test_accessibility import PHONE
from tests.web.window import Window

pytestmark = pytest.mark.asyncio(loop_scope="session")

_STEPS = 6
_MIDDLE = (195, 400)
Point = tuple[float, float]


class _Fingers:
    """Move in straight lines, from the first points to the last."""

    def __init__(self, session: CDPSession) -> None:
        self._session = session

    async def move(self, *paths: tuple[Point, Point]) -> None:
        for step in range(_STEPS + 1):
            part = step / _STEPS
            points = [(a[0] + (b[0] - a[0]) * part, a[1] + (b[1] - a[1]) * part) for a, b in paths]
            await self._send("touchMove" if step else "touchStart", points)
        await self._send("touchEnd", [])

    async def _send(self, kind: str, points: Sequence[Point]) -> None:
        given = [{"x": x, "y": y, "id": number} for number, (x, y) in enumerate(points)]
        await self._session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": given})


async def _opened(window: OpenWindow, tmp_path: Path) -> tuple[Window, Locator, _Fingers]:
    """The gallery with the first of two pictures."""
    maya = await window("Maya Lindqvist", **PHONE)
    await maya.open("Editorial in Lisbon")
    paths = [
        sample_files.picture(tmp_path / "one.png"),
        sample_files.picture(tmp_path / "two.png", tone="#4a7fc9"),
    ]
    await maya.page.locator("[data-picker]").set_input_files([str(path) for path in paths])
    await maya.say("Two looks")
    tiles = maya.message("Two looks").locator(".tile-open")
    await expect(tiles).to_have_count(2)
    await tiles.first.tap()
    gallery = maya.page.get_by_role("dialog", name="Pictures and videos")
    await expect(gallery).to_contain_text("1 of 2")
    await expect(gallery.locator(".gallery-place img")).to_be_visible()
    return maya, gallery, _Fingers(await maya.page.context.new_cdp_session(maya.page))


async def _scale(gallery: Locator) -> float:
    style = await gallery.locator(".gallery-place").get_attribute("style")
    found = re.search(r"scale\(([\d.]+)\)", style or "")
    assert found is not None
    return float(found.group(1))


async def test_two_fingers_zoom_in_and_out(window: OpenWindow, tmp_path: Path) -> None:
    _, gallery, fingers = await _opened(window, tmp_path)
    assert await _scale(gallery) == 1
    x, y = _MIDDLE
    await fingers.move(((x - 40, y), (x - 120, y)), ((x + 40, y), (x + 120, y)))
    await expect(gallery.locator(".gallery-stage.zoomed")).to_be_visible()
    assert await _scale(gallery) == pytest.approx(3, rel=0.1)
    await expect(gallery).to_contain_text("1 of 2")
    await fingers.move((_MIDDLE, (x - 150, y)))
    await expect(gallery).to_contain_text("1 of 2")  # one finger moves what is zoomed
    await fingers.move(((x - 150, y), (x - 30, y)), ((x + 150, y), (x + 30, y)))
    await expect(gallery.locator(".gallery-stage.zoomed")).to_have_count(0)
    assert await _scale(gallery) == 1


async def test_one_finger_moves_on_and_back_and_closes(window: OpenWindow, tmp_path: Path) -> None:
    _, gallery, fingers = await _opened(window, tmp_path)
    x, y = _MIDDLE
    await fingers.move(((x + 100, y), (x - 100, y)))
    await expect(gallery).to_contain_text("2 of 2")
    await fingers.move(((x + 100, y), (x - 100, y)))
    await expect(gallery).to_contain_text("2 of 2")  # it is the last one
    await fingers.move(((x - 100, y), (x + 100, y)))
    await expect(gallery).to_contain_text("1 of 2")
    await fingers.move(((x, y), (x, y + 200)))
    await expect(gallery).to_have_count(0)

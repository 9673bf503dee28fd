"""A photo taken with the camera of this computer: Chromium's own, which shows a clock."""

import pytest
from playwright.async_api import expect

from tests.web.conftest import OpenWindow

pytestmark = pytest.mark.asyncio(loop_scope="session")

_COLORS = """one => {
    const canvas = document.createElement("canvas");
    [canvas.width, canvas.height] = [64, 36];
    const context = canvas.getContext("2d");
    context.drawImage(one, 0, 0, 64, 36);
    const { data } = context.getImageData(0, 0, 64, 36);
    const found = new Set();
    for (let at = 0; at < data.length; at += 4) found.add(data.slice(at, at + 3).join());
    return found.size;
}"""


async def test_a_photo_is_taken_and_seen_by_the_other(window: OpenWindow) -> None:
    maya, jonas = await window("Maya Lindqvist"), await window("Jonas Achterberg")
    for one in (maya, jonas):
        await one.open("Editorial in Lisbon")
    await maya.button("Attach").click()
    await maya.page.get_by_role("menuitem", name="Take a photo").click()
    dialog = maya.page.get_by_role("dialog", name="Take a photo")
    await dialog.get_by_role("button", name="Take photo").click()
    await expect(dialog).to_have_count(0)
    await expect(maya.page.locator(".chip", has_text="Photo.jpg")).to_be_visible()
    await maya.say("As I stand here")
    image = jonas.message("As I stand here").get_by_role("img", name="Picture from Maya Lindqvist")
    await expect(image).to_have_js_property("complete", True)
    assert await image.evaluate("one => one.naturalWidth / one.naturalHeight") > 1
    assert await image.evaluate(_COLORS) > 3, "more than an empty frame"

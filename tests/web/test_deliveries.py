"""Deliveries: recorded in the web app, and verified on the public page."""

from pathlib import Path

import pytest
from playwright.async_api import expect

from tests.web.conftest import OpenWindow

pytestmark = pytest.mark.asyncio(loop_scope="session")

EDITORIAL = "Editorial in Lisbon"


async def test_a_delivery_is_recorded_and_anyone_can_verify_the_file(
    window: OpenWindow, tmp_path: Path
) -> None:
    delivered, altered = tmp_path / "selects.bin", tmp_path / "altered.bin"
    content = bytes(range(256)) * 30_000
    delivered.write_bytes(content)
    altered.write_bytes(content[:-1] + b"!")
    jonas, maya = await window("Jonas Achterberg"), await window("Maya Lindqvist")
    for one in (jonas, maya):
        await one.open(EDITORIAL)
    await jonas.button("Attach").click()
    await jonas.page.get_by_role("menuitem", name="Record a delivery").click()
    dialog = jonas.page.get_by_role("dialog", name="Record a delivery")
    record = dialog.get_by_role("button", name="Record delivery")
    picker = dialog.locator("[data-delivery-picker]")
    await picker.set_input_files(str(altered))
    await expect(picker).to_have_value("")  # the same file can be chosen again
    await expect(dialog.get_by_label("Name")).to_have_value("altered.bin")
    await jonas.give("drop", "[data-delivery-drop]", delivered)
    await expect(dialog.get_by_label("Name")).to_have_value("selects.bin")
    link = dialog.get_by_label("Link to the file")
    await link.fill("selects")
    await record.click()
    await expect(dialog).to_contain_text("Enter a link that begins with https://")
    await expect(link).to_be_focused()
    await link.fill("https://files.example.com/selects.bin")
    await dialog.get_by_label("Message (optional)").fill("The graded ones")
    await record.click()
    await expect(dialog).to_have_count(0)
    card = maya.message("The graded ones").get_by_role("region", name="Delivery: selects.bin")
    await expect(card).to_contain_text("7.7 MB")
    path = await card.get_by_role("link", name="Verify a file").get_attribute("href")
    assert path is not None

    anyone = await window()
    await anyone.page.goto(path if path.startswith("http") else anyone.url + path)
    await expect(anyone.page.locator("#own-hash")).to_contain_text("was not changed")
    result = anyone.page.get_by_role("status")
    await anyone.page.locator("#file").set_input_files(str(altered))
    await expect(result).to_contain_text("No.")
    await anyone.page.locator("#file").set_input_files(str(delivered))
    await expect(result).to_contain_text("Yes.")
    await anyone.give("drop", "main", altered)
    await expect(result).to_contain_text("No.")
    await anyone.give("drop", "main", delivered)
    await expect(result).to_contain_text("Yes.")

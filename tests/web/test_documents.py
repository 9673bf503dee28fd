"""A contract in two windows: read, signed by both, downloaded, and verified by a stranger."""

import pytest
from playwright.async_api import Locator, expect

from tests.web.conftest import OpenWindow
from tests.web.window import Window

pytestmark = pytest.mark.asyncio(loop_scope="session")

FILM = "The film of the harbour story"


async def _opened(window: Window) -> Locator:
    await window.open(FILM)
    await window.button("Booking").click()
    sheet = window.page.get_by_role("dialog", name="Booking", exact=True)
    await sheet.get_by_role("button", name="Read and sign").click()
    return window.page.get_by_role("dialog", name="Contract", exact=True)


async def _sign(contract: Locator) -> None:
    sign = contract.get_by_role("button", name="Sign", exact=True)
    await expect(sign).to_be_disabled()
    await contract.get_by_label("I have read this contract").check()
    await sign.click()
    await expect(sign).to_be_hidden()


async def test_a_contract_is_signed_by_both_and_verified_by_anybody(window: OpenWindow) -> None:
    jonas, mateo = await window("Jonas"), await window("Mateo Ruiz")
    first, second = await _opened(jonas), await _opened(mateo)
    await expect(first).to_contain_text("Filming, one day")
    await expect(first.get_by_text("Not signed yet")).to_have_count(2)
    await _sign(first)
    await expect(second.get_by_text("Not signed yet")).to_have_count(1)
    await _sign(second)
    for contract in (first, second):
        await expect(contract.get_by_role("status")).to_contain_text("Signed")

    async with jonas.page.expect_download() as downloading:
        await first.get_by_role("button", name="Download PDF").click()
    pdf = await (await downloading.value).path()
    async with jonas.page.context.expect_page() as opening:
        await first.get_by_role("link", name="Verify a PDF").click()
    page = await opening.value
    await page.locator("#file").set_input_files(pdf)
    await expect(page.locator("#result")).to_contain_text("signed by 2 people")
    changed = {"name": "a.pdf", "mimeType": "application/pdf", "buffer": pdf.read_bytes() + b" "}
    await page.locator("#file").set_input_files(changed)  # type: ignore[arg-type]
    await expect(page.locator("#result")).to_contain_text("is not a document that was signed here")

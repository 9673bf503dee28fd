"""The API reference: loads nothing from other origins, and sends test requests."""

import pytest
from playwright.async_api import expect

from tests.web.conftest import OpenWindow

pytestmark = pytest.mark.asyncio(loop_scope="session")


async def test_a_test_request_runs_as_a_sample_person(window: OpenWindow) -> None:
    shown = await window()
    page = shown.page
    elsewhere: list[str] = []
    page.on("request", lambda asked: elsewhere.append(asked.url))
    await page.goto(f"{shown.url}/schema/docs#tag/people/GET/v1/me")
    await expect(page.get_by_text("Try calls as")).to_be_visible()
    await page.get_by_role("button", name="Test Request").first.click()
    async with page.expect_response(lambda answer: answer.url.endswith("/v1/me")) as answered:
        await page.get_by_role("button", name="Send").first.click()
    answer = await answered.value
    assert answer.status == 200
    assert (await answer.json())["username"] == "maya"
    assert [url for url in elsewhere if not url.startswith((shown.url, "data:", "blob:"))] == []

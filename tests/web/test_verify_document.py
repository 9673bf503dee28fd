"""The public page that tells whether a PDF is the document that was signed.

The server's answers are given by the test: the page is the same for every answer.
"""

import json
from collections.abc import AsyncIterator, Awaitable, Callable
from hashlib import sha256
from pathlib import Path
from typing import TypeAlias

import pytest
import pytest_asyncio
from playwright.async_api import Browser, Page, Route, expect

from greenroom.api import pages
from greenroom.api.pages.verify_document import HEADERS, html

pytestmark = pytest.mark.asyncio(loop_scope="session")

_PAGES = Path(pages.__file__).parent
_TYPES = {".js": "text/javascript", "css": "text/css"}
_SIGNED = {
    "status": "signed",
    "documentId": "doc_1",
    "version": 2,
    "signatures": 2,
    "signedAt": "2026-11-19T03:00:00Z",
}
_ENDED = {"endedAt": "2026-12-01T10:00:00Z"}
_PDF = b"%PDF-1.7 signed"

OpenPage: TypeAlias = Callable[..., Awaitable[Page]]


@pytest_asyncio.fixture(loop_scope="session")
async def opened(browser: Browser) -> AsyncIterator[OpenPage]:
    """Opens the page with the answer that the server gives for `_PDF`."""
    context = await browser.new_context()

    async def open_page(answer: object, *, status: int = 200, query: str = "") -> Page:
        async def serve(route: Route) -> None:
            path = route.request.url.removeprefix("http://greenroom.test").partition("?")[0]
            if path == f"/v1/documents/verify/{sha256(_PDF).hexdigest()}":
                headers = {"Retry-After": "30"}
                await route.fulfill(status=status, body=json.dumps(answer), headers=headers)
            elif path.startswith("/v1/"):
                await route.fulfill(json={"status": "unknown"})
            elif path == "/verify":
                await route.fulfill(body=html(), content_type="text/html", headers=HEADERS)
            else:
                await route.fulfill(path=_PAGES / path[1:], content_type=_TYPES[path[-3:]])

        page = await context.new_page()
        await page.route("**/*", serve)
        await page.goto(f"http://greenroom.test/verify{query}")
        return page

    yield open_page
    await context.close()


async def _told(page: Page, content: bytes = _PDF) -> str:
    file = {"name": "contract.pdf", "mimeType": "application/pdf", "buffer": content}
    await page.locator("#file").set_input_files(file)  # type: ignore[arg-type]
    await expect(page.locator("#working")).to_be_hidden()
    return await page.get_by_role("status").inner_text()


@pytest.mark.parametrize(
    ("answer", "begins", "says"),
    [
        (_SIGNED, "Yes.", "signed by 2 people on"),
        ({**_SIGNED, "signatures": 1}, "Yes.", "signed by one person on"),
        ({**_SIGNED, **_ENDED, "status": "voided"}, "No longer valid.", "It was voided on"),
        ({**_SIGNED, **_ENDED, "status": "superseded"}, "No longer valid.", "A newer version"),
        ({**_SIGNED, **_ENDED, "status": "voided", "signedAt": None}, "No longer", "not signed by"),
        ({**_SIGNED, "status": "pending", "signedAt": None}, "Not yet.", "not everybody"),
        ({"status": "unknown"}, "No.", "is not a document that was signed here"),
    ],
    ids=["signed", "by one", "voided", "superseded", "voided before", "pending", "unknown"],
)
async def test_a_pdf_is_judged_by_its_hash(
    opened: OpenPage, answer: dict[str, object], begins: str, says: str
) -> None:
    page = await opened(answer)
    told = await _told(page)
    assert told.startswith(begins)
    assert says in told
    is_on_record = answer["status"] != "unknown"
    await expect(page.get_by_text("What is on record")).to_be_visible(visible=is_on_record)
    assert (await _told(page, _PDF + b" ")).startswith("No.")


async def test_another_document_than_that_of_the_link_is_not_called_right(opened: OpenPage) -> None:
    own, other = [await opened(_SIGNED, query=f"?document=doc_{n}") for n in (1, 2)]
    assert (await _told(own)).startswith("Yes.")
    assert "not the one that the link is for" in await _told(other)


@pytest.mark.parametrize(
    ("status", "says"), [(429, "Try again in 30 seconds"), (503, "Try again later")]
)
async def test_a_server_that_cannot_answer_is_no_answer(
    opened: OpenPage, status: int, says: str
) -> None:
    assert says in await _told(await opened({}, status=status))


async def test_texts_of_the_link_are_not_markup(opened: OpenPage) -> None:
    page = await opened(_SIGNED, query="?document=%3Cimg%20src%3Dx%3E")
    await expect(page.locator("#linked")).to_contain_text("document <img src=x>.")

"""`window(name)`: somebody signed in, in a browser of their own, at the demo of this test.

All tests here share one browser and one loop; each has a server with the same story in it. Without
Chromium, or where the app is not built, they are skipped and say so; on CI they fail.
"""

import os
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any, TypeAlias

import pytest
import pytest_asyncio
from playwright.async_api import Browser, async_playwright, expect

from greenroom.api.web.site import BUILT
from scripts.engines import Unavailable, chromium
from tests.realtime.cable import Cable, cable_to
from tests.web.house import House, copied, furnished
from tests.web.window import Window

PATIENCE_MS = 30_000
"""Of two cores that have other things to do as well."""

OpenWindow: TypeAlias = Callable[..., Awaitable[Window]]


def _without(reason: str) -> None:
    if os.environ.get("CI") == "true":
        pytest.fail(reason, pytrace=False)
    pytest.skip(reason)


@pytest.fixture(scope="session")
def story(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return furnished(tmp_path_factory.mktemp("story") / "data")


@pytest.fixture
def house(story: Path, tmp_path: Path) -> Iterator[House]:
    running = House(copied(story, tmp_path / "data")).start()
    yield running
    running.stop()


@pytest_asyncio.fixture(loop_scope="session", scope="session")
async def browser() -> AsyncIterator[Browser]:
    if not (BUILT / "index.html").exists():
        _without("the web app is not built (`make web` does, with Node 20 or newer)")
    try:
        path = chromium.path()
    except Unavailable as reason:
        _without(f"no Chromium on this machine: {reason}")
    expect.set_options(timeout=PATIENCE_MS)
    async with async_playwright() as playwright:
        running = await playwright.chromium.launch(
            executable_path=path, args=list(chromium.ARGUMENTS), chromium_sandbox=False
        )
        yield running
        await running.close()


@pytest_asyncio.fixture(loop_scope="session")
async def window(browser: Browser, house: House) -> AsyncIterator[OpenWindow]:
    """With keyword arguments for the browser's context, such as `color_scheme`. No window may have
    complained when the test is over."""
    opened: list[Window] = []

    async def open_window(name: str = "", *, url: str = "", **context: Any) -> Window:
        kept = {"viewport": {"width": 1280, "height": 800}} | context
        place = await browser.new_context(**kept)
        place.set_default_timeout(PATIENCE_MS)
        one = Window(await place.new_page(), url or house.url)
        opened.append(one)
        return await one.sign_in(name) if name else one

    yield open_window
    for one in opened:
        await one.page.context.close()
    assert [complaint for one in opened for complaint in one.complaints] == []


@pytest_asyncio.fixture(loop_scope="session")
async def cable(house: House) -> AsyncIterator[Cable]:
    async with cable_to(house.url) as laid:
        yield laid

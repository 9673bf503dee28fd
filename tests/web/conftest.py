"""Fixtures: `window(name)` opens a browser window with a signed-in user on this test's demo server.

All tests share one browser and one event loop; each has its own server with the same seed data.
Without Chromium or a build of the app they are skipped; on CI they fail.
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
from tests.realtime.cuttable_link import CuttableLink, cuttable_link_to
from tests.web.demo_server import DemoServer, copy_data, seeded_data
from tests.web.window import Window

TIMEOUT_MS = 30_000
"""Long, because the tests may share two cores with other work."""

_FAKE_DEVICES = ("--use-fake-device-for-media-stream", "--use-fake-ui-for-media-stream")
"""A microphone that beeps and a camera that shows a clock, both allowed."""

OpenWindow: TypeAlias = Callable[..., Awaitable[Window]]


def _skip_or_fail(reason: str) -> None:
    if os.environ.get("CI") == "true":
        pytest.fail(reason, pytrace=False)
    pytest.skip(reason)


@pytest.fixture(scope="session")
def seeded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return seeded_data(tmp_path_factory.mktemp("story") / "data")


@pytest.fixture
def demo_server(seeded: Path, tmp_path: Path) -> Iterator[DemoServer]:
    running = DemoServer(copy_data(seeded, tmp_path / "data")).start()
    yield running
    running.stop()


@pytest_asyncio.fixture(loop_scope="session", scope="session")
async def browser() -> AsyncIterator[Browser]:
    if not (BUILT / "index.html").exists():
        _skip_or_fail("the web app is not built (`make web` does, with Node 20 or newer)")
    try:
        path = chromium.path()
    except Unavailable as reason:
        _skip_or_fail(f"no Chromium on this machine: {reason}")
    expect.set_options(timeout=TIMEOUT_MS)
    async with async_playwright() as playwright:
        running = await playwright.chromium.launch(
            executable_path=path,
            args=[*chromium.ARGUMENTS, *_FAKE_DEVICES],
            chromium_sandbox=False,
        )
        yield running
        await running.close()


@pytest_asyncio.fixture(loop_scope="session")
async def window(browser: Browser, demo_server: DemoServer) -> AsyncIterator[OpenWindow]:
    """Keyword arguments go to the browser context, such as `color_scheme`. The test fails if a
    window has logged an error."""
    opened: list[Window] = []

    async def open_window(name: str = "", *, url: str = "", **context: Any) -> Window:
        kept = {"viewport": {"width": 1280, "height": 800}} | context
        place = await browser.new_context(**kept)
        place.set_default_timeout(TIMEOUT_MS)
        one = Window(await place.new_page(), url or demo_server.url)
        opened.append(one)
        return await one.sign_in(name) if name else one

    yield open_window
    for one in opened:
        await one.page.context.close()
    assert [error for one in opened for error in one.errors] == []


@pytest_asyncio.fixture(loop_scope="session")
async def cuttable_link(demo_server: DemoServer) -> AsyncIterator[CuttableLink]:
    async with cuttable_link_to(demo_server.url) as laid:
        yield laid

"""Scrolls quickly through a long thread, and measures DOM nodes and memory."""

from msgspec import Struct
from playwright.async_api import Browser, CDPSession, expect

from tests.web.long_thread import SUBJECT
from tests.web.window import Window

_FLICKS = 40
_MOST_FLICKS = 400
"""On a busy machine the history loads more slowly."""
_FAR = 400
"""Messages."""
_PIXELS = 3000


class Sizes(Struct, frozen=True):
    passed: int
    """How many messages were scrolled past."""
    rows: int
    """The maximum number of rows in the page."""
    nodes: int
    nodes_after: int
    heap: int
    heap_after: int


async def measure_scrolling(browser: Browser, url: str) -> Sizes:
    context = await browser.new_context(viewport={"width": 1280, "height": 800})
    window = await Window(await context.new_page(), url).sign_in("Jonas Achterberg")
    sizes = await scroll_in(window)
    await context.close()
    return sizes


async def scroll_in(window: Window, *, down: bool = False) -> Sizes:
    session = await window.page.context.new_cdp_session(window.page)
    await session.send("Performance.enable")
    await window.open(SUBJECT)
    rows = window.messages.locator("[data-seq]")
    await expect(rows.first).to_be_visible()
    nodes, heap = await _memory(session)
    begun = await _first_seq(window)
    await window.messages.hover()
    most = 0
    passed = 0
    for flick in range(_MOST_FLICKS):
        if flick >= _FLICKS and passed >= _FAR:
            break
        await window.page.mouse.wheel(0, _PIXELS if down else -_PIXELS)
        await window.page.wait_for_timeout(60)
        most = max(most, await rows.count())
        passed = abs(begun - await _first_seq(window))
    nodes_after, heap_after = await _memory(session)
    return Sizes(passed, most, nodes, nodes_after, heap, heap_after)


async def _memory(session: CDPSession) -> tuple[int, int]:
    """DOM nodes and heap size, after garbage collection."""
    await session.send("HeapProfiler.collectGarbage")
    found = await session.send("Performance.getMetrics")
    metrics = {one["name"]: int(one["value"]) for one in found["metrics"]}
    return metrics["Nodes"], metrics["JSHeapUsedSize"]


async def _first_seq(window: Window) -> int:
    shown = await window.messages.locator("[data-seq]").first.get_attribute("data-seq")
    return int(shown or 0)

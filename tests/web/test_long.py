"""A conversation of 50,000 messages: one scrolls through it, and the browser stays small."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.async_api import CDPSession, expect

from tests.web import crowd
from tests.web.conftest import OpenWindow
from tests.web.house import House, copied
from tests.web.window import Window

pytestmark = [pytest.mark.asyncio(loop_scope="session"), pytest.mark.timeout(300)]

COUNT = 50_000
MOST_NODES = 20_000
MOST_HEAP_BYTES = 40_000_000
_FLICK = 3000


@pytest.fixture
def house(story: Path, tmp_path: Path) -> Iterator[House]:
    data = copied(story, tmp_path / "data")
    crowd.write(data, COUNT)
    running = House(data).start()
    yield running
    running.stop()


async def _size(session: CDPSession) -> tuple[int, int]:
    await session.send("HeapProfiler.collectGarbage")
    found = await session.send("Performance.getMetrics")
    metrics = {one["name"]: int(one["value"]) for one in found["metrics"]}
    return metrics["Nodes"], metrics["JSHeapUsedSize"]


async def _scrolled_to(window: Window) -> int:
    """The lowest number that is shown."""
    shown = await window.messages.locator("[data-seq]").first.get_attribute("data-seq")
    return int(shown or 0)


async def test_fifty_thousand_messages_scroll_in_bounded_memory(window: OpenWindow) -> None:
    jonas = await window("Jonas Achterberg")
    session = await jonas.page.context.new_cdp_session(jonas.page)
    await session.send("Performance.enable")
    await jonas.open(crowd.SUBJECT)
    await expect(jonas.messages.locator("[data-seq]").first).to_be_visible()
    nodes, heap = await _size(session)
    assert nodes < MOST_NODES
    first = await _scrolled_to(jonas)
    await jonas.messages.hover()
    sizes = []
    for _ in range(40):
        await jonas.page.mouse.wheel(0, -_FLICK)
        await jonas.page.wait_for_timeout(60)
        sizes.append(await jonas.messages.locator("[data-seq]").count())
    upper = await _scrolled_to(jonas)
    assert upper < first - 300, "it went on while one scrolled"
    assert max(sizes) < 1000
    after_nodes, after_heap = await _size(session)
    assert after_nodes < MOST_NODES
    assert after_heap < max(MOST_HEAP_BYTES, 3 * heap)
    await jonas.page.get_by_role("button", name="Jump to newest").click()
    await jonas.sees(f"This is number {COUNT}.")

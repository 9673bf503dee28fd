"""A conversation of 50,000 messages: one scrolls through it, and the browser stays small."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.async_api import expect

from tests.web import crowd
from tests.web.conftest import OpenWindow
from tests.web.house import House, copied
from tests.web.scroll import scrolled_in

pytestmark = [pytest.mark.asyncio(loop_scope="session"), pytest.mark.timeout(300)]

COUNT = 50_000
MOST_ROWS = 600
MOST_NODES = 25_000
MOST_HEAP_BYTES = 40_000_000


@pytest.fixture
def house(story: Path, tmp_path: Path) -> Iterator[House]:
    data = copied(story, tmp_path / "data")
    crowd.write(data, COUNT)
    running = House(data).start()
    yield running
    running.stop()


async def test_fifty_thousand_messages_scroll_in_bounded_memory(window: OpenWindow) -> None:
    jonas = await window("Jonas Achterberg")
    await jonas.open(crowd.SUBJECT)
    await expect(jonas.page.get_by_text("New messages", exact=True)).to_be_in_viewport()
    await expect(jonas.message(f"number {crowd.first_unread(COUNT)}.")).to_be_in_viewport()
    down = await scrolled_in(jonas, down=True)
    assert down.passed > 300, "it goes on below as well"
    sizes = await scrolled_in(jonas)
    assert sizes.passed > 300, "it went on while one scrolled"
    assert sizes.rows < MOST_ROWS
    assert max(sizes.nodes, sizes.nodes_after) < MOST_NODES
    assert max(sizes.heap, sizes.heap_after) < MOST_HEAP_BYTES
    await jonas.page.get_by_role("button", name="Jump to newest").click()
    await jonas.sees(f"This is number {COUNT}.")

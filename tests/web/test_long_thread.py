"""Scrolling through a thread of 50,000 messages keeps the page small."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.async_api import expect

from tests.web import long_thread
from tests.web.conftest import OpenWindow
from tests.web.demo_server import DemoServer, copy_data
from tests.web.scroll import scroll_in

pytestmark = [pytest.mark.asyncio(loop_scope="session"), pytest.mark.timeout(300)]

COUNT = 50_000
MAX_ROWS = 600
MAX_NODES = 25_000
MAX_HEAP_BYTES = 40_000_000


@pytest.fixture
def demo_server(seeded: Path, tmp_path: Path) -> Iterator[DemoServer]:
    data = copy_data(seeded, tmp_path / "data")
    long_thread.write(data, COUNT)
    running = DemoServer(data).start()
    yield running
    running.stop()


async def test_fifty_thousand_messages_scroll_in_bounded_memory(window: OpenWindow) -> None:
    jonas = await window("Jonas Achterberg")
    await jonas.open(long_thread.SUBJECT)
    await expect(jonas.page.get_by_text("New messages", exact=True)).to_be_in_viewport()
    await expect(jonas.message(f"number {long_thread.first_unread(COUNT)}.")).to_be_in_viewport()
    down = await scroll_in(jonas, down=True)
    assert down.passed > 300, "scrolling down loads more"
    sizes = await scroll_in(jonas)
    assert sizes.passed > 300, "scrolling up loads more"
    assert sizes.rows < MAX_ROWS
    assert max(sizes.nodes, sizes.nodes_after) < MAX_NODES
    assert max(sizes.heap, sizes.heap_after) < MAX_HEAP_BYTES
    await jonas.page.get_by_role("button", name="Jump to newest").click()
    await jonas.sees(f"This is number {COUNT}.")

"""The embedded inbox on another site: one script, one element, a token, an unread badge."""

import re
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from playwright.async_api import expect

from tests.web.conftest import OpenWindow
from tests.web.demo_server import DemoServer, copy_data

pytestmark = pytest.mark.asyncio(loop_scope="session")

EXAMPLE = Path(__file__).parents[2] / "docs/examples"
THE_DEMO = "http://127.0.0.1:8080"


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: Any) -> None:
        pass


@pytest.fixture
def shop(tmp_path: Path) -> Iterator[ThreadingHTTPServer]:
    """The embedding site, with the files of the example."""
    folder = tmp_path / "shop"
    folder.mkdir()
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(_Quiet, directory=str(folder))) as listening:
        Thread(target=listening.serve_forever, daemon=True).start()
        yield listening
        listening.shutdown()


@pytest.fixture
def demo_server(seeded: Path, tmp_path: Path, shop: ThreadingHTTPServer) -> Iterator[DemoServer]:
    origin = f"http://127.0.0.1:{shop.server_port}"
    running = DemoServer(copy_data(seeded, tmp_path / "data"), GREENROOM_ORIGINS=origin).start()
    for file in EXAMPLE.glob("embed.*"):
        (tmp_path / "shop" / file.name).write_text(file.read_text().replace(THE_DEMO, running.url))
    yield running
    running.stop()


async def test_the_example_works_from_another_origin(
    window: OpenWindow, shop: ThreadingHTTPServer
) -> None:
    embedding = await window(url=f"http://127.0.0.1:{shop.server_port}")
    await embedding.go("/embed.html")
    await expect(embedding.row("Editorial in Lisbon")).to_be_visible()
    await expect(embedding.page.locator("#unread")).to_have_text(re.compile(r"\(\d+\)"))
    jonas = await window("Jonas Achterberg")
    await jonas.open("Editorial in Lisbon")
    await embedding.open("Editorial in Lisbon")
    await embedding.say("Said from another site.")
    await jonas.sees("Said from another site.")
    await jonas.say("Heard on another site.")
    await embedding.sees("Heard on another site.")

"""Files in the embedded inbox: sent and shown on another site, under a strict policy of that site.

With a folder the bytes go to the server, with S3 to the bucket: a third origin.
"""

from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any, ClassVar

import pytest
from playwright.async_api import expect

from greenroom.blobs.s3 import parse_location
from tests.buckets import with_prefix
from tests.web import sample_files
from tests.web.conftest import OpenWindow
from tests.web.demo_server import DemoServer, copy_data
from tests.web.test_embed import EXAMPLE, THE_DEMO
from tests.web.window import Window

pytestmark = pytest.mark.asyncio(loop_scope="session")

_CHECKED_MS = 90_000
"""The clip is converted first, on a machine with other work."""


class _WithPolicy(SimpleHTTPRequestHandler):
    policy: ClassVar = ""

    def end_headers(self) -> None:
        self.send_header("Content-Security-Policy", self.policy)
        super().end_headers()

    def log_message(self, format: str, *args: Any) -> None:
        pass


class _Site:
    """The embedding site: the files of the example."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        folder.mkdir()
        self._listening = ThreadingHTTPServer(
            ("127.0.0.1", 0), partial(_WithPolicy, directory=str(folder))
        )
        self.url = f"http://127.0.0.1:{self._listening.server_port}"

    def __enter__(self) -> "_Site":
        Thread(target=self._listening.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._listening.shutdown()
        self._listening.server_close()

    def embed(self, server: str, files: str) -> None:
        """With the policy of docs/examples/README.md, and nothing else allowed."""
        for file in EXAMPLE.glob("embed.*"):
            (self._folder / file.name).write_text(file.read_text().replace(THE_DEMO, server))
        socket = server.replace("http:", "ws:")
        _WithPolicy.policy = (
            f"default-src 'none'; style-src 'self'; script-src 'self' {server}; "
            f"connect-src {server} {socket} {files}; img-src blob:; media-src blob: {files}"
        )


@pytest.fixture(params=["folder", "s3"])
def bucket(request: pytest.FixtureRequest) -> str:
    """As in GREENROOM_BLOBS; empty means a folder."""
    return "" if request.param == "folder" else with_prefix(request.getfixturevalue("s3_url"))


@pytest.fixture
def site(tmp_path: Path) -> Iterator[_Site]:
    with _Site(tmp_path / "site") as opened:
        yield opened


@pytest.fixture
def demo_server(seeded: Path, tmp_path: Path, site: _Site, bucket: str) -> Iterator[DemoServer]:
    """The files of the sample data are not in the bucket: they are not shown."""
    blobs = {"GREENROOM_BLOBS": bucket} if bucket else {}
    running = DemoServer(
        copy_data(seeded, tmp_path / "data"), GREENROOM_ORIGINS=site.url, **blobs
    ).start()
    site.embed(running.url, parse_location(bucket).public if bucket else running.url)
    yield running
    running.stop()


async def _assert_shown(window: Window) -> None:
    """The picture is drawn, in the conversation and in the gallery."""
    row = window.message("Seen from everywhere")
    small = row.get_by_role("img", name="Picture from Maya Lindqvist")
    await expect(small).to_have_js_property("complete", True, timeout=_CHECKED_MS)
    assert await small.evaluate("one => one.naturalWidth") > 0
    await row.locator(".tile-open").first.click()
    large = window.page.locator("dialog.gallery img")
    await expect(large).to_have_js_property("complete", True)
    assert await large.evaluate("one => one.naturalWidth") > 0


async def _assert_voice_note(embedding: Window, jonas: Window) -> None:
    """Recorded in the element, and played on both sides."""
    await embedding.button("Attach").click()
    await embedding.page.get_by_role("menuitem", name="Voice note").click()
    await expect(embedding.page.get_by_role("timer")).to_have_text("0:01")
    await embedding.button("Send voice note").click()
    for one in (jonas, embedding):
        voice = one.messages.locator(".voice")
        await expect(voice).to_be_visible(timeout=_CHECKED_MS)
        await voice.get_by_role("button", name="Play").click()
        await expect(voice).to_have_attribute("data-playing", "true")


async def _assert_blur(embedding: Window) -> None:
    """A sensitive picture of the sample data."""
    await embedding.open("Scouting in Sintra")
    tile = embedding.message("The test from last week").locator(".tile")
    await expect(tile).to_have_attribute("data-shown", "blurred")
    await tile.get_by_role("button", name="Show").click()
    await expect(tile).to_have_attribute("data-shown", "clear")


async def test_files_are_sent_and_shown_on_another_site(
    window: OpenWindow, site: _Site, demo_server: DemoServer, bucket: str, tmp_path: Path
) -> None:
    embedding, jonas = await window(url=site.url), await window("Jonas Achterberg")
    await jonas.open("Editorial in Lisbon")
    await embedding.go("/embed.html")
    await embedding.open("Editorial in Lisbon")
    paths = [sample_files.picture(tmp_path / "look.png")]
    if sample_files.has_ffmpeg():
        paths.append(sample_files.clip(tmp_path / "behind.mp4"))
    picker = embedding.page.locator("[data-picker]")
    await picker.set_input_files([str(path) for path in paths])
    await embedding.say("Seen from everywhere")
    for one in (embedding, jonas):
        await _assert_shown(one)
    if len(paths) > 1:
        gallery = embedding.page.locator("dialog.gallery")
        await gallery.get_by_role("button", name="Next").click()
        video = gallery.locator("video")
        await expect(video).to_have_js_property("error", None)
        await expect(video).not_to_have_js_property("readyState", 0)
        for one in (embedding, jonas):
            await one.page.keyboard.press("Escape")
        await _assert_voice_note(embedding, jonas)
    if not bucket:
        await _assert_blur(embedding)

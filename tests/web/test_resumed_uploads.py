"""An upload through a cut network and a closed tab, to a folder and to a bucket, byte for byte."""

import asyncio
import hashlib
import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.async_api import CDPSession, Request, expect

from tests.buckets import with_prefix
from tests.web.conftest import OpenWindow
from tests.web.demo_server import DemoServer, copy_data
from tests.web.window import Window

pytestmark = pytest.mark.asyncio(loop_scope="session")

EDITORIAL = "Editorial in Lisbon"
MAYA, JONAS = "Maya Lindqvist", "Jonas Achterberg"
_SIZE = 60_000_000
_BYTES_PER_SECOND = 12_000_000
_HALF = "Uploading (4[4-9]|5[0-9])%"
"""Three parts have arrived, three are on their way, and two are left."""
_HAS_TEXT = "pattern => new RegExp(pattern).test(document.body.innerText)"
"""Looked at with every frame: `expect` would look once a second."""


@pytest.fixture(params=["folder", "s3"])
def demo_server(
    request: pytest.FixtureRequest, seeded: Path, tmp_path: Path
) -> Iterator[DemoServer]:
    """The files of the sample data are not in the bucket: they are not shown."""
    blobs: dict[str, str] = {}
    if request.param == "s3":
        blobs["GREENROOM_BLOBS"] = with_prefix(request.getfixturevalue("s3_url"))
    running = DemoServer(copy_data(seeded, tmp_path / "data"), **blobs).start()
    yield running
    running.stop()


class _Network:
    """Of one tab."""

    def __init__(self, session: CDPSession) -> None:
        self._session = session

    async def slow_down(self) -> None:
        await self._emulate(is_cut=False)

    async def cut(self) -> None:
        await self._emulate(is_cut=True)

    async def _emulate(self, *, is_cut: bool) -> None:
        await self._session.send("Network.enable")
        limits = {"latency": 0, "downloadThroughput": -1, "uploadThroughput": _BYTES_PER_SECOND}
        given = {"offline": is_cut, **limits}
        await self._session.send("Network.emulateNetworkConditions", given)


def _sent_bytes(window: Window) -> list[int]:
    """Of each request of an upload from now on: in order (tus), or of a part."""
    found: list[int] = []

    def note(request: Request) -> None:
        if request.method == "PATCH" and "/v1/uploads/" in request.url:
            found.append(_SIZE - int(request.headers["upload-offset"]))
        elif request.method == "PUT" and "partNumber=" in request.url:
            found.append(8 * 1024 * 1024)

    window.page.on("request", note)
    return found


async def test_an_upload_goes_on_after_a_cut_and_a_closed_tab_byte_for_byte(
    window: OpenWindow, demo_server: DemoServer, tmp_path: Path
) -> None:
    maya, jonas = await window(MAYA), await window(JONAS)
    for one in (maya, jonas):
        await one.open(EDITORIAL)
    content = os.urandom(_SIZE)
    path = tmp_path / "long.bin"
    path.write_bytes(content)
    network = _Network(await maya.page.context.new_cdp_session(maya.page))
    await network.slow_down()
    await maya.page.locator("[data-picker]").set_input_files(str(path))
    await maya.say("Cut off and resumed")
    progress = maya.message("Cut off").locator("[data-progress]")
    await maya.page.wait_for_function(_HAS_TEXT, arg=_HALF)
    await network.cut()
    await expect(progress).to_contain_text("Interrupted at")
    again = Window(await maya.page.context.new_page(), demo_server.url)
    sent = _sent_bytes(again)
    await maya.page.close()
    assert await jonas.message("Cut off").count() == 0
    await again.sign_in(MAYA)
    row = jonas.message("Cut off").locator(".file-row")
    await expect(row).to_contain_text("60 MB")
    assert sent
    assert max(sent[0], sum(sent) if len(sent) > 1 else 0) < _SIZE, "it does not begin anew"
    async with jonas.page.expect_download() as downloading:
        await row.get_by_role("button", name="Download long.bin").click()
    saved = await (await downloading.value).path()
    received = await asyncio.to_thread(saved.read_bytes)
    assert hashlib.sha256(received).hexdigest() == hashlib.sha256(content).hexdigest()

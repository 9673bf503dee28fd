"""Files in the web app: two people exchange them, uploads go on after a cut, blurred pictures."""

import asyncio
import os
import re
from pathlib import Path

import pytest
from playwright.async_api import Locator, Request, Route, expect

from tests.files.hostile_clamd import serving
from tests.realtime.cuttable_link import CuttableLink
from tests.web import sample_files
from tests.web.conftest import OpenWindow
from tests.web.demo_server import DemoServer, copy_data
from tests.web.test_accessibility import PHONE
from tests.web.window import Window

pytestmark = pytest.mark.asyncio(loop_scope="session")

EDITORIAL = "Editorial in Lisbon"
MAYA, JONAS = "Maya Lindqvist", "Jonas Achterberg"
_LARGE = 120_000_000
"""Larger than what the browser keeps of a file."""

_PASTE_TWICE = """() => {
    for (const time of ["first", "second"]) {
        const clipboardData = new DataTransfer();
        for (let n = 0; n < 6; n++) {
            clipboardData.items.add(new File(["notes"], `${time} ${n}.txt`));
        }
        const pasted = new ClipboardEvent("paste", { bubbles: true, clipboardData });
        document.querySelector(".composer textarea").dispatchEvent(pasted);
    }
}"""


def _chip(window: Window, name: str) -> Locator:
    return window.page.locator(".chip", has_text=name)


def _tiles(window: Window) -> Locator:
    return window.messages.locator(".tile[data-shown]")


async def _attach(window: Window, *paths: Path) -> None:
    await window.page.locator("[data-picker]").set_input_files([str(path) for path in paths])
    for path in paths:
        await expect(_chip(window, path.name)).to_be_visible()


def _upload_offsets(window: Window) -> list[int]:
    """Where each request with bytes begins, from now on."""
    found: list[int] = []

    def note(request: Request) -> None:
        if request.method == "PATCH" and "/v1/uploads/" in request.url:
            found.append(int(request.headers["upload-offset"]))

    window.page.on("request", note)
    return found


async def _slow_down(window: Window, bytes_per_second: int) -> None:
    session = await window.page.context.new_cdp_session(window.page)
    await session.send("Network.enable")
    limits = {"offline": False, "latency": 0, "downloadThroughput": -1}
    await session.send(
        "Network.emulateNetworkConditions", {**limits, "uploadThroughput": bytes_per_second}
    )


async def _pair(window: OpenWindow) -> tuple[Window, Window]:
    maya, jonas = await window(MAYA), await window(JONAS)
    for one in (maya, jonas):
        await one.open(EDITORIAL)
    return maya, jonas


async def test_a_picture_is_shown_to_both_and_keeps_its_place(
    window: OpenWindow, tmp_path: Path
) -> None:
    maya, jonas = await _pair(window)
    await _attach(maya, sample_files.picture(tmp_path / "look one.png"))
    await maya.button("Alt: description and options of look one.png").click()
    await expect(maya.page.get_by_label("Description", exact=True)).to_be_focused()
    await maya.page.keyboard.type("A sun over a hill")
    await maya.page.keyboard.press("Escape")
    await maya.say("The first look")
    await expect(maya.message("The first look").locator(".tile")).to_be_visible()
    for one in (maya, jonas):
        row = one.message("The first look")
        await expect(row.get_by_role("img", name="A sun over a hill")).to_be_visible()
        shape = await row.locator(".tile").evaluate("one => one.clientWidth / one.clientHeight")
        assert abs(shape - 1.5) < 0.02
    await expect(maya.page.locator(".chip")).to_have_count(0)
    await expect(jonas.row(EDITORIAL)).to_contain_text("The first look")


async def test_a_clip_and_a_pdf_are_exchanged(window: OpenWindow, tmp_path: Path) -> None:
    maya, jonas = await _pair(window)
    paths = [sample_files.pdf(tmp_path / "contract.pdf")]
    if sample_files.has_ffmpeg():
        paths.append(sample_files.clip(tmp_path / "behind.mp4"))
    await _attach(maya, *paths)
    await maya.button("Send").click()
    row = jonas.messages.locator(".file-row", has_text="contract.pdf")
    await expect(row).to_contain_text("1 page")
    async with jonas.page.expect_download() as downloading:
        await row.get_by_role("button", name="Download contract.pdf").click()
    saved = await (await downloading.value).path()
    assert await asyncio.to_thread(saved.read_bytes) == paths[0].read_bytes()
    if len(paths) > 1:
        await jonas.page.get_by_role("button", name="Open: Video from").click()
        video = jonas.page.locator("dialog.gallery video")
        await expect(video).to_be_visible()
        await expect(video).to_have_js_property("error", None)


async def test_the_gallery_moves_by_keys_and_returns_the_focus(
    window: OpenWindow, tmp_path: Path
) -> None:
    maya = await window(MAYA)
    await maya.open(EDITORIAL)
    await _attach(
        maya,
        sample_files.picture(tmp_path / "one.png"),
        sample_files.picture(tmp_path / "two.png", tone="#4a7fc9"),
    )
    await maya.button("Send").click()
    await expect(_tiles(maya)).to_have_count(2)
    await maya.messages.locator(".tile-open").first.focus()
    await maya.page.keyboard.press("Enter")
    gallery = maya.page.get_by_role("dialog", name="Pictures and videos")
    await expect(gallery).to_contain_text("1 of 2")
    await maya.page.keyboard.press("ArrowRight")
    await expect(gallery).to_contain_text("2 of 2")
    await maya.page.keyboard.press("+")
    await expect(gallery.locator(".gallery-stage.zoomed")).to_be_visible()
    await maya.page.keyboard.press("0")
    await expect(gallery.locator(".gallery-stage.zoomed")).to_have_count(0)
    await maya.page.keyboard.press("Escape")
    await expect(gallery).to_have_count(0)
    await expect(maya.messages.locator(".tile-open").first).to_be_focused()


async def test_a_new_message_changes_nothing_in_the_open_gallery(
    window: OpenWindow, tmp_path: Path
) -> None:
    maya, jonas = await _pair(window)
    await _attach(maya, sample_files.picture(tmp_path / "one.png"))
    await maya.button("Send").click()
    await maya.messages.locator(".tile-open").click()
    zoomed = maya.page.locator(".gallery-stage.zoomed")
    await expect(maya.page.locator(".gallery-place img")).to_be_visible()
    await maya.page.keyboard.press("+")
    await expect(zoomed).to_be_visible()
    await jonas.say("Look at the hill")
    await maya.sees("Look at the hill")
    await maya.page.wait_for_timeout(100)
    await expect(zoomed).to_be_visible()


async def test_a_message_waits_for_the_files_that_were_just_picked(
    window: OpenWindow, tmp_path: Path
) -> None:
    """On a slow line the code for files is still loading when the message is sent."""
    maya, jonas = await _pair(window)
    loading = asyncio.Event()

    async def later(route: Route) -> None:
        loading.set()
        await asyncio.sleep(1.5)
        await route.continue_()

    await maya.page.route("**/assets/Tray-*.js", later)
    path = sample_files.picture(tmp_path / "quick.png")
    await maya.page.locator("[data-picker]").set_input_files(str(path))
    await maya.say("Sent at once")
    await expect(jonas.message("Sent at once").locator(".tile")).to_be_visible()
    assert loading.is_set()


async def test_files_are_pasted_and_dropped(window: OpenWindow, tmp_path: Path) -> None:
    maya = await window(MAYA)
    await maya.open(EDITORIAL)
    path = sample_files.picture(tmp_path / "a.png")
    for event, selector in (("paste", ".composer textarea"), ("drop", ".conversation .log")):
        await maya.give(event, selector, path, name=f"{event}.png")
        await expect(_chip(maya, f"{event}.png")).to_be_visible()
    await maya.button("Remove paste.png").click()
    await expect(_chip(maya, "paste.png")).to_have_count(0)
    await expect(_chip(maya, "drop.png")).to_be_visible()


async def test_limits_are_told_before_uploading(window: OpenWindow, tmp_path: Path) -> None:
    maya = await window(MAYA)
    await maya.open(EDITORIAL)
    paths = [sample_files.picture(tmp_path / f"{n}.png", size=(40, 40)) for n in range(11)]
    (tmp_path / "empty.txt").write_bytes(b"")
    given = [str(path) for path in (tmp_path / "empty.txt", *paths)]
    await maya.page.locator("[data-picker]").set_input_files(given)
    alert = maya.page.get_by_role("alert")
    await expect(alert).to_contain_text("“empty.txt” is empty.")
    await expect(alert).to_contain_text("up to 10 files")
    await expect(maya.page.locator(".chip")).to_have_count(10)


async def test_two_quick_pastes_are_counted_together(window: OpenWindow) -> None:
    maya = await window(MAYA)
    await maya.open(EDITORIAL)
    await maya.page.evaluate(_PASTE_TWICE)
    await expect(maya.page.get_by_role("alert")).to_contain_text("up to 10 files")
    await expect(maya.page.locator(".chip")).to_have_count(10)


async def test_a_request_takes_no_files(window: OpenWindow) -> None:
    studio = await window("Studio Nord")
    await studio.open("A test shoot in our second room?")
    attach = studio.button("You can send files once your request is accepted.")
    await expect(attach).to_be_disabled()


async def test_an_upload_goes_on_after_the_server_was_killed(
    window: OpenWindow, demo_server: DemoServer, tmp_path: Path
) -> None:
    maya, jonas = await _pair(window)
    await _slow_down(maya, 12_000_000)
    path = tmp_path / "long.bin"
    path.write_bytes(os.urandom(60_000_000))
    await _attach(maya, path)
    await maya.say("A long one")
    progress = maya.message("A long one").locator("[data-progress]")
    await expect(progress).to_contain_text("Uploading")
    await asyncio.to_thread(demo_server.kill)
    await expect(progress).to_contain_text("Interrupted at")
    await asyncio.to_thread(demo_server.start)
    await expect(jonas.message("A long one").locator(".file-row")).to_contain_text("60 MB")


async def test_an_upload_goes_on_after_the_network_was_cut(
    window: OpenWindow, cuttable_link: CuttableLink, tmp_path: Path
) -> None:
    jonas = await window(JONAS)
    maya = await window(MAYA, url=cuttable_link.url.replace("nats:", "http:"))
    for one in (maya, jonas):
        await one.open(EDITORIAL)
    await _slow_down(maya, 4_000_000)
    path = tmp_path / "long.bin"
    path.write_bytes(os.urandom(20_000_000))
    starts = _upload_offsets(maya)
    await _attach(maya, path)
    await maya.say("Over a bad line")
    progress = maya.message("Over a bad line").locator("[data-progress]")
    await expect(progress).to_have_text(re.compile("Uploading [2-9].%"))
    cuttable_link.cut()
    await expect(progress).to_contain_text("Interrupted at")
    assert await jonas.message("Over a bad line").count() == 0
    cuttable_link.mend()
    row = jonas.message("Over a bad line").locator(".file-row")
    await expect(row).to_contain_text("20 MB")
    assert starts[0] == 0
    assert starts[-1] > 1_000_000, "it goes on where it was cut off"
    async with jonas.page.expect_download() as downloading:
        await row.get_by_role("button", name="Download long.bin").click()
    saved = await (await downloading.value).path()
    assert await asyncio.to_thread(saved.read_bytes) == path.read_bytes()


async def test_an_upload_is_tried_again_and_its_message_canceled(
    window: OpenWindow, tmp_path: Path
) -> None:
    maya, jonas = await _pair(window)
    path = tmp_path / "long.bin"
    path.write_bytes(os.urandom(10_000_000))
    problem = {"type": "/problems/check-failed", "title": "", "status": 422}
    await maya.page.route("**/v1/files", lambda route: route.fulfill(status=422, json=problem))
    await _attach(maya, path)
    await expect(_chip(maya, "long.bin")).to_contain_text("We couldn't check this file.")
    await maya.page.unroute("**/v1/files")
    await _slow_down(maya, 1_000_000)
    await maya.button("Try long.bin again").click()
    await expect(_chip(maya, "long.bin")).to_contain_text("Uploading")
    await maya.say("Not after all")
    message = maya.message("Not after all")
    await expect(message.locator("[data-progress]")).to_contain_text("Uploading")
    await message.get_by_role("button", name="Cancel").click()
    await expect(message).to_have_count(0)
    await expect(maya.field).to_have_value("Not after all")
    await expect(_chip(maya, "long.bin")).to_have_count(0)
    await maya.say("In words")
    await jonas.sees("In words")
    assert await jonas.message("Not after all").count() == 0


async def test_an_upload_goes_on_after_the_tab_was_closed(
    window: OpenWindow, demo_server: DemoServer, tmp_path: Path
) -> None:
    """Unlike one that was paused, by itself."""
    maya, jonas = await _pair(window)
    await _slow_down(maya, 600_000)  # still running when the tab is closed
    path = tmp_path / "long.bin"
    path.write_bytes(os.urandom(10_000_000))
    await _attach(maya, path)
    await maya.say("Sent before the tab was closed")
    progress = maya.message("Sent before").locator("[data-progress]")
    await expect(progress).to_have_text(re.compile("Uploading [2-9].%"))
    again = Window(await maya.page.context.new_page(), demo_server.url)
    starts = _upload_offsets(again)
    await maya.page.close()
    assert await jonas.message("Sent before").count() == 0
    await again.sign_in(MAYA)
    await expect(jonas.message("Sent before").locator(".file-row")).to_contain_text("10 MB")
    assert starts
    assert starts[0] > 1_000_000, "it goes on where it was cut off"


async def test_an_upload_goes_on_in_a_new_tab(
    window: OpenWindow, demo_server: DemoServer, tmp_path: Path
) -> None:
    maya, jonas = await _pair(window)
    path = tmp_path / "kept.bin"
    path.write_bytes(os.urandom(40_000_000))
    await _attach(maya, path)
    await maya.button("Pause kept.bin").click()
    await expect(_chip(maya, "kept.bin")).to_contain_text("Paused")
    await maya.say("Sent while it was paused")
    again = Window(await maya.page.context.new_page(), demo_server.url)
    await maya.page.close()
    await again.sign_in(MAYA)
    await again.open(EDITORIAL)
    await again.button("Resume kept.bin").click()
    await jonas.sees("Sent while it was paused")


async def test_a_large_file_is_chosen_again_after_the_tab_was_closed(
    window: OpenWindow, demo_server: DemoServer, tmp_path: Path
) -> None:
    maya = await window(MAYA)
    await maya.open(EDITORIAL)
    path = tmp_path / "large.bin"
    path.write_bytes(os.urandom(1_000_000) * (_LARGE // 1_000_000))
    await _slow_down(maya, 12_000_000)
    await _attach(maya, path)
    await expect(_chip(maya, "large.bin")).to_contain_text("Uploading")
    again = Window(await maya.page.context.new_page(), demo_server.url)
    await maya.page.close()
    await again.sign_in(MAYA)
    await again.open(EDITORIAL)
    chip = _chip(again, "large.bin")
    await expect(chip).to_contain_text("Choose the file again")
    await chip.locator("input[type=file]").set_input_files(str(path))
    await expect(chip).not_to_contain_text("Choose the file again")
    await again.button("Remove large.bin").click()
    await expect(chip).to_have_count(0)


async def test_a_picture_that_a_moderator_blurs_is_shown_on_request(
    window: OpenWindow, tmp_path: Path
) -> None:
    maya, jonas = await _pair(window)
    await _attach(maya, sample_files.picture(tmp_path / "close up.png"))
    await maya.say("The portrait")
    await expect(jonas.message("The portrait").locator("[data-shown=clear]")).to_be_visible()
    thread = await maya.thread_id(EDITORIAL)
    page = await maya.ask("GET", f"/v1/threads/{thread}/messages?limit=1")
    message = page["messages"][-1]["messageId"]
    report = {"threadId": thread, "messageId": message, "reason": "nsfw", "note": ""}
    await jonas.ask("POST", "/v1/reports", report)
    ada = await window("Ada Okafor")
    await ada.go("/moderation")
    await ada.page.locator("[data-case]", has_text="Maya Lindqvist").click()
    file = ada.page.locator("[data-case-file]")
    await file.get_by_role("button", name="Show").click()
    await file.get_by_role("radio", name="Blur").check()
    tile = jonas.message("The portrait").locator(".tile")
    await expect(tile).to_have_attribute("data-shown", "blurred")
    await tile.get_by_role("button", name="Show").click()
    await expect(tile).to_have_attribute("data-shown", "clear")
    await maya.message("The portrait").get_by_role("button", name="Ask for a review").click()
    dialog = maya.page.get_by_role("dialog", name="Ask for a review")
    await dialog.get_by_label("What should we know?").fill("It is a face.")
    await dialog.get_by_role("button", name="Send").click()
    await expect(dialog).to_have_count(0)
    await ada.go("/moderation")
    await expect(ada.page.locator("[data-case]", has_text="Review of a picture")).to_be_visible()


async def test_files_on_a_phone(window: OpenWindow, tmp_path: Path) -> None:
    maya = await window(MAYA, **PHONE)
    await maya.open(EDITORIAL)
    await maya.button("Attach").click()
    async with maya.page.expect_file_chooser() as choosing:
        await maya.page.get_by_role("menuitem", name="Take a photo").click()
    camera = await choosing.value
    assert await camera.element.get_attribute("capture") == "environment"
    await camera.set_files(str(sample_files.picture(tmp_path / "tall.png", size=(600, 1200))))
    await expect(_chip(maya, "tall.png")).to_be_visible()
    await maya.say("From a phone")
    await expect(maya.message("From a phone").locator("[data-shown=clear]")).to_be_visible()
    wide = await maya.page.evaluate("document.documentElement.scrollWidth - innerWidth")
    assert wide <= 0, "the page does not scroll sideways"


async def test_an_unused_file_is_deleted_in_the_settings(
    window: OpenWindow, tmp_path: Path
) -> None:
    maya = await window(MAYA)
    await maya.open(EDITORIAL)
    await _attach(maya, sample_files.picture(tmp_path / "unused.png"))
    await expect(_chip(maya, "unused.png")).to_have_attribute("data-upload", "ready")
    await maya.go("/settings")
    await maya.button("Delete unused.png").click()
    await expect(maya.button("Delete unused.png")).to_have_count(0)
    await expect(maya.page.get_by_text("maya.jpg")).to_be_visible()


async def _find_eicar(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    content = b""
    while length := int.from_bytes(await reader.readexactly(4)):
        content += await reader.readexactly(length)
    await asyncio.sleep(1)  # so that a message can be sent before
    writer.write(b"stream: Eicar FOUND\0" if b"EICAR" in content else b"stream: OK\0")
    await writer.drain()


async def test_a_virus_is_named_and_the_other_files_can_still_be_sent(
    window: OpenWindow, seeded: Path, tmp_path: Path
) -> None:
    async with serving(_find_eicar) as scanner:
        address = f"clamd://{scanner.host}:{scanner.port}"
        data = copy_data(seeded, tmp_path / "scanned")
        server = DemoServer(data, GREENROOM_SCANNER=address)
        await asyncio.to_thread(server.start)
        try:
            maya = await window(MAYA, url=server.url)
            await maya.open(EDITORIAL)
            bad = tmp_path / "invoice.txt"
            bad.write_bytes(b"EICAR")
            await _attach(maya, bad, sample_files.picture(tmp_path / "good.png"))
            await expect(_chip(maya, "invoice.txt")).to_contain_text("contains a virus")
            assert await maya.button("Try invoice.txt again").count() == 0
            await expect(maya.page.get_by_text("Remove the files that can't be")).to_be_visible()
            await expect(maya.button("Send")).to_be_disabled()
            await maya.button("Remove invoice.txt").click()
            await maya.say("The good one")
            sent = maya.message("The good one").locator("[data-shown=clear]")
            await expect(sent).to_be_visible()
            await _attach(maya, bad)
            await maya.say("Sent before it was scanned")
            row = maya.message("Sent before it was scanned")
            await expect(row).to_contain_text("Not sent. This file contains a virus")
            await expect(row.locator(".file-row")).to_contain_text("contains a virus")
            await expect(row.get_by_role("button", name=re.compile("again"))).to_have_count(0)
            await row.get_by_role("button", name="Edit").click()
            await expect(maya.field).to_have_value("Sent before it was scanned")
        finally:
            server.stop()


async def test_a_full_quota_is_said_once_with_a_way_out(
    window: OpenWindow, seeded: Path, tmp_path: Path
) -> None:
    policy = tmp_path / "policy.toml"
    policy.write_text("[files]\nquota_mb = 1\n")
    server = DemoServer(copy_data(seeded, tmp_path / "full"), GREENROOM_POLICY=str(policy)).start()
    try:
        maya = await window(MAYA, url=server.url)
        await maya.open(EDITORIAL)
        paths = [tmp_path / f"{n}.bin" for n in range(5)]
        for path in paths:
            path.write_bytes(bytes(1_000_001))
        await maya.page.locator("[data-picker]").set_input_files([str(path) for path in paths])
        alert = maya.page.get_by_role("alert")
        await expect(alert).to_contain_text("There isn't enough space for 5 of these files.")
        await expect(alert.locator("p")).to_have_count(1)
        await alert.get_by_role("link", name="Delete files in Settings").click()
        await expect(maya.page.get_by_role("heading", name="Storage")).to_be_visible()
    finally:
        server.stop()

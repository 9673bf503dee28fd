"""Every page of the app and how to open it, for checks on all pages and for screenshots."""

import os
import re
import tempfile
from collections.abc import Awaitable, Callable
from pathlib import Path

from msgspec import Struct
from playwright.async_api import expect

from greenroom.demo import documents, pictures
from tests.web.window import Window

OpenPage = Callable[[Window], Awaitable[None]]


class PageCase(Struct, frozen=True):
    name: str
    who: str
    open: OpenPage
    has_screenshot: bool = True


async def _sign_in(window: Window) -> None:
    await window.go("/")
    await expect(window.page.get_by_role("button", name="Sign in as Maya")).to_be_visible()


async def _inbox(window: Window) -> None:
    await expect(window.row("Editorial in Lisbon")).to_be_visible()


async def _conversation(window: Window) -> None:
    await window.open("Editorial in Lisbon")
    await window.sees("or rather from the first look on?")


async def _project(window: Window) -> None:
    await window.open("Editorial in Lisbon")
    project = window.page.get_by_role("radio", name="Project")
    if not await project.is_visible():  # on a phone, it opens over the conversation
        await window.button("Details").click()
    await project.check()
    await window.page.get_by_role("tab", name="Shot list").click()
    await expect(window.page.locator("[data-object]")).to_have_count(5)


async def _cards(window: Window) -> None:
    await window.open("The film of the harbour story")
    await expect(window.page.get_by_role("region", name="Booking at a glance")).to_contain_text(
        "Confirmed"
    )
    card = window.page.locator("[data-card]", has_text="60 minutes more")
    await card.evaluate("one => one.scrollIntoView({ block: 'start' })")


async def _card_answer(window: Window) -> None:
    await _cards(window)
    card = window.page.locator("[data-card]", has_text="60 minutes more")
    await card.get_by_role("button", name="Accept").click()
    await expect(window.page.get_by_role("dialog")).to_contain_text("You pay €95.00 now.")


async def _card_offer(window: Window) -> None:
    await _cards(window)
    await window.button("Propose").click()
    await window.page.get_by_role("menuitem", name="Offer a booking").click()
    await expect(window.page.get_by_label("What is it?")).to_be_visible()


async def _disputes(window: Window) -> None:
    await window.go("/moderation")
    await window.page.get_by_role("radio", name="Bookings").check()
    await expect(window.page.get_by_role("article", name="Dispute about")).to_be_visible()


async def _group(window: Window) -> None:
    await window.open("The day at Studio Nord")
    await window.sees("In the yard, behind the bakery's car.")


async def _request(window: Window) -> None:
    await window.folder("Requests")
    await window.open("A test shoot in our second room?")
    await expect(window.button("Accept")).to_be_visible()


async def _long(window: Window) -> None:
    await window.open("The room, every week")
    await expect(window.messages).to_be_visible()


async def _empty(window: Window) -> None:
    await window.folder("Spam")
    await expect(window.page.get_by_text("No spam")).to_be_visible()


async def _nudge(window: Window) -> None:
    await window.open("The day at Studio Nord")
    await window.say("Just write to me at maya.lindqvist@example.com")
    await expect(window.page.get_by_role("alertdialog")).to_be_visible()


async def _send_later(window: Window) -> None:
    await window.open("Editorial in Lisbon")
    await window.field.fill("Sizes are in the sheet. I'll bring two pairs of boots.")
    await window.button("Send later").click()
    await expect(window.page.get_by_role("menuitem", name="Choose a time")).to_be_visible()


async def _scheduled_here(window: Window) -> None:
    await window.open("The day at Studio Nord")
    await window.page.get_by_role("button", name="1 scheduled message").click()
    await expect(window.button("Send now")).to_be_visible()


async def _scheduled(window: Window) -> None:
    await window.go("/scheduled")
    await expect(window.page.get_by_role("link", name="The day at Studio Nord")).to_be_visible()


async def _new(window: Window) -> None:
    await window.go("/new")
    await window.page.get_by_role("combobox", name="To").fill("ma")
    await expect(window.page.get_by_role("option", name="Mateo Ruiz")).to_be_visible()


async def _keys(window: Window) -> None:
    await window.page.keyboard.press("?")
    await expect(window.page.get_by_role("dialog", name="Keyboard shortcuts")).to_be_visible()


async def _settings(window: Window) -> None:
    await window.go("/settings")
    await expect(window.page.get_by_text("You haven't blocked anyone.")).to_be_visible()


async def _storage(window: Window) -> None:
    await window.go("/settings")
    files = window.page.get_by_role("list", name="Your files")
    await expect(files).to_contain_text("Shot list.pdf")
    await _pictures(window)
    await window.page.get_by_role("heading", name="Sensitive pictures").evaluate(_TO_TOP)


async def _files(window: Window) -> None:
    await _scouting(window, "I drove out at six")


async def _clip(window: Window) -> None:
    await _scouting(window, "I filmed the coast road")


async def _documents(window: Window) -> None:
    await _scouting(window, "Got them, thank you!")


async def _blurred(window: Window) -> None:
    await _scouting(window, "The test from last week")


async def _gallery(window: Window) -> None:
    await _scouting(window, "I drove out at six")
    tile = window.page.get_by_role("button", name="Open: Hills at dusk, from the terrace")
    await tile.click()
    gallery = window.page.get_by_role("dialog", name="Pictures and videos")
    await expect(gallery.get_by_role("img")).to_be_visible()


async def _upload(window: Window) -> None:
    """Two files are there, one is paused, and one waits for its bytes."""
    await window.open("Editorial in Lisbon")
    with tempfile.TemporaryDirectory() as folder:
        paths = [
            _written(folder, "terrace.jpg", pictures.TERRACE()),
            _written(folder, "Shot list.pdf", documents.shot_list()),
        ]
        await window.page.locator("[data-picker]").set_input_files(paths)
        await expect(window.page.locator(".chip[data-upload=ready]")).to_have_count(2)
        session = await window.page.context.new_cdp_session(window.page)
        await session.send("Network.enable")
        slow = {"offline": False, "latency": 0, "downloadThroughput": -1}
        await session.send(
            "Network.emulateNetworkConditions", {**slow, "uploadThroughput": 1_000_000}
        )
        raws = [
            _written(folder, name, os.urandom(9_000_000))
            for name in ("Raw files 1.zip", "Raw files 2.zip")
        ]
        await window.page.locator("[data-picker]").set_input_files(raws)
        chip = window.page.locator(".chip", has_text="Raw files 1.zip")
        await expect(chip).to_contain_text(re.compile("Uploading [2-9]%|Uploading [1-9].%"))
        await window.button("Pause Raw files 1.zip").click()
        await expect(chip).to_contain_text("Paused")
    await window.field.fill("The terrace, the list, and all the raw files")


async def _verify(window: Window) -> None:
    await _scouting(window, "The graded selects are on our drive.")
    link = window.page.get_by_role("link", name="Verify a file")
    path = await link.get_attribute("href")
    await window.page.goto(str(path))
    await expect(window.page.get_by_text("The record was not changed")).to_be_visible()


async def _held_picture(window: Window) -> None:
    await window.go("/moderation")
    await window.page.locator("[data-case]", has_text="Picture").click()
    await expect(window.page.locator("[data-case-file] img")).to_be_visible()


async def _scouting(window: Window, text: str) -> None:
    """Shows a message in the conversation with files."""
    await window.open("Scouting in Sintra")
    await expect(window.messages.locator(".tile[data-shown]")).to_have_count(6)
    await _pictures(window)
    await window.message(text).evaluate(_TO_MIDDLE)


async def _pictures(window: Window) -> None:
    """Waits until all pictures are loaded."""
    await window.page.wait_for_function(
        """() => [...document.querySelectorAll(".tile, .file-page, .chip-picture")]
            .every((one) => one.querySelector("img")?.complete)"""
    )


_TO_TOP = """one => {
    one.scrollIntoView({ block: "start" });
    one.closest(".page-scroll").scrollTop -= 24;
}"""
_TO_MIDDLE = "one => one.scrollIntoView({ block: 'center' })"


def _written(folder: str, name: str, content: bytes) -> str:
    path = Path(folder) / name
    path.write_bytes(content)
    return str(path)


async def _moderation(window: Window) -> None:
    await window.go("/moderation")
    await window.page.get_by_role("button", name="1 report").click()
    await expect(window.page.get_by_role("article", name="Reported message")).to_contain_text(
        "Second account this week"
    )


async def _decisions(window: Window) -> None:
    await window.go("/moderation")
    await window.page.get_by_role("radio", name="Decisions").check()
    await expect(window.page.get_by_role("list", name="Decisions")).to_contain_text("Dismissed")


async def _not_found(window: Window) -> None:
    await window.go("/inbox/thr_01k75q8h3c0000000000000000")
    await expect(window.page.get_by_text("Conversation not found")).to_be_visible()


_MAYA, _JONAS, _ADA = "Maya Lindqvist", "Jonas Achterberg", "Ada Okafor"

PAGE_CASES = (
    PageCase("sign-in", "", _sign_in),
    PageCase("inbox", _MAYA, _inbox),
    PageCase("conversation", _MAYA, _conversation),
    PageCase("project", _MAYA, _project),
    PageCase("group", _MAYA, _group),
    PageCase("files", _MAYA, _files),
    PageCase("clip", _MAYA, _clip),
    PageCase("documents", _MAYA, _documents),
    PageCase("blurred", _MAYA, _blurred),
    PageCase("gallery", _MAYA, _gallery),
    PageCase("verify", _MAYA, _verify),
    PageCase("request", _MAYA, _request),
    PageCase("long", "Mateo Ruiz", _long),
    PageCase("empty", _MAYA, _empty),
    PageCase("nudge", _MAYA, _nudge),
    PageCase("send-later", _MAYA, _send_later),
    PageCase("scheduled-here", _MAYA, _scheduled_here),
    PageCase("scheduled", _MAYA, _scheduled),
    PageCase("new", _MAYA, _new),
    PageCase("keys", _MAYA, _keys),
    PageCase("settings", _MAYA, _settings),
    PageCase("storage", _JONAS, _storage),
    PageCase("cards", _JONAS, _cards),
    PageCase("card answer", _JONAS, _card_answer, has_screenshot=False),
    PageCase("card offer", _JONAS, _card_offer, has_screenshot=False),
    PageCase("moderation", _ADA, _moderation),
    PageCase("disputes", _ADA, _disputes),
    PageCase("held-picture", _ADA, _held_picture),
    PageCase("decisions", _ADA, _decisions),
    PageCase("not-found", _MAYA, _not_found),
    PageCase("upload", _MAYA, _upload),  # the last one: it slows the window down
)

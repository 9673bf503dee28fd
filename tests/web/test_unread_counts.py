"""The unread counts in title, folders and rows agree, live and after a reload."""

import asyncio
import re
from collections.abc import Awaitable, Callable
from typing import Any, TypeAlias

import pytest
from playwright.async_api import expect

from tests.web.conftest import OpenWindow
from tests.web.window import Window

pytestmark = pytest.mark.asyncio(loop_scope="session")

EDITORIAL = "Editorial in Lisbon"
STUDIO = "The day at Studio Nord"
REQUEST = "A test shoot in our second room?"

_COUNT = """() => {
    const unread = (within) => {
        const text = within.querySelector(".badge .sr")?.textContent ?? "0";
        return Number(/\\d+/.exec(text)[0]);
    };
    const folders = Object.fromEntries([...document.querySelectorAll("[data-folder]")]
        .map((folder) => [folder.dataset.folder, unread(folder)]));
    const rows = [...document.querySelectorAll("[data-thread]")];
    const loud = rows.filter((row) => row.querySelector(".badge:not(.quiet)"));
    return {
        title: Number(/^\\((\\d+)\\)/.exec(document.title)?.[1] ?? 0),
        folders,
        rows: loud.map(unread).reduce((sum, one) => sum + one, 0),
        quiet: rows.filter((row) => row.querySelector(".badge.quiet")).length,
    };
}"""

Act: TypeAlias = Callable[[Window, Window], Awaitable[Any]]


def _mine(subject: str, **settings: object) -> Act:
    async def change_row(maya: Window, _: Window) -> None:
        await maya.ask("PATCH", f"/v1/threads/{await _id(maya, subject)}/mine", settings)

    return change_row


async def _id(window: Window, subject: str) -> str:
    for folder in ("all", "archived", "spam", "hidden"):
        page = await window.ask("GET", f"/v1/inbox?folder={folder}&limit=50")
        for row in page["threads"]:
            if row["subject"] == subject:
                return str(row["threadId"])
    raise AssertionError(f"{subject} is in no folder")


async def _jonas_writes(_: Window, jonas: Window) -> None:
    thread = await _id(jonas, EDITORIAL)
    key = str(asyncio.get_running_loop().time())
    message = {"clientMessageId": key, "body": f"Counted at {key}."}
    await jonas.ask("POST", f"/v1/threads/{thread}/messages", message)


async def _mark_unread(maya: Window, _: Window) -> None:
    await maya.ask("PUT", f"/v1/threads/{await _id(maya, STUDIO)}/unread", {})


async def _accept(maya: Window, _: Window) -> None:
    requests = (await maya.ask("GET", f"/v1/threads/{await _id(maya, REQUEST)}"))["requests"]
    await maya.ask("POST", f"/v1/requests/{requests[0]['requestId']}/accept")


async def _nothing(maya: Window, jonas: Window) -> None:
    """The initial state of the demo."""


CHANGES: dict[str, Act] = {
    "at first": _nothing,
    "a message arrives": _jonas_writes,
    "muted": _mine(EDITORIAL, mutedUntil="2099-01-01T00:00:00Z"),
    "a message arrives in a muted conversation": _jonas_writes,
    "unmuted": _mine(EDITORIAL, mutedUntil=None),
    "archived while unread": _mine(EDITORIAL, archived=True),
    "a message brings it back": _jonas_writes,
    "marked as spam while unread": _mine(EDITORIAL, spam=True),
    "a message arrives in spam": _jonas_writes,
    "no spam": _mine(EDITORIAL, spam=False),
    "hidden while unread": _mine(EDITORIAL, hidden=True),
    "a message brings it back from there": _jonas_writes,
    "marked as unread": _mark_unread,
    "a request accepted": _accept,
    "muted and archived": _mine(EDITORIAL, mutedUntil="2099-01-01T00:00:00Z", archived=True),
    "a message arrives in a muted archived one": _jonas_writes,
}


async def _wrong(window: Window) -> str:
    seen = await window.page.evaluate(_COUNT)
    folders: dict[str, int] = dict(seen["folders"])
    everything = folders.pop("all")
    server = (await window.ask("GET", "/v1/inbox/counts"))["badge"]
    numbers = {seen["title"], everything, sum(folders.values()), seen["rows"], server}
    return "" if len(numbers) == 1 else f"{seen}, the server says {server}"


async def _agree(window: Window, when: str) -> None:
    wrong = ""
    end = asyncio.get_running_loop().time() + 20
    while asyncio.get_running_loop().time() < end:
        await asyncio.sleep(0.15)
        if not (wrong := await _wrong(window)):
            return
    raise AssertionError(f"{when}: {wrong}")


@pytest.mark.timeout(240)
async def test_all_counts_agree_after_every_change(window: OpenWindow) -> None:
    maya, jonas = await window("Maya Lindqvist"), await window("Jonas Achterberg")
    await expect(maya.row(EDITORIAL)).to_be_visible()
    assert re.match(r"\(\d+\) ", await maya.page.title()), "there is something to count"
    quiet = 0
    for when, act in CHANGES.items():
        await act(maya, jonas)
        await _agree(maya, f"{when}, live")
        quiet = max(quiet, (await maya.page.evaluate(_COUNT))["quiet"])
        await maya.page.reload()
        await expect(maya.row(STUDIO)).to_be_visible()
        await _agree(maya, f"{when}, after a reload")
    assert quiet > 0, "a muted conversation with unread messages was among them"


async def test_the_count_changes_when_a_mute_ends(window: OpenWindow) -> None:
    """There is no event when a mute ends; the window counts again by itself."""
    maya = await window("Maya Lindqvist")
    await expect(maya.row(EDITORIAL)).to_contain_text("2 unread messages")
    seconds = "new Date(Date.now() + 6000).toISOString()"
    until = await maya.page.evaluate(seconds)
    await _mine(EDITORIAL, mutedUntil=until)(maya, maya)
    await expect(maya.row(EDITORIAL)).to_contain_text("Muted")
    await _agree(maya, "muted for a moment")
    await expect(maya.row(EDITORIAL)).not_to_contain_text("Muted")
    await _agree(maya, "after the mute")

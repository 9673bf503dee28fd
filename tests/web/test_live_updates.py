"""Live updates: a window shows the same live as after a reload.

One window changes something, another has list, conversation and details open. Then it reloads, and
nothing may look different.
"""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any, TypeAlias

import pytest
from playwright.async_api import expect

from tests.web.conftest import OpenWindow
from tests.web.window import Window

pytestmark = pytest.mark.asyncio(loop_scope="session")

EDITORIAL = "Editorial in Lisbon"
STUDIO = "The day at Studio Nord"

Change: TypeAlias = Callable[[Window, str], Awaitable[Any]]


async def _settled(window: Window, before: dict[str, str], timeout_s: float = 15) -> dict[str, str]:
    """Waits until the screen has changed and stopped changing."""
    loop = asyncio.get_running_loop()
    end = loop.time() + timeout_s
    last, since = await window.screen(), loop.time()
    while loop.time() < end:
        await asyncio.sleep(0.1)
        now = await window.screen()
        if now != last:
            last, since = now, loop.time()
        elif now != before and loop.time() - since > 1.0:
            break
    return last


async def _reloaded(window: Window, live: dict[str, str]) -> dict[str, str]:
    """Reloads, and waits until the screen is as before, or for 15 seconds."""
    await window.page.reload()
    await expect(window.page.locator(".log[data-loaded], .conversation.none").first).to_be_visible()
    await expect(window.page.locator("[data-thread], .threads .empty").first).to_be_visible()
    end = asyncio.get_running_loop().time() + 15
    while (again := await window.screen()) != live and asyncio.get_running_loop().time() < end:
        await window.page.wait_for_timeout(100)
    return again


async def _same_after_reload(window: Window, change: str, before: dict[str, str]) -> None:
    live = await _settled(window, before)
    again = await _reloaded(window, live)
    for part in live:
        assert live[part] == again[part], f"{change}: {part} is not what a reload shows"


async def _last(actor: Window, thread: str, kind: str = "text") -> dict[str, Any]:
    page = await actor.ask("GET", f"/v1/threads/{thread}/messages")
    said: list[dict[str, Any]] = page["messages"]
    return [one for one in said if one["kind"] == kind and not one["deletedAt"]][-1]


def _sends(body: str) -> Change:
    def send(actor: Window, thread: str) -> Awaitable[Any]:
        message = {"clientMessageId": body.encode().hex()[:64], "body": body}
        return actor.ask("POST", f"/v1/threads/{thread}/messages", message)

    return send


async def _edits(actor: Window, thread: str) -> None:
    last = await _last(actor, thread)
    path = f"/v1/threads/{thread}/messages/{last['messageId']}"
    await actor.ask("PATCH", path, {"body": "Said differently."})


async def _reacts(actor: Window, thread: str) -> None:
    last = await _last(actor, thread)
    path = f"/v1/threads/{thread}/messages/{last['messageId']}/reactions/%F0%9F%91%8D"
    await actor.ask("PUT", path)


async def _deletes(actor: Window, thread: str) -> None:
    last = await _last(actor, thread)
    await actor.ask("DELETE", f"/v1/threads/{thread}/messages/{last['messageId']}")


async def _renames(actor: Window, thread: str) -> None:
    await actor.ask("PATCH", f"/v1/threads/{thread}", {"subject": "A day with another name"})


async def _changes_own_name(actor: Window, thread: str) -> None:
    await actor.ask("PATCH", "/v1/me", {"displayName": "Somebody Else"})


async def _person(actor: Window, name: str) -> str:
    found = await actor.ask("GET", f"/v1/people?name={name}")
    return str(found["people"][0]["userId"])


async def _adds(actor: Window, thread: str) -> None:
    whom = {"userId": await _person(actor, "ada"), "role": "member"}
    await actor.ask("POST", f"/v1/threads/{thread}/participants", whom)


async def _removes(actor: Window, thread: str) -> None:
    whom = await _person(actor, "ada")
    await actor.ask("DELETE", f"/v1/threads/{thread}/participants/{whom}")


def _arranges(**mine: object) -> Change:
    def change_row(actor: Window, thread: str) -> Awaitable[Any]:
        return actor.ask("PATCH", f"/v1/threads/{thread}/mine", mine)

    return change_row


async def _reads(actor: Window, thread: str) -> None:
    seq = (await actor.ask("GET", f"/v1/threads/{thread}"))["lastSeq"]
    await actor.ask("PUT", f"/v1/threads/{thread}/read", {"seq": seq})


async def _drafts(actor: Window, thread: str) -> None:
    await actor.ask("PUT", f"/v1/threads/{thread}/draft", {"body": "Half a sen"})


async def _forgets_the_draft(actor: Window, thread: str) -> None:
    await actor.ask("DELETE", f"/v1/threads/{thread}/draft")


async def _changes_a_role(actor: Window, thread: str) -> None:
    whom = await _person(actor, "ada")
    await actor.ask("PATCH", f"/v1/threads/{thread}/participants/{whom}", {"role": "host"})


BY_OTHERS: dict[str, Change] = {
    "a message": _sends("Live, and after a reload."),
    "an edit": _edits,
    "a reaction": _reacts,
    "a deletion": _deletes,
    "a rename": _renames,
    "someone added": _adds,
    "another role": _changes_a_role,
    "someone removed": _removes,
    "a person's name": _changes_own_name,
}

ON_ANOTHER_DEVICE: dict[str, Change] = {
    "a message": _sends("From the other device."),
    "a draft": _drafts,
    "a draft thrown away": _forgets_the_draft,
    "muted": _arranges(mutedUntil="2099-01-01T00:00:00Z"),
    "unmuted": _arranges(mutedUntil=None),
    "pinned": _arranges(pinned=True),
    "archived": _arranges(archived=True),
    "back from the archive": _arranges(archived=False),
    "spam": _arranges(spam=True),
    "no spam": _arranges(spam=False),
    "hidden": _arranges(hidden=True),
    "shown again": _arranges(hidden=False),
}


@pytest.mark.timeout(240)
@pytest.mark.parametrize(("shown", "who"), [(STUDIO, "Studio Nord"), (EDITORIAL, "Jonas Achter")])
async def test_changes_by_others_show_as_after_a_reload(
    window: OpenWindow, shown: str, who: str
) -> None:
    actor, maya = await window(who), await window("Maya Lindqvist")
    thread = await maya.thread_id(shown)
    await maya.open(shown)
    await _settled(maya, {})
    for name, change in BY_OTHERS.items():
        if shown == EDITORIAL and change in (_renames, _adds, _changes_a_role, _removes):
            continue
        before = await maya.screen()
        assert before["log"], "the conversation is on screen"
        await change(actor, thread)
        await _same_after_reload(maya, name, before)


@pytest.mark.timeout(240)
@pytest.mark.parametrize("shown", [STUDIO, EDITORIAL])
async def test_changes_on_another_device_show_as_after_a_reload(
    window: OpenWindow, shown: str
) -> None:
    """With the changed conversation open, and with another one."""
    phone, maya = await window("Maya Lindqvist"), await window("Maya Lindqvist")
    thread = await maya.thread_id(STUDIO)
    await maya.open(shown)
    await _settled(maya, {})
    for name, change in ON_ANOTHER_DEVICE.items():
        before = await maya.screen()
        await change(phone, thread)
        await _same_after_reload(maya, name, before)


@pytest.mark.timeout(120)
async def test_an_accepted_group_request_shows_all_messages_on_every_device(
    window: OpenWindow,
) -> None:
    """More than three messages wait for the request to be accepted."""
    nord = await window("Studio Nord")
    ines, phone = await window("Inês Carvalho"), await window("Inês Carvalho")
    thread = await nord.thread_id(STUDIO)
    whom = {"userId": await _person(nord, "ines"), "role": "member"}
    await nord.ask("POST", f"/v1/threads/{thread}/participants", whom)
    for number in range(5):
        await _sends(f"Behind the gate {number}.")(nord, thread)
    row = ines.row(STUDIO)
    await expect(row).to_contain_text("3 unread messages")
    await expect(row).to_contain_text("Behind the gate 1.")
    for one in (ines, phone):
        await one.folder("Requests")
        await one.open(STUDIO)
        await one.sees("Behind the gate 1.")
        await one.sees("Behind the gate 2.", times=0)
    before = await phone.screen()
    await ines.button("Accept").click()
    for one in (ines, phone):
        for number in range(5):
            await one.sees(f"Behind the gate {number}.")
    await _same_after_reload(phone, "accepted", before)

"""Every page of the app and how to open it, for checks on all pages and for screenshots."""

from collections.abc import Awaitable, Callable

from msgspec import Struct
from playwright.async_api import expect

from tests.web.window import Window

OpenPage = Callable[[Window], Awaitable[None]]


class PageCase(Struct, frozen=True):
    name: str
    who: str
    open: OpenPage


async def _sign_in(window: Window) -> None:
    await window.go("/")
    await expect(window.page.get_by_role("button", name="Sign in as Maya")).to_be_visible()


async def _inbox(window: Window) -> None:
    await expect(window.row("Editorial in Lisbon")).to_be_visible()


async def _conversation(window: Window) -> None:
    await window.open("Editorial in Lisbon")
    await window.sees("or rather from the first look on?")


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


_MAYA, _ADA = "Maya Lindqvist", "Ada Okafor"

PAGE_CASES = (
    PageCase("sign-in", "", _sign_in),
    PageCase("inbox", _MAYA, _inbox),
    PageCase("conversation", _MAYA, _conversation),
    PageCase("group", _MAYA, _group),
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
    PageCase("moderation", _ADA, _moderation),
    PageCase("decisions", _ADA, _decisions),
    PageCase("not-found", _MAYA, _not_found),
)

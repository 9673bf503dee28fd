"""A browser window with a signed-in user, and the actions on its page.

Elements are found by their accessible names; messages and rows, which have none, by their text.
"""

import asyncio
import base64
import mimetypes
from pathlib import Path
from typing import Any

from playwright.async_api import Locator, Page, expect

_ASK = """async ([method, path, body, headers]) => {
    const { token } = JSON.parse(sessionStorage.getItem("greenroom.session"));
    const given = { ...headers, Authorization: `Bearer ${token}` };
    if (body !== null) given["Content-Type"] = "application/json";
    const answer = await fetch(path, {
        method, headers: given, body: body === null ? undefined : JSON.stringify(body),
    });
    const said = answer.status === 204 ? null : await answer.json();
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(said)}`);
    return said;
}"""

_GIVE = """async ([selector, name, type, content, event]) => {
    const bytes = Uint8Array.from(atob(content), (letter) => letter.charCodeAt(0));
    const transfer = new DataTransfer();
    transfer.items.add(new File([bytes], name, { type }));
    const target = document.querySelector(selector);
    const options = { bubbles: true, cancelable: true };
    if (event === "paste") {
        const pasted = new ClipboardEvent("paste", { ...options, clipboardData: transfer });
        target.dispatchEvent(pasted);
        return;
    }
    for (const type of ["dragenter", "dragover", "drop"]) {
        target.dispatchEvent(new DragEvent(type, { ...options, dataTransfer: transfer }));
    }
}"""

_SCREEN = """() => {
    const PARTS = {
        title: "title", rail: ".rail", list: ".threads-scroll", head: ".thread-head",
        log: ".log .rows", panel: ".panel", composer: ".composer-place", request: ".request",
    };
    // Presence and typing are ephemeral; the divider depends on when the thread was opened.
    const PASSING = ".divider, .online, .now, .typing, .skeleton, .tools, .compose-hint";
    const words = (node) => {
        if (node.nodeType === Node.TEXT_NODE) return [node.data.replace(/\\s+/g, " ").trim()];
        if (node.nodeType !== Node.ELEMENT_NODE || node.matches(PASSING)) return [];
        const marks = ["aria-checked", "aria-current", "aria-pressed", "disabled", "title"]
            .filter((name) => node.hasAttribute(name) && node.getAttribute(name) !== "false")
            .map((name) => `${name}=${node.getAttribute(name)}`);
        if (node.matches("textarea, input, select")) marks.push(`value=${node.value}`);
        return [...marks, ...[...node.childNodes].flatMap(words)];
    };
    const found = {};
    for (const [name, where] of Object.entries(PARTS)) {
        const part = document.querySelector(where);
        found[name] = part === null ? "" : words(part).filter((word) => word !== "").join(" | ");
    }
    return found;
}"""


class Window:
    def __init__(self, page: Page, url: str) -> None:
        self.page = page
        self.url = url
        self.errors: list[str] = []
        """Errors that the browser has logged: script errors and CSP violations."""
        page.on("pageerror", lambda error: self.errors.append(str(error)))
        page.on("console", self._collect_error)

    def _collect_error(self, message: object) -> None:
        if getattr(message, "type", "") == "error" and not _is_network(
            getattr(message, "text", "")
        ):
            self.errors.append(getattr(message, "text", ""))

    async def sign_in(self, name: str) -> "Window":
        await self.page.goto(self.url)
        await self.page.get_by_role("button", name=f"Sign in as {name}").click()
        await expect(self.inbox("All")).to_be_visible()
        return self

    async def go(self, path: str) -> "Window":
        await self.page.goto(self.url + path)
        return self

    # elements

    def button(self, name: str) -> Locator:
        return self.page.get_by_role("button", name=name, exact=True)

    def inbox(self, folder: str) -> Locator:
        return self.page.get_by_role("region", name=f"Conversations in {folder}")

    def row(self, text: str) -> Locator:
        return self.page.locator("[data-thread]", has_text=text)

    @property
    def messages(self) -> Locator:
        return self.page.get_by_role("list", name="Messages")

    def message(self, text: str) -> Locator:
        """Not a list item within a message."""
        return self.messages.locator(":scope > li", has_text=text)

    @property
    def field(self) -> Locator:
        return self.page.get_by_role("textbox", name="Message", exact=True)

    # actions

    async def folder(self, name: str) -> None:
        folders = self.page.get_by_role("list", name="Folders")
        await folders.get_by_role("link", name=name).click()
        await expect(self.inbox(name)).to_be_visible()

    async def open(self, text: str) -> None:
        """Opens the conversation whose row contains the text."""
        await self.row(text).click()
        await expect(
            self.field.or_(self.page.get_by_role("region", name="Request", exact=True))
        ).to_be_visible()

    async def say(self, text: str) -> None:
        await self.field.fill(text)
        await self.field.press("Enter")

    async def with_message(self, text: str, action: str) -> None:
        message = self.message(text).last
        await message.hover()
        await message.get_by_role("button", name=action, exact=True).click()

    async def choose(self, action: str) -> None:
        """Chooses from the conversation's menu."""
        await self.button("Conversation actions").click()
        await self.page.get_by_role("menuitem", name=action, exact=True).click()

    async def ask(self, method: str, path: str, body: object = None, **headers: str) -> Any:
        """A REST request as the signed-in user."""
        return await self.page.evaluate(_ASK, [method, path, body, headers])

    async def give(self, event: str, selector: str, path: Path, *, name: str = "") -> None:
        """Drops or pastes a file on an element."""
        content = base64.b64encode(await asyncio.to_thread(path.read_bytes)).decode()
        type = mimetypes.guess_type(path.name)[0] or ""
        await self.page.evaluate(_GIVE, [selector, name or path.name, type, content, event])

    async def thread_id(self, text: str) -> str:
        return str(await self.row(text).first.get_attribute("data-thread"))

    # checks

    async def screen(self) -> dict[str, str]:
        """The visible texts and states, by part of the page."""
        found: dict[str, str] = await self.page.evaluate(_SCREEN)
        return found

    async def sees(self, text: str, *, times: int = 1) -> None:
        await expect(self.message(text)).to_have_count(times)

    async def texts(self) -> list[str]:
        """All messages in the page, in order."""
        return await self.messages.locator("[data-message] .bubble").all_inner_texts()


def _is_network(text: str) -> bool:
    """Network errors are expected when a test stops the server."""
    return "net::ERR" in text or "WebSocket connection" in text or "Failed to load resource" in text

"""A browser window in which somebody is signed in, and what people do in it, in their words.

Everything is found as a person finds it, by what it is called; only messages and rows of the list
have no name, and are found by what they say.
"""

from playwright.async_api import Locator, Page, expect


class Window:
    def __init__(self, page: Page, url: str) -> None:
        self.page = page
        self.url = url
        self.complaints: list[str] = []
        """What the browser has complained of: errors in scripts, what the policy forbids."""
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        page.on("console", self._hear)

    def _hear(self, message: object) -> None:
        if getattr(message, "type", "") == "error" and not _is_network(
            getattr(message, "text", "")
        ):
            self.complaints.append(getattr(message, "text", ""))

    async def sign_in(self, name: str) -> "Window":
        await self.page.goto(self.url)
        await self.page.get_by_role("button", name=f"Sign in as {name}").click()
        await expect(self.inbox("All")).to_be_visible()
        return self

    async def go(self, path: str) -> "Window":
        await self.page.goto(self.url + path)
        return self

    # what there is

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
        """Not a line of a list in it."""
        return self.messages.locator(":scope > li", has_text=text)

    @property
    def field(self) -> Locator:
        return self.page.get_by_role("textbox", name="Message", exact=True)

    # what one does

    async def folder(self, name: str) -> None:
        folders = self.page.get_by_role("list", name="Folders")
        await folders.get_by_role("link", name=name).click()
        await expect(self.inbox(name)).to_be_visible()

    async def open(self, text: str) -> None:
        """The conversation whose row says this."""
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
        """From what can be done with the whole conversation."""
        await self.button("Conversation actions").click()
        await self.page.get_by_role("menuitem", name=action, exact=True).click()

    # what one sees

    async def sees(self, text: str, *, times: int = 1) -> None:
        await expect(self.message(text)).to_have_count(times)

    async def texts(self) -> list[str]:
        """All messages that are there, in the order in which they are shown."""
        return await self.messages.locator("[data-message] .bubble").all_inner_texts()


def _is_network(text: str) -> bool:
    """That a server is away is told by the app; the browser need not tell it too."""
    return "net::ERR" in text or "WebSocket connection" in text or "Failed to load resource" in text

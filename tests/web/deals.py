"""Steps of a booking in a browser window: cards are proposed and answered, the contract signed."""

from collections.abc import Mapping
from datetime import datetime, timedelta

from playwright.async_api import Locator, expect

from tests.web.window import Window


def card(window: Window, text: str) -> Locator:
    """The cards of the conversation whose content or type contains the text."""
    return window.messages.locator("[data-card]", has_text=text)


def bar(window: Window) -> Locator:
    return window.page.get_by_role("region", name="Booking at a glance")


def moment(*, days: float = 0, hours: float = 0) -> str:
    """What is typed into a field with a date and a time."""
    return (datetime.now() + timedelta(days=days, hours=hours)).strftime("%Y-%m-%dT%H:%M")


async def act(window: Window, text: str, action: str) -> Locator:
    """Opens the dialog of one of the card's buttons."""
    await card(window, text).get_by_role("button", name=action, exact=True).click()
    dialog = window.page.get_by_role("dialog")
    await expect(dialog).to_be_visible()
    return dialog


async def answer(
    window: Window,
    text: str,
    action: str,
    confirm: str = "",
    *,
    sees: str = "",
    **fields: str,
) -> None:
    """Presses one of the card's buttons, fills the form if there is one, and confirms."""
    dialog = await act(window, text, action)
    if fields:
        await _fill(dialog, fields)
    await _confirm(dialog, confirm or action, sees)


async def propose(window: Window, action: str, *, sees: str = "", **fields: str) -> None:
    await window.button("Propose").click()
    await window.page.get_by_role("menuitem", name=action, exact=True).click()
    dialog = window.page.get_by_role("dialog", name=action)
    await _fill(dialog, fields)
    await _confirm(dialog, "Send", sees)


async def _fill(dialog: Locator, fields: Mapping[str, str]) -> None:
    for name, text in fields.items():
        label = _LABELS.get(name, name.capitalize())
        await dialog.get_by_label(label).fill(text)
    await dialog.get_by_role("button", name="Continue").click()


_LABELS = {
    "what": "What is it?",
    "account": "What happened?",
    "minutes": "Minutes more",
    "claim": "From the deposit",
}


async def _confirm(dialog: Locator, confirm: str, sees: str) -> None:
    if sees:
        await expect(dialog).to_contain_text(sees)
    await dialog.get_by_role("button", name=confirm, exact=True).click()
    await expect(dialog).to_be_hidden()


async def both_see(windows: tuple[Window, Window], text: str, *states: str) -> None:
    for one in windows:
        for state in states:
            await expect(card(one, text)).to_contain_text(state)


async def sign_from_the_booking(window: Window) -> None:
    await window.button("Booking").click()
    sheet = window.page.get_by_role("dialog", name="Booking")
    await sheet.get_by_role("button", name="Read and sign").click()
    await _sign(window)
    await sheet.get_by_role("button", name="Close", exact=True).last.click()
    await expect(sheet).to_be_hidden()


async def sign_from_the_message(window: Window) -> None:
    message = window.messages.locator("li", has_text="A document is ready to sign").last
    await message.get_by_role("button", name="Show").click()
    await _sign(window)


async def _sign(window: Window) -> None:
    contract = window.page.get_by_role("dialog", name="Contract")
    await expect(contract.get_by_role("button", name="Sign", exact=True)).to_be_disabled()
    await contract.get_by_role("checkbox").check()
    await contract.get_by_role("button", name="Sign", exact=True).click()
    await contract.get_by_role("button", name="Close", exact=True).last.click()
    await expect(contract).to_be_hidden()


async def open_shot_list(window: Window) -> None:
    project = window.page.get_by_role("radio", name="Project")
    if not await project.is_visible():  # on a phone, it opens over the conversation
        await window.button("Details").click()
    await project.check()
    await window.page.get_by_role("tab", name="Shot list").click()

"""Cards in two windows: from an offer to a booking, answered in place, without a reload."""

from datetime import datetime, timedelta

import pytest
from playwright.async_api import Locator, expect

from tests.web.conftest import OpenWindow
from tests.web.window import Window

pytestmark = pytest.mark.asyncio(loop_scope="session")

ROOM = "The room, every week"
FILM = "The film of the harbour story"


def _card(window: Window, title: str) -> Locator:
    return window.messages.locator("[data-card]", has_text=title)


async def _act(window: Window, title: str, action: str) -> Locator:
    """Opens the dialog of one of the card's buttons."""
    await _card(window, title).get_by_role("button", name=action, exact=True).click()
    dialog = window.page.get_by_role("dialog")
    await expect(dialog).to_be_visible()
    return dialog


async def _offer(window: Window, title: str, price: str) -> None:
    await window.button("Propose").click()
    await window.page.get_by_role("menuitem", name="Offer a booking").click()
    dialog = window.page.get_by_role("dialog", name="Offer a booking")
    await dialog.get_by_role("button", name="Continue").click()
    await expect(dialog.get_by_text("Fill this in.").first).to_be_visible()
    await dialog.get_by_label("What is it?").fill(title)
    begins = (datetime.now() + timedelta(days=20)).replace(hour=10, minute=0)
    await dialog.get_by_label("Begins").fill(begins.strftime("%Y-%m-%dT%H:%M"))
    await dialog.get_by_label("Price").fill(price)
    await dialog.get_by_role("button", name="Continue").click()
    await expect(dialog).to_contain_text("Nothing is paid until it's accepted.")
    await dialog.get_by_role("button", name="Send").click()
    await expect(dialog).to_be_hidden()


async def test_an_offer_is_countered_accepted_and_booked_in_both_windows(
    window: OpenWindow,
) -> None:
    nord, mateo = await window("Studio Nord"), await window("Mateo Ruiz")
    await nord.open(ROOM)
    await mateo.open(ROOM)
    await _offer(nord, "The room in May", "1,200.50")
    card = _card(mateo, "The room in May")
    await expect(card).to_contain_text("€1,200.50")
    await expect(card).to_contain_text("Waiting for you")
    await expect(_card(nord, "The room in May")).to_contain_text("Waiting for Mateo")

    dialog = await _act(mateo, "The room in May", "Propose something else")
    await expect(dialog.get_by_label("What is it?")).to_have_value("The room in May")
    await dialog.get_by_label("Price").fill("1000")
    await dialog.get_by_role("button", name="Continue").click()
    await expect(dialog.get_by_label("Payment method")).to_have_value("sandbox:ok")
    await dialog.get_by_role("button", name="Send").click()
    await expect(_card(nord, "The room in May")).to_contain_text("Waiting for you")
    await expect(_card(nord, "The room in May")).to_contain_text("€1,000.00")

    dialog = await _act(nord, "The room in May", "Accept")
    await expect(dialog).to_contain_text("Mateo Ruiz pays €1,000.00 now.")
    await dialog.get_by_role("button", name="Accept").click()
    for one in (nord, mateo):
        await expect(_card(one, "The room in May")).to_contain_text("Booked")
        booking = one.page.get_by_role("region", name="Booking at a glance")
        await expect(booking).to_contain_text("The room in May")
        await expect(booking).to_contain_text("Confirmed")


async def test_a_card_that_has_changed_is_shown_and_nothing_is_sent(window: OpenWindow) -> None:
    mateo, jonas = await window("Mateo Ruiz"), await window("Jonas Achterberg")
    await mateo.open(FILM)
    await jonas.open(FILM)
    dialog = await _act(jonas, "60 minutes more", "Decline")
    withdrawing = await _act(mateo, "60 minutes more", "Withdraw")
    await withdrawing.get_by_role("button", name="Withdraw").click()
    await expect(_card(jonas, "60 minutes more")).to_contain_text("Withdrawn")
    await dialog.get_by_role("button", name="Decline", exact=True).click()
    await expect(dialog).to_contain_text("It's now: Withdrawn. Nothing was sent.")
    await dialog.get_by_role("button", name="Show the card").click()
    await expect(jonas.page.get_by_role("dialog")).to_have_count(0)

"""Cards in two windows: from an offer to a booking, answered in place, without a reload."""

import pytest
from playwright.async_api import expect

from tests.web.conftest import OpenWindow
from tests.web.deals import act, bar, card, moment
from tests.web.window import Window

pytestmark = pytest.mark.asyncio(loop_scope="session")

ROOM = "The room, every week"
FILM = "The film of the harbour story"


async def test_an_offer_is_countered_accepted_and_booked_in_both_windows(
    window: OpenWindow,
) -> None:
    nord, mateo = await window("Studio Nord"), await window("Mateo Ruiz")
    await nord.open(ROOM)
    await mateo.open(ROOM)
    await _offer_after_a_mistake(nord)
    offer = card(mateo, "The room in May")
    await expect(offer).to_contain_text("€1,200.50")
    await expect(offer).to_contain_text("Waiting for you")
    await expect(card(nord, "The room in May")).to_contain_text("Waiting for Mateo")

    dialog = await act(mateo, "The room in May", "Propose something else")
    await expect(dialog.get_by_label("What is it?")).to_have_value("The room in May")
    await dialog.get_by_label("Price").fill("1000")
    await dialog.get_by_role("button", name="Continue").click()
    await expect(dialog.get_by_label("Payment method")).to_have_value("sandbox:ok")
    await dialog.get_by_role("button", name="Send").click()
    await expect(card(nord, "The room in May")).to_contain_text("Waiting for you")
    await expect(card(nord, "The room in May")).to_contain_text("€1,000.00")

    dialog = await act(nord, "The room in May", "Accept")
    await expect(dialog).to_contain_text("Mateo Ruiz pays €1,000.00 now.")
    await dialog.get_by_role("button", name="Accept").click()
    for one in (nord, mateo):
        await expect(card(one, "The room in May")).to_contain_text("Booked")
        await expect(bar(one)).to_contain_text("The room in May")
        await expect(bar(one)).to_contain_text("Confirmed")


async def test_a_card_that_has_changed_is_shown_and_nothing_is_sent(window: OpenWindow) -> None:
    mateo, jonas = await window("Mateo Ruiz"), await window("Jonas Achterberg")
    await mateo.open(FILM)
    await jonas.open(FILM)
    dialog = await act(jonas, "60 minutes more", "Decline")
    withdrawing = await act(mateo, "60 minutes more", "Withdraw")
    await withdrawing.get_by_role("button", name="Withdraw").click()
    await expect(card(jonas, "60 minutes more")).to_contain_text("Withdrawn")
    await dialog.get_by_role("button", name="Decline", exact=True).click()
    await expect(dialog).to_contain_text("It's now: Withdrawn. Nothing was sent.")
    await dialog.get_by_role("button", name="Show the card").click()
    await expect(jonas.page.get_by_role("dialog")).to_have_count(0)


async def _offer_after_a_mistake(window: Window) -> None:
    await window.button("Propose").click()
    await window.page.get_by_role("menuitem", name="Offer a booking").click()
    dialog = window.page.get_by_role("dialog", name="Offer a booking")
    await dialog.get_by_role("button", name="Continue").click()
    await expect(dialog.get_by_text("Fill this in.").first).to_be_visible()
    await dialog.get_by_label("What is it?").fill("The room in May")
    await dialog.get_by_label("Begins").fill(moment(days=20))
    await dialog.get_by_label("Price").fill("1,200.50")
    await dialog.get_by_role("button", name="Continue").click()
    await expect(dialog).to_contain_text("Nothing is paid until it's accepted.")
    await dialog.get_by_role("button", name="Send").click()
    await expect(dialog).to_be_hidden()

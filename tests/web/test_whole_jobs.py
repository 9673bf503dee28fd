"""Two whole jobs in the windows of both people: one is delivered and paid, one is disputed."""

from pathlib import Path

import pytest
from playwright.async_api import Locator, expect

from tests.web import sample_files
from tests.web.conftest import OpenWindow
from tests.web.deals import (
    answer,
    bar,
    both_see,
    card,
    moment,
    open_shot_list,
    propose,
    sign_from_the_booking,
    sign_from_the_message,
)
from tests.web.window import Window

pytestmark = pytest.mark.asyncio(loop_scope="session")

MATEO, MAYA, NORD, ADA = "Mateo Ruiz", "Maya Lindqvist", "Studio Nord", "Ada Okafor"
ROOM = "The room, every week"
FILM = "A film about bread"
QUESTION = "I film a bakery in May. Would you be in it?"
Pair = tuple[Window, Window]


async def test_a_job_from_the_first_question_to_the_held_deposit(
    window: OpenWindow, tmp_path: Path
) -> None:
    mateo, maya = pair = await window(MATEO), await window(MAYA)
    await _inquire(mateo, to="maya", name=MAYA, subject=FILM, body=QUESTION)
    await _accept_request(maya)

    await propose(
        maya,
        "Offer a booking",
        sees="Nothing is paid until it's accepted.",
        what="A day at the bakery",
        begins=moment(days=20),
        price="500",
        deposit="200",
    )
    await answer(mateo, "A day at the bakery", "Propose something else", "Send", price="450")
    await answer(maya, "A day at the bakery", "Accept", sees=f"{MATEO} pays €450.00 now.")
    await both_see(pair, "A day at the bakery", "Booked")
    for one in pair:
        await expect(bar(one)).to_contain_text("Confirmed")

    await _sign(pair)
    await _share_shot_list(pair)
    await propose(mateo, "Propose another time", begins=moment(), ends=moment(hours=4))
    await answer(maya, "New time", "Accept", sees="The new time:")
    await both_see(pair, "New time", "Agreed")
    for one in pair:
        await expect(bar(one)).to_contain_text("Deposit of €200 is held")

    await propose(maya, "Add overtime", minutes="60", price="80")
    await answer(mateo, "60 minutes more", "Accept", "Pay €80.00")
    await both_see(pair, "60 minutes more", "Paid")
    await _expense_with_receipt(pair, tmp_path)
    await _two_rounds_of_proofs(pair)

    await propose(maya, "Mark as done", note="Thank you for the day")
    await answer(mateo, "Job done", "Accept", sees="The job counts as completed.")
    await both_see(pair, "Job done", "Confirmed")
    for one in pair:
        await expect(bar(one)).to_contain_text("Completed")
        await expect(bar(one)).to_contain_text("Deposit of €200 is held")
        await one.button("Booking").click()
        sheet = one.page.get_by_role("dialog", name="Booking")
        await expect(_total(sheet, "Paid")).to_have_text("€555.00")
        await expect(_total(sheet, "Held as deposit")).to_have_text("€200.00")


async def test_a_job_that_ends_in_a_dispute_and_a_part_of_the_deposit(window: OpenWindow) -> None:
    mateo, nord = pair = await window(MATEO), await window(NORD)
    for one in pair:
        await one.open(ROOM)
    await propose(
        nord,
        "Offer a booking",
        what="The room, today",
        begins=moment(hours=3),
        price="400",
        deposit="200",
    )
    await answer(mateo, "The room, today", "Accept", "Pay €400.00")
    await both_see(pair, "The room, today", "Booked")
    await expect(bar(mateo)).to_contain_text("Deposit of €200 is held")

    await propose(mateo, "Cancel the booking", reason="The room is flooded", refund="350")
    await answer(nord, "The room is flooded", "Decline", sees="No money moves.")
    await both_see(pair, "The room is flooded", "Declined")

    await propose(
        mateo,
        "Open a dispute",
        sees="Payouts stop until the dispute is settled.",
        reason="No room, no shoot",
        refund="350",
    )
    for one in pair:
        await expect(bar(one)).to_contain_text("In dispute")
    await answer(
        nord,
        "No room, no shoot",
        "Give your account",
        "Send",
        account="I waited for two hours, and a lamp was broken",
    )
    await both_see(pair, "No room, no shoot", "With our staff", "a lamp was broken")

    ada = await window(ADA)
    await _decide(
        ada, "The room, today", refund="250", claim="60", note="Half of the day was worked"
    )
    await both_see(pair, "No room, no shoot", "Settled", "Half of the day was worked")
    for one in pair:
        await expect(bar(one)).to_contain_text("Completed")
        await expect(bar(one)).to_contain_text("Deposit was claimed")
        await one.button("Booking").click()
        sheet = one.page.get_by_role("dialog", name="Booking")
        await expect(_total(sheet, "Refunded")).to_have_text("€250.00")


async def _inquire(window: Window, *, to: str, name: str, subject: str, body: str) -> None:
    await window.go("/new")
    await window.page.get_by_role("combobox", name="To").fill(to)
    await window.page.get_by_role("option", name=name).click()
    await window.page.get_by_label("Subject").fill(subject)
    await window.page.get_by_label("Message", exact=True).fill(body)
    await window.button("Send").click()
    await window.sees(body)


async def _accept_request(window: Window) -> None:
    await window.folder("Requests")
    await window.open(FILM)
    await window.button("Accept").click()
    await expect(window.field).to_be_visible()


async def _sign(pair: Pair) -> None:
    mateo, maya = pair
    await sign_from_the_booking(mateo)
    await sign_from_the_message(maya)
    for one in pair:
        await expect(one.messages).to_contain_text("signed")


async def _share_shot_list(pair: Pair) -> None:
    """One adds a shot, the other one counts it."""
    mateo, maya = pair
    for one in pair:
        await open_shot_list(one)
    await mateo.button("Add shot").click()
    await mateo.page.locator("[data-object]").get_by_label("Title").fill("Bread at dawn")
    shot = maya.page.get_by_role("listitem", name="Bread at dawn")
    await shot.get_by_label("How many").fill("3")
    mine = mateo.page.get_by_role("listitem", name="Bread at dawn")
    await expect(mine.get_by_label("How many")).to_have_value("3")
    for one in pair:
        await one.button("Close details").click()


async def _expense_with_receipt(pair: Pair, folder: Path) -> None:
    mateo, maya = pair
    receipt = sample_files.picture(folder / "taxi.png", size=(90, 120))
    await maya.page.locator("[data-picker]").set_input_files(receipt)
    await maya.say("The receipt of the taxi")
    await mateo.sees("The receipt of the taxi")
    await maya.button("Propose").click()
    await maya.page.get_by_role("menuitem", name="Add an expense").click()
    dialog = maya.page.get_by_role("dialog", name="Add an expense")
    await dialog.get_by_label("Title").fill("Taxi")
    await dialog.get_by_label("Price").fill("25")
    await dialog.get_by_label("taxi.png").check()
    await dialog.get_by_role("button", name="Continue").click()
    await dialog.get_by_role("button", name="Send", exact=True).click()
    await answer(mateo, "Taxi", "Accept", "Pay €25.00")
    await both_see(pair, "Taxi", "Paid")


async def _two_rounds_of_proofs(pair: Pair) -> None:
    mateo, maya = pair
    await propose(maya, "Send proofs", title="Selection", note="In the folder")
    await answer(mateo, "Selection", "Ask for changes", "Send", note="Warmer, please")
    await expect(card(maya, "Selection")).to_contain_text("Warmer, please")
    await answer(maya, "Selection", "Deliver again", "Deliver", note="Warmer now")
    await expect(card(mateo, "Selection")).to_contain_text("round 2")
    await answer(mateo, "Selection", "Accept")
    await both_see(pair, "Selection", "Approved")


async def _decide(window: Window, title: str, *, refund: str, claim: str, note: str) -> None:
    await window.go("/moderation")
    await window.page.get_by_role("radio", name="Bookings").check()
    dispute = window.page.get_by_role("article", name=f"Dispute about “{title}”")
    await expect(dispute).to_contain_text("No room, no shoot")
    await expect(dispute).to_contain_text("a lamp was broken")
    await dispute.get_by_role("button", name="Decide").click()
    dialog = window.page.get_by_role("dialog", name="Decide the dispute")
    await dialog.get_by_label("Refund").fill(refund)
    await dialog.get_by_label("From the deposit").fill(claim)
    await dialog.get_by_label("Note").fill(note)
    await dialog.get_by_role("button", name="Continue").click()
    await expect(dialog).to_contain_text("€60.00 from the deposit goes to Studio Nord.")
    await expect(dialog).to_contain_text("Mateo Ruiz gets €250.00 back.")
    await expect(dialog).not_to_contain_text("pays")
    await dialog.get_by_role("button", name="Decide").click()
    await expect(dispute).to_have_count(0)


def _total(sheet: Locator, label: str) -> Locator:
    """In the list of totals, the amount beside its label."""
    pair = sheet.locator(".totals > div").filter(has=sheet.page.get_by_text(label, exact=True))
    return pair.locator("dd")

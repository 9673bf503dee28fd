"""Two people in two browsers: requests, messages, reactions, drafts, blocks, nudges."""

import asyncio

import pytest
from playwright.async_api import Route, expect

from tests.web.conftest import OpenWindow
from tests.web.window import Window

pytestmark = pytest.mark.asyncio(loop_scope="session")

EDITORIAL = "Editorial in Lisbon"


async def _both_in_the_booking(window: OpenWindow) -> tuple[Window, Window]:
    maya, jonas = await window("Maya Lindqvist"), await window("Jonas Achterberg")
    await maya.open(EDITORIAL)
    await jonas.open(EDITORIAL)
    return maya, jonas


async def test_a_stranger_sends_a_request(window: OpenWindow) -> None:
    jonas, ines = await window("Jonas Achterberg"), await window("Inês Carvalho")
    await jonas.inbox("All").get_by_role("button", name="New conversation").click()
    await jonas.page.get_by_role("combobox", name="To").fill("ines")
    await jonas.page.get_by_role("option", name="Inês Carvalho").click()
    await jonas.page.get_by_role("radio", name="Inquiry").check()
    await jonas.page.get_by_role("textbox", name="Subject").fill("A question about refunds")
    await jonas.page.get_by_role("textbox", name="Message").fill(
        "Hello Inês, may I ask you something?"
    )
    await jonas.button("Send").click()
    await jonas.sees("may I ask you something?")
    await expect(jonas.page.get_by_text("Waiting for Inês Carvalho to accept")).to_be_visible()

    await ines.folder("Requests")
    await ines.open("A question about refunds")
    await ines.sees("may I ask you something?")
    await expect(ines.field).to_have_count(0)
    await ines.button("Accept").click()
    await ines.say("Of course, ask away!")
    await jonas.sees("Of course, ask away!")
    await expect(jonas.page.get_by_text("Waiting for Inês Carvalho to accept")).to_have_count(0)


async def test_the_sender_does_not_see_a_declined_request(window: OpenWindow) -> None:
    maya, nord = await window("Maya Lindqvist"), await window("Studio Nord")
    await nord.open("A test shoot in our second room?")
    await maya.folder("Requests")
    await maya.open("A test shoot in our second room?")
    await maya.button("Decline").click()
    asked = maya.page.get_by_role("dialog", name="Decline this request?")
    await asked.get_by_role("button", name="Decline").click()
    await expect(maya.row("A test shoot in our second room?")).to_have_count(0)
    await nord.page.reload()
    await expect(nord.page.get_by_text("Waiting for Maya Lindqvist to accept")).to_be_visible()


async def test_typing_receipts_and_presence(window: OpenWindow) -> None:
    maya, jonas = await _both_in_the_booking(window)
    await expect(jonas.page.get_by_role("heading", name="Maya Lindqvist is online")).to_be_visible()
    seen = asyncio.ensure_future(expect(jonas.page.get_by_text("Maya is typing")).to_be_visible())
    while not seen.done():  # it shows only for a while after the last keystroke
        await maya.field.press_sequentially("My sizes ", delay=30)
    await seen
    await maya.say("My sizes are on the new sheet.")
    await jonas.sees("My sizes are on the new sheet.")
    await expect(jonas.page.get_by_text("Maya is typing")).to_have_count(0)
    await expect(maya.message("My sizes are on the new sheet.")).to_contain_text("Read")
    await jonas.say("Found it, thank you!")
    await maya.sees("Found it, thank you!")
    await expect(jonas.message("Found it, thank you!")).to_contain_text("Read")


async def test_a_message_is_unread_until_it_is_seen(window: OpenWindow) -> None:
    maya, jonas = await window("Maya Lindqvist"), await window("Jonas Achterberg")
    await jonas.open(EDITORIAL)
    row = maya.row(EDITORIAL)
    await expect(row).to_contain_text("2 unread messages")
    await jonas.say("One more thing.")
    await expect(row).to_contain_text("3 unread messages")
    await expect(row).to_contain_text("One more thing.")
    await maya.open(EDITORIAL)
    await expect(maya.page.get_by_text("New messages")).to_be_visible()
    await expect(row).not_to_contain_text("unread")
    await expect(jonas.message("One more thing.")).to_contain_text("Read")


async def test_an_edit_shows_for_both_with_earlier_versions(window: OpenWindow) -> None:
    maya, jonas = await _both_in_the_booking(window)
    await jonas.say("Call time is 16:00.")
    await maya.sees("Call time is 16:00.")
    await jonas.with_message("Call time is 16:00.", "Edit")
    await expect(jonas.field).to_have_value("Call time is 16:00.")
    await jonas.say("Call time is 16:30.")
    await maya.sees("Call time is 16:30.")
    await maya.sees("Call time is 16:00.", times=0)
    edited = maya.message("Call time is 16:30.")
    await edited.get_by_role("button", name="Edited. Show earlier versions").click()
    history = maya.page.get_by_role("dialog", name="Earlier versions")
    await expect(history).to_contain_text("Call time is 16:00.")


async def test_a_reaction_is_added_and_removed(window: OpenWindow) -> None:
    maya, jonas = await _both_in_the_booking(window)
    await jonas.say("We are all set.")
    await maya.with_message("We are all set.", "Add reaction")
    await maya.button("React with 🎉").click()
    theirs = jonas.message("We are all set.").get_by_role("button", name="🎉, 1 person")
    await expect(theirs).to_be_visible()
    await maya.message("We are all set.").get_by_role("button", name="including you").click()
    await expect(theirs).to_have_count(0)


async def test_a_reply_quotes_and_jumps_to_the_original(window: OpenWindow) -> None:
    maya, jonas = await _both_in_the_booking(window)
    await maya.with_message("or rather from the first look on?", "Reply")
    await expect(maya.page.get_by_text("Replying to Jonas Achterberg")).to_be_visible()
    await maya.say("From the first look on, please.")
    answer = jonas.message("From the first look on, please.")
    quote = answer.get_by_role("button", name="In reply to Jonas Achterberg")
    await expect(quote).to_contain_text("or rather from the first look on?")
    await quote.click()
    quoted = jonas.message("or rather from the first look on?").first
    await expect(quoted.get_by_role("article")).to_be_focused()


async def test_a_deleted_message_leaves_a_placeholder(window: OpenWindow) -> None:
    maya, jonas = await _both_in_the_booking(window)
    await jonas.say("Forget this one.")
    await maya.sees("Forget this one.")
    await jonas.with_message("Forget this one.", "More actions")
    await jonas.page.get_by_role("menuitem", name="Delete").click()
    await jonas.page.get_by_role("dialog").get_by_role("button", name="Delete").click()
    await maya.sees("This message was deleted.")
    await maya.sees("Forget this one.", times=0)


async def test_pin_mute_and_archive_persist_after_a_reload(window: OpenWindow) -> None:
    mateo = await window("Mateo Ruiz")
    await mateo.open("The day at Studio Nord")
    await mateo.choose("Pin")
    await mateo.choose("Mute")
    row = mateo.row("The day at Studio Nord")
    await expect(row).to_contain_text("Pinned")
    await expect(row).to_contain_text("Muted")
    await mateo.page.reload()
    await expect(row).to_contain_text("Pinned")
    await expect(row).to_contain_text("Muted")
    await mateo.choose("Archive")
    await expect(row).to_have_count(0)
    await mateo.folder("Archived")
    await expect(row).to_be_visible()
    await mateo.open("The day at Studio Nord")
    await mateo.choose("Move to inbox")
    await mateo.folder("All")
    await expect(row).to_be_visible()


async def test_a_draft_is_there_on_the_next_visit(window: OpenWindow) -> None:
    maya = await window("Maya Lindqvist")
    await expect(maya.row("Knitwear lookbook")).to_contain_text("Draft")
    await maya.open("Knitwear lookbook")
    await expect(maya.field).to_have_value(
        "Gladly! A full day, usage for one season online and in print, would be"
    )
    await maya.open(EDITORIAL)
    await maya.field.fill("Only half a")
    again = await window("Maya Lindqvist")
    await expect(again.row(EDITORIAL)).to_contain_text("Draft: Only half a")
    await again.open(EDITORIAL)
    await expect(again.field).to_have_value("Only half a")


async def test_a_sent_draft_is_gone_on_every_device(window: OpenWindow) -> None:
    """Also if it is open on another device, and if it is sent while being saved."""
    maya, phone, jonas = [
        await window(name) for name in ("Maya Lindqvist", "Maya Lindqvist", "Jonas Achterberg")
    ]
    await jonas.open(EDITORIAL)
    await maya.open(EDITORIAL)
    await maya.field.press_sequentially("Typed slowly", delay=100)
    await phone.open(EDITORIAL)
    await expect(phone.field).to_have_value("Typed slowly")
    await maya.field.press("Enter")
    await expect(phone.field).to_have_value("")
    await phone.open("Knitwear lookbook")
    await expect(phone.row(EDITORIAL)).not_to_contain_text("Draft")
    for number in range(3):
        await maya.field.press_sequentially(f"And fast {number}", delay=40)
        await maya.page.wait_for_timeout(640 + 40 * number)  # as the draft is being saved
        await maya.field.press("Enter")
        await jonas.sees(f"And fast {number}")
    await maya.page.wait_for_timeout(1500)  # a draft saved too late would appear by then
    path = f"/v1/threads/{await maya.thread_id(EDITORIAL)}"
    async with asyncio.timeout(20):
        while (await maya.ask("GET", path))["mine"]["hasDraft"]:
            await maya.page.wait_for_timeout(100)
    await maya.page.reload()
    await expect(maya.field).to_have_value("")
    await phone.page.reload()
    await expect(phone.row(EDITORIAL)).not_to_contain_text("Draft")


async def test_typed_text_survives_a_message_from_another_device(window: OpenWindow) -> None:
    maya, phone = await window("Maya Lindqvist"), await window("Maya Lindqvist")
    for one in (maya, phone):
        await one.open(EDITORIAL)
    await phone.field.fill("Mine, and not yet done")
    await maya.say("Sent from the other one.")
    await phone.sees("Sent from the other one.")
    await phone.page.wait_for_timeout(1500)
    await expect(phone.field).to_have_value("Mine, and not yet done")


async def test_a_blocked_person_does_not_notice(window: OpenWindow) -> None:
    maya, jonas = await _both_in_the_booking(window)
    await maya.choose("Block Jonas Achterberg")
    await maya.page.get_by_role("dialog").get_by_role("button", name="Block").click()
    await expect(maya.row(EDITORIAL)).to_have_count(0)
    await jonas.page.reload()
    await expect(jonas.row(EDITORIAL)).to_be_visible()
    await jonas.sees("or rather from the first look on?")
    await maya.go("/settings")
    await expect(maya.page.get_by_text("Jonas Achterberg")).to_be_visible()
    await maya.button("Unblock Jonas Achterberg").click()
    await expect(maya.page.get_by_text("You haven't blocked anyone.")).to_be_visible()


async def test_a_nudge_appears_before_contact_details_are_sent(window: OpenWindow) -> None:
    maya, jonas = await window("Maya Lindqvist"), await window("Jonas Achterberg")
    for one in (maya, jonas):
        await one.open("The day at Studio Nord")
    await maya.say("Just write to me at maya.lindqvist@example.com")
    nudge = maya.page.get_by_role("alertdialog", name="Before you send this")
    await expect(nudge).to_contain_text("share contact details only after booking")
    await nudge.get_by_role("button", name="Edit message").click()
    await expect(maya.field).to_be_focused()
    await maya.say("Just write to me here.")
    await jonas.sees("Just write to me here.")
    await jonas.sees("maya.lindqvist@example.com", times=0)
    await maya.say("Or at maya.lindqvist@example.com after all.")
    await nudge.get_by_role("button", name="Send anyway").click()
    await jonas.sees("maya.lindqvist@example.com")


async def test_text_typed_after_enter_is_not_part_of_the_message(window: OpenWindow) -> None:
    maya, jonas = await _both_in_the_booking(window)

    async def slow(route: Route) -> None:
        await asyncio.sleep(0.8)
        await route.continue_()

    await maya.page.route("**/v1/preview", slow)
    await maya.field.fill("It is 300 in total")
    await maya.field.press("Enter")
    await maya.page.keyboard.type(" and more")
    await jonas.sees("It is 300 in total")
    await jonas.sees("and more", times=0)


async def test_two_tabs_of_one_person_show_the_same(window: OpenWindow) -> None:
    maya, jonas = await _both_in_the_booking(window)
    other = Window(await maya.page.context.new_page(), maya.url)
    await other.sign_in("Maya Lindqvist")
    await other.open(EDITORIAL)
    await maya.say("Said in the first tab.")
    await other.sees("Said in the first tab.")
    await other.say("Said in the second one.")
    await maya.sees("Said in the second one.")
    await jonas.say("Heard in both.")
    for tab in (maya, other):
        await tab.sees("Heard in both.")
    assert await maya.texts() == await other.texts()
    await other.choose("Mute")
    await expect(maya.row(EDITORIAL)).to_contain_text("Muted")
    assert other.errors == []

"""Profile cards: every name opens one, and it offers the right actions."""

import re

import pytest
from playwright.async_api import Locator, expect

from greenroom.demo.sample_people import SAMPLE_PEOPLE
from tests.web.conftest import OpenWindow
from tests.web.window import Window

pytestmark = pytest.mark.asyncio(loop_scope="session")

EDITORIAL = "Editorial in Lisbon"
STUDIO = "The day at Studio Nord"

_BARE_NAMES = """([names, shown]) => {
    // Rows of a list and quotes lead to the conversation, the case or the message, and so to the
    // person.
    const LED = "[data-opens], [data-thread], [data-case], [data-person], .rail, .quote,"
        + ".composer-place, .menu-item, [role=status], .sr, .prose";
    const found = [];
    const walk = document.createTreeWalker(document.querySelector(".gr"), NodeFilter.SHOW_TEXT);
    for (let node = walk.nextNode(); node; node = walk.nextNode()) {
        const name = names.find((one) => node.data.includes(one) && node.data.trim() !== shown);
        if (name && !node.parentElement.closest(LED)) found.push(`${name} in ${node.data}`);
    }
    return found;
}"""


def _card(window: Window, name: str) -> Locator:
    return window.page.get_by_role("dialog", name=name)


@pytest.mark.parametrize("shown", [EDITORIAL, STUDIO])
async def test_every_name_on_screen_opens_its_card(window: OpenWindow, shown: str) -> None:
    maya = await window("Maya Lindqvist")
    await maya.open(shown)
    await expect(maya.page.locator(".panel .person").first).to_be_visible()
    people = await maya.page.evaluate(
        "() => [...document.querySelectorAll('.panel [data-opens]')]"
        ".map((one) => [one.dataset.opens, one.textContent.trim()])"
    )
    assert len(people) >= 2
    assert await maya.page.evaluate(_BARE_NAMES, [[name for _, name in people], shown]) == []
    links = maya.page.locator("[data-opens]")
    for number in range(await links.count()):
        link = links.nth(number)
        opens = await link.get_attribute("data-opens")
        await link.click()
        card = maya.page.locator(f'[data-card="{opens}"]')
        await expect(card).to_contain_text("@")
        await expect(card).to_contain_text("Member since")
        await maya.page.keyboard.press("Escape")
        await expect(card).to_have_count(0)


EVERYONE = [f"{one.first_name} {one.last_name}".strip() for one in SAMPLE_PEOPLE]


@pytest.mark.parametrize("view", ["Held", "Reported", "Decisions", "People"])
async def test_every_name_in_moderation_opens_its_card(window: OpenWindow, view: str) -> None:
    """By keyboard; closing the card moves the focus back to the name."""
    ada = await window("Ada Okafor")
    await ada.go("/moderation")
    await _view(ada, view)
    assert await ada.page.evaluate(_BARE_NAMES, [EVERYONE, ""]) == []
    links = ada.page.locator("#main [data-opens]")
    assert await links.count() >= 1
    for number in range(await links.count()):
        link = links.nth(number)
        card = ada.page.locator(f'[data-card="{await link.get_attribute("data-opens")}"]')
        await link.press("Enter")
        await expect(card).to_contain_text("Member since")
        await ada.page.keyboard.press("Escape")
        await expect(card).to_have_count(0)
        await expect(link).to_be_focused()


async def _view(ada: Window, view: str) -> None:
    if view in ("Held", "Reported"):
        queue = ada.page.get_by_role("region", name="Open cases")
        await queue.locator("[data-case]", has_text=f"{view} message").first.click()
        case = ada.page.get_by_role("article", name=f"{view} message")
        await expect(case.locator(".bone, .skeleton")).to_have_count(0)
        return
    await ada.page.get_by_role("radio", name=view).check()
    if view == "Decisions":
        await expect(ada.page.get_by_role("list", name="Decisions")).to_contain_text("by you")
        return
    await ada.page.get_by_label("Find a person").fill("osk")
    await ada.page.locator("[data-person]", has_text="Oskar Dahl").click()
    await expect(ada.page.locator("[data-person-open] .decisions [data-opens]")).to_be_visible()


async def test_a_card_links_to_the_moderation_history(window: OpenWindow) -> None:
    ada, maya = await window("Ada Okafor"), await window("Maya Lindqvist")
    await ada.go("/moderation")
    await ada.page.get_by_role("radio", name="Decisions").check()
    decisions = ada.page.get_by_role("list", name="Decisions")
    await decisions.get_by_role("button", name="Oskar Dahl").first.click()
    await _card(ada, "Oskar Dahl").get_by_role("button", name="Moderation history").click()
    await expect(ada.page.locator("[data-person-open]")).to_contain_text("Oskar Dahl")
    await expect(ada.page.get_by_role("radio", name="People")).to_be_checked()
    await ada.page.go_back()
    await expect(ada.page.locator("[data-person-open]")).to_have_count(0)
    await maya.open(EDITORIAL)
    await maya.page.locator(".thread-head [data-opens]").click()
    card = _card(maya, "Jonas Achterberg")
    await expect(card.get_by_role("button", name="Report")).to_be_visible()
    await expect(card.get_by_role("button", name="Moderation history")).to_have_count(0)


async def test_an_open_card_follows_a_rename(window: OpenWindow) -> None:
    maya, jonas = await window("Maya Lindqvist"), await window("Jonas Achterberg")
    await maya.open(EDITORIAL)
    await maya.page.locator(".thread-head [data-opens]").click()
    card = _card(maya, "Jonas Achterberg")
    await expect(card).to_contain_text("Member since")
    before = (await jonas.ask("GET", "/v1/me"))["username"]
    await expect(card.locator("[data-card]")).to_contain_text(f"@{before}")
    await jonas.ask("PATCH", "/v1/me", {"username": "jonas.now"})
    await expect(card.locator("[data-card]")).to_contain_text("@jonas.now")


async def test_a_card_starts_a_conversation(window: OpenWindow) -> None:
    maya = await window("Maya Lindqvist")
    await maya.open(EDITORIAL)
    await maya.page.locator(".thread-head [data-opens]").click()
    await _card(maya, "Jonas Achterberg").get_by_role("button", name="Message").click()
    await expect(maya.page.get_by_role("heading", name="New conversation")).to_be_visible()
    await expect(maya.button("Remove Jonas Achterberg")).to_be_visible()
    await expect(maya.page.get_by_role("radio", name="Direct message")).to_be_checked()
    await maya.page.get_by_role("textbox", name="Message").fill("From the card.")
    await maya.button("Send").click()
    await maya.sees("From the card.")


async def test_removing_someone_from_a_group_asks_first(window: OpenWindow) -> None:
    nord, mateo = await window("Studio Nord"), await window("Mateo Ruiz")
    await nord.open(STUDIO)
    await expect(mateo.row(STUDIO)).to_be_visible()
    await nord.page.locator(".panel").get_by_role("button", name="Mateo Ruiz").click()
    await _card(nord, "Mateo Ruiz").get_by_role("button", name="Remove from").click()
    asked = _card(nord, "Remove Mateo Ruiz?")
    await expect(mateo.row(STUDIO)).to_be_visible()
    await asked.get_by_role("button", name="Remove").click()
    await expect(mateo.row(STUDIO)).to_have_count(0)
    await expect(nord.page.locator(".panel .person", has_text="Mateo Ruiz")).to_have_count(0)
    await nord.sees("You removed Mateo Ruiz")


async def test_a_report_has_no_reason_until_one_is_chosen(window: OpenWindow) -> None:
    maya = await window("Maya Lindqvist")
    await maya.open(EDITORIAL)
    await maya.choose("Report conversation")
    dialog = _card(maya, "Report")
    await expect(dialog.get_by_role("radio", checked=True)).to_have_count(0)
    await expect(dialog.get_by_role("button", name="Send report")).to_be_disabled()
    await dialog.get_by_role("radio", name="Spam").check()
    await expect(dialog.get_by_role("button", name="Send report")).to_be_enabled()


@pytest.mark.parametrize("way", ["Decline", "Block"])
async def test_declining_or_blocking_a_request_asks_first(window: OpenWindow, way: str) -> None:
    maya = await window("Maya Lindqvist")
    await maya.folder("Requests")
    await maya.open("A test shoot in our second room?")
    await maya.button(way).click()
    await maya.page.get_by_role("dialog").get_by_role("button", name="Cancel").click()
    await expect(maya.row("A test shoot in our second room?")).to_be_visible()
    await maya.button(way).click()
    await maya.page.get_by_role("dialog").get_by_role("button", name=way).click()
    await expect(maya.row("A test shoot in our second room?")).to_have_count(0)


async def test_avatars_keep_their_order(window: OpenWindow) -> None:
    """The list, the thread and an undo may return people in different orders."""
    maya = await window("Maya Lindqvist")
    row = maya.row(STUDIO)
    faces = row.locator(".avatar-pair")
    await expect(faces).to_have_text(re.compile(r"^\s*\w\w\s+\w\w\s*$"))  # once names are known
    before = await faces.inner_text()
    assert len(before.split()) == 2
    await maya.open(STUDIO)
    await maya.choose("Archive")
    await expect(row).to_have_count(0)
    await maya.button("Undo").click()
    await expect(row).to_be_visible()
    assert await faces.inner_text() == before
    await maya.open(STUDIO)
    assert await maya.page.locator(".thread-head .avatar-pair").inner_text() == before
    await maya.page.reload()
    await expect(faces).to_have_text(before.replace("\n", " "))


async def test_settings_have_no_select_with_a_single_option(window: OpenWindow) -> None:
    maya = await window("Maya Lindqvist")
    await maya.go("/settings")
    await expect(maya.page.get_by_role("heading", name="Blocked people")).to_be_visible()
    for choice in await maya.page.locator("select").all():
        assert await choice.locator("option").count() > 1
    for choice in await maya.page.get_by_role("radiogroup").all():
        assert await choice.get_by_role("radio").count() > 1

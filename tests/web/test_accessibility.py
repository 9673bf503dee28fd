"""Every page: no axe violations in both themes, keyboard operation, phone layout, strict CSP."""

from pathlib import Path
from typing import Any, Literal, TypeAlias

import pytest
from playwright.async_api import expect

from tests.web.conftest import OpenWindow
from tests.web.pages import PAGE_CASES

pytestmark = pytest.mark.asyncio(loop_scope="session")

AXE = Path(__file__).parents[2] / "web/node_modules/axe-core/axe.min.js"
_STANDARDS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
_RUN_AXE = "tags => axe.run(document, {runOnly: {type: 'tag', values: tags}})"
Theme: TypeAlias = Literal["light", "dark"]
THEMES: tuple[Theme, ...] = ("light", "dark")
PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}


@pytest.mark.parametrize("who", dict.fromkeys(case.who for case in PAGE_CASES))
@pytest.mark.parametrize("theme", THEMES)
async def test_axe_finds_no_violations(window: OpenWindow, who: str, theme: Theme) -> None:
    one = await window(who, color_scheme=theme, reduced_motion="reduce", bypass_csp=True)
    wrong = []
    for case in (case for case in PAGE_CASES if case.who == who):
        await one.go("/inbox" if who else "/")
        await case.open(one)
        await one.page.evaluate(AXE.read_text())
        found = await one.page.evaluate(_RUN_AXE, _STANDARDS)
        assert found["passes"], "axe has checked something"
        wrong += [f"{case.name}: {_describe(violation)}" for violation in found["violations"]]
    assert not wrong, "\n".join(wrong)


def _describe(violation: dict[str, Any]) -> str:
    where = [f"{node['html'][:150]} | {node['failureSummary']}" for node in violation["nodes"][:3]]
    return f"{violation['id']}: {violation['help']}\n  " + "\n  ".join(where)


async def test_the_keyboard_is_enough(window: OpenWindow) -> None:
    """From the inbox to a reply and to the list of shortcuts, without a mouse."""
    maya, jonas = await window("Maya Lindqvist"), await window("Jonas Achterberg")
    await jonas.open("Editorial in Lisbon")
    keyboard = maya.page.keyboard
    await keyboard.press("j")
    await expect(maya.field).to_be_visible()
    await keyboard.press("c")
    await expect(maya.field).to_be_focused()
    await keyboard.type("By keyboard alone.")
    await keyboard.press("Enter")
    await jonas.sees("By keyboard alone.")
    await expect(maya.message("By keyboard alone.")).to_contain_text("Read")
    await keyboard.press("ArrowUp")
    await expect(maya.field).to_have_value("By keyboard alone.")
    await keyboard.press("Escape")
    await keyboard.press("Escape")
    await keyboard.press("?")
    await expect(maya.page.get_by_role("dialog", name="Keyboard shortcuts")).to_be_visible()
    await keyboard.press("Escape")
    await expect(maya.page.get_by_role("dialog")).to_have_count(0)


async def test_a_phone_shows_one_pane_at_a_time(window: OpenWindow) -> None:
    maya = await window("Maya Lindqvist", **PHONE)
    await expect(maya.inbox("All")).to_be_visible()
    await maya.open("Editorial in Lisbon")
    await expect(maya.inbox("All")).not_to_be_visible()
    await maya.say("Sent from a phone.")
    await maya.sees("Sent from a phone.")
    wide = await maya.page.evaluate("document.documentElement.scrollWidth - innerWidth")
    assert wide <= 0, "the page does not scroll sideways"
    await maya.button("Back").click()
    await expect(maya.inbox("All")).to_be_visible()
    await expect(maya.row("Sent from a phone.")).to_be_visible()


async def test_a_phone_shows_one_moderation_pane_at_a_time(window: OpenWindow) -> None:
    ada = await window("Ada Okafor", **PHONE)
    await ada.go("/moderation")
    queue, case = ada.page.locator(".queue"), ada.page.locator(".case")
    await ada.page.locator("[data-case]").first.click()
    await expect(case).to_be_visible()
    await expect(queue).not_to_be_visible()
    await case.get_by_role("button", name="Back").click()
    await expect(case).not_to_be_visible()
    await ada.page.get_by_role("radio", name="Decisions").check()
    await expect(ada.page.get_by_role("list", name="Decisions")).to_be_visible()
    await ada.page.get_by_role("radio", name="People").check()
    await ada.page.get_by_label("Find a person").fill("osk")
    await ada.page.locator("[data-person]").click()
    await expect(case).to_be_visible()
    await expect(queue).not_to_be_visible()
    await case.get_by_role("button", name="Back").click()
    await expect(queue).to_be_visible()


async def test_a_phone_shows_the_folders_at_the_top_of_an_unknown_page(
    window: OpenWindow,
) -> None:
    maya = await window("Maya Lindqvist", **PHONE)
    rail = maya.page.locator(".rail")
    inbox = await rail.bounding_box()
    await maya.go("/no/such/page")
    await expect(maya.page.get_by_text("Page not found")).to_be_visible()
    assert inbox is not None
    assert await rail.bounding_box() == inbox


async def test_right_to_left_texts_keep_their_direction(window: OpenWindow) -> None:
    maya = await window("Maya Lindqvist")
    await maya.open("Editorial in Lisbon")
    await maya.say("שלום, נתראה ביום חמישי")
    await expect(maya.message("נתראה").locator(".bubble p")).to_have_css("direction", "rtl")


async def test_nothing_loads_from_other_origins_and_no_script_is_inline(window: OpenWindow) -> None:
    maya = await window()
    asked: list[str] = []
    maya.page.on("request", lambda request: asked.append(request.url))
    await maya.sign_in("Maya Lindqvist")
    await maya.open("Editorial in Lisbon")
    assert asked
    assert [url for url in asked if not url.startswith((maya.url, "data:", "blob:"))] == []
    answer = await maya.page.request.get(maya.url)
    policy = answer.headers["content-security-policy"]
    assert "'unsafe-inline'" not in policy
    assert "'unsafe-eval'" not in policy
    assert "default-src 'none'" in policy or "default-src 'self'" in policy

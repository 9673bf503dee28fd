"""Disconnects and server crashes: no message is lost or duplicated, and the user is told."""

import asyncio

import pytest
from playwright.async_api import expect

from tests.realtime.cuttable_link import CuttableLink
from tests.web.conftest import OpenWindow
from tests.web.demo_server import DemoServer
from tests.web.window import Window

pytestmark = pytest.mark.asyncio(loop_scope="session")

EDITORIAL = "Editorial in Lisbon"


async def test_offline_is_shown_and_missed_messages_arrive_without_a_reload(
    window: OpenWindow, cuttable_link: CuttableLink
) -> None:
    maya = await window("Maya Lindqvist", url=cuttable_link.url.replace("nats:", "http:"))
    jonas = await window("Jonas Achterberg")
    await maya.open(EDITORIAL)
    await jonas.open(EDITORIAL)
    await maya.page.evaluate("window.neverReloaded = true")
    cuttable_link.cut()
    await expect(maya.page.get_by_text("Can't reach the server. We")).to_be_visible()
    await maya.say("Written in a tunnel.")
    await maya.sees("Written in a tunnel.")
    await expect(maya.message("Written in a tunnel.")).to_contain_text("Will send when")
    await jonas.say("Said while Maya was away.")
    await jonas.sees("Written in a tunnel.", times=0)
    cuttable_link.mend()
    await maya.sees("Said while Maya was away.")
    await jonas.sees("Written in a tunnel.")
    await expect(maya.message("Written in a tunnel.")).not_to_contain_text("Will send when")
    await expect(maya.page.get_by_text("Can't reach the server. We")).to_have_count(0)
    assert await maya.page.evaluate("window.neverReloaded")
    assert await maya.texts() == await jonas.texts()


async def test_a_waiting_message_survives_closing_the_tab(
    window: OpenWindow, cuttable_link: CuttableLink
) -> None:
    url = cuttable_link.url.replace("nats:", "http:")
    maya, jonas = await window("Maya Lindqvist", url=url), await window("Jonas Achterberg")
    await maya.open(EDITORIAL)
    await jonas.open(EDITORIAL)
    cuttable_link.cut()
    await maya.say("Sent, and the tab closed.")
    await maya.sees("Sent, and the tab closed.")
    again = Window(await maya.page.context.new_page(), url)
    await maya.page.close()
    cuttable_link.mend()
    await again.sign_in("Maya Lindqvist")
    await jonas.sees("Sent, and the tab closed.")


async def test_no_message_is_lost_when_the_server_is_killed(
    window: OpenWindow, demo_server: DemoServer
) -> None:
    maya, jonas = await window("Maya Lindqvist"), await window("Jonas Achterberg")
    for one in (maya, jonas):
        await one.open(EDITORIAL)
    said: list[str] = []

    async def chatter(one: Window, name: str) -> None:
        for number in range(12):
            said.append(f"{name} says number {number:02d}.")
            await one.say(said[-1])
            await asyncio.sleep(0.15)

    async def accident() -> None:
        for pause in (0.4, 1.0):
            await asyncio.sleep(pause)
            await asyncio.to_thread(demo_server.kill)
            await asyncio.sleep(0.3)
            await asyncio.to_thread(demo_server.start)

    await asyncio.gather(chatter(maya, "Maya"), chatter(jonas, "Jonas"), accident())
    for one in (maya, jonas):
        await expect(one.messages.locator("[data-state=sending]")).to_have_count(0)
        for text in said:
            await one.sees(text)
    assert await maya.texts() == await jonas.texts()
    shown = await maya.texts()
    for name in ("Maya", "Jonas"):
        mine = [text for text in shown if text.startswith(f"{name} says number")]
        assert mine == sorted(mine), "each user's messages are in the order in which they were sent"
    fresh = await window("Maya Lindqvist")
    await fresh.open(EDITORIAL)
    await fresh.sees(said[-1])
    assert (await fresh.texts())[-24:] == shown[-24:]


async def test_the_banner_tells_offline_from_unreachable(
    window: OpenWindow, demo_server: DemoServer
) -> None:
    maya = await window("Maya Lindqvist")
    offline, unreachable = (
        maya.page.get_by_text(text) for text in ("You're offline", "Can't reach")
    )
    await maya.open(EDITORIAL)
    await maya.page.context.set_offline(True)
    await expect(offline).to_be_visible()
    await expect(unreachable).to_have_count(0)
    await maya.page.context.set_offline(False)
    await expect(offline).to_have_count(0)
    await asyncio.to_thread(demo_server.kill)
    await expect(unreachable).to_be_visible()
    await expect(offline).to_have_count(0)
    await asyncio.to_thread(demo_server.start)
    await expect(unreachable).to_have_count(0)

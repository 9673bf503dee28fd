"""Measures the first visit: bytes and time. Used by the tests and by bench/web.py."""

from msgspec import Struct
from playwright.async_api import Browser, Page

from tests.web.byte_meter import byte_meter
from tests.web.window import Window

_INTERACTIVE = """() => new Promise(done => {
    const look = () => {
        const row = document.querySelector('[data-thread]');
        const shows = row !== null && row.getClientRects().length > 0;
        requestAnimationFrame(shows ? () => done(performance.now()) : look);
    };
    look();
})"""


class FirstLoad(Struct, frozen=True):
    script_bytes: int
    """As downloaded, workers included."""
    all_bytes: int


async def measure_first_load(browser: Browser, url: str, name: str) -> FirstLoad:
    """From the sign-in page to the inbox, in a browser without a cache."""
    async with byte_meter(url) as weighing:
        context = await browser.new_context(viewport={"width": 1280, "height": 800})
        page = await context.new_page()
        await Window(page, weighing.url).sign_in(name)
        await page.evaluate(_INTERACTIVE)
        await page.wait_for_timeout(500)
        await context.close()
        return FirstLoad(weighing.bytes["text/javascript"], sum(weighing.bytes.values()))


async def interactive_ms(browser: Browser, url: str, name: str) -> float:
    """From navigation until a conversation can be clicked, for a signed-in user without a cache."""
    kept = await _signed_in(browser, url, name)
    context = await browser.new_context(viewport={"width": 1280, "height": 800})
    page = await context.new_page()
    script = f"for (const [name, value] of {kept}) sessionStorage.setItem(name, value)"
    await page.add_init_script(script)
    await page.goto(f"{url}/inbox", wait_until="commit")
    took = float(await page.evaluate(_INTERACTIVE))
    await context.close()
    return took


async def _signed_in(browser: Browser, url: str, name: str) -> str:
    context = await browser.new_context()
    page: Page = (await Window(await context.new_page(), url).sign_in(name)).page
    kept = await page.evaluate("JSON.stringify(Object.entries(sessionStorage))")
    await context.close()
    return str(kept)

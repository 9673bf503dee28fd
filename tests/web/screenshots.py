"""`make screenshots`: every page of the app, light and dark, on desktop and phone.

The browser's time zone is set so that it is ten in the morning. If pngquant is available, it
reduces the colours to a palette.
"""

import asyncio
import itertools
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from playwright.async_api import Browser, async_playwright, expect

from scripts.engines import Unavailable, chromium
from scripts.engines.requirements import command
from tests.web.demo_server import DemoServer, copy_data, seeded_data
from tests.web.pages import PAGE_CASES
from tests.web.test_accessibility import PHONE, THEMES, Theme
from tests.web.window import Window

FOLDER = Path(__file__).parents[2] / "docs/screenshots"
SIZES: Mapping[str, Mapping[str, Any]] = {
    "desktop": {"viewport": {"width": 1280, "height": 800}},
    "phone": PHONE,
}
_MORNING = 10


async def main(wanted: Sequence[str]) -> int:
    FOLDER.mkdir(parents=True, exist_ok=True)
    expect.set_options(timeout=20_000)
    with tempfile.TemporaryDirectory() as folder:
        seeded = seeded_data(Path(folder) / "story")
        async with async_playwright() as playwright:
            browser = await playwright.chromium.launch(
                executable_path=chromium.path(),
                args=list(chromium.ARGUMENTS),
                chromium_sandbox=False,
            )
            for size, theme in itertools.product(SIZES, THEMES):
                demo_server = DemoServer(
                    copy_data(seeded, Path(folder) / f"{size}-{theme}")
                ).start()
                try:
                    await _all(browser, demo_server, size, theme, wanted)
                finally:
                    demo_server.stop()
            await browser.close()
    taken = sorted(FOLDER.glob("*.png"))
    _reduce(taken)
    kilobytes = sum(path.stat().st_size for path in taken) // 1024
    print(f"{len(taken)} screenshots, {kilobytes} KB, in {FOLDER}")
    return 0


async def _all(
    browser: Browser, demo_server: DemoServer, size: str, theme: Theme, wanted: Sequence[str]
) -> None:
    for case in PAGE_CASES:
        if not case.has_screenshot or (wanted and case.name not in wanted):
            continue
        context = await browser.new_context(
            **SIZES[size],
            color_scheme=theme,
            reduced_motion="reduce",
            timezone_id=_morning_time_zone(),
            locale="en-GB",
        )
        window = Window(await context.new_page(), demo_server.url)
        if case.who:
            await window.sign_in(case.who)
        await case.open(window)
        await window.page.mouse.move(0, 0)  # no hover effects
        await window.page.wait_for_timeout(400)
        await window.page.screenshot(path=FOLDER / f"{case.name}-{theme}-{size}.png")
        await context.close()


def _morning_time_zone() -> str:
    east = (_MORNING - datetime.now(UTC).hour + 11) % 24 - 11
    return f"Etc/GMT{-east:+d}" if east else "Etc/GMT"


def _reduce(pictures: Sequence[Path]) -> None:
    try:
        pngquant = command("pngquant", debian="pngquant")
    except Unavailable as reason:
        print(f"the screenshots are not compressed: {reason}", file=sys.stderr)
        return
    options = ("--force", "--skip-if-larger", "--strip", "--ext", ".png", "--speed", "1", "128")
    subprocess.run([pngquant, *options, *map(str, pictures)], check=False)


if __name__ == "__main__":
    try:
        sys.exit(asyncio.run(main(sys.argv[1:])))
    except Unavailable as problem:
        sys.exit(str(problem))

"""`make bench-web`: what a first visit to the web app costs, and a conversation of 50,000 messages.

A real Chromium at a real server with the demo's data, both on this machine: script as downloaded
(workers included), the time from the navigation until a conversation can be clicked in a browser
that has nothing of the app, and nodes and heap of the page before and after a long scroll.
"""

import argparse
import asyncio
import statistics
import sys
import tempfile
from pathlib import Path

from playwright.async_api import Browser, async_playwright

from bench.report import last_line, table
from scripts.engines import Unavailable, chromium
from tests.web import long_thread
from tests.web.demo_server import DemoServer, seeded_data
from tests.web.first_load import FirstLoad, interactive_ms, measure_first_load
from tests.web.scroll import Sizes, measure_scrolling

_NAME = "Maya Lindqvist"


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    options.add_argument("--visits", type=int, default=10)
    options.add_argument("--messages", type=int, default=50_000)
    chosen = options.parse_args()
    try:
        with tempfile.TemporaryDirectory() as folder:
            data = seeded_data(Path(folder) / "data")
            long_thread.write(data, chosen.messages)
            house = DemoServer(data).start()
            try:
                weight, times, sizes = asyncio.run(_measured(house.url, chosen.visits))
            finally:
                house.stop()
    except Unavailable as problem:
        print(problem, file=sys.stderr)
        return 1
    _show(weight, times, sizes, chosen.messages)
    return 0


async def _measured(url: str, visits: int) -> tuple[FirstLoad, list[float], Sizes]:
    async with async_playwright() as playwright:
        browser: Browser = await playwright.chromium.launch(
            executable_path=chromium.path(),
            args=list(chromium.ARGUMENTS),
            chromium_sandbox=False,
        )
        weight = await measure_first_load(browser, url, _NAME)
        times = [await interactive_ms(browser, url, _NAME) for _ in range(visits)]
        sizes = await measure_scrolling(browser, url)
        await browser.close()
        return weight, times, sizes


def _show(weight: FirstLoad, times: list[float], sizes: Sizes, messages: int) -> None:
    rows = [
        ("script, first load", f"{weight.script_bytes / 1000:.1f} KB"),
        ("everything, first load", f"{weight.all_bytes / 1000:.1f} KB"),
        ("inbox can be used, median", f"{statistics.median(times):.0f} ms"),
        ("inbox can be used, slowest", f"{max(times):.0f} ms"),
        (f"nodes in {messages:,} messages", f"{sizes.nodes:,}"),
        (f"  after {sizes.passed:,} of them", f"{sizes.nodes_after:,}"),
        ("heap", f"{sizes.heap / 1e6:.1f} MB"),
        ("  after the same", f"{sizes.heap_after / 1e6:.1f} MB"),
    ]
    print(table(("", "measured"), rows))
    last_line(
        {
            "script_bytes": weight.script_bytes,
            "all_bytes": weight.all_bytes,
            "interactive_ms_median": round(statistics.median(times)),
            "interactive_ms_max": round(max(times)),
            "messages": messages,
            "passed": sizes.passed,
            "nodes": sizes.nodes,
            "nodes_after": sizes.nodes_after,
            "heap_bytes": sizes.heap,
            "heap_bytes_after": sizes.heap_after,
        }
    )


if __name__ == "__main__":
    sys.exit(main())

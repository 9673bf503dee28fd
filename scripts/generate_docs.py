"""Writes the generated parts of docs/ and web/ from the code that they describe: `make docs`.

A whole file is a line in WHOLE. A part of a file is a line in PARTS, between `<!-- generated: NAME
-->` and `<!-- /generated: NAME -->`; the rest of that file is written by hand. tests/repository
fails if docs/ differs from what this would write.
"""

import re
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path

import uvloop

from greenroom import cost
from greenroom.app import REGISTRY
from greenroom.store import describe
from scripts import (
    card_page,
    event_table,
    policy_page,
    reference_pages,
    role_tables,
    socket_page,
    socket_types,
    sql_tables,
    staff_table,
)

ROOT = Path(__file__).parents[1]

WHOLE: dict[str, Callable[[], str]] = {
    "docs/cards.md": card_page.card_page,
    "docs/reference/access.md": reference_pages.access_page,
    "docs/reference/metrics.md": reference_pages.metrics_page,
    "docs/reference/policy.md": policy_page.policy_page,
    "docs/reference/problems.md": reference_pages.problems_page,
    "docs/reference/settings.md": reference_pages.settings_page,
    "docs/reference/socket.json": socket_page.asyncapi_file,
    "docs/reference/socket.md": socket_page.socket_page,
    "web/src/client/serverEvents.ts": socket_types.server_events,
    "web/src/client/socket.d.ts": socket_types.socket_types,
}
PARTS: dict[str, dict[str, Callable[[], str]]] = {
    "docs/data-model.md": {
        "tables": lambda: describe.markdown(REGISTRY.described_tables),
        "sql tables": sql_tables.sql_tables,
    },
    "docs/costs.md": {
        "prices": lambda: _prices(),
        "requests to S3": lambda: _blob_requests(),
    },
    "docs/reference/events.md": {"events": event_table.event_tables},
    "docs/reference/roles.md": {
        "thread roles": role_tables.thread_roles,
        "thread openings": role_tables.thread_openings,
        "staff": staff_table.staff_table,
    },
}
NAMES = (*WHOLE, *PARTS)


def generated(name: str) -> str:
    """The text of a file with its generated part replaced."""
    if name in WHOLE:
        return WHOLE[name]()
    text = (ROOT / name).read_text()
    for part, write in PARTS[name].items():
        text = _with_part(name, text, part, write())
    return text


def _prices() -> str:
    return f"Dollars at {cost.LIST_PRICE}.\n\n{cost.show.markdown(_measured())}"


def _blob_requests() -> str:
    return f"Dollars at {cost.BLOB_PRICE}.\n\n{cost.show.blob_requests(_measured())}"


@cache
def _measured() -> list[cost.Measured]:
    return uvloop.run(cost.on_a_fresh_file(cost.PATTERNS))


def _with_part(name: str, text: str, part: str, content: str) -> str:
    opening, closing = f"<!-- generated: {part} -->", f"<!-- /generated: {part} -->"
    pattern = re.compile(f"{re.escape(opening)}.*?{re.escape(closing)}", re.DOTALL)
    if not pattern.search(text):
        raise SystemExit(f"{name} has no place for {part}: {opening} … {closing}")
    return pattern.sub(lambda _: f"{opening}\n\n{content.strip()}\n\n{closing}", text)


def main() -> int:
    should_be = {ROOT / name: generated(name) for name in NAMES}
    stale = {path: text for path, text in should_be.items() if not _holds(path, text)}
    if "--check" not in sys.argv:
        for path, text in stale.items():
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
    for path in stale:
        print(path.relative_to(ROOT))
    return 1 if stale and "--check" in sys.argv else 0


def _holds(path: Path, text: str) -> bool:
    return path.exists() and path.read_text() == text


if __name__ == "__main__":
    sys.exit(main())

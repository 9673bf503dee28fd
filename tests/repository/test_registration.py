"""Everything that a module declares for the outside is registered by its context."""

from dataclasses import replace
from pathlib import Path

from greenroom.api.registry import Registry
from greenroom.app import REGISTRY, compose
from greenroom.clock import SystemClock
from scripts.reference_pages import every_module
from tests.forgotten_parts import forgotten_parts
from tests.stores import SECRET, SQLITE, fresh_store


async def test_no_context_has_forgotten_a_part(tmp_path: Path) -> None:
    clock = SystemClock()
    async with fresh_store(f"{SQLITE}{tmp_path}/parts.db", REGISTRY.tables, clock) as store:
        contexts = compose(store, clock, SECRET)
        assert forgotten_parts(every_module(), REGISTRY, contexts) == {}


async def test_forgotten_kinds_of_ephemeral_items_are_named(tmp_path: Path) -> None:
    clock = SystemClock()
    without = Registry([replace(one, ephemeral_kinds=()) for one in REGISTRY.contexts])
    async with fresh_store(f"{SQLITE}{tmp_path}/parts.db", REGISTRY.tables, clock) as store:
        forgotten = forgotten_parts(every_module(), without, compose(store, clock, SECRET))
    assert forgotten["ephemeral_kinds"] == {
        "ONCE#{userId}",
        "PENDING#{senderId}",
        "PRESENCE#{threadId}",
        "RATE#{userId}",
        "TYPING#{threadId}",
    }

"""A context that forgets to register a part is told which one."""

import dataclasses
import pkgutil
from importlib import import_module
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from greenroom.api.registry import ContextApi, Registry
from greenroom.app import CONTEXTS, compose
from greenroom.clock import SystemClock
from tests import example_context
from tests.example_context.registration import API
from tests.forgotten_parts import forgotten_parts
from tests.stores import SECRET, SQLITE, fresh_store

MODULES = [
    import_module(module.name)
    for module in pkgutil.iter_modules(example_context.__path__, f"{example_context.__name__}.")
    if ".test_" not in module.name
]
NAMES = {
    "tables": {"REMINDERS"},
    "settings": {"ReminderSettings"},
    "policy": {"ReminderRules"},
    "limits": {"REMINDERS"},
    "routes": {"ROUTES"},
    "requests": {"Remind", "RemindAck"},
    "events": {"ReminderDue"},
    "problems": {"InvalidReminder"},
    "sync": {"ReminderSource"},
    "timers": {"_timers", "on_due", "reminder"},
    "followers": {"_followers", "count_new"},
    "costs": {"tests.example_context.costs"},
    "demo": {"tests.example_context.demo"},
}
IMPORTS = """
from collections.abc import Sequence

from greenroom.api.composition import Contexts
from greenroom.api.registry import Job
from greenroom.background.follower import Follower
from greenroom.background.models import Timer
from greenroom.background.public_events import EventKind, EventSource
from greenroom.store.base import Change, Op
from tests.example_context.records import REMINDERS
from tests.example_context.reminders import Reminders, count_new
"""
PLANTED = (
    ("timers", "on_snoozed", "async def on_snoozed(reminders: Reminders, timer: Timer): ..."),
    ("timers", "snooze", "def snoozed(id: str) -> Timer: return Timer('snooze', id, 1)"),
    ("timers", "snooze", "SNOOZE = 'snooze'\ndef snoozed(id: str): return Timer(SNOOZE, id, 1)"),
    ("followers", "count_done", "async def count_done(changes: Sequence[Change]): ..."),
    ("followers", "DONE", "DONE = Follower('done', REMINDERS, count_new)"),
    ("followers", "Done", "class Done:\n    def follower(self) -> Follower: ..."),
    ("followers", "_followers", "def _followers(_: Contexts) -> list[Follower]: return []"),
    ("jobs", "_jobs", "def _jobs(contexts: Contexts) -> Sequence[Job]: return ()"),
    ("jobs", "JOBS", "JOBS = (Job('sweep', 1, count_new),)"),
    ("public_events", "KINDS", "KINDS = (EventKind('reminder.created', 'Created.'),)"),
    ("public_events", "SOURCE", "SOURCE = EventSource('reminders', REMINDERS, (), id, id)"),
)
"""A field of `ContextApi`, what is forgotten, and the source of the module that declares it."""
_EMPTY: dict[str, Any] = {field.name: field.default for field in dataclasses.fields(ContextApi)}


async def forgotten_with(folder: Path, api: ContextApi, *more: ModuleType) -> dict[str, set[str]]:
    """What is missing if reminders are registered like this."""
    whole, clock = Registry((*CONTEXTS, API)), SystemClock()
    async with fresh_store(f"{SQLITE}{folder}/parts.db", whole.tables, clock) as store:
        contexts = compose(store, clock, SECRET, registry=whole)
        return forgotten_parts((*MODULES, *more), Registry((*CONTEXTS, api)), contexts)


def module_from(path: Path, source: str) -> ModuleType:
    """Imports a file as if it were part of the example."""
    path.write_text(source)
    spec = spec_from_file_location(f"{example_context.__name__}.{path.stem}", path)
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


async def test_the_example_has_forgotten_nothing(tmp_path: Path) -> None:
    assert await forgotten_with(tmp_path, API) == {}


@pytest.mark.parametrize("part", NAMES)
async def test_a_forgotten_part_is_named(tmp_path: Path, part: str) -> None:
    without = dataclasses.replace(API, **{part: _EMPTY[part]})
    forgotten = await forgotten_with(tmp_path, without)
    assert forgotten.pop(part) == NAMES[part]
    assert set(forgotten) <= {"contexts"}, "the altered value is not that of the module"


@pytest.mark.parametrize(("part", "name", "source"), PLANTED)
async def test_work_in_the_background_that_is_planted_and_not_registered_is_named(
    tmp_path: Path, part: str, name: str, source: str
) -> None:
    planted = module_from(tmp_path / "planted.py", IMPORTS + source)
    assert await forgotten_with(tmp_path, API, planted) == {part: {name}}


async def test_a_context_that_is_not_listed_is_named(tmp_path: Path) -> None:
    other = ContextApi(name="other")
    assert "API" in (await forgotten_with(tmp_path, other))["contexts"]

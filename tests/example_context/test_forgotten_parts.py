"""A context that forgets to register a part is told which one."""

import dataclasses
import pkgutil
from importlib import import_module
from pathlib import Path
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
    "costs": {"tests.example_context.costs"},
    "demo": {"tests.example_context.demo"},
}
_EMPTY: dict[str, Any] = {field.name: field.default for field in dataclasses.fields(ContextApi)}


async def forgotten_with(folder: Path, api: ContextApi) -> dict[str, set[str]]:
    """What is missing if reminders are registered like this."""
    whole, clock = Registry((*CONTEXTS, API)), SystemClock()
    async with fresh_store(f"{SQLITE}{folder}/parts.db", whole.tables, clock) as store:
        contexts = compose(store, clock, SECRET, registry=whole)
        return forgotten_parts(MODULES, Registry((*CONTEXTS, api)), contexts)


async def test_the_example_has_forgotten_nothing(tmp_path: Path) -> None:
    assert await forgotten_with(tmp_path, API) == {}


@pytest.mark.parametrize("part", NAMES)
async def test_a_forgotten_part_is_named(tmp_path: Path, part: str) -> None:
    without = dataclasses.replace(API, **{part: _EMPTY[part]})
    forgotten = await forgotten_with(tmp_path, without)
    assert forgotten.pop(part) == NAMES[part]
    assert set(forgotten) <= {"contexts"}, "the altered value is not that of the module"


async def test_a_context_that_is_not_listed_is_named(tmp_path: Path) -> None:
    other = ContextApi(name="other")
    assert "API" in (await forgotten_with(tmp_path, other))["contexts"]

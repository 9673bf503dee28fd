"""Finds what modules declare and no context registers, by the field of `ContextApi` it belongs to.

`background_parts.py` finds timers, followers, jobs and public events.
"""

from collections.abc import Iterable, Iterator
from types import ModuleType
from typing import Any

from litestar import Router

from greenroom.api.composition import Contexts
from greenroom.api.registry import ContextApi, Registry, SessionPart
from greenroom.api.sync import SyncSource
from greenroom.api.ws import frames
from greenroom.api.ws.frames import Ack, Frame
from greenroom.errors import Problem
from greenroom.policy import Limit, Section
from greenroom.settings import SettingsGroup
from greenroom.store.tables import Table
from tests import background_parts

_BASES: tuple[type, ...] = (Problem, Section, SettingsGroup, SyncSource, SessionPart, Frame, Ack)
_OF_THE_SOCKET = (frames.Problem, frames.Synced)
"""Frames that the socket sends by itself."""
_FUNCTIONS = {"PATTERNS": "costs", "seed_samples": "demo"}
"""What makes a module a part."""


def forgotten_parts(
    modules: Iterable[ModuleType], registry: Registry, contexts: Contexts
) -> dict[str, set[str]]:
    """The names that are not registered, by field."""
    registered = _registered(registry, contexts)
    forgotten: dict[str, set[str]] = {}
    for part, name, value in _declared(modules):
        if value not in registered[part]:
            forgotten.setdefault(part, set()).add(name)
    return forgotten


def _registered(registry: Registry, contexts: Contexts) -> dict[str, set[Any]]:
    requests = registry.requests.values()
    return {
        "contexts": {id(one) for one in registry.contexts},
        "tables": {one.name for one in registry.tables},
        "ephemeral_kinds": {kind for one in registry.contexts for kind in one.ephemeral_kinds},
        "settings": set(registry.settings),
        "policy": {type(one) for one in _sections(registry)},
        "limits": set(registry.policy.limits),
        "routes": {id(one) for one in registry.routes},
        "requests": {*registry.requests, *(one.ack for one in requests)},
        "events": {*registry.events, *_OF_THE_SOCKET},
        "problems": set(registry.problems.responses),
        "sync": {type(one.source(contexts)) for one in registry.sync_parts},
        "session_parts": set(registry.session_parts),
        "costs": set(registry.costs),
        "demo": set(registry.demos),
        **background_parts.registered(registry, contexts),
    }


def _sections(registry: Registry) -> Iterator[object]:
    values = registry.policy.default.values
    return (getattr(values, name) for name in values.__struct_fields__)


def _declared(modules: Iterable[ModuleType]) -> Iterator[tuple[str, str, object]]:
    for module in modules:
        yield from background_parts.declared(module)
        own = vars(module)
        for name, value in own.items():
            is_own = getattr(value, "__module__", None) == module.__name__
            if name in _FUNCTIONS and is_own | (name == "PATTERNS" and "TITLE" in own):
                yield _FUNCTIONS[name], module.__name__, module.__name__
            elif name == "EPHEMERAL_KINDS":
                yield from (("ephemeral_kinds", kind.partition, kind) for kind in value)
            elif isinstance(value, type):
                if is_own and value not in _BASES and (part := _part_of_class(value)):
                    yield part, name, value
            elif found := _part_of_value(value):
                part, key = found
                yield part, name, key


def _part_of_class(kind: type) -> str | None:
    if issubclass(kind, Frame):
        is_request = issubclass(kind, Ack) or kind.__struct_config__.forbid_unknown_fields
        return "requests" if is_request else "events"
    if issubclass(kind, SettingsGroup):
        return "settings"
    if issubclass(kind, Section):
        return "policy"
    if issubclass(kind, Problem):
        return "problems"
    if hasattr(kind, "position_now") and hasattr(kind, "changes"):
        return "sync"
    return "session_parts" if hasattr(kind, "on_authenticated") else None


def _part_of_value(value: object) -> tuple[str, object] | None:
    match value:
        case ContextApi():
            return "contexts", id(value)
        case Table():
            return "tables", value.name
        case Limit():
            return "limits", value
        case Router():
            return "routes", id(value)
        case _:
            return None

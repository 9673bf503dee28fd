"""Finds timers, followers, jobs and public events: those modules declare, those contexts register.

They are found by their types: an async function whose last parameter is a `Timer` or a sequence of
`Change`s is a handler, and a class with a method that returns a `Follower` is a follower. A
function that takes `Contexts` and returns handlers, followers or jobs is what a context registers.
The kind of a timer is found where a module makes one.

Careful: annotations in quotes are not found.
"""

import ast
import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from types import FunctionType, MethodType, ModuleType
from typing import Any, get_args

from greenroom.api.composition import Contexts
from greenroom.api.registry import Job, Registry
from greenroom.background.follower import Follower
from greenroom.background.models import Timer
from greenroom.background.public_events import EventKind, EventSource
from greenroom.background.timers import TimerHandler
from greenroom.store.base import Change

_FACTORIES: dict[type, str] = {TimerHandler: "timers", Follower: "followers", Job: "jobs"}
"""The field of `ContextApi` that a function belongs to, by what it makes of contexts."""


def registered(registry: Registry, contexts: Contexts) -> dict[str, set[Any]]:
    followers = registry.followers(contexts)
    called = [call for one in followers for call in (one.handle, one.rebuild, one.compare) if call]
    kinds = registry.timers(contexts)
    return {
        "timers": {
            *kinds,
            *(_function(one.handle) for one in kinds.values()),
            *(_function(one.on_dropped) for one in kinds.values() if one.on_dropped),
            *(one.timers for one in registry.contexts),
        },
        "followers": {
            *(one.name for one in followers),
            *map(_function, called),
            *(type(call.__self__) for call in called if isinstance(call, MethodType)),
            *(one.followers for one in registry.contexts),
        },
        "jobs": {
            *(one.name for one in registry.jobs(contexts)),
            *(one.jobs for one in registry.contexts),
        },
        "public_events": {
            *(one.name for one in registry.public_events),
            *(kind for one in registry.public_events for kind in one.kinds),
        },
    }


def declared(module: ModuleType) -> Iterator[tuple[str, str, object]]:
    """Each with its field of `ContextApi`, its name in the module and what it is registered as."""
    for name, value in vars(module).items():
        is_own = getattr(value, "__module__", None) == module.__name__
        if isinstance(value, FunctionType):
            if is_own and (part := _part_of_function(value)):
                yield part, name, value
        elif isinstance(value, type):
            if is_own and _makes_follower(value):
                yield "followers", name, value
        else:
            for part, key in _parts_of_value(value):
                yield part, name, key
    for kind in _timer_kinds(module):
        yield "timers", kind, kind


def _part_of_function(function: Callable[..., object]) -> str | None:
    types = inspect.get_annotations(function)
    returned = types.pop("return", None)
    if inspect.iscoroutinefunction(function) and types:
        last = list(types.values())[-1]
        if last is Timer:
            return "timers"
        return "followers" if last == Sequence[Change] else None
    if list(types.values()) == [Contexts]:
        made = {returned, *get_args(returned)}
        return next((part for kind, part in _FACTORIES.items() if kind in made), None)
    return None


def _makes_follower(kind: type) -> bool:
    methods = (one for one in vars(kind).values() if isinstance(one, FunctionType))
    return any(inspect.get_annotations(method).get("return") is Follower for method in methods)


def _parts_of_value(value: object) -> Iterator[tuple[str, object]]:
    match value:
        case Follower(name=name):
            yield "followers", name
        case Job(name=name):
            yield "jobs", name
        case EventSource(name=name):
            yield "public_events", name
        case EventKind():
            yield "public_events", value
        case Mapping():
            for kind, one in value.items():
                if isinstance(one, TimerHandler):
                    yield "timers", kind
        case tuple() | list():
            for one in value:
                yield from _parts_of_value(one)


def _timer_kinds(module: ModuleType) -> Iterator[str]:
    """The kinds of the timers that a module makes."""
    if vars(module).get(Timer.__name__) is not Timer:
        return
    for node in ast.walk(ast.parse(inspect.getsource(module))):
        match node:
            case ast.Call(func=ast.Name(id=Timer.__name__), args=[kind, *_]):
                if isinstance(kind, ast.Name | ast.Attribute | ast.Constant):
                    yield str(eval(ast.unparse(kind), vars(module)))


def _function(call: Callable[..., object]) -> Callable[..., object]:
    return call.func if isinstance(call, partial) else call

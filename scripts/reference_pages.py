"""Writes the pages of docs/reference/ for settings, problems and metrics from the code."""

import importlib
import inspect
import pkgutil
import re
from types import ModuleType

import greenroom
from greenroom.api.access import CALLERS, rows
from greenroom.api.problem_table import HTTP_PROBLEMS, type_of
from greenroom.api.registry import Registry
from greenroom.app import REGISTRY
from greenroom.errors import Problem
from greenroom.metrics import BOUNDS, METRICS
from greenroom.settings import every_setting


def settings_page(registry: Registry = REGISTRY) -> str:
    rows = "".join(
        f"| `{one.variable}` | {_default(one.default)} | {one.kind} | {one.description} |\n"
        for one in every_setting(registry.settings)
    )
    return (
        "# Settings\n\n"
        "Greenroom reads its settings once, when it starts, from the environment. A variable that "
        "begins with\n`GREENROOM_` and is not listed here is refused, and so is a value that does "
        "not fit.\n\n"
        f"| variable | default | takes | means |\n| --- | --- | --- | --- |\n{rows}"
    )


def problems_page() -> str:
    rows = "".join(
        f"| `{type_of(problem.code)}` | {REGISTRY.problems.response_for(problem).status} "
        f"| {_message(problem)} | {_members(problem)} |\n"
        for problem in sorted(every_problem(), key=lambda problem: problem.code)
    )
    rows += "".join(
        f"| `{type_of(code)}` | {status} | {message} | {'`errors`' if status == 400 else ''} |\n"
        for status, (code, message) in HTTP_PROBLEMS.items()
    )
    return (
        "# Problems\n\n"
        "Every refusal has a stable `type`. Over HTTP it is an `application/problem+json` document "
        "(RFC 9457) with\n`type`, `title`, `status`, and where the caller can do something about "
        "it also `detail`, the sentence\nbelow, and the members in the last column. They are data: "
        "ids, numbers, times, names of values. Only the\n`reason` of a suspension is a text that "
        "a person wrote. A status of 500 is always answered as\n"
        "`/problems/internal-error` without more; those rows are what the command line says, or "
        "the log. `503`\ncomes with `Retry-After`.\n\n"
        f"| type | status | says | members |\n| --- | --- | --- | --- |\n{rows}"
    )


def metrics_page() -> str:
    rows = "".join(
        f"| `{one.name}` | {one.kind.value} | {', '.join(f'`{label}`' for label in one.labels)} "
        f"| {one.help} |\n"
        for one in METRICS
    )
    bounds = ", ".join(f"{bound:g}" for bound in BOUNDS)
    return (
        "# Metrics\n\n"
        "With `GREENROOM_METRICS=true` a node answers `GET /metrics` in the Prometheus text "
        "format. The numbers are\nthose of this node since it started; let Prometheus read every "
        "node. The metrics `process_*` come from\n`prometheus-client`: CPU, memory, open files.\n\n"
        "Do not let `/metrics` be reached from outside: it shows how much goes on and what is "
        "refused. It needs no\ntoken, so block the path in the proxy in front of the server.\n\n"
        f"| name | kind | labels | means |\n| --- | --- | --- | --- |\n{rows}\n"
        f"The buckets of the histograms end at {bounds} seconds.\n"
    )


def _members(problem: type[Problem]) -> str:
    shown = REGISTRY.problems.response_for(problem).status != 500
    return ", ".join(f"`{name}`" for name in REGISTRY.problems.members_of(problem)) if shown else ""


def every_module() -> list[ModuleType]:
    return [
        importlib.import_module(module.name)
        for module in pkgutil.walk_packages(greenroom.__path__, "greenroom.")
        if not module.name.endswith("__main__")
    ]


def every_problem() -> list[type[Problem]]:
    every_module()
    return [one for one in _below(Problem) if one.__module__.startswith("greenroom.")]


def _below(kind: type[Problem]) -> list[type[Problem]]:
    return [one for sub in kind.__subclasses__() for one in (sub, *_below(sub))]


def _message(problem: type[Problem]) -> str:
    text = inspect.cleandoc(problem.__doc__ or "").replace("\n", " ")
    return re.sub(r"\{([a-z_]+)[^}]*\}", r"{\1}", text)


def _default(default: object) -> str:
    match default:
        case bool():
            return f"`{str(default).lower()}`"
        case "":
            return "empty"
        case _:
            return f"`{default}`"


def access_page() -> str:
    callers = "".join(f"- **{name}**: {who}\n" for name, who in CALLERS.items())
    head = " | ".join(CALLERS)
    table = "".join(
        f"| `{route}` | {' | '.join(str(statuses[caller]) for caller in CALLERS)} |\n"
        for route, statuses in rows(REGISTRY.access)
    )
    return (
        "# Access\n\n"
        "What each kind of caller is answered at each route. Without a valid token every route "
        "answers 401, and for a\nsuspended account 403. 404 means that the caller cannot tell "
        "it from something that does not exist.\n\n"
        f"{callers}\n| route | {head} |\n|{' --- |' * (len(CALLERS) + 1)}\n{table}"
    )

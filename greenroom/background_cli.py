"""Declares `greenroom background` and its subcommands, and prints what they find."""

import argparse
import shlex
from collections.abc import Callable, Coroutine
from typing import Any, TypeAlias, TypeVar

import uvloop

from greenroom import background_commands as commands
from greenroom.api.registry import Registry
from greenroom.background.models import SetAside, TimerRow
from greenroom.background.set_aside import Replay
from greenroom.background_text import (
    change_row,
    counted,
    item_of,
    set_aside_text,
    status_text,
    timer_row,
    to_json,
)
from greenroom.settings import Settings

TIMERS = "timers"
_MAX_SHOWN = 100
_FAILED = 1
_T = TypeVar("_T")

Reply: TypeAlias = Callable[[argparse.Namespace, Settings, Registry], int]
Adder: TypeAlias = "argparse._SubParsersAction[argparse.ArgumentParser]"


def add_to(
    parsers: Adder, settings_of: Callable[[argparse.Namespace], Settings], registry: Registry
) -> None:
    def runs(parser: argparse.ArgumentParser, reply: Reply) -> None:
        parser.set_defaults(command=lambda given: reply(given, settings_of(given), registry))

    top = parsers.add_parser(
        "background",
        help="show followers and timers, and repair what is stuck",
        description="Without a command: followers, timers, and which node works on what.",
    )
    top.add_argument("--demo", action="store_true", help="for the data of `greenroom demo`")
    top.add_argument("--json", action="store_true", help="print JSON")
    runs(top, _status)
    acts = top.add_subparsers(metavar="COMMAND")

    def add(name: str, reply: Reply, help: str) -> argparse.ArgumentParser:
        parser = acts.add_parser(name, help=help, description=f"{help[0].upper()}{help[1:]}.")
        # Suppressed, or else it would undo the option of the command above.
        parser.add_argument(
            "--demo",
            action="store_true",
            default=argparse.SUPPRESS,
            help="for the data of `greenroom demo`",
        )
        runs(parser, reply)
        return parser

    listed = add("set-aside", _set_aside, "list changes and timers that were set aside")
    listed.add_argument("target", nargs="?", metavar="FOLLOWER|timers")
    listed.add_argument("--json", action="store_true", default=argparse.SUPPRESS, help="print JSON")
    replay = add("replay", _replay, "handle changes, or run timers, again that were set aside")
    drop = add("drop", _drop, "give up a change or a timer that was set aside")
    for parser in (replay, drop):
        parser.add_argument("target", metavar="FOLLOWER|timers")
        parser.add_argument(
            "which", nargs="*", metavar="NUMBER | KIND ID", help="a change, or a timer"
        )
    replay.add_argument("--all", action="store_true", help="all of the follower, or of the kind")
    rebuild = add("rebuild", _rebuild, "let the running server rebuild a follower's result")
    rebuild.add_argument("target", metavar="FOLLOWER")
    compare = add("compare", _compare, "compare a follower's result with its table")
    compare.add_argument("target", metavar="FOLLOWER")
    for parser in (drop, rebuild):
        parser.add_argument("--yes", action="store_true", help="do not ask")
    for parser in (replay, drop):
        parser.set_defaults(refuse=parser.error)


def _status(arguments: argparse.Namespace, settings: Settings, registry: Registry) -> int:
    found = _run(commands.status(settings, registry))
    print(to_json(found) if arguments.json else status_text(found), end="")
    return 0


def _set_aside(arguments: argparse.Namespace, settings: Settings, registry: Registry) -> int:
    target: str | None = arguments.target
    changes: dict[str, list[SetAside]] = {}
    timers: list[TimerRow] | None = None
    if target != TIMERS:
        changes = _run(commands.changes_set_aside(settings, registry, target, _MAX_SHOWN))
    if target in (None, TIMERS):
        timers = _run(commands.timers_set_aside(settings, registry, None, _MAX_SHOWN))
    if arguments.json:
        shown = {name: [change_row(one) for one in some] for name, some in changes.items()}
        rows = [timer_row(one) for one in timers or ()]
        print(to_json({"followers": shown, "timers": rows}), end="")
    else:
        print(set_aside_text(changes, timers), end="")
    return 0


def _replay(arguments: argparse.Namespace, settings: Settings, registry: Registry) -> int:
    if arguments.target == TIMERS:
        return _replay_timers(arguments, settings, registry)
    if arguments.all and not arguments.which:
        replay = commands.replay_all_changes(settings, registry, arguments.target)
    else:
        number = _number_in(arguments)
        replay = commands.replay_change(settings, registry, arguments.target, number)
    done = _run(replay)
    print(f"{counted(done.replayed, 'change')} replayed.")
    if done.error:
        print(f"Still set aside: {done.error}")
    return _FAILED if done.error else 0


def _replay_timers(arguments: argparse.Namespace, settings: Settings, registry: Registry) -> int:
    done = Replay(1)
    if not arguments.all:
        _run(commands.replay_timer(settings, registry, *_timer_in(arguments)))
    elif len(arguments.which) > 1:
        arguments.refuse("give KIND and ID, or --all with or without KIND")
    else:
        kind = arguments.which[0] if arguments.which else None
        rows = _run(commands.timers_set_aside(settings, registry, kind, commands.MAX_TIMERS))
        timers = [(row.timer.kind, row.timer.id) for row in rows]
        done = _run(commands.replay_timers(settings, registry, timers))
    print(f"{counted(done.replayed, 'timer')} will run as soon as a server is running.")
    if done.error:
        print(done.error)
    return _FAILED if done.error else 0


def _drop(arguments: argparse.Namespace, settings: Settings, registry: Registry) -> int:
    if arguments.target == TIMERS:
        kind, id = _timer_in(arguments)
        if not _confirmed(arguments, f"The timer {kind} {id} will never run."):
            return _FAILED
        _run(commands.drop_timer(settings, registry, kind, id))
    else:
        name, number = arguments.target, _number_in(arguments)
        aside = _run(commands.change_set_aside(settings, registry, name, number))
        text = f"Change {number} of {name} ({item_of(aside)}) will never be handled."
        if not _confirmed(arguments, text):
            return _FAILED
        _run(commands.drop_change(settings, registry, name, number))
    print("Dropped.")
    return 0


def _rebuild(arguments: argparse.Namespace, settings: Settings, registry: Registry) -> int:
    name: str = arguments.target
    follower = _run(commands.follower_named(settings, registry, name))
    text = f"{name} cannot read its table again: it drops what is set aside and goes on from now."
    if follower.rebuild is None and not _confirmed(arguments, text):
        return _FAILED
    is_running = _run(commands.rebuild(settings, registry, name))
    print(
        "The running server begins within seconds; `greenroom background` shows the stage."
        if is_running
        else "No server is running: the rebuild begins when one starts."
    )
    return 0


def _compare(arguments: argparse.Namespace, settings: Settings, registry: Registry) -> int:
    name: str = arguments.target
    found = _run(commands.compare(settings, registry, name))
    for line in found.lines:
        print(line)
    print(
        f"{counted(found.compared, 'item')} compared, {found.different} different, "
        f"{counted(found.orphaned, 'result')} without a source."
    )
    if not (found.different or found.orphaned):
        return 0
    again = f"greenroom background rebuild {shlex.quote(name)}"
    print(f"Changes on their way show as differences: compare again. `{again}` repairs them.")
    return _FAILED


def _number_in(arguments: argparse.Namespace) -> int:
    which: list[str] = arguments.which
    is_all = getattr(arguments, "all", False)
    if is_all or len(which) != 1 or not which[0].isdecimal():
        arguments.refuse("give one NUMBER, as `greenroom background set-aside` shows it")
    return int(which[0])


def _timer_in(arguments: argparse.Namespace) -> tuple[str, str]:
    if len(arguments.which) != 2:
        arguments.refuse("give KIND and ID, as `greenroom background set-aside` shows them")
    kind, id = arguments.which
    return kind, id


def _confirmed(arguments: argparse.Namespace, text: str) -> bool:
    if arguments.yes:
        return True
    try:
        answer = input(f"{text} Continue? [y/N] ")
    except EOFError:
        answer = ""
        print()
    if answer.strip().lower() in ("y", "yes"):
        return True
    print("Nothing was changed. --yes does it without asking.")
    return False


def _run(work: Coroutine[Any, Any, _T]) -> _T:
    return uvloop.run(work)

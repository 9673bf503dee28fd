"""What the tests of the background follow and write.

NOTES is followed. JOURNAL has an item for each follower and note, or timer, with a list of what was
done, in order: a loss, a repeat and a wrong order all show in it.
"""

import random
from collections import defaultdict
from collections.abc import Callable, Sequence
from typing import Any, cast

from greenroom.background.follower import Follower, Result
from greenroom.background.followers import FollowerRunner
from greenroom.background.models import Timer
from greenroom.background.timers import TimerHandler, TimerRunner
from greenroom.clock import Clock
from greenroom.store.base import Change, Key, Op, Put, Store, Update
from greenroom.store.expressions import F
from greenroom.store.tables import Table
from greenroom.store.values import Item, Value

NOTES = Table("Notes", "What is followed", stream=True)
JOURNAL = Table("Journal", "What was done")


def note(pk: str, n: int) -> Put:
    return Put(NOTES, {"pk": pk, "sk": "note", "n": n})


async def journal(store: Store, name: str) -> dict[str, list[int]]:
    """By note, or timer: what was done, in order."""
    found: dict[str, list[int]] = {}
    page = await store.query(JOURNAL, name, limit=1000, consistent=True)
    for item in page.items:
        found[str(item["sk"])] = list(cast("list[int]", item["done"]))
    return found


def entry(name: str, what: str, *numbers: int) -> Update:
    return Update(JOURNAL, Key(name, what), (F("done").append(*numbers),))


class Notes:
    """A follower that writes down each change, and may be made to fail."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.poisoned: set[tuple[str, int]] = set()
        self.outages = 0
        self.calls: list[list[int]] = []

    async def handle(self, changes: Sequence[Change]) -> list[Op]:
        numbers: defaultdict[str, list[int]] = defaultdict(list)
        self.calls.append([_number(change) for change in changes])
        if self.outages:
            self.outages -= 1
            raise ConnectionResetError("the mail server is away")
        for change in changes:
            n = _number(change)
            if (change.key.partition, n) in self.poisoned:
                raise ValueError(f"{change.key.partition} {n} is poisoned")
            numbers[change.key.partition].append(n)
        return [entry(self.name, pk, *seen) for pk, seen in numbers.items()]

    def follower(self, **rest: Any) -> Follower:
        return Follower(self.name, NOTES, self.handle, **({"max_batch": 4, "max_tries": 2} | rest))


def _number(change: Change) -> int:
    item = change.new or change.old or {}
    return int(str(item["n"])) if change.new else -int(str(item["n"]))


class Copies:
    """A follower that keeps a copy of each note, and can rebuild it."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.poisoned: set[str] = set()

    async def handle(self, changes: Sequence[Change]) -> list[Op]:
        last = {change.key: change for change in changes}
        return [self._op(key.partition, change.new) for key, change in last.items()]

    async def rebuild(self, items: Sequence[Item]) -> list[Op]:
        return [self._op(str(item["pk"]), item) for item in items]

    def _op(self, pk: str, item: Item | None) -> Op:
        if pk in self.poisoned:
            raise ValueError(f"{pk} is poisoned")
        if item is None:
            return Update(JOURNAL, Key(self.name, pk), (F("n").remove(), F("gone").set(value=True)))
        copy: dict[str, Value] = {"pk": self.name, "sk": pk, "n": item["n"]}
        return Put(JOURNAL, copy)

    def source(self, item: Item) -> Key | None:
        return Key(str(item["sk"]), "note") if item["pk"] == self.name else None

    def follower(self, **rest: Any) -> Follower:
        return Follower(
            self.name,
            NOTES,
            self.handle,
            self.rebuild,
            results=(Result(JOURNAL, self.source),),
            **({"max_batch": 4, "max_tries": 2} | rest),
        )

    async def result(self, store: Store) -> dict[str, int]:
        page = await store.query(JOURNAL, self.name, limit=1000, consistent=True)
        return {str(item["sk"]): int(str(item["n"])) for item in page.items if "n" in item}


async def no_sleep(seconds: float) -> None:
    """Passes no time."""


def follower_runner(store: Store, clock: Clock, follower: Follower) -> FollowerRunner:
    return FollowerRunner(store, clock, follower, chance=random.Random(1), sleep=no_sleep)


class Alarms:
    """A kind of timer that writes down each run, and may be made to fail."""

    def __init__(self, name: str = "alarms") -> None:
        self.name = name
        self.failing: dict[str, int] = {}
        """By id: how many more tries fail."""
        self.runs: list[str] = []

    async def handle(self, timer: Timer) -> list[Op]:
        self.runs.append(timer.id)
        if self.failing.get(timer.id, 0):
            self.failing[timer.id] -= 1
            raise ValueError(f"{timer.id} fails")
        return [entry(self.name, timer.id, timer.due_ms % 1_000_000)]

    def handler(self, **rest: Any) -> TimerHandler:
        return TimerHandler(self.handle, **rest)


def timer_runner(
    store: Store,
    clock: Clock,
    handlers: dict[str, TimerHandler],
    holds: Callable[[str], bool] = lambda lease: True,
    **rest: int,
) -> TimerRunner:
    return TimerRunner(store, clock, handlers, holds=holds, chance=random.Random(1), **rest)


async def run_due(runner: TimerRunner) -> None:
    await runner.poll()
    await runner.settle()

"""Messages, fields and reprs of the store's problems are short, whatever the input."""

import time
from collections.abc import Awaitable, Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from greenroom.clock import SystemClock
from greenroom.errors import MOST_CHARACTERS, Problem
from greenroom.store import problems
from greenroom.store.base import Check, Delete, Key, Put, Store, Update
from greenroom.store.expressions import F, Prefix, Range
from greenroom.store.sqlite import SqliteStore
from greenroom.store.tables import Table
from tests.contracts.tables import ACCOUNTS, NOTES, TABLES, at, note

HUGE = "n" * 65536
LONG = "k" * 1000
SHORT = 500
Call = Callable[[Store], Awaitable[Any]]


def put(**rest: Any) -> Call:
    return lambda store: store.write(Put(NOTES, note(**rest)))


def update(*actions: Any) -> Call:
    return lambda store: store.write(Update(NOTES, at(), actions))


def under(condition: Any) -> Call:
    return lambda store: store.write(Put(NOTES, note(), condition))


CALLS: dict[str, Call] = {
    "name of an attribute": put(**{HUGE: 1}),
    "name in a map": put(m={HUGE: 1}),
    "name of a float": put(**{HUGE[:255]: 0.5}),
    "name that is bytes": lambda s: s.write(Put(NOTES, {**note(), b"x" * 65536: 1})),  # type: ignore[dict-item]
    "name that is a number": lambda s: s.write(Put(NOTES, {**note(), 10**5000: 1})),  # type: ignore[dict-item]
    "number": put(n=10**5000),
    "number of many digits": put(n=Decimal("1" * 65536)),
    "number of many zeros": put(n=Decimal("1E+999999")),
    "item": put(text=HUGE * 7),
    "partition": lambda s: s.get(NOTES, Key(HUGE, "s")),
    "sort": lambda s: s.get(NOTES, Key("p", HUGE)),
    "sort where there is none": lambda s: s.get(ACCOUNTS, Key("p", HUGE)),
    "key of an index": put(owner=HUGE),
    "path": update(F(HUGE).set(1)),
    "path to a path": update(F("a", HUGE).set(1)),
    "path of many names": update(F(*["a"] * 65536).set(1)),
    "path of long names": update(F(*[HUGE[:255]] * 40).set(1)),
    "path with an empty name": update(F(HUGE, "").set(1)),
    "path into a key": update(F("pk", HUGE).set(1)),
    "two actions": update(F(*[HUGE[:255]] * 30).set(1), F(*[HUGE[:255]] * 30).set(2)),
    "path through nothing": update(F(*[HUGE[:255]] * 30).set(1)),
    "no number to add to": update(F("map", *[HUGE[:255]] * 1).add(1), F("text").add(1)),
    "condition": under(F(HUGE).exists()),
    "order of a map": under(F(*[HUGE[:255]] * 30).less_than({})),
    "ends of a range": under(F(*[HUGE[:255]] * 30).between(HUGE, "a")),
    "values": under(F(*[HUGE[:255]] * 30).is_in(*[HUGE] * 100)),
    "prefix": lambda s: s.query(NOTES, "p", Prefix(HUGE), limit=1),
    "range": lambda s: s.query(NOTES, "p", Range(HUGE, "a"), limit=1),
    "limit": lambda s: s.query(NOTES, "p", limit=10**5000),
    "cursor": lambda s: s.query(NOTES, "p", limit=1, cursor=HUGE),
    "keys of a batch": lambda s: s.batch_get(NOTES, [Key(LONG, str(n)) for n in range(200)]),
    "token": lambda s: s.write(Put(NOTES, note()), token=HUGE),
    "refused put": lambda s: s.write(Put(NOTES, note(LONG * 2, LONG), F("pk").exists())),
    "refused update": lambda s: s.write(
        Update(NOTES, at(LONG * 2, LONG), (F("a").set(HUGE),), F("pk").exists())
    ),
    "refused delete": lambda s: s.write(Delete(NOTES, at(LONG * 2, LONG), F("pk").exists())),
    "refused check": lambda s: s.write(
        Check(NOTES, at(LONG * 2, LONG), F("pk").exists()), Put(NOTES, note())
    ),
    "unknown table": lambda s: s.get(Table("x" * 255, HUGE), at()),
}


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
async def test_a_refusal_of_something_huge_is_short(tmp_path: Path, call: Call) -> None:
    async with await SqliteStore.open(
        tmp_path / "s.db", TABLES, clock=SystemClock(), cursor_secret=b"s"
    ) as store:
        await store.write(Put(NOTES, note(map={}, text="x")))
        began = time.process_time()
        with pytest.raises(Problem) as refused:
            await call(store)
        assert time.process_time() - began < 0.2
    problem = refused.value
    assert len(str(problem)) < SHORT
    assert all(len(value) < SHORT for value in problem.fields.values() if isinstance(value, str))
    assert len(repr(problem)) < 2 * SHORT


def every_problem() -> list[type[Problem]]:
    found = [kind for kind in vars(problems).values() if isinstance(kind, type)]
    return [kind for kind in found if issubclass(kind, Problem) and kind is not Problem]


@pytest.mark.parametrize("kind", every_problem(), ids=lambda kind: kind.code)
def test_a_problem_truncates_its_fields(kind: type[Problem]) -> None:
    names = list(kind.__annotations__)
    values = [0 if kind.__annotations__[name] is int else HUGE for name in names]
    if kind is problems.ConditionFailed:
        values = [(problems.Failure(Delete(NOTES, at(LONG, LONG)), None),)]  # type: ignore[list-item]
    problem = kind(*values)
    assert len(str(problem)) < len(names) * MOST_CHARACTERS + SHORT

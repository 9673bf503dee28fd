"""Runs one sequence on both engines, call by call, and raises if they differ.

Compared are every result, every refusal (its class, the failed ops and their items), the units of
every call, and at the end all tables, all indexes and the changes of every item. Exceptions are
listed, with reasons, at the end of this file.
"""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from itertools import groupby, pairwise
from pathlib import Path
from typing import Any

from msgspec import Struct

from greenroom.clock import ManualClock
from greenroom.errors import Problem
from greenroom.store.base import Check, Delete, Key, Store, Update, key_of
from greenroom.store.expressions import only_removes
from greenroom.store.problems import (
    ConditionFailed,
    InvalidItem,
    InvalidKey,
    InvalidUpdate,
    ItemTooLarge,
)
from greenroom.store.sqlite import SqliteStore
from greenroom.store.tables import Index, Table, index_key_names
from greenroom.store.values import Item
from tests.contracts.sequences import (
    OWNERS,
    PARTITIONS,
    Advance,
    Again,
    BatchGet,
    Get,
    Step,
    Walk,
    Write,
    with_namespace,
)
from tests.contracts.tables import TABLES, VISITS, exact
from tests.stores import IN_2100_MS, SECRET, fresh_tables

_MISFITS = (InvalidUpdate, InvalidItem, ItemTooLarge)


class Disagreement(AssertionError):
    """The engines gave different results."""


class Outcome(Struct):
    """A call's result or refusal, and its cost in units."""

    answer: Any
    refusal: Problem | None
    units: dict[str, tuple[float, float]]


class Pair:
    """One store of each kind with the same tables, empty except for earlier sequences."""

    def __init__(self, sqlite: Store, dynamo: Store, clock: ManualClock) -> None:
        self.sqlite = sqlite
        self.dynamo = dynamo
        self._clock = clock
        self._runs = 0
        self._followed: dict[tuple[str, str], str | None] = {}

    @classmethod
    @asynccontextmanager
    async def opened(cls, folder: Path, url: str) -> AsyncIterator["Pair"]:
        clock = ManualClock(IN_2100_MS)
        # Sweeping writes changes at moments of its own, which DynamoDB does at other ones.
        async with (
            await SqliteStore.open(
                folder / "pair.db", TABLES, clock=clock, cursor_secret=SECRET, sweep_seconds=1e6
            ) as sqlite,
            fresh_tables(url, TABLES, clock) as dynamo,
        ):
            yield cls(sqlite, dynamo, clock)

    async def run(self, sequence: Sequence[Step]) -> None:
        self._runs += 1
        namespace = f"{self._runs:06}/"
        self._clock.advance(ms=IN_2100_MS - self._clock.now_ms())
        with_token: list[Write] = []
        for number, template in enumerate(sequence):
            step = with_namespace(template, namespace)
            if isinstance(step, Advance):
                self._clock.advance(seconds=step.seconds)
                continue
            if isinstance(step, Again):
                if len(with_token) <= step.back:
                    continue
                step = with_token[-1 - step.back]
            if isinstance(step, Write) and await self._removes_from_nothing(step):
                continue
            if isinstance(step, Write) and isinstance(template, Write) and step.token is not None:
                with_token.append(step)
            before = await self._image(step)
            one, other = await asyncio.gather(
                outcome(self.sqlite, step), outcome(self.dynamo, step)
            )
            _forget_phantoms(step, before, await self._image(step), other)
            compare(f"step {number}, {template!r}", step, one, other)
        await self._compare_tables(namespace)
        await self._compare_changes(namespace)

    async def _removes_from_nothing(self, write: Write) -> bool:
        """For an update of a missing item that only removes, DynamoDB Local creates an item of only
        keys; AWS and the SQLite engine create nothing. Later steps would differ, so the step is
        skipped. tests/contracts/test_store_removals.py tests it."""
        for op in write.ops:
            if isinstance(op, Update) and only_removes(op.actions):
                try:
                    if await self.sqlite.get(op.table, op.key) is None:
                        return True
                except InvalidKey:
                    continue
        return False

    async def _image(self, step: Step) -> Item:
        """The current item of a lone op."""
        if not isinstance(step, Write) or len(step.ops) != 1:
            return {}
        try:
            return await self.sqlite.get(step.ops[0].table, key_of(step.ops[0])) or {}
        except InvalidKey:
            return {}

    async def _compare_tables(self, namespace: str) -> None:
        for table in TABLES:
            for index in (None, *table.indexes):
                for partition in PARTITIONS if index is None else OWNERS:
                    step = Walk(
                        table, with_namespace(partition, namespace), None, index, 100, False, False
                    )
                    one, other = await asyncio.gather(
                        outcome(self.sqlite, step), outcome(self.dynamo, step)
                    )
                    compare(f"in the end, {step!r}", step, one, other)

    async def _compare_changes(self, namespace: str) -> None:
        for table in TABLES:
            if table.stream:
                one = await self._changes("sqlite", self.sqlite, table, namespace)
                other = await self._changes("dynamodb", self.dynamo, table, namespace)
                _same(f"the changes of {table.name}", one, other)

    async def _changes(
        self, engine: str, store: Store, table: Table, namespace: str
    ) -> dict[Key, list[Any]]:
        found: dict[Key, list[Any]] = {}
        place = self._followed.get((engine, table.name))
        async for change in store.changes(table, after=place, follow=False):
            self._followed[engine, table.name] = change.checkpoint
            if change.key.partition.startswith(namespace):
                found.setdefault(change.key, []).append((exact(change.old), exact(change.new)))
        if table.ttl is not None:
            return {key: _arrivals(images) for key, images in found.items()}
        return found


async def outcome(store: Store, step: Step) -> Outcome:
    with store.counting() as cost:
        answer: Any = None
        refusal: Problem | None = None
        try:
            answer = await _call(store, step)
        except Problem as problem:
            refusal = problem
    units = {
        source: (spent.read, spent.write)
        for source, spent in cost.by_source.items()
        if spent.read or spent.write
    }
    return Outcome(answer, refusal, units)


async def _call(store: Store, step: Step) -> Any:
    match step:
        case Write(ops, token):
            return exact(await store.write(*ops, token=token))
        case Get(table, key, consistent):
            return exact(await store.get(table, key, consistent=consistent))
        case BatchGet(table, keys, consistent):
            found = await store.batch_get(table, keys, consistent=consistent)
            return {key: exact(item) for key, item in found.items()}
        case Walk():
            return await _pages(store, step)
    raise AssertionError(f"{step!r} is no call")


async def _pages(store: Store, walk: Walk) -> list[tuple[Item, ...]]:
    pages: list[tuple[Item, ...]] = []
    cursor: str | None = None
    while True:
        page = await store.query(
            walk.table,
            walk.partition,
            walk.sort,
            index=walk.index,
            limit=walk.limit,
            backward=walk.backward,
            cursor=cursor,
            consistent=walk.consistent,
        )
        pages.append(page.items)
        cursor = page.next
        if cursor is None or len(pages) > 100:
            return pages


def compare(where: str, step: Step, one: Outcome, other: Outcome) -> None:
    if undecided(step, one, other):
        return
    _same(f"{where}: the refusal", _told(step, one), _told(step, other))
    if isinstance(step, Walk) and one.refusal is None:
        _same(f"{where}: the lengths of the pages", *map(_lengths, (one.answer, other.answer)))
        _same(f"{where}: the items", _in_order(step, one.answer), _in_order(step, other.answer))
    else:
        _same(f"{where}: the answer", one.answer, other.answer)
    if known_difference_in_units(step, one, other) is None:
        _same(f"{where}: the units", one.units, other.units)


def _same(what: str, one: Any, other: Any) -> None:
    if one != other:
        raise Disagreement(f"{what}\n   sqlite: {one!r}\n dynamodb: {other!r}")


def _told(step: Step, found: Outcome) -> Any:
    match found.refusal:
        case None:
            return None
        case ConditionFailed(failed=failed):
            assert isinstance(step, Write)
            places = [[op is failure.op for op in step.ops].index(True) for failure in failed]
            return ("ConditionFailed", places, [exact(failure.item) for failure in failed])
        case problem:
            return type(problem).__name__


def _lengths(pages: list[tuple[Item, ...]]) -> list[int]:
    return [len(page) for page in pages]


def _in_order(walk: Walk, pages: list[tuple[Item, ...]]) -> list[Any]:
    """All items in order; items with equal index keys, whose order is undefined, by key."""
    items = [item for page in pages for item in page]
    if walk.index is None:
        return [exact(item) for item in items]
    groups = groupby(items, key=lambda item: _index_sort(walk.index, item))
    return [(place, sorted(map(exact, same), key=repr)) for place, same in groups]


def _index_sort(index: Index | None, item: Item) -> object:
    return None if index is None or index.sort is None else item[index.sort]


def _arrivals(images: list[tuple[Any, Any]]) -> list[Any]:
    """The states that an item of a table with a TTL reached. When an expired item is removed is
    undefined: on DynamoDB before an Update of it, on SQLite together with it. So removals are left
    out, and a repeated state counts once."""
    for (_, earlier), (later, _) in pairwise(images):
        assert earlier == later, "the changes of an item are a chain"
    states = [new for _, new in images if new != exact(None)]
    return [state for state, _ in groupby(states)]


def undecided(step: Step, one: Outcome, other: Outcome) -> bool:
    """Where DynamoDB does not define which of two results it returns."""
    # Of several actions that do not fit their items for different reasons, one is named: any.
    return (
        isinstance(step, Write)
        and sum(len(op.actions) for op in step.ops if isinstance(op, Update)) > 1
        and isinstance(one.refusal, _MISFITS)
        and isinstance(other.refusal, _MISFITS)
    )


def _forget_phantoms(step: Step, before: Item, after: Item, dynamo: Outcome) -> None:
    """DynamoDB Local also bills an index when one half of its key is removed and the other added,
    although the item is never in that index."""
    if isinstance(step, Write) and len(step.ops) == 1:
        for index in step.ops[0].table.indexes:
            names = set(index_key_names(index))
            if not names <= before.keys() and not names <= after.keys():
                dynamo.units.pop(f"{step.ops[0].table.name}/{index.name}", None)


def known_difference_in_units(step: Step, one: Outcome, other: Outcome) -> str | None:
    """Why DynamoDB Local's cost differs from the published rules; None if it must not."""
    match step:
        case Write(ops, token) if len(ops) > 1:
            return "of equal figures in a transaction it counts one"
        case Write() if any(read for read, _ in one.units.values()):
            return "it does not say that a repeated token costs reads, not writes"
        case Write((Check(),), _):
            return "it counts a Check as 1 KB whatever the item's size"
        case Write((Delete(),), token) if token is not None:
            return "it counts the Delete of an absent item in a transaction once, not twice"
        case Write(ops) if any(op.table is VISITS for op in ops):
            return "the engine's own way around an expired item takes calls of its own"
        case BatchGet():
            return "it counts nothing for an item that is not there"
        case Walk(table=table, index=index):
            if table.ttl is not None:
                return "it counts nothing where a page goes on behind expired items to the end"
            if any(not page for page in one.answer or [()]):
                return "it counts nothing for a page without items"
            if index is not None and one.answer != other.answer:
                return "items with equal index keys came in another order, on other pages"
    return None

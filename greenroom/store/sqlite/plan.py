"""What a write will do, worked out in memory the moment that it is asked for: look, decide, and
only then note what shall change. The file is given whole groups of it later (flush.py).

Every refusal, and every error, comes before anything is noted; that is why a refused write leaves
no trace and the rest of its group alone. What one would get wrong: an expired row is still in the
file, and in the change log it is the old image, but no condition or update sees it. And what is
written on condition that it is new is taken to be new without a look; where the file knows better
the group comes back (writer.py), and is planned again with a look at each row.
"""

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import apsw
from msgspec import Struct

from greenroom.clock import Clock
from greenroom.errors import Problem
from greenroom.store.base import Check, Delete, Key, Op, Place, Put, Update, place_of
from greenroom.store.capacity import Cost, index_write_units, read_units, write_units
from greenroom.store.evaluate import holds, same, updated
from greenroom.store.expressions import Absent, only_removes
from greenroom.store.limits import check_item, check_updated, check_write
from greenroom.store.problems import ConditionFailed, Failure, TokenReused
from greenroom.store.sqlite.codec import pack, unpack
from greenroom.store.sqlite.digest import digest
from greenroom.store.sqlite.entries import Entry, entry_of, expires_of
from greenroom.store.sqlite.rows import Row, Rows
from greenroom.store.tables import Table
from greenroom.store.values import Item, Weight

TOKEN_SECONDS = 600

Change: TypeAlias = tuple[int, str, str, bytes | None, bytes | None, int]
"""A row of a change log: number, keys, old and new image, when."""


class Part(Struct, frozen=True):
    """An op, and what is known of it before any row is looked at."""

    op: Op
    place: Place
    size: int
    """What it brings weighs."""
    put: Row | None
    """A Put's item, as it was when it was given."""
    is_new: bool
    """Whether it is a Put on condition that nothing is there."""


class Write(Struct, frozen=True):
    ops: tuple[Op, ...]
    parts: Sequence[Part]
    token: str | None
    costs: tuple[Cost, ...]


def written(ops: tuple[Op, ...], token: str | None, costs: tuple[Cost, ...]) -> Write:
    """Checked; and whatever the caller does to an item from now on does not show in what is
    stored."""
    return Write(ops, list(map(_part, ops, *check_write(ops, token))), token, costs)


def _part(op: Op, weight: Weight, place: Place) -> Part:
    if not isinstance(op, Put):
        return Part(op, place, weight.size, None, False)
    table, item, condition = op.table, op.item, op.condition
    blob = pack(item, is_plain=weight.is_plain)
    expires = None if table.ttl is None else expires_of(table, item)
    filed = not table.index_partitions.isdisjoint(item)
    is_new = type(condition) is Absent and condition.path.steps == (table.partition,)
    row = Row(weight.size, expires, blob, is_filed=filed)
    return Part(op, place, weight.size, row, is_new)


class Planned(Struct):
    """What to answer once it is on the disk, and what to put on the caller's bill."""

    answer: Item | None = None
    bill: list[tuple[str, float, float]] = []

    def charge(self, write: Write) -> None:
        for source, read, written in self.bill:
            for cost in write.costs:
                cost.add(source, read=read, write=written)


class Step(Struct):
    """What an op will do to its row: `after` None removes it, and a Check leaves it."""

    op: Op
    place: Place
    before: Row | None
    after: Row | None
    assumed: bool = False
    """Nobody has looked whether there is nothing before."""


class Planner:
    """Owns the number of each table's last change, and what the next group will log."""

    def __init__(
        self,
        read: Callable[[], apsw.Connection],
        rows: Rows,
        tables: Sequence[Table],
        clock: Clock,
    ) -> None:
        self._read = read
        self._rows = rows
        self._clock = clock
        self._select = {
            table.name: f'SELECT size, expires, item FROM "{table.name}" WHERE pk=? AND sk=?'
            for table in tables
        }
        self._last = {table.name: 0 for table in tables if table.stream}
        self._changes: dict[str, list[Change]] = {}
        self._tokens: dict[str, tuple[bytes, int]] = {}
        self._committing_tokens: dict[str, tuple[bytes, int]] = {}

    def start_over(self) -> None:
        """From what the file holds: nothing that was planned has happened, and the numbers given to
        it are free again."""
        self._rows.forget()
        self._changes = {name: [] for name in self._last}
        self._tokens, self._committing_tokens = {}, {}
        for name in self._last:
            found: Any = self._read().execute(f'SELECT max(seq) FROM "{name}/changes"').fetchone()
            self._last[name] = found[0] or 0

    def plan(self, write: Write, *, looks: bool = False) -> Planned:
        """`looks`: also at what would be taken to be new."""
        now_ms = self._clock.now_ms()
        if write.token is None:
            return self._noted(write, self._steps(write, now_ms // 1000, looks), now_ms)
        told = digest(write.ops)
        if self._is_repeat(write.token, told, now_ms // 1000):
            return self._repeated(write, now_ms // 1000)
        planned = self._noted(write, self._steps(write, now_ms // 1000, looks), now_ms)
        self._tokens[write.token] = (told, now_ms // 1000 + TOKEN_SECONDS)
        return planned

    def take_changes(self) -> dict[str, list[Change]]:
        """What to log, by table."""
        changes, self._changes = self._changes, {name: [] for name in self._last}
        return changes

    def hand_over_tokens(self) -> dict[str, tuple[bytes, int]]:
        """What to remember with the group that begins."""
        self._committing_tokens, self._tokens = self._tokens, {}
        return self._committing_tokens

    def log(
        self, table: Table, place: Place, old: Row | None, new: Row | None, now_ms: int
    ) -> None:
        seq = self._last[table.name] = self._last[table.name] + 1
        self._changes[table.name].append(
            (
                seq,
                place[1],
                place[2],
                None if old is None else old.blob,
                None if new is None else new.blob,
                now_ms,
            )
        )

    def last_change(self, table: Table) -> int:
        return self._last[table.name]

    def _steps(self, write: Write, now: int, looks: bool) -> list[Step]:
        steps: list[Step] = []
        failed: list[Failure] = []
        misfit: Problem | None = None
        for part in write.parts:
            op = part.op
            known, row = self._rows.find(part.place)
            if not known and part.is_new and not looks:
                steps.append(Step(op, part.place, None, part.put, assumed=True))
                continue
            row = seen = row if known else self._read_row(part.place)
            if row is not None and row.expires is not None and row.expires <= now:
                seen = None
            if op.condition is not None and not holds(
                op.condition, None if seen is None else seen.item
            ):
                failed.append(Failure(op, None if seen is None else unpack(seen.blob)))
                continue
            try:
                after = part.put or _after(op, seen)
            except Problem as problem:
                misfit = misfit or problem
            else:
                steps.append(Step(op, part.place, row, after))
        if (misfit or failed) and any(step.assumed for step in steps):
            return self._steps(write, now, looks=True)  # a refusal names everything that failed
        if misfit is not None:  # told before a failed condition, as DynamoDB does
            raise misfit
        if failed:
            raise ConditionFailed(tuple(failed))
        return steps

    def _row(self, place: Place) -> Row | None:
        known, row = self._rows.find(place)
        return row if known else self._read_row(place)

    def _read_row(self, place: Place) -> Row | None:
        name, partition, sort = place
        found: Any = self._read().execute(self._select[name], (partition, sort)).fetchone()
        if found is None:
            return None
        row = Row(*found)
        self._rows.keep(place, row)
        return row

    def _noted(self, write: Write, steps: Sequence[Step], now_ms: int) -> Planned:
        planned = Planned(bill=_bill(write, steps)) if write.costs else Planned()
        if len(steps) == 1 and isinstance(steps[0].op, Update):
            after = steps[0].after
            planned.answer = None if after is None else unpack(after.blob)
            if write.token is not None and write.costs:
                planned.bill.append(_bill_of_answer(steps[0].op.table, after))
        for step in steps:
            op, before, after = step.op, step.before, step.after
            if isinstance(op, Check) or (before is None and after is None):
                continue
            self._rows.touch(op.table, step.place, before, after, assumed=step.assumed)
            if op.table.stream and not _unchanged(before, after):
                self.log(op.table, step.place, before, after, now_ms)
        return planned

    def _is_repeat(self, token: str, told: bytes, now: int) -> bool:
        known = self._tokens.get(token) or self._committing_tokens.get(token)
        if known is None:
            known = (
                self._read()
                .execute("SELECT digest, expires FROM tokens WHERE token=?", (token,))
                .fetchone()
            )
        if known is None or known[1] <= now:
            return False
        if known[0] != told:
            raise TokenReused(token)
        return True

    def _repeated(self, write: Write, now: int) -> Planned:
        """Changes nothing; a lone Update is answered with the item as it now stands."""
        planned = Planned(bill=self._bill_of_repeat(write))
        op = write.ops[0]
        if len(write.ops) == 1 and isinstance(op, Update):
            row = self._row(place_of(op))
            if row is not None and (row.expires is None or row.expires > now):
                planned.answer = unpack(row.blob)
            planned.bill.append(_bill_of_answer(op.table, row))
        return planned

    def _bill_of_repeat(self, write: Write) -> list[tuple[str, float, float]]:
        """A repeat is billed as transactional reads of the items it would have written."""
        bill = []
        for op in write.ops if write.costs else ():
            row = self._row(place_of(op))
            units = 2 * read_units(0 if row is None else row.size, consistent=True)
            bill.append((op.table.name, units, 0.0))
        return bill


def _after(op: Op, seen: Row | None) -> Row | None:
    """Of whatever is no Put."""
    match op:
        case Update(table, key, actions):
            if seen is None:
                new = updated(actions, _bare(table, key))
                if only_removes(actions):
                    return None
                return _row_of(table, new, check_item(table, new).size)
            new = updated(actions, seen.item)
            touched = {action.path.steps[0] for action in actions}
            return _row_of(table, new, check_updated(table, seen.item, seen.size, new, touched))
        case Check():
            return seen
        case Delete() | Put():
            return None


def _row_of(table: Table, item: Item, size: int) -> Row:
    return Row(size, None if table.ttl is None else expires_of(table, item), pack(item), item)


def _bare(table: Table, key: Key) -> Item:
    if table.sort is None:
        return {table.partition: key.partition}
    return {table.partition: key.partition, table.sort: key.sort}


def _unchanged(before: Row | None, after: Row | None) -> bool:
    if before is None or after is None:
        return before is after
    if before.blob == after.blob:
        return True
    # Python's own comparison is quick to say no; where it says yes, 1 may still be True.
    return before.size == after.size and before.item == after.item and same(before.item, after.item)


def _bill(write: Write, steps: Sequence[Step]) -> list[tuple[str, float, float]]:
    factor = 2.0 if len(write.ops) > 1 or write.token is not None else 1.0
    bill: list[tuple[str, float, float]] = []
    for step in steps:
        table, before, after = step.op.table, step.before, step.after
        checked = isinstance(step.op, Check)
        size = max(
            0 if before is None else before.size, 0 if after is None or checked else after.size
        )
        bill.append((table.name, 0.0, factor * write_units(size)))
        for index in () if checked else table.indexes:
            units = _index_units(
                None if before is None else entry_of(table, index, before),
                None if after is None else entry_of(table, index, after),
            )
            if units:
                bill.append((f"{table.name}/{index.name}", 0.0, factor * units))
    return bill


def _bill_of_answer(table: Table, row: Row | None) -> tuple[str, float, float]:
    """A transaction answers nothing: on DynamoDB the item is read after it."""
    return table.name, read_units(0 if row is None else row.size, consistent=True), 0.0


def _index_units(before: Entry | None, after: Entry | None) -> float:
    if before is None or after is None:
        sizes = [None if entry is None else entry.size for entry in (before, after)]
        return index_write_units(*sizes, same_key=False, same_entry=False)
    return index_write_units(
        before.size,
        after.size,
        same_key=before.place == after.place,
        same_entry=before.blob == after.blob or same(unpack(before.blob), unpack(after.blob)),
    )

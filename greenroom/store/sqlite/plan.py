"""Plans a write in memory as soon as it is submitted: reads the rows, checks, records the changes.

flush.py writes the recorded changes to the file in groups. Every refusal and every error comes
before anything is recorded, so a refused write leaves no trace and does not affect its group.

Careful: an expired row is still in the file, and it is the old image in the change log, but no
condition or update sees it. And a Put on condition that the item is absent is planned without
reading the row. If the row exists after all, the insert fails and the group is planned again with
every row read (writer.py).
"""

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import apsw
from msgspec import Struct

from greenroom.clock import Clock
from greenroom.errors import Problem
from greenroom.store.base import Check, Delete, ItemAddress, Key, Op, Put, Update, address_of
from greenroom.store.capacity import Cost, index_write_units, read_units, write_units
from greenroom.store.evaluate import apply_actions, holds, same
from greenroom.store.expressions import Absent, only_removes
from greenroom.store.limits import check_item, check_updated, check_write
from greenroom.store.problems import ConditionFailed, Failure, TokenReused
from greenroom.store.sqlite.codec import pack, unpack
from greenroom.store.sqlite.digest import digest
from greenroom.store.sqlite.index_entries import IndexEntry, entry_of, expiry_of
from greenroom.store.sqlite.rows import Row, Rows
from greenroom.store.tables import Table
from greenroom.store.values import Item, ItemSize

TOKEN_SECONDS = 600

ChangeRow: TypeAlias = tuple[int, str, str, bytes | None, bytes | None, int]
"""A row of a change log: number, keys, old and new image, when."""


class PreparedOp(Struct, frozen=True):
    """An op with everything that is known before any row is read."""

    op: Op
    address: ItemAddress
    size: int
    """Of the item or the values in the op, in bytes."""
    put: Row | None
    """A Put's item, packed when the write was submitted."""
    is_new: bool
    """Whether it is a Put on condition that the item is absent."""


class Write(Struct, frozen=True):
    ops: tuple[Op, ...]
    parts: Sequence[PreparedOp]
    token: str | None
    costs: tuple[Cost, ...]


def prepare_write(ops: tuple[Op, ...], token: str | None, costs: tuple[Cost, ...]) -> Write:
    """Checks and packs the ops. The caller may change its items afterwards."""
    return Write(ops, list(map(_prepare_op, ops, *check_write(ops, token))), token, costs)


def _prepare_op(op: Op, size: ItemSize, address: ItemAddress) -> PreparedOp:
    if not isinstance(op, Put):
        return PreparedOp(op, address, size.size, None, False)
    table, item, condition = op.table, op.item, op.condition
    blob = pack(item, is_plain=size.is_plain)
    expires = None if table.ttl is None else expiry_of(table, item)
    indexed = not table.index_partitions.isdisjoint(item)
    is_new = type(condition) is Absent and condition.path.steps == (table.partition,)
    row = Row(size.size, expires, blob, may_be_indexed=indexed)
    return PreparedOp(op, address, size.size, row, is_new)


class WriteResult(Struct):
    """The return value and the cost of a write; delivered once it is on disk."""

    answer: Item | None = None
    bill: list[tuple[str, float, float]] = []

    def charge(self, write: Write) -> None:
        for source, read, write_units_ in self.bill:
            for cost in write.costs:
                cost.add(source, read=read, write=write_units_)


class RowChange(Struct):
    """The change that an op makes to its row. `after` is None for a removal."""

    op: Op
    address: ItemAddress
    before: Row | None
    after: Row | None
    assumed_new: bool = False
    """`before` is None because the row was not read."""


class Planner:
    """Owns the number of each table's last change, and the change log rows of the next group."""

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
        self._last_committed = dict(self._last)
        self._changes: dict[str, list[ChangeRow]] = {}
        self._tokens: dict[str, tuple[bytes, int]] = {}
        self._committing_tokens: dict[str, tuple[bytes, int]] = {}

    def reset(self) -> None:
        """Discards everything planned and takes the change numbers from the file again."""
        self._rows.clear()
        self._changes = {name: [] for name in self._last}
        self._tokens, self._committing_tokens = {}, {}
        for name in self._last:
            found: Any = self._read().execute(f'SELECT max(seq) FROM "{name}/changes"').fetchone()
            self._last[name] = found[0] or 0
        self.mark_committed()

    def mark_committed(self) -> None:
        """Everything planned so far is on disk, and every reader sees it."""
        self._last_committed = dict(self._last)

    def plan(self, write: Write, *, read_all: bool = False) -> WriteResult:
        """`read_all`: also reads the rows of Puts that expect no item."""
        now_ms = self._clock.now_ms()
        if write.token is None:
            return self._record(write, self._steps(write, now_ms // 1000, read_all), now_ms)
        hashed = digest(write.ops)
        if self._is_repeat(write.token, hashed, now_ms // 1000):
            return self._repeated(write, now_ms // 1000)
        result = self._record(write, self._steps(write, now_ms // 1000, read_all), now_ms)
        self._tokens[write.token] = (hashed, now_ms // 1000 + TOKEN_SECONDS)
        return result

    def take_changes(self) -> dict[str, list[ChangeRow]]:
        """The change log rows of the next group, by table."""
        changes, self._changes = self._changes, {name: [] for name in self._last}
        return changes

    def take_tokens(self) -> dict[str, tuple[bytes, int]]:
        """The tokens to write with the next group."""
        self._committing_tokens, self._tokens = self._tokens, {}
        return self._committing_tokens

    def log(
        self, table: Table, address: ItemAddress, old: Row | None, new: Row | None, now_ms: int
    ) -> None:
        seq = self._last[table.name] = self._last[table.name] + 1
        self._changes[table.name].append(
            (
                seq,
                address[1],
                address[2],
                None if old is None or not table.old_images else old.blob,
                None if new is None else new.blob,
                now_ms,
            )
        )

    def last_change(self, table: Table) -> int:
        return self._last[table.name]

    def last_committed_change(self, table: Table) -> int:
        """Careful: while a group is being committed, the file may show later ones, whose items
        cannot be read yet."""
        return self._last_committed.get(table.name, 0)

    def _steps(self, write: Write, now: int, read_all: bool) -> list[RowChange]:
        steps: list[RowChange] = []
        failed: list[Failure] = []
        misfit: Problem | None = None
        for part in write.parts:
            op = part.op
            known, row = self._rows.find(part.address)
            if not known and part.is_new and not read_all:
                steps.append(RowChange(op, part.address, None, part.put, assumed_new=True))
                continue
            row = seen = row if known else self._read_row(part.address)
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
                steps.append(RowChange(op, part.address, row, after))
        if (misfit or failed) and any(step.assumed_new for step in steps):
            return self._steps(write, now, read_all=True)  # report every failed condition
        if misfit is not None:  # before failed conditions, as DynamoDB does
            raise misfit
        if failed:
            raise ConditionFailed(tuple(failed))
        return steps

    def _row(self, address: ItemAddress) -> Row | None:
        known, row = self._rows.find(address)
        return row if known else self._read_row(address)

    def _read_row(self, address: ItemAddress) -> Row | None:
        name, partition, sort = address
        found: Any = self._read().execute(self._select[name], (partition, sort)).fetchone()
        if found is None:
            return None
        row = Row(*found)
        self._rows.remember(address, row)
        return row

    def _record(self, write: Write, steps: Sequence[RowChange], now_ms: int) -> WriteResult:
        result = WriteResult(bill=_bill(write, steps)) if write.costs else WriteResult()
        if len(steps) == 1 and isinstance(steps[0].op, Update):
            after = steps[0].after
            # Under a token the item is read again, as for a repeat: an expired one is gone.
            is_gone = after is None or (
                write.token is not None
                and after.expires is not None
                and after.expires <= now_ms // 1000
            )
            result.answer = None if is_gone or after is None else unpack(after.blob)
            if write.token is not None and write.costs:
                result.bill.append(_bill_of_answer(steps[0].op.table, after))
        for step in steps:
            op, before, after = step.op, step.before, step.after
            if isinstance(op, Check) or (before is None and after is None):
                continue
            self._rows.mark_dirty(
                op.table, step.address, before, after, assumed_new=step.assumed_new
            )
            if op.table.feeds(step.address[2]) and not _unchanged(before, after):
                self.log(op.table, step.address, before, after, now_ms)
        return result

    def _is_repeat(self, token: str, hashed: bytes, now: int) -> bool:
        known = self._tokens.get(token) or self._committing_tokens.get(token)
        if known is None:
            known = (
                self._read()
                .execute("SELECT digest, expires FROM tokens WHERE token=?", (token,))
                .fetchone()
            )
        if known is None or known[1] <= now:
            return False
        if known[0] != hashed:
            raise TokenReused(token)
        return True

    def _repeated(self, write: Write, now: int) -> WriteResult:
        """A repeat changes nothing. A lone Update returns the current item."""
        result = WriteResult(bill=self._bill_of_repeat(write))
        op = write.ops[0]
        if len(write.ops) == 1 and isinstance(op, Update):
            row = self._row(address_of(op))
            if row is not None and (row.expires is None or row.expires > now):
                result.answer = unpack(row.blob)
            result.bill.append(_bill_of_answer(op.table, row))
        return result

    def _bill_of_repeat(self, write: Write) -> list[tuple[str, float, float]]:
        """A repeat costs transactional reads of the items that it would have written."""
        bill = []
        for op in write.ops if write.costs else ():
            row = self._row(address_of(op))
            units = 2 * read_units(0 if row is None else row.size, consistent=True)
            bill.append((op.table.name, units, 0.0))
        return bill


def _after(op: Op, seen: Row | None) -> Row | None:
    """The row after an op other than Put."""
    match op:
        case Update(table, key, actions):
            if seen is None:
                new = apply_actions(actions, _bare(table, key))
                if only_removes(actions):
                    return None
                return _row_of(table, new, check_item(table, new).size)
            new = apply_actions(actions, seen.item)
            touched = {action.path.steps[0] for action in actions}
            return _row_of(table, new, check_updated(table, seen.item, seen.size, new, touched))
        case Check():
            return seen
        case Delete() | Put():
            return None


def _row_of(table: Table, item: Item, size: int) -> Row:
    return Row(size, None if table.ttl is None else expiry_of(table, item), pack(item), item)


def _bare(table: Table, key: Key) -> Item:
    if table.sort is None:
        return {table.partition: key.partition}
    return {table.partition: key.partition, table.sort: key.sort}


def _unchanged(before: Row | None, after: Row | None) -> bool:
    if before is None or after is None:
        return before is after
    if before.blob == after.blob:
        return True
    # Python's comparison is fast but takes 1 for True, so `same` confirms a match.
    return before.size == after.size and before.item == after.item and same(before.item, after.item)


def _bill(write: Write, steps: Sequence[RowChange]) -> list[tuple[str, float, float]]:
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
    """A DynamoDB transaction returns no item, so the item is read after it."""
    return table.name, read_units(0 if row is None else row.size, consistent=True), 0.0


def _index_units(before: IndexEntry | None, after: IndexEntry | None) -> float:
    if before is None or after is None:
        sizes = [None if entry is None else entry.size for entry in (before, after)]
        return index_write_units(*sizes, same_key=False, same_entry=False)
    return index_write_units(
        before.size,
        after.size,
        same_key=before.key == after.key,
        same_entry=before.blob == after.blob or same(unpack(before.blob), unpack(after.blob)),
    )

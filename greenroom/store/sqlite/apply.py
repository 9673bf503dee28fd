"""One write inside the writer's open transaction: look, decide, and only then touch anything.

Every refusal is raised before the first row is changed; that is why a refused write needs no
savepoint and leaves the rest of its group alone. What one would get wrong: an expired row is
still in the file, and in the change log it is the old image, but no condition or update sees it.
"""

from collections.abc import Sequence
from typing import Any

import apsw
from msgspec import Struct

from greenroom.clock import Clock
from greenroom.errors import Problem
from greenroom.store.base import Check, Delete, Key, Op, Put, Update, key_of
from greenroom.store.capacity import Cost, index_write_units, read_units, write_units
from greenroom.store.evaluate import holds, same, updated
from greenroom.store.limits import check_item, check_updated
from greenroom.store.problems import ConditionFailed, Failure, TokenReused
from greenroom.store.sqlite.codec import pack, plain, unpack
from greenroom.store.sqlite.digest import digest
from greenroom.store.sqlite.entries import Entry, entry_of, expires_of
from greenroom.store.sqlite.rows import Row, Rows
from greenroom.store.tables import Index, Table
from greenroom.store.values import Item

TOKEN_SECONDS = 600


class Write(Struct, frozen=True):
    ops: tuple[Op, ...]
    sizes: Sequence[int]
    token: str | None
    costs: tuple[Cost, ...]


class Step(Struct):
    """What an op will do to its row: `new` None removes it, and a Check leaves it."""

    op: Op
    key: Key
    old: Row | None
    new: Item | None
    size: int


class Applier:
    """Applies writes on the writer's connection. Owns the number of each table's last change."""

    def __init__(self, connection: apsw.Connection, tables: Sequence[Table], clock: Clock) -> None:
        self._connection = connection
        self._clock = clock
        self._sql = {table.name: Statements(table) for table in tables}
        self._last = {table.name: self._last_change(table) for table in tables if table.stream}
        self._changes: dict[str, list[tuple[Any, ...]]] = {name: [] for name in self._last}
        self._rows = Rows()

    def _last_change(self, table: Table) -> int:
        row: Any = self._connection.execute(
            f'SELECT max(seq) FROM "{table.name}/changes"'
        ).fetchone()
        return row[0] or 0

    def apply(self, write: Write) -> Item | None:
        now_ms = self._clock.now_ms()
        if write.token is not None and self._is_repeat(write, now_ms // 1000):
            self._count_repeat(write)
            return None
        steps = self._plan(write, now_ms // 1000)
        for step in steps:
            self._carry_out(step, write, now_ms)
        if write.token is not None:
            self._remember(write, now_ms // 1000)
        only = write.ops[0]
        if isinstance(only, Update) and len(write.ops) == 1 and write.token is None:
            return None if steps[0].new is None else unpack(pack(steps[0].new))
        return None

    def _plan(self, write: Write, now: int) -> list[Step]:
        steps: list[Step] = []
        failed: list[Failure] = []
        misfit: Problem | None = None
        for op, size in zip(write.ops, write.sizes, strict=True):
            key = key_of(op)
            old = self._row(op.table, key)
            seen = None if old is None or _expired(op.table, old, now) else old
            if op.condition is not None and not holds(
                op.condition, None if seen is None else seen.item
            ):
                failed.append(Failure(op, None if seen is None else unpack(seen.blob)))
                continue
            try:
                steps.append(_step(op, key, old, seen, size))
            except Problem as problem:
                misfit = misfit or problem
        if misfit is not None:  # told before a failed condition, as DynamoDB does
            raise misfit
        if failed:
            raise ConditionFailed(tuple(failed))
        return steps

    def _row(self, table: Table, key: Key) -> Row | None:
        row = self._rows.find(table, key)
        if row is None:
            found: Any = self._connection.execute(
                self._sql[table.name].select, (key.partition, key.sort or "")
            ).fetchone()
            if found is None:
                return None
            row = Row(*found)
            self._rows.keep(table, key, row)
        return row

    def _carry_out(self, step: Step, write: Write, now_ms: int) -> None:
        op, old = step.op, step.old
        if write.costs:
            size = step.size if old is None else max(old.size, step.size)
            _count(write, op.table.name, write_units(size))
        if isinstance(op, Check) or (step.new is None and old is None):
            return
        new = None
        if step.new is not None:
            new = Row(step.size, expires_of(op.table, step.new), pack(step.new), step.new)
        self._store(op.table, step.key, old, new)
        self._reindex(op.table, step.key, old, new, write)
        if op.table.stream and not _unchanged(old, new):
            self._log(op.table, step.key, old, new, now_ms)

    def _store(self, table: Table, key: Key, old: Row | None, new: Row | None) -> None:
        sql, place = self._sql[table.name], (key.partition, key.sort or "")
        if new is None:
            self._connection.execute(sql.delete, place)
            self._rows.drop(table, key)
        elif old is None:
            self._connection.execute(sql.insert, (new.size, new.expires, new.blob, *place))
        else:
            self._connection.execute(sql.update, (new.size, new.expires, new.blob, *place))
            self._rows.keep(table, key, new)

    def _reindex(
        self, table: Table, key: Key, old: Row | None, new: Row | None, write: Write | None
    ) -> None:
        for index, sql in self._sql[table.name].indexes:
            before = after = None
            if old is not None:
                before = entry_of(table, index, old.item, old.blob, old.size)
            if new is not None:
                after = entry_of(table, index, new.item, new.blob, new.size)
            if before is None and after is None:
                continue
            self._file(sql, before, after, key, None if new is None else new.expires)
            if write is not None and write.costs:
                _count(write, f"{table.name}/{index.name}", _index_units(before, after))

    def _file(
        self,
        sql: "IndexStatements",
        before: Entry | None,
        after: Entry | None,
        key: Key,
        expires: int | None,
    ) -> None:
        place = (key.partition, key.sort or "")
        stays = before is not None and after is not None and _same_place(before, after)
        if before is not None and not stays:
            self._connection.execute(sql.delete, (before.partition, before.sort, *place))
        if after is not None:
            self._connection.execute(
                sql.update if stays else sql.insert,
                (after.size, expires, after.blob, after.partition, after.sort, *place),
            )

    def _log(self, table: Table, key: Key, old: Row | None, new: Row | None, now_ms: int) -> None:
        seq = self._last[table.name] + 1
        self._last[table.name] = seq
        before, after = None if old is None else old.blob, None if new is None else new.blob
        self._changes[table.name].append(
            (seq, key.partition, key.sort or "", before, after, now_ms)
        )

    def before_commit(self) -> None:
        """Hands the group's changes to the log, all at once: that is cheaper than one by one."""
        for name, changes in self._changes.items():
            if changes:
                self._connection.executemany(self._sql[name].log, changes)
                changes.clear()

    def after_rollback(self) -> None:
        """Forgets what did not happen, and the numbers that were given to it."""
        self._rows.forget()
        for name, changes in self._changes.items():
            changes.clear()
            self._last[name] = self._last_change(self._sql[name].table)

    def remove_expired(self, table: Table, most: int) -> int:
        """Takes out some of what has expired; how many."""
        now_ms = self._clock.now_ms()
        rows: list[Any] = self._connection.execute(
            self._sql[table.name].expired, (now_ms // 1000, most)
        ).fetchall()
        for pk, sk, *row in rows:
            key = Key(pk, None if table.sort is None else sk)
            old = Row(*row)
            self._store(table, key, old, None)
            self._reindex(table, key, old, None, None)
            if table.stream:
                self._log(table, key, old, None, now_ms)
        return len(rows)

    def trim(self, table: Table, kept_ms: int, most: int) -> int:
        """Forgets the oldest changes if they are older than what is kept, never the last; how many.
        No more are looked at than may go, however many there are."""
        self._connection.execute(
            self._sql[table.name].trim,
            (self._clock.now_ms() - kept_ms, self._last[table.name], most),
        )
        return self._connection.changes()

    def forget_tokens(self) -> None:
        self._connection.execute(
            "DELETE FROM tokens WHERE expires <= ?", (self._clock.now_ms() // 1000,)
        )

    def _is_repeat(self, write: Write, now: int) -> bool:
        found = self._connection.execute(
            "SELECT digest FROM tokens WHERE token=? AND expires>?", (write.token, now)
        ).fetchone()
        if found is None:
            return False
        if found[0] != digest(write.ops):
            raise TokenReused(write.token or "")
        return True

    def _remember(self, write: Write, now: int) -> None:
        self._connection.execute(
            "INSERT OR REPLACE INTO tokens VALUES(?,?,?)",
            (write.token, digest(write.ops), now + TOKEN_SECONDS),
        )

    def _count_repeat(self, write: Write) -> None:
        """A repeat is billed as transactional reads of the items it would have written."""
        if write.costs:
            for op in write.ops:
                row = self._row(op.table, key_of(op))
                units = 2 * read_units(0 if row is None else row.size, consistent=True)
                for cost in write.costs:
                    cost.add(op.table.name, read=units)


class IndexStatements(Struct, frozen=True):
    insert: str
    update: str
    delete: str


class Statements:
    """A table's statements, written once."""

    def __init__(self, table: Table) -> None:
        name = table.name
        self.table = table
        self.select = f'SELECT size, expires, item FROM "{name}" WHERE pk=? AND sk=?'
        self.insert = f'INSERT INTO "{name}"(size,expires,item,pk,sk) VALUES(?,?,?,?,?)'
        self.update = f'UPDATE "{name}" SET size=?, expires=?, item=? WHERE pk=? AND sk=?'
        self.delete = f'DELETE FROM "{name}" WHERE pk=? AND sk=?'
        self.expired = f'SELECT pk, sk, size, expires, item FROM "{name}" WHERE expires<=? LIMIT ?'
        self.log = f'INSERT INTO "{name}/changes"(seq,pk,sk,old,new,at) VALUES(?,?,?,?,?,?)'
        self.trim = (
            f'DELETE FROM "{name}/changes" WHERE at<? AND seq IN '
            f'(SELECT seq FROM "{name}/changes" WHERE seq<? ORDER BY seq LIMIT ?)'
        )
        self.indexes = tuple((index, _index_statements(table, index)) for index in table.indexes)


def _index_statements(table: Table, index: Index) -> IndexStatements:
    name = f"{table.name}/{index.name}"
    place = "ipk=? AND isk=? AND pk=? AND sk=?"
    return IndexStatements(
        f'INSERT INTO "{name}"(size,expires,item,ipk,isk,pk,sk) VALUES(?,?,?,?,?,?,?)',
        f'UPDATE "{name}" SET size=?, expires=?, item=? WHERE {place}',
        f'DELETE FROM "{name}" WHERE {place}',
    )


def _step(op: Op, key: Key, old: Row | None, seen: Row | None, size: int) -> Step:
    match op:
        case Put(_, item):
            return Step(op, key, old, plain(item), size)
        case Update(table, _, actions):
            if seen is None:
                new = updated(actions, _bare(table, key))
                return Step(op, key, old, new, check_item(table, new))
            new = updated(actions, seen.item)
            touched = {action.path.steps[0] for action in actions}
            return Step(op, key, old, new, check_updated(table, seen.item, seen.size, new, touched))
        case Check():
            return Step(op, key, old, None if seen is None else seen.item, 0)
        case Delete():
            return Step(op, key, old, None, 0)


def _bare(table: Table, key: Key) -> Item:
    if table.sort is None:
        return {table.partition: key.partition}
    return {table.partition: key.partition, table.sort: key.sort}


def _expired(table: Table, row: Row, now: int) -> bool:
    return table.ttl is not None and row.expires is not None and row.expires <= now


def _unchanged(old: Row | None, new: Row | None) -> bool:
    if old is None or new is None:
        return old is new
    if old.blob == new.blob:
        return True
    # Python's own comparison is quick to say no; where it says yes, 1 may still be True.
    return old.item == new.item and same(old.item, new.item)


def _count(write: Write, source: str, units: float) -> None:
    factor = 2.0 if len(write.ops) > 1 or write.token is not None else 1.0
    for cost in write.costs:
        if units:
            cost.add(source, write=factor * units)


def _same_place(one: Entry, other: Entry) -> bool:
    return one.partition == other.partition and one.sort == other.sort


def _index_units(before: Entry | None, after: Entry | None) -> float:
    if before is None or after is None:
        sizes = [None if entry is None else entry.size for entry in (before, after)]
        return index_write_units(*sizes, same_key=False, same_entry=False)
    return index_write_units(
        before.size,
        after.size,
        same_key=_same_place(before, after),
        same_entry=before.blob == after.blob or same(unpack(before.blob), unpack(after.blob)),
    )

"""Writes a group of planned changes to the file, with one executemany per kind of statement.

That is several times cheaper than one statement per row. A row that several writes of the group
changed is written once, in its last state.

Careful: the maintenance tasks below read the file, so they must run after the group's own rows are
written, and must tell `Rows` which rows they removed.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

import apsw

from greenroom.clock import Clock
from greenroom.store.base import ItemAddress
from greenroom.store.sqlite.index_entries import entry_of
from greenroom.store.sqlite.plan import Planner
from greenroom.store.sqlite.rows import DirtyRow, Row, Rows
from greenroom.store.tables import Index, Table

_Batches: TypeAlias = defaultdict[str, list[tuple[Any, ...]]]
"""Parameter rows, by statement."""


class Flusher:
    def __init__(
        self,
        connection: apsw.Connection,
        planner: Planner,
        rows: Rows,
        tables: Sequence[Table],
        clock: Clock,
    ) -> None:
        self._connection = connection
        self._planner = planner
        self._rows = rows
        self._clock = clock
        self._sql = {table.name: Statements(table) for table in tables}

    def flush(self) -> None:
        """Writes everything planned so far, inside the open transaction."""
        batches = self._batches(self._rows.begin_commit())
        for token, known in self._planner.take_tokens().items():
            batches[_REMEMBER].append((token, *known))
        for sql, rows in batches.items():
            self._connection.executemany(sql, rows)
        self._log()

    def _log(self) -> None:
        for name, changes in self._planner.take_changes().items():
            if changes:
                self._connection.executemany(self._sql[name].log, changes)

    def _batches(self, group: Mapping[ItemAddress, DirtyRow]) -> _Batches:
        batches: _Batches = defaultdict(list)
        for (name, partition, sort), dirty in group.items():
            sql, before, after = self._sql[name], dirty.before, dirty.after
            if after is None:
                if before is not None:
                    batches[sql.delete].append((partition, sort))
                elif dirty.assumed_new:  # created and deleted in one group: no insert checks it
                    self._check_is_new(sql, partition, sort)
            else:
                batches[sql.insert if before is None else sql.update].append(
                    (after.size, after.expires, after.blob, partition, sort)
                )
            if sql.indexes and (_may_be_indexed(before) or _may_be_indexed(after)):
                _update_indexes(batches, sql, dirty, (partition, sort))
        return batches

    def _check_is_new(self, sql: "Statements", partition: str, sort: str) -> None:
        if self._connection.execute(sql.find, (partition, sort)).fetchone() is not None:
            raise apsw.ConstraintError("the row exists already")

    def remove_expired(self, table: Table, most: int) -> int:
        """Removes up to `most` expired items; returns how many."""
        now_ms, sql = self._clock.now_ms(), self._sql[table.name]
        found: list[Any] = self._connection.execute(sql.expired, (now_ms // 1000, most)).fetchall()
        batches: _Batches = defaultdict(list)
        for partition, sort, *rest in found:
            address, row = (table.name, partition, sort), Row(*rest)
            batches[sql.delete].append((partition, sort))
            _update_indexes(batches, sql, DirtyRow(table, row, None), (partition, sort))
            self._rows.removed(table, address, row)
            if table.feeds(sort):
                self._planner.log(table, address, row, None, now_ms)
        for statement, rows in batches.items():
            self._connection.executemany(statement, rows)
        self._log()
        return len(found)

    def trim(self, table: Table, kept_ms: int, most: int) -> int:
        """Removes up to `most` changes older than `kept_ms`, never the last one; returns how many.
        Changes dated far in the future, by a clock that ran ahead, count as old too. Otherwise
        everything after them would be kept until then."""
        now_ms = self._clock.now_ms()
        self._connection.execute(
            self._sql[table.name].trim,
            (now_ms - kept_ms, now_ms + kept_ms, self._planner.last_change(table), most),
        )
        return self._connection.changes()

    def forget_tokens(self) -> None:
        self._connection.execute(
            "DELETE FROM tokens WHERE expires <= ?", (self._clock.now_ms() // 1000,)
        )


_REMEMBER = "INSERT OR REPLACE INTO tokens VALUES(?,?,?)"


class Statements:
    """The SQL statements of one table."""

    def __init__(self, table: Table) -> None:
        name = table.name
        self.insert = f'INSERT INTO "{name}"(size,expires,item,pk,sk) VALUES(?,?,?,?,?)'
        self.update = f'UPDATE "{name}" SET size=?, expires=?, item=? WHERE pk=? AND sk=?'
        self.delete = f'DELETE FROM "{name}" WHERE pk=? AND sk=?'
        self.find = f'SELECT 1 FROM "{name}" WHERE pk=? AND sk=?'
        self.expired = f'SELECT pk, sk, size, expires, item FROM "{name}" WHERE expires<=? LIMIT ?'
        self.log = f'INSERT INTO "{name}/changes"(seq,pk,sk,old,new,at) VALUES(?,?,?,?,?,?)'
        self.trim = (
            f'DELETE FROM "{name}/changes" WHERE (at<? OR at>?) AND seq IN '
            f'(SELECT seq FROM "{name}/changes" WHERE seq<? ORDER BY seq LIMIT ?)'
        )
        self.indexes = tuple(IndexStatements(table, index) for index in table.indexes)


class IndexStatements:
    def __init__(self, table: Table, index: Index) -> None:
        self.index = index
        name, key = f"{table.name}/{index.name}", "ipk=? AND isk=? AND pk=? AND sk=?"
        self.insert = f'INSERT INTO "{name}"(size,expires,item,ipk,isk,pk,sk) VALUES(?,?,?,?,?,?,?)'
        self.update = f'UPDATE "{name}" SET size=?, expires=?, item=? WHERE {key}'
        self.delete = f'DELETE FROM "{name}" WHERE {key}'


def _may_be_indexed(row: Row | None) -> bool:
    """Whether the row may be in an index."""
    return row is not None and row.may_be_indexed


def _update_indexes(
    batches: _Batches, sql: Statements, dirty: DirtyRow, key: tuple[str, str]
) -> None:
    """Adds the statements that update, move or delete the item's index entries."""
    table, old, new = dirty.table, dirty.before, dirty.after
    for statements in sql.indexes:
        before = None if old is None else entry_of(table, statements.index, old)
        after = None if new is None else entry_of(table, statements.index, new)
        stays = before is not None and after is not None and before.key == after.key
        if before is not None and not stays:
            batches[statements.delete].append((*before.key, *key))
        if after is not None and new is not None:
            batches[statements.update if stays else statements.insert].append(
                (after.size, new.expires, after.blob, *after.key, *key)
            )

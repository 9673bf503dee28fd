"""Gives the file a group of what has been planned: as few statements as there are kinds of them,
each with all of its rows, since that is several times cheaper than one by one.

A row that several writes of the group have changed is written once, as it stands after the last.
What one would get wrong: the chores below look at the file itself, so they come after the group's
own rows, and tell `Rows` what they took out.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

import apsw

from greenroom.clock import Clock
from greenroom.store.base import Place
from greenroom.store.sqlite.entries import entry_of
from greenroom.store.sqlite.plan import Planner
from greenroom.store.sqlite.rows import Row, Rows, Touched
from greenroom.store.tables import Index, Table

_Batches: TypeAlias = defaultdict[str, list[tuple[Any, ...]]]
"""Rows to bind, by statement."""


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
        """Everything planned so far, inside the open transaction."""
        batches = self._batches(self._rows.hand_over())
        for token, known in self._planner.hand_over_tokens().items():
            batches[_REMEMBER].append((token, *known))
        for sql, rows in batches.items():
            self._connection.executemany(sql, rows)
        self._log()

    def _log(self) -> None:
        for name, changes in self._planner.take_changes().items():
            if changes:
                self._connection.executemany(self._sql[name].log, changes)

    def _batches(self, group: Mapping[Place, Touched]) -> _Batches:
        batches: _Batches = defaultdict(list)
        for (name, partition, sort), touched in group.items():
            sql, before, after = self._sql[name], touched.before, touched.after
            if after is None:
                if before is not None:
                    batches[sql.delete].append((partition, sort))
                elif touched.assumed:  # came and went within the group: no insert will tell
                    self._check_is_new(sql, partition, sort)
            else:
                batches[sql.insert if before is None else sql.update].append(
                    (after.size, after.expires, after.blob, partition, sort)
                )
            if sql.indexes and (_is_filed(before) or _is_filed(after)):
                _file(batches, sql, touched, (partition, sort))
        return batches

    def _check_is_new(self, sql: "Statements", partition: str, sort: str) -> None:
        if self._connection.execute(sql.find, (partition, sort)).fetchone() is not None:
            raise apsw.ConstraintError("it was there already")

    def remove_expired(self, table: Table, most: int) -> int:
        """Takes out some of what has expired; how many."""
        now_ms, sql = self._clock.now_ms(), self._sql[table.name]
        found: list[Any] = self._connection.execute(sql.expired, (now_ms // 1000, most)).fetchall()
        batches: _Batches = defaultdict(list)
        for partition, sort, *rest in found:
            place, row = (table.name, partition, sort), Row(*rest)
            batches[sql.delete].append((partition, sort))
            _file(batches, sql, Touched(table, row, None), (partition, sort))
            self._rows.removed(table, place, row)
            if table.stream:
                self._planner.log(table, place, row, None, now_ms)
        for statement, rows in batches.items():
            self._connection.executemany(statement, rows)
        self._log()
        return len(found)

    def trim(self, table: Table, kept_ms: int, most: int) -> int:
        """Forgets the oldest changes if they are older than what is kept, never the last; how many.
        No more are looked at than may go, however many there are. What a clock that had run ahead
        left behind is old too, else all that came after it would be kept until then."""
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
    """A table's statements, written once."""

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
        name, place = f"{table.name}/{index.name}", "ipk=? AND isk=? AND pk=? AND sk=?"
        self.insert = f'INSERT INTO "{name}"(size,expires,item,ipk,isk,pk,sk) VALUES(?,?,?,?,?,?,?)'
        self.update = f'UPDATE "{name}" SET size=?, expires=?, item=? WHERE {place}'
        self.delete = f'DELETE FROM "{name}" WHERE {place}'


def _is_filed(row: Row | None) -> bool:
    """Whether the row may be in an index."""
    return row is not None and row.is_filed


def _file(batches: _Batches, sql: Statements, touched: Touched, key: tuple[str, str]) -> None:
    """Moves the item's entries in the indexes from where they are to where they shall be."""
    table, old, new = touched.table, touched.before, touched.after
    for filed in sql.indexes:
        before = None if old is None else entry_of(table, filed.index, old)
        after = None if new is None else entry_of(table, filed.index, new)
        stays = before is not None and after is not None and before.place == after.place
        if before is not None and not stays:
            batches[filed.delete].append((*before.place, *key))
        if after is not None and new is not None:
            batches[filed.update if stays else filed.insert].append(
                (after.size, new.expires, after.blob, *after.place, *key)
            )

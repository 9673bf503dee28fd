"""Reads items and pages, and counts their cost.

Reads use the writer's connection while it is idle, because its cache has the pages written last.
During a commit they use their own connection, so that no read waits.

Careful: an expired row is read and paid for, but left out. A page reads one row more than it
returns, to know whether there is a next page.
"""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, TypeAlias, TypeVar

import apsw

from greenroom.clock import Clock
from greenroom.store.base import Key, PageOf
from greenroom.store.capacity import open_costs, read_units
from greenroom.store.cursors import CursorCodec, query_scope
from greenroom.store.expressions import Bound, Prefix, Range, SortRange
from greenroom.store.problems import InvalidCursor
from greenroom.store.sqlite.codec import unpack
from greenroom.store.tables import Index, Table
from greenroom.store.values import Item

_PAGE_BYTES = 1024 * 1024
_Model = TypeVar("_Model")


class Reader:
    def __init__(
        self,
        connection: apsw.Connection,
        clock: Clock,
        cursors: CursorCodec,
        idle_writer: Callable[[], apsw.Connection | None] = lambda: None,
    ) -> None:
        self._own = connection
        self._idle_writer = idle_writer
        self._clock = clock
        self._cursors = cursors
        self._gets: dict[str, str] = {}
        self._queries: dict[tuple[str, str, bool, bool], str] = {}

    def close(self) -> None:
        self._own.close()

    @property
    def connection(self) -> apsw.Connection:
        idle_writer = self._idle_writer()
        if idle_writer is None:
            return self._own
        if not idle_writer.in_transaction:
            idle_writer.execute("BEGIN")  # until the next write; otherwise each read takes a lock
        return idle_writer

    def get(self, table: Table, key: Key, consistent: bool) -> Item | None:
        sql = self._gets.get(table.name)
        if sql is None:
            sql = f'SELECT size, expires, item FROM "{table.name}" WHERE pk=? AND sk=?'
            self._gets[table.name] = sql
        row = self.connection.execute(sql, (key.partition, key.sort or "")).fetchone()
        return self.to_item(table, row, consistent)

    def to_item(self, table: Table, row: Any, consistent: bool) -> Item | None:
        """Unpacks a row (size, expires, item) and counts its cost."""
        for cost in open_costs():
            units = read_units(0 if row is None else row[0], consistent=consistent)
            cost.add(table.name, read=units)
        if row is None or self._is_expired(table, row[1]):
            return None
        return unpack(row[2])

    def query(
        self,
        decode: Callable[[Sequence[bytes]], tuple[_Model, ...]],
        table: Table,
        partition: str,
        sort: SortRange | None,
        index: Index | None,
        limit: int,
        backward: bool,
        cursor: str | None,
        consistent: bool,
    ) -> PageOf[_Model]:
        """`decode` turns the packed items into models."""
        scope = partial(query_scope, table, index, partition, sort, backward)
        position = None if cursor is None else self._position(scope(), cursor, index)
        source = table.name if index is None else f"{table.name}/{index.name}"
        live: list[bytes] = []
        while True:
            wanted = limit + 1 - len(live)
            rows = self._rows(source, partition, sort, index, backward, position, wanted)
            count_rows(source, rows, consistent)
            if table.ttl is None:
                live += [row[0] for row in rows]
            else:
                live += [row[0] for row in rows if not self._is_expired(table, row[2])]
            if len(rows) < wanted or len(live) > limit:
                break
            position = _position_of(table, index, unpack(rows[-1][0]))
        if len(live) <= limit:
            return PageOf(decode(live), None)
        del live[limit:]
        last = live[-1]
        return PageOf(
            decode(live),
            lambda: self._cursors.seal(scope(), _position_of(table, index, unpack(last))),
        )

    def _position(self, scope: bytes, cursor: str, index: Index | None) -> tuple[str, ...]:
        position = self._cursors.unseal(scope, cursor)
        if len(position) != (1 if index is None else 3):
            raise InvalidCursor
        return tuple(part or "" for part in position)

    def _rows(
        self,
        source: str,
        partition: str,
        sort: SortRange | None,
        index: Index | None,
        backward: bool,
        position: tuple[str, ...] | None,
        limit: int,
    ) -> list[Any]:
        column = "sk" if index is None else "isk"
        low, high = (None, None) if sort is None else ends_of(column, sort)
        if position is not None:
            # Drop the end that the cursor replaces: SQLite would start there and skip every row.
            low, high = (low, None) if backward else (None, high)
        ends = [end for end in (low, high) if end is not None]
        text, bound = " AND ".join(end[0] for end in ends), [end[1] for end in ends]
        shape = (source, text, backward, position is None)
        sql = self._queries.get(shape)
        if sql is None:
            sql = self._queries[shape] = _query_sql(*shape, on_index=index is not None)
        return self.connection.execute(
            sql, (partition, *bound, *(position or ()), limit)
        ).fetchall()

    def _is_expired(self, table: Table, expires: int | None) -> bool:
        return (
            table.ttl is not None
            and expires is not None
            and expires <= self._clock.now_ms() // 1000
        )


def _query_sql(source: str, text: str, backward: bool, from_start: bool, on_index: bool) -> str:
    order = ("isk", "pk", "sk") if on_index else ("sk",)
    where = ["ipk=?" if on_index else "pk=?"]
    if text:
        where.append(text)
    if not from_start:
        marks = ",".join("?" * len(order))
        where.append(f"({','.join(order)}) {'<' if backward else '>'} ({marks})")
    direction = " DESC" if backward else ""
    return (
        f'SELECT item, size, expires FROM "{source}" '
        f"WHERE {' AND '.join(where)} "
        f"ORDER BY {','.join(name + direction for name in order)} LIMIT ?"
    )


_End: TypeAlias = tuple[str, str | bytes] | None


def ends_of(column: str, sort: SortRange) -> tuple[_End, _End]:
    """The lower and the upper end of a range, as a condition and its value."""
    match sort:
        case Prefix(text):
            # UTF-8 has no byte 0xFF, so the last byte can always be incremented. The result may not
            # be valid text, so it is bound as bytes.
            raw = text.encode()
            after = raw[:-1] + bytes([raw[-1] + 1])
            return (f"{column}>=?", text), (f"{column}<CAST(? AS TEXT)", after)
        case Range(low, high):
            return (f"{column}>=?", low), (f"{column}<=?", high)
        case Bound("=", text):
            return (f"{column}>=?", text), (f"{column}<=?", text)
        case Bound((">" | ">=") as comparator, text):
            return (f"{column}{comparator}?", text), None
        case Bound(comparator, text):
            return None, (f"{column}{comparator}?", text)


def _position_of(table: Table, index: Index | None, item: Item) -> tuple[str, ...]:
    """The item's position in the query's order: its keys, '' for a missing one."""
    names = [table.sort] if index is None else [index.sort, table.partition, table.sort]
    return tuple("" if name is None else str(item[name]) for name in names)


def count_rows(source: str, rows: list[Any], consistent: bool) -> None:
    costs = open_costs()
    if not costs:
        return
    units, gathered = 0.0, 0
    for _, size, _ in rows:
        gathered += size
        if gathered >= _PAGE_BYTES:
            units, gathered = units + read_units(gathered, consistent=consistent), 0
    if gathered or not units:
        units += read_units(gathered, consistent=consistent)
    for cost in costs:
        cost.add(source, read=units)

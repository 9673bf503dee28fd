"""Reads a page of a whole table, in the order of its keys.

Each page is a separate statement, so it sees what was committed before it, as DynamoDB's Scan does.
"""

from typing import Any

import apsw
import msgspec

from greenroom.store.base import Page, PageOf
from greenroom.store.cursors import CursorCodec
from greenroom.store.problems import InvalidCursor
from greenroom.store.sqlite.codec import unpack
from greenroom.store.sqlite.reader import count_rows
from greenroom.store.tables import Table


class Scan:
    def __init__(self, cursors: CursorCodec, table: Table, now: int, consistent: bool) -> None:
        """`now` in seconds, as an item's expiry."""
        self._cursors = cursors
        self._table = table
        self._now = now
        self._consistent = consistent
        self._scope = msgspec.msgpack.encode((table.name, "scan"))
        self._sql = (
            f'SELECT item, size, expires, pk, sk FROM "{table.name}" '
            "WHERE (pk, sk) > (?, ?) ORDER BY pk, sk LIMIT ?"
        )

    def page(self, connection: apsw.Connection, limit: int, cursor: str | None) -> Page:
        last = ("", "") if cursor is None else self._start(cursor)
        live: list[Any] = []
        while True:
            wanted = limit + 1 - len(live)
            rows: list[Any] = connection.execute(self._sql, (*last, wanted)).fetchall()
            count_rows(self._table.name, [row[:3] for row in rows], self._consistent)
            live += [row for row in rows if not self._is_expired(row[2])]
            if len(live) > limit or len(rows) < wanted:
                break
            last = rows[-1][3], rows[-1][4]
        items = tuple(unpack(row[0]) for row in live[:limit])
        if len(live) <= limit:
            return PageOf(items, None)
        end = live[limit - 1][3], live[limit - 1][4]
        return PageOf(items, lambda: self._cursors.seal(self._scope, end))

    def _is_expired(self, expires: int | None) -> bool:
        return self._table.ttl is not None and expires is not None and expires <= self._now

    def _start(self, cursor: str) -> tuple[str, str]:
        position = self._cursors.unseal(self._scope, cursor)
        if len(position) != 2:
            raise InvalidCursor
        return position[0] or "", position[1] or ""

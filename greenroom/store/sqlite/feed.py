"""The change log: every change of a table with a stream, numbered in the order of the commits.

A checkpoint is the number of the last change seen. Old changes are forgotten after a day; the last
one never is, so that a number can always be told from one that was never given.
"""

from typing import Any

import apsw

from greenroom.store.base import Change, Key
from greenroom.store.problems import CheckpointTooOld, InvalidCursor, NotFollowed
from greenroom.store.sqlite.codec import unpack
from greenroom.store.tables import Table

_PAGE = 256


def check_checkpoint(connection: apsw.Connection, table: Table, after: str | None) -> int:
    """The number to go on from."""
    if not table.stream:
        raise NotFollowed(table.name)
    if after is None:
        return (_oldest(connection, table) or 1) - 1
    if not (after.isascii() and after.isdigit()) or len(after) > 18:
        raise InvalidCursor
    last = int(after)
    check_kept(connection, table, last)
    return last


def check_kept(connection: apsw.Connection, table: Table, last: int) -> None:
    """Refuses a place behind what is kept, or ahead of what has happened (an older backup)."""
    oldest = _oldest(connection, table)
    newest: Any = connection.execute(
        f'SELECT coalesce(max(seq), 0) FROM "{table.name}/changes"'
    ).fetchall()[0][0]
    if last > newest or (oldest is not None and last < oldest - 1):
        raise CheckpointTooOld(table.name)


def page(connection: apsw.Connection, table: Table, after: int) -> list[tuple[int, Change]]:
    """The next changes. The numbers have no gaps but the one that forgetting the oldest makes: it
    may overtake a follower that takes its time."""
    rows: list[Any] = connection.execute(
        f'SELECT seq, pk, sk, old, new, at FROM "{table.name}/changes" '
        "WHERE seq>? ORDER BY seq LIMIT ?",
        (after, _PAGE),
    ).fetchall()
    if rows and rows[0][0] != after + 1:
        raise CheckpointTooOld(table.name)
    return [
        (
            seq,
            Change(
                table.name,
                Key(pk, None if table.sort is None else sk),
                None if old is None else unpack(old),
                None if new is None else unpack(new),
                at,
                str(seq),
            ),
        )
        for seq, pk, sk, old, new, at in rows
    ]


def _oldest(connection: apsw.Connection, table: Table) -> int | None:
    row: Any = connection.execute(f'SELECT min(seq) FROM "{table.name}/changes"').fetchone()
    return None if row is None else row[0]

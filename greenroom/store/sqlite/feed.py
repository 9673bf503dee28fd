"""The change log: every change of a table with a stream, numbered in the order of the commits.

Each opening of the file begins an era with a name that is given once. A checkpoint is the number of
the last change seen and the era in which it was given: a file that is restored from a copy gives
the same numbers again to other changes, but never under the same name. Old changes are forgotten
after a day; the last one never is, so that a number can always be told from one that was never
given.
"""

import re
from secrets import token_hex
from typing import Any

import apsw

from greenroom.store.base import Change, Key
from greenroom.store.problems import CheckpointTooOld, InvalidCursor, NotFollowed
from greenroom.store.sqlite.codec import unpack
from greenroom.store.tables import Table

ERAS = """CREATE TABLE IF NOT EXISTS eras(
    name TEXT NOT NULL, first INTEGER NOT NULL, era TEXT NOT NULL,
    PRIMARY KEY(name, first)) WITHOUT ROWID"""

_PAGE = 256
_CHECKPOINT = re.compile(r"([0-9a-f]{16})-([0-9]{1,18})")
_ERA = "SELECT era FROM eras WHERE name=? AND first<=? ORDER BY first DESC LIMIT 1"


def begin(connection: apsw.Connection, table: Table, *, goes_on: bool) -> None:
    """Readies the table's log, if it has one. Where writes may have passed it by (`goes_on` is
    False), what it has is thrown away: nobody could tell where something is missing."""
    log = f'"{table.name}/changes"'
    if not (table.stream and goes_on):
        connection.execute(f"DROP TABLE IF EXISTS {log}")
        connection.execute("DELETE FROM eras WHERE name=?", (table.name,))
    if not table.stream:
        return
    connection.execute(
        f"""CREATE TABLE IF NOT EXISTS {log}(
        seq INTEGER PRIMARY KEY, pk TEXT NOT NULL, sk TEXT NOT NULL,
        old BLOB, new BLOB, at INTEGER NOT NULL)"""
    )
    # An era without changes leaves its place to the next one.
    connection.execute(
        f"INSERT OR REPLACE INTO eras SELECT ?, coalesce(max(seq), 0) + 1, ? FROM {log}",
        (table.name, token_hex(8)),
    )
    connection.execute(
        f"""DELETE FROM eras WHERE name=?1 AND first < (SELECT max(first) FROM eras
        WHERE name=?1 AND first < (SELECT min(seq) FROM {log}))""",
        (table.name,),
    )


def check_checkpoint(connection: apsw.Connection, table: Table, after: str | None) -> int:
    """The number to go on from."""
    if not table.stream:
        raise NotFollowed(table.name)
    if after is None:
        return (_oldest(connection, table) or 1) - 1
    place = _CHECKPOINT.fullmatch(after)
    if place is None:
        raise InvalidCursor
    last = int(place[2])
    if connection.execute(_ERA, (table.name, last)).fetchall() != [(place[1],)]:
        raise CheckpointTooOld(table.name)
    check_kept(connection, table, last)
    return last


def check_kept(connection: apsw.Connection, table: Table, last: int) -> None:
    """Refuses a place behind what is kept, or ahead of what has happened."""
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
        "SELECT seq, pk, sk, old, new, at, (SELECT era FROM eras WHERE name=? AND first<=seq "
        f'ORDER BY first DESC LIMIT 1) FROM "{table.name}/changes" '
        "WHERE seq>? ORDER BY seq LIMIT ?",
        (table.name, after, _PAGE),
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
                f"{era}-{seq}",
            ),
        )
        for seq, pk, sk, old, new, at, era in rows
    ]


def _oldest(connection: apsw.Connection, table: Table) -> int | None:
    row: Any = connection.execute(f'SELECT min(seq) FROM "{table.name}/changes"').fetchone()
    return None if row is None else row[0]

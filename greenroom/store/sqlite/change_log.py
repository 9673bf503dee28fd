"""The change log of each table with a stream, numbered in commit order.

Each opening of the file starts an era with a unique random name. A checkpoint holds the number of
the last change seen and the name of its era: a file restored from a backup reuses numbers for other
changes, but never under the same era. Changes are removed after a day, except the last one, so that
a number that was never used can always be recognised.
"""

import re
from collections.abc import Sequence
from functools import partial
from secrets import token_hex
from typing import Any

import apsw
from msgspec import Struct

from greenroom.store.base import Change, Key
from greenroom.store.expressions import Prefix
from greenroom.store.problems import CheckpointTooOld, InvalidCursor, NotFollowed
from greenroom.store.sqlite.codec import unpack, unpacker
from greenroom.store.sqlite.reader import ends_of
from greenroom.store.tables import Table

ERAS = """CREATE TABLE IF NOT EXISTS eras(
    name TEXT NOT NULL, first INTEGER NOT NULL, era TEXT NOT NULL,
    PRIMARY KEY(name, first)) WITHOUT ROWID"""

_PAGE = 256
_MAX_PASSED_OVER = 2048
_CHECKPOINT = re.compile(r"([0-9a-f]{16})-([0-9]{1,18})")
_ERA = "SELECT era FROM eras WHERE name=? AND first<=? ORDER BY first DESC LIMIT 1"
_ERAS_FROM = """SELECT first, era FROM eras WHERE name=?1 AND first >=
    (SELECT max(first) FROM eras WHERE name=?1 AND first<=?2) ORDER BY first"""


class LogPage(Struct, frozen=True):
    changes: list[Change]
    last: int
    """The number of the last change that was read or passed over."""
    checkpoint: str
    is_newest: bool
    """Whether there was nothing after it."""


def begin(connection: apsw.Connection, table: Table, *, goes_on: bool) -> None:
    """Prepares the table's change log, if it has one. Discards it if writes may have bypassed it
    (`goes_on` is False): gaps could not be recognised."""
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
    # The number 0, before the first change, has its own era, which survives restarts.
    connection.execute(
        f"INSERT OR IGNORE INTO eras SELECT ?, 0, ? WHERE NOT EXISTS (SELECT 1 FROM {log})",
        (table.name, token_hex(8)),
    )
    # An era without changes is replaced by the next one.
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
    """The number to continue after."""
    if not table.stream:
        raise NotFollowed(table.name)
    if after is None:
        return (_oldest(connection, table) or 1) - 1
    position = _CHECKPOINT.fullmatch(after)
    if position is None:
        raise InvalidCursor
    last = int(position[2])
    if connection.execute(_ERA, (table.name, last)).fetchall() != [(position[1],)]:
        raise CheckpointTooOld(table.name)
    check_kept(connection, table, last)
    return last


def newest(connection: apsw.Connection, table: Table, last: int) -> str:
    """The checkpoint after the last change, which has this number."""
    if not table.stream:
        raise NotFollowed(table.name)
    (row,) = connection.execute(_ERA, (table.name, last)).fetchall()
    return f"{row[0]}-{last}"


def check_kept(connection: apsw.Connection, table: Table, last: int) -> int:
    """The newest number. Refuses one before the oldest kept change or after the newest: trimming
    has overtaken a slow follower, or the file is another one."""
    oldest, newest = _oldest(connection, table), _newest(connection, table)
    if last > newest or (oldest is not None and last < oldest - 1):
        raise CheckpointTooOld(table.name)
    return newest


def page(
    connection: apsw.Connection,
    table: Table,
    after: int,
    newest: int | None,
    prefixes: Sequence[str] = (),
    *,
    with_old: bool = True,
    attributes: Sequence[str] = (),
) -> LogPage:
    """The next changes of items whose sort key begins with one of the prefixes, with some
    attributes of theirs, or all. `newest` is the number of the last change to tell, if it
    is not the last in the file."""
    in_file = check_kept(connection, table, after)
    newest = in_file if newest is None else max(after, min(newest, in_file))
    until = min(newest, after + _MAX_PASSED_OVER)
    condition, bound = _wanted(prefixes)
    rows: list[Any] = []
    if until > after:
        rows = connection.execute(
            f"SELECT seq, pk, sk, {'old' if with_old else 'NULL'}, new, at "
            f'FROM "{table.name}/changes" '
            f"WHERE seq>? AND seq<=?{condition} ORDER BY seq LIMIT ?",
            (after, until, *bound, _PAGE),
        ).fetchall()
    last = rows[-1][0] if len(rows) == _PAGE else until
    eras: list[Any] = connection.execute(_ERAS_FROM, (table.name, min(after + 1, last))).fetchall()
    checkpoint = partial(_checkpoint, eras)
    decode = unpacker(tuple(attributes)) if attributes else unpack
    changes = [
        Change(
            table.name,
            Key(pk, None if table.sort is None else sk),
            None if old is None else decode(old),
            None if new is None else decode(new),
            at,
            checkpoint(seq),
        )
        for seq, pk, sk, old, new, at in rows
    ]
    return LogPage(changes, last, checkpoint(last), last == newest)


def _checkpoint(eras: list[tuple[int, str]], seq: int) -> str:
    first, era = eras[-1]
    if seq < first:
        era = next(era for first, era in reversed(eras) if first <= seq)
    return f"{era}-{seq}"


def _wanted(prefixes: Sequence[str]) -> tuple[str, list[str | bytes]]:
    """The SQL condition for the prefixes, and its values."""
    if not prefixes:
        return "", []
    found = [end for prefix in prefixes for end in ends_of("sk", Prefix(prefix)) if end is not None]
    pairs = zip(found[::2], found[1::2], strict=True)
    condition = " OR ".join(f"({low[0]} AND {high[0]})" for low, high in pairs)
    return f" AND ({condition})", [value for _, value in found]


def _newest(connection: apsw.Connection, table: Table) -> int:
    sql = f'SELECT coalesce(max(seq), 0) FROM "{table.name}/changes"'
    number: Any = connection.execute(sql).fetchall()[0][0]
    return int(number)


def _oldest(connection: apsw.Connection, table: Table) -> int | None:
    row: Any = connection.execute(f'SELECT min(seq) FROM "{table.name}/changes"').fetchone()
    return None if row is None else row[0]

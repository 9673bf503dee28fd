"""The file: how it is laid out, opened, checked and brought up to the declared tables.

    "Messaging"          pk  sk                  size  expires  item     one row per item
    "Messaging/Inbox"    ipk isk  pk sk          size  expires  item     one row per index entry
    "Messaging/changes"  seq   pk sk             old   new      at       only with a stream
    eras                 name  first             era                     whose numbers they are
    tokens               token                   digest  expires         idempotent transactions
    declared             name                    layout                  what the rows were made by

`item` is MessagePack (codec.py), in an index only what it projects; `size` is DynamoDB's weight
of it; `expires` the second from which it is gone. Keys that a table lacks are ''. A new index, or
one declared differently, is filled from its table when the file is opened.
"""

import fcntl
import os
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import apsw
import msgspec

from greenroom.durable import make_folder, sync_folder
from greenroom.store.problems import (
    StoreCorrupt,
    StoreFull,
    StoreHeld,
    StoreTooNew,
    StoreUnavailable,
)
from greenroom.store.sqlite import feed
from greenroom.store.sqlite.codec import unpack
from greenroom.store.sqlite.entries import entry_of, expires_of
from greenroom.store.sqlite.refusals import is_full, translated
from greenroom.store.sqlite.rows import Row
from greenroom.store.tables import Index, Table

APPLICATION_ID = 0x4752_4D31
SYNCHRONOUS = "FULL"
"""What was acknowledged is on the disk. A test of power cuts sets less, to see that it notices."""
FORMAT = 1
CACHE_KB = 8 * 1024
"""A small cache makes commits cheaper: after every commit that has split a page, SQLite looks
through the whole cache. Reads lose little, since the system keeps the file in memory too."""


def hold(path: Path) -> int:
    """Takes the file for this process, until the descriptor is closed or the process ends. Links to
    it are followed: under another name it is the same file."""
    try:
        make_folder(path.parent)
        lock = os.open(f"{path.resolve()}.lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    except OSError as error:
        kind = StoreFull if is_full(error.errno) else StoreUnavailable
        raise kind(f"{path}: {error.strerror}") from error
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        holder = os.read(lock, 32).decode(errors="replace").strip()
        os.close(lock)
        raise StoreHeld(str(path), f"pid {holder}" if holder else "unknown") from None
    with suppress(OSError):  # on a full disk nobody will hear who holds it; it is held all the same
        os.ftruncate(lock, 0)
        os.pwrite(lock, str(os.getpid()).encode(), 0)
    return lock


def connect(path: Path) -> apsw.Connection:
    try:
        connection = apsw.Connection(str(path), statementcachesize=64)
        connection.set_busy_timeout(5000)
        connection.execute(f"PRAGMA synchronous={SYNCHRONOUS}")
        connection.execute(f"PRAGMA cache_size={-CACHE_KB}")
    except apsw.Error as error:
        raise translated(path, error, path.parent) from error
    return connection


def check_file(path: Path, *, thoroughly: bool) -> None:
    """Refuses a file that is not ours, not sound or from a newer version; changes nothing."""
    if not path.exists() or path.stat().st_size == 0:
        return
    try:
        connection = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READWRITE)
    except apsw.Error as error:
        raise translated(path, error, path.parent) from error
    try:
        _check_marks(path, connection)
        if thoroughly:
            found: Any = connection.execute("PRAGMA quick_check(1)").fetchone()
            if found != ("ok",):
                raise StoreCorrupt(str(path), str(found[0]).splitlines()[-1])
    except apsw.Error as error:
        raise translated(path, error, path.parent, connection) from error
    finally:
        connection.close()


def _check_marks(path: Path, connection: apsw.Connection) -> None:
    application = connection.pragma("application_id")
    found = connection.pragma("user_version")
    if application != APPLICATION_ID:
        tables = connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()
        if application == 0 and found == 0 and tables == (0,):
            return
        raise StoreCorrupt(str(path), "the file belongs to another program")
    if found > FORMAT:
        raise StoreTooNew(str(path), found, FORMAT)


def prepare(path: Path, connection: apsw.Connection, tables: Sequence[Table]) -> None:
    """Lays out what is declared and not yet there, in one transaction, and syncs the names of the
    files: SQLite syncs that of a log which it has just made, not of one that it finds."""
    try:
        connection.pragma("journal_mode", "wal")
        with connection:
            connection.pragma("application_id", APPLICATION_ID)
            connection.pragma("user_version", FORMAT)
            connection.execute(_TOKENS)
            connection.execute(_DECLARED)
            connection.execute(feed.ERAS)
            for table in tables:
                _prepare_table(path, connection, table)
    except apsw.Error as error:
        raise translated(path, error, path.parent, connection) from error
    try:
        sync_folder(path.resolve().parent)
    except OSError as error:
        raise StoreUnavailable(f"{path.parent}: {error.strerror}") from error


_TOKENS = """CREATE TABLE IF NOT EXISTS tokens(
    token TEXT PRIMARY KEY, digest BLOB NOT NULL, expires INTEGER NOT NULL) WITHOUT ROWID"""
_DECLARED = """CREATE TABLE IF NOT EXISTS declared(
    name TEXT PRIMARY KEY, layout TEXT NOT NULL) WITHOUT ROWID"""


def _prepare_table(path: Path, connection: apsw.Connection, table: Table) -> None:
    name = table.name
    before = _declared(connection, name)
    layout: dict[str, Any] = {
        "keys": list(table.key_names),
        "ttl": table.ttl,
        "stream": table.stream,
    }
    if before is not None and before["keys"] != layout["keys"]:
        raise StoreCorrupt(str(path), f"table {name} was made with the keys {before['keys']}")
    connection.execute(
        f"""CREATE TABLE IF NOT EXISTS "{name}"(
        pk TEXT NOT NULL, sk TEXT NOT NULL, size INTEGER NOT NULL, expires INTEGER,
        item BLOB NOT NULL, PRIMARY KEY(pk, sk)) WITHOUT ROWID"""
    )
    if table.ttl is not None:
        connection.execute(
            f"""CREATE INDEX IF NOT EXISTS "{name}/expiry" ON "{name}"(expires)
            WHERE expires IS NOT NULL"""
        )
    feed.begin(connection, table, goes_on=before is not None and before.get("stream") is True)
    other_ttl = before is not None and before["ttl"] != table.ttl
    if other_ttl:
        _refill_expiry(connection, table)
    _drop_undeclared(connection, table)
    for index in table.indexes:
        _prepare_index(connection, table, index, refill=other_ttl)
    _declare(connection, name, layout)


def _drop_undeclared(connection: apsw.Connection, table: Table) -> None:
    """Nobody keeps such an index up; should it be declared again, it is filled again."""
    names = {f"{table.name}/{index.name}" for index in table.indexes}
    known: list[Any] = connection.execute(
        "SELECT name FROM declared WHERE name GLOB ?", (f"{table.name}/*",)
    ).fetchall()
    for (name,) in known:
        if name not in names:
            connection.execute(f'DROP TABLE "{name}"')
            connection.execute("DELETE FROM declared WHERE name=?", (name,))


def _prepare_index(
    connection: apsw.Connection, table: Table, index: Index, *, refill: bool
) -> None:
    name = f"{table.name}/{index.name}"
    # As it is read back: a tuple is a list then.
    layout = msgspec.json.decode(msgspec.json.encode(msgspec.structs.replace(index, purpose="")))
    if _declared(connection, name) == layout and not refill:
        return
    connection.execute(f'DROP TABLE IF EXISTS "{name}"')
    connection.execute(
        f"""CREATE TABLE "{name}"(
        ipk TEXT NOT NULL, isk TEXT NOT NULL, pk TEXT NOT NULL, sk TEXT NOT NULL,
        size INTEGER NOT NULL, expires INTEGER, item BLOB NOT NULL,
        PRIMARY KEY(ipk, isk, pk, sk)) WITHOUT ROWID"""
    )
    rows = connection.execute(f'SELECT pk, sk, size, expires, item FROM "{table.name}"')
    for pk, sk, size, expires, blob in rows:
        entry = entry_of(table, index, Row(size, expires, blob))
        if entry is not None:
            connection.execute(
                f'INSERT INTO "{name}" VALUES(?,?,?,?,?,?,?)',
                (*entry.place, pk, sk, entry.size, expires, entry.blob),
            )
    _declare(connection, name, layout)


def _refill_expiry(connection: apsw.Connection, table: Table) -> None:
    rows: list[Any] = connection.execute(f'SELECT pk, sk, item FROM "{table.name}"').fetchall()
    for pk, sk, blob in rows:
        connection.execute(
            f'UPDATE "{table.name}" SET expires=? WHERE pk=? AND sk=?',
            (expires_of(table, unpack(blob)), pk, sk),
        )


def _declared(connection: apsw.Connection, name: str) -> Any:
    row = connection.execute("SELECT layout FROM declared WHERE name=?", (name,)).fetchone()
    return None if row is None else msgspec.json.decode(row[0])


def _declare(connection: apsw.Connection, name: str, layout: Any) -> None:
    connection.execute(
        "INSERT OR REPLACE INTO declared VALUES(?,?)", (name, msgspec.json.encode(layout).decode())
    )

"""Opens, locks and checks the SQLite file, and creates the declared tables in it.

    "Messaging"          pk  sk                  size  expires  item     one row per item
    "Messaging/Inbox"    ipk isk  pk sk          size  expires  item     one row per index entry
    "Messaging/changes"  seq   pk sk             old   new      at       only with a stream
    eras                 name  first             era                     eras of the numbers
    tokens               token                   digest  expires         idempotent transactions
    declared             name                    layout                  declarations

`item` is MessagePack (codec.py); in an index it has only the projected attributes. `size` is the
item's size by DynamoDB's rules, `expires` the second at which it expires. A missing key is ''. A
new or changed index is filled from its table when the file is opened.
"""

import fcntl
import os
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import apsw
import msgspec

from greenroom.durable_files import make_folder, sync_folder
from greenroom.store.problems import (
    StoreCorrupt,
    StoreFull,
    StoreHeld,
    StoreTooNew,
    StoreUnavailable,
)
from greenroom.store.sqlite import change_log
from greenroom.store.sqlite.codec import unpack
from greenroom.store.sqlite.errors import is_full, translate_error
from greenroom.store.sqlite.index_entries import entry_of, expiry_of
from greenroom.store.sqlite.rows import Row
from greenroom.store.tables import Index, Table

APPLICATION_ID = 0x4752_4D31
SYNCHRONOUS = "FULL"
"""Acknowledged writes are on disk. A power-cut test lowers it to prove that the test notices."""
FORMAT = 1
CACHE_KB = 8 * 1024
"""A small cache makes commits cheaper: after every commit that split a page, SQLite walks the whole
cache. Reads lose little, since the operating system caches the file too."""


def lock_file(path: Path) -> int:
    """Locks the file for this process until the descriptor is closed or the process ends. Follows
    links, so that two names of one file share a lock."""
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
    with suppress(OSError):  # on a full disk only the pid is missing
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
        raise translate_error(path, error, path.parent) from error
    return connection


def check_file(path: Path, *, thoroughly: bool) -> None:
    """Raises for a foreign, damaged or newer file; changes nothing."""
    if not path.exists() or path.stat().st_size == 0:
        return
    try:
        connection = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READWRITE)
    except apsw.Error as error:
        raise translate_error(path, error, path.parent) from error
    try:
        _check_marks(path, connection)
        if thoroughly:
            found: Any = connection.execute("PRAGMA quick_check(1)").fetchone()
            if found != ("ok",):
                raise StoreCorrupt(str(path), str(found[0]).splitlines()[-1])
    except apsw.Error as error:
        raise translate_error(path, error, path.parent, connection) from error
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
    """Creates missing tables and indexes in one transaction, and syncs the folder: SQLite syncs the
    name of a log that it creates, not of one that it finds."""
    try:
        connection.pragma("journal_mode", "wal")
        with connection:
            connection.pragma("application_id", APPLICATION_ID)
            connection.pragma("user_version", FORMAT)
            connection.execute(_TOKENS)
            connection.execute(_DECLARED)
            connection.execute(change_log.ERAS)
            for table in tables:
                _prepare_table(path, connection, table)
    except apsw.Error as error:
        raise translate_error(path, error, path.parent, connection) from error
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
        raise StoreCorrupt(str(path), f"table {name} was created with the keys {before['keys']}")
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
    change_log.begin(connection, table, goes_on=before is not None and before.get("stream") is True)
    other_ttl = before is not None and before["ttl"] != table.ttl
    if other_ttl:
        _refill_expiry(connection, table)
    _drop_undeclared(connection, table)
    for index in table.indexes:
        _prepare_index(connection, table, index, refill=other_ttl)
    _declare(connection, name, layout)


def _drop_undeclared(connection: apsw.Connection, table: Table) -> None:
    """An undeclared index is not maintained. If it is declared again, it is filled again."""
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
    # As read back from JSON: tuples become lists.
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
                (*entry.key, pk, sk, entry.size, expires, entry.blob),
            )
    _declare(connection, name, layout)


def _refill_expiry(connection: apsw.Connection, table: Table) -> None:
    rows: list[Any] = connection.execute(f'SELECT pk, sk, item FROM "{table.name}"').fetchall()
    for pk, sk, blob in rows:
        connection.execute(
            f'UPDATE "{table.name}" SET expires=? WHERE pk=? AND sk=?',
            (expiry_of(table, unpack(blob)), pk, sk),
        )


def _declared(connection: apsw.Connection, name: str) -> Any:
    row = connection.execute("SELECT layout FROM declared WHERE name=?", (name,)).fetchone()
    return None if row is None else msgspec.json.decode(row[0])


def _declare(connection: apsw.Connection, name: str, layout: Any) -> None:
    connection.execute(
        "INSERT OR REPLACE INTO declared VALUES(?,?)", (name, msgspec.json.encode(layout).decode())
    )

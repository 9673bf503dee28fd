"""Reopens the file after a failed commit and checks that acknowledged writes are on disk.

After a failed fsync the state of the disk is unknown, and a second fsync reports success for pages
that were dropped. Earlier acknowledged writes had a successful fsync of their own, so they must be
there. The failed group may or may not be there. So the page cache is dropped, the write-ahead log
is read again, and all of it is written to the database file, which is then synced.

Careful: SQLite reads its log again only when no connection is open.
"""

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import apsw
from msgspec import Struct

from greenroom.store.base import ItemAddress
from greenroom.store.problems import StoreCorrupt
from greenroom.store.sqlite import schema
from greenroom.store.sqlite.errors import translate_error
from greenroom.store.sqlite.rows import DirtyRow, Row
from greenroom.store.tables import Table


class Expected(Struct, frozen=True):
    """What the file must hold: the last acknowledged group, possibly overwritten by the failed
    one."""

    acknowledged: Mapping[ItemAddress, DirtyRow]
    failed_group: Mapping[ItemAddress, DirtyRow]


def restore(path: Path, tables: Sequence[Table], expected: Expected, *, check: bool) -> None:
    """Raises StoreCorrupt if acknowledged data is missing, and another Problem while the disk does
    not accept writes yet."""
    _drop_caches(path)
    schema.check_file(path, thoroughly=check)
    connection = schema.connect(path)
    try:
        connection.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_TRUNCATE)
        if connection.pragma("application_id") != schema.APPLICATION_ID:
            raise StoreCorrupt(str(path), "the file is empty after a failed commit")
        _check_acknowledged(path, connection, expected)
        schema.prepare(path, connection, tables)  # which commits
    except apsw.Error as error:
        raise translate_error(path, error, path.parent, connection) from error
    finally:
        connection.close()


def _drop_caches(path: Path) -> None:
    """Makes the next reads come from the disk."""
    for name in (path, path.with_name(f"{path.name}-wal")):
        try:
            descriptor = os.open(name, os.O_RDONLY)
        except OSError:
            continue
        try:
            if hasattr(os, "posix_fadvise"):
                os.posix_fadvise(descriptor, 0, 0, os.POSIX_FADV_DONTNEED)
        finally:
            os.close(descriptor)


def _check_acknowledged(path: Path, connection: apsw.Connection, expected: Expected) -> None:
    for address, dirty in expected.acknowledged.items():
        name, partition, sort = address
        found = _found(connection, name, partition, sort)
        newer = expected.failed_group.get(address)
        if found != _blob(dirty.after) and (newer is None or found != _blob(newer.after)):
            reason = f"acknowledged writes to table {name} are missing after a failed commit"
            raise StoreCorrupt(str(path), reason)


def _found(connection: apsw.Connection, table: str, partition: str, sort: str) -> bytes | None:
    sql = f'SELECT item FROM "{table}" WHERE pk=? AND sk=?'
    try:
        row: Any = connection.execute(sql, (partition, sort)).fetchone()
    except apsw.SQLError:  # the table is missing
        return None
    return None if row is None else bytes(row[0])


def _blob(row: Row | None) -> bytes | None:
    return None if row is None else row.blob

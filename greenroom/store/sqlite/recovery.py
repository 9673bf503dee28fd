"""Brings the file back after a commit that failed: reads it from the disk, and looks whether what
was acknowledged is there.

After a failed sync nobody knows what is on the disk, and a second sync says "done" of pages that
were dropped. What was acknowledged before had a sync of its own that did not fail, so it has to be
there; what was under way may be there or not. So the system's copy of the files is given up, the
log is read anew, and all of it is written into the database file, which is then synced. Careful:
only with no connection open does SQLite read its log anew.
"""

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import apsw
from msgspec import Struct

from greenroom.store.base import Place
from greenroom.store.problems import StoreCorrupt
from greenroom.store.sqlite import schema
from greenroom.store.sqlite.refusals import translated
from greenroom.store.sqlite.rows import Row, Touched
from greenroom.store.tables import Table


class Expected(Struct, frozen=True):
    """What has to be in the file: the last group that was acknowledged, or over it the one that
    was under way."""

    acknowledged: Mapping[Place, Touched]
    under_way: Mapping[Place, Touched]


def restore(path: Path, tables: Sequence[Table], expected: Expected, *, check: bool) -> None:
    """Raises StoreCorrupt where the file cannot be trusted, and another Problem where the disk
    does not take writes yet."""
    _drop_caches(path)
    schema.check_file(path, thoroughly=check)
    connection = schema.connect(path)
    try:
        connection.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_TRUNCATE)
        if connection.pragma("application_id") != schema.APPLICATION_ID:
            raise StoreCorrupt(str(path), "the file is empty after a failed commit")
        _check_acknowledged(path, connection, expected)
        schema.prepare(path, connection, tables)  # a commit of its own
    except apsw.Error as error:
        raise translated(path, error, path.parent, connection) from error
    finally:
        connection.close()


def _drop_caches(path: Path) -> None:
    """So that what is read next comes from the disk."""
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
    for place, touched in expected.acknowledged.items():
        name, partition, sort = place
        found = _found(connection, name, partition, sort)
        newer = expected.under_way.get(place)
        if found != _blob(touched.after) and (newer is None or found != _blob(newer.after)):
            reason = f"what was acknowledged in table {name} is not there after a failed commit"
            raise StoreCorrupt(str(path), reason)


def _found(connection: apsw.Connection, table: str, partition: str, sort: str) -> bytes | None:
    sql = f'SELECT item FROM "{table}" WHERE pk=? AND sk=?'
    try:
        row: Any = connection.execute(sql, (partition, sort)).fetchone()
    except apsw.SQLError:  # not even the table is there
        return None
    return None if row is None else bytes(row[0])


def _blob(row: Row | None) -> bytes | None:
    return None if row is None else row.blob

"""Copies items, SQL and files together, as they were at one moment, while a server uses them.

    greenroom-2026-01-31/
    ├─ backup.json      what it has, and which version wrote it
    ├─ greenroom.db     the items
    ├─ sql.db           the contracts
    └─ files/           the content of files

docs/decisions/0028-backup-at-one-moment.md says why the parts fit together.
"""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from secrets import token_hex

import msgspec
from msgspec import Struct

from greenroom import __version__
from greenroom.copied_files import copy_files, sync_folders
from greenroom.durable_files import sync_file, sync_folder, write_new
from greenroom.open_sql import sql_path
from greenroom.open_store import sqlite_path
from greenroom.settings import InvalidSetting, Settings, variable_of
from greenroom.sql.sqlite.snapshot import SqlSnapshot
from greenroom.store.problems import StoreFull, StoreUnavailable
from greenroom.store.sqlite import BackupExists, Snapshot
from greenroom.store.sqlite.errors import is_full

FORMAT = 1
ITEMS, SQL, FILES, CONTENTS = "greenroom.db", "sql.db", "files", "backup.json"


class Contents(Struct, frozen=True):
    """What a backup has. `sql` and `files` are false if they are kept elsewhere."""

    format: int
    version: str
    made_at: str
    sql: bool
    files: bool


def backup(settings: Settings, target: Path) -> Contents:
    """Writes to a temporary folder first, so `target` exists completely or not at all."""
    items = _items_of(settings)
    if target.exists() or target.is_symlink():
        raise BackupExists(str(target))
    draft = target.with_name(f".{target.name}.{token_hex(4)}")
    try:
        with _drafted(draft):
            contents = _fill(draft, settings, items)
            draft.rename(target)
            sync_folder(target.parent)
    except OSError as error:
        if is_full(error.errno):
            raise StoreFull(f"{target}: {error.strerror}") from error
        raise StoreUnavailable(f"{target}: {error.strerror}") from error
    return contents


def _items_of(settings: Settings) -> Path:
    path = sqlite_path(settings)
    if path is None:
        reason = "this command copies only an SQLite file; use DynamoDB's own backups"
        raise InvalidSetting(variable_of("store"), reason)
    if not path.exists():
        raise StoreUnavailable(f"{path} does not exist")
    return path


@contextmanager
def _drafted(draft: Path) -> Iterator[None]:
    draft.mkdir(0o700)
    try:
        yield
    finally:
        shutil.rmtree(draft, ignore_errors=True)


def _fill(draft: Path, settings: Settings, items: Path) -> Contents:
    sql, files = sql_path(settings), None if settings.blobs else settings.data / FILES
    if sql is not None and not (sql.exists() and sql.stat().st_size):
        sql = None  # no version with contracts has started here
    if files is not None:
        copy_files(files, draft / FILES)  # most of them, before the snapshot
    with _snapshots(items, sql) as (of_items, of_sql):
        if files is not None:
            copy_files(files, draft / FILES)  # those that the snapshot may name
        of_items.copy(draft / ITEMS)
        sync_file(draft / ITEMS)
        if of_sql is not None:
            of_sql.copy(draft / SQL)
            sync_file(draft / SQL)
    now = datetime.now(UTC).isoformat(timespec="seconds")
    contents = Contents(FORMAT, __version__, now, of_sql is not None, files is not None)
    write_new(draft / CONTENTS, msgspec.json.format(msgspec.json.encode(contents)) + b"\n")
    sync_folders(draft)
    return contents


@contextmanager
def _snapshots(items: Path, sql: Path | None) -> Iterator[tuple[Snapshot, SqlSnapshot | None]]:
    """Both of the same moment: nobody writes to SQL while that of the items is taken."""
    taken: list[Snapshot] = []
    of_sql = None
    try:
        if sql is None:
            taken.append(Snapshot(items))
        else:
            of_sql = SqlSnapshot(sql, lambda: taken.append(Snapshot(items)))
        yield taken[0], of_sql
    finally:
        for one in (*taken, of_sql):
            if one is not None:
                one.close()

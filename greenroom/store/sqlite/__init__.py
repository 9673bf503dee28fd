"""The item store on one SQLite file."""

from greenroom.store.sqlite.backup import BackupExists, Snapshot, backup, is_database
from greenroom.store.sqlite.engine import SqliteStore
from greenroom.store.sqlite.readonly import ReadonlyStore, open_readonly

__all__ = [
    "BackupExists",
    "ReadonlyStore",
    "Snapshot",
    "SqliteStore",
    "backup",
    "is_database",
    "open_readonly",
]

"""The item store on one SQLite file."""

from greenroom.store.sqlite.backup import BackupExists, backup
from greenroom.store.sqlite.engine import SqliteStore

__all__ = ["BackupExists", "SqliteStore", "backup"]

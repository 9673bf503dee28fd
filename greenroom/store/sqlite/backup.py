"""Copies the database file consistently while the server keeps writing."""

from pathlib import Path
from secrets import token_hex

import apsw

from greenroom.durable_files import claim_name, sync_file, sync_folder
from greenroom.errors import Problem
from greenroom.store.problems import StoreCorrupt, StoreFull, StoreUnavailable
from greenroom.store.sqlite.errors import is_full, translate_error
from greenroom.store.sqlite.schema import APPLICATION_ID

_MAGIC = b"SQLite format 3\0"


class BackupExists(Problem):
    """{path} exists already; a backup never overwrites a file."""

    path: str


def backup(source: Path, target: Path) -> None:
    """Writes to a temporary file first, so `target` exists completely or not at all."""
    if not source.exists():
        raise StoreUnavailable(f"{source} does not exist")
    if target.exists():
        raise BackupExists(str(target))
    draft = target.with_name(f".{target.name}.{token_hex(4)}")
    try:
        try:
            _copy(source, draft)
            draft.chmod(0o600)
            sync_file(draft)
            claim_name(draft, target)
        finally:
            draft.unlink(missing_ok=True)
        sync_folder(target.parent)
    except FileExistsError:
        raise BackupExists(str(target)) from None
    except OSError as error:
        if is_full(error.errno):
            raise StoreFull(f"{target}: {error.strerror}") from error
        raise StoreUnavailable(f"{target}: {error.strerror}") from error


class Snapshot:
    """The items as they are now, to be copied later, whatever is written meanwhile."""

    def __init__(self, source: Path) -> None:
        if not source.exists():
            raise StoreUnavailable(f"{source} does not exist")
        self._source = source
        try:
            self._connection = _opened(source)
            self._connection.execute("BEGIN")
            self._connection.execute("SELECT count(*) FROM sqlite_schema").fetchall()
        except apsw.Error as error:
            raise translate_error(source, error, source.parent) from error

    def copy(self, target: Path) -> None:
        try:
            copy = apsw.Connection(str(target))
            try:
                with copy.backup("main", self._connection, "main") as steps:
                    steps.step(-1)
                copy.pragma("journal_mode", "delete")  # a file without a log
            finally:
                copy.close()
        except apsw.Error as error:
            raise translate_error(self._source, error, target.parent) from error
        target.chmod(0o600)

    def close(self) -> None:
        self._connection.close()


def is_database(path: Path) -> bool:
    """Whether the file's header marks it as a Greenroom database."""
    try:
        with path.open("rb") as file:
            header = file.read(72)
    except OSError:
        return False
    return header.startswith(_MAGIC) and header[68:] == APPLICATION_ID.to_bytes(4, "big")


def _copy(source: Path, draft: Path) -> None:
    try:
        connection = _opened(source)
        try:
            connection.execute("VACUUM INTO ?", (str(draft),))
        finally:
            connection.close()
    except apsw.Error as error:
        raise translate_error(source, error, draft.parent) from error


def _opened(source: Path) -> apsw.Connection:
    connection = apsw.Connection(str(source), flags=apsw.SQLITE_OPEN_READWRITE)
    try:
        if connection.pragma("application_id") != APPLICATION_ID:
            raise StoreCorrupt(str(source), "the file belongs to another program")
        connection.set_busy_timeout(5000)
    except BaseException:
        connection.close()
        raise
    return connection

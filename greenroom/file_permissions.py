"""Makes the data folder readable by its owner alone: the folder 0700, the product's files 0600.

What already exists is tightened at each start. Links are not followed, and files that the product
did not write keep their mode. What belongs to another user is named in the log.
"""

import logging
import os
import stat
from collections.abc import Iterator
from pathlib import Path

from greenroom.store.sqlite import is_database

_log = logging.getLogger(__name__)
_FOLDER, _FILE = 0o700, 0o600
_FOLDERS_INSIDE = ("files", "work")
"""Nobody reaches what is in them: there may be too many files to look at each."""
_BESIDE = ("-wal", "-shm", "-journal", ".lock", ".address")
"""What SQLite and the server write beside a database."""


def tighten(folders: list[Path], store: Path | None) -> None:
    """The folders with the product's files in them, and the SQLite store wherever it is."""
    for folder in folders:
        if folder.is_dir():
            _tighten_folder(folder)
            for inside in _FOLDERS_INSIDE:
                if (folder / inside).is_dir():
                    _set_mode(folder / inside, _FOLDER)
            for file in _own_files(folder):
                _set_mode(file, _FILE)
    if store is not None:
        for file in {*_with_companions(store), *_with_companions(store.resolve())}:
            _set_mode(file, _FILE)


def _tighten_folder(folder: Path) -> None:
    """Careful: a folder with the sticky bit, such as /tmp, is meant for all users."""
    folder = folder.resolve()
    if folder.stat().st_mode & stat.S_ISVTX or folder == folder.parent:
        _log.warning("The data folder %s is shared with other users: use another one.", folder)
    else:
        _set_mode(folder, _FOLDER)


def _own_files(folder: Path) -> Iterator[Path]:
    for path in folder.iterdir():
        if path.name == "secret" or path.name.startswith(".secret."):
            yield path
        elif _is_regular(path) and is_database(path):
            yield from _with_companions(path)


def _with_companions(database: Path) -> list[Path]:
    return [database, *(database.with_name(database.name + end) for end in _BESIDE)]


def _is_regular(path: Path) -> bool:
    try:
        return stat.S_ISREG(path.lstat().st_mode)
    except OSError:
        return False


def _set_mode(path: Path, mode: int) -> None:
    try:
        found = path.lstat()
    except OSError:
        return
    if stat.S_ISLNK(found.st_mode) or stat.S_IMODE(found.st_mode) == mode:
        return
    if found.st_uid != os.geteuid():
        _warn(path, found.st_mode, mode, "it belongs to another user")
        return
    try:
        path.chmod(mode)
    except OSError as error:
        _warn(path, found.st_mode, mode, error.strerror or str(error))


def _warn(path: Path, found: int, wanted: int, reason: str) -> None:
    """Only where other users have access: a mode that gives them none is the operator's choice."""
    if stat.S_IMODE(found) & 0o077:
        _log.warning(
            "Other users may have access to %s (mode %04o), and it cannot be changed: %s. "
            "Set it to %04o.",
            path,
            stat.S_IMODE(found),
            reason,
            wanted,
        )

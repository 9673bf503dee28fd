"""Copies a folder of files while others add to it and delete from it."""

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

from greenroom.durable_files import sync_file, sync_folder

_UNFINISHED = ".drafts"
"""Files that are being written."""


def copy_files(source: Path, target: Path) -> None:
    """Copies what the target does not have yet, and syncs it. Links are not followed."""
    for path in _files_in(source):
        copy = target / path.relative_to(source)
        if not _is_copied(path, copy):
            _copy(path, copy)


def sync_folders(root: Path) -> None:
    for folder, _, _ in os.walk(root):
        sync_folder(Path(folder))


def _files_in(source: Path) -> Iterator[Path]:
    for folder, folders, files in os.walk(source):
        folders[:] = [name for name in folders if name != _UNFINISHED]
        yield from (Path(folder, name) for name in files)


def _is_copied(path: Path, copy: Path) -> bool:
    try:
        found, kept = path.lstat(), copy.lstat()
    except FileNotFoundError:
        return False
    return (found.st_size, found.st_mtime_ns) == (kept.st_size, kept.st_mtime_ns)


def _copy(path: Path, copy: Path) -> None:
    copy.parent.mkdir(0o700, parents=True, exist_ok=True)
    try:
        if path.is_symlink():
            return
        shutil.copyfile(path, copy)
        shutil.copystat(path, copy)
    except FileNotFoundError:  # deleted meanwhile
        copy.unlink(missing_ok=True)
        return
    sync_file(copy)

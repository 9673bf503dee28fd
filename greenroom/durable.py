"""Writes files and folders so that they survive a power cut: content first, then names.

A file that was synced can still lose its name: that is in its folder, which is synced by itself.
"""

import errno
import os
from pathlib import Path
from secrets import token_hex

_NO_SUCH_THING = (errno.EINVAL, errno.ENOTSUP, errno.EACCES, errno.EROFS)
"""What a mount says that cannot sync a folder, or a folder that may be written and not read."""


def make_folder(folder: Path, mode: int = 0o777) -> None:
    """Makes the folder, with those above it, and syncs its name; also where it is there already,
    for whoever made it may have been killed just before."""
    if not folder.is_dir():
        if not folder.parent.exists():
            make_folder(folder.parent)
        folder.mkdir(mode=mode, exist_ok=True)
    sync_folder(folder.parent)


def write_new(path: Path, content: bytes, mode: int = 0o600) -> None:
    """Writes the file unless it exists: it is there whole or not at all."""
    draft = path.with_name(f".{path.name}.{token_hex(4)}")
    try:
        descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        claim_name(draft, path)
    finally:
        draft.unlink(missing_ok=True)
    sync_folder(path.parent)


def claim_name(draft: Path, path: Path) -> None:
    """Gives the draft its name unless it is taken, which a plain rename would not notice."""
    try:
        os.link(draft, path)
        return
    except FileExistsError:
        raise
    except OSError:  # exFAT and some network mounts have no links: an empty file holds the name
        os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
    try:
        os.replace(draft, path)
    except BaseException:
        path.unlink()
        raise


def sync_file(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def sync_folder(folder: Path) -> None:
    try:
        sync_file(folder)
    except OSError as error:
        if error.errno not in _NO_SUCH_THING:
            raise

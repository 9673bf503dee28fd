"""Where the files of the folder engine are.

    files/
    ├─ threads/{threadId}/attachments/{fileId}           a blob: its bytes and nothing else
    ├─ threads/{threadId}/attachments/.{fileId}.type     its content type
    ├─ .appends/threads/…/{fileId}                       what has come of an upload in one piece
    ├─ .parts/{uploadId}/upload                          key and content type of a multipart upload
    ├─ .parts/{uploadId}/{number}                        a part of it
    └─ .drafts/{random}                                  a file that is being written

A blob is a plain file under its key, so that decoders can open it, and an operator can look at it,
back it up, or copy it to a bucket. Its content type is in a file beside it: extended attributes
are lost by many copies and archives. The etag is made from the inode, time and size of the file.
"""

import os
import re
from contextlib import suppress
from functools import cached_property
from pathlib import Path
from secrets import token_hex
from threading import Lock

from greenroom.blobs.base import BlobKey, UploadId, UploadNotFound
from greenroom.blobs.keys import parts_of
from greenroom.durable_files import sync_folder
from greenroom.lru import LruCache

FOLDER, FILE = 0o700, 0o600
_RETRIES = 10
_UPLOAD = re.compile(r"[0-9a-f]{32}", re.ASCII)


class Layout:
    def __init__(self, root: Path) -> None:
        self.root = root
        self._synced: LruCache[Path, bool] = LruCache(4096)
        """Folders whose names are safely on disk."""
        self._lock = Lock()
        """Held while a folder is created and something put into it, and while it is removed."""

    def blob(self, key: BlobKey) -> Path:
        return self.root.joinpath(*parts_of(key))

    def type_of(self, key: BlobKey) -> Path:
        blob = self.blob(key)
        return blob.with_name(f".{blob.name}.type")

    def appended(self, key: BlobKey) -> Path:
        return self.root.joinpath(".appends", *parts_of(key))

    def parts(self, upload: UploadId) -> Path:
        if not _UPLOAD.fullmatch(upload):
            raise UploadNotFound
        return self.root / ".parts" / upload

    @cached_property
    def drafts(self) -> Path:
        return self.root / ".drafts"

    def new_draft(self) -> Path:
        return self.drafts / token_hex(16)

    def make(self, folder: Path) -> None:
        """Creates the folder and its parents below the root, private and synced."""
        with self._lock:
            self._make(folder)
        self._sync_names(folder)

    def rename(self, draft: Path, path: Path, *, sync: bool = True) -> None:
        """Creates the folder if it is missing."""
        for _ in range(_RETRIES):
            try:
                with self._lock:
                    self._make(path.parent)
                    os.replace(draft, path)
                break
            except FileNotFoundError:  # another process has removed the empty folder
                if not draft.exists():
                    raise
        else:
            raise FileNotFoundError(path)
        if sync:
            self._sync(path)

    def create(self, path: Path, flags: int) -> int:
        """Opens the file. Creates it and its folder if they are missing."""
        for _ in range(_RETRIES):
            try:
                with self._lock:
                    self._make(path.parent)
                    descriptor = os.open(path, flags | os.O_CREAT, FILE)
                break
            except FileNotFoundError:  # another process has removed the empty folder
                continue
        else:
            raise FileNotFoundError(path)
        self._sync(path)
        return descriptor

    def remove(self, *paths: Path) -> None:
        """Removes files of one folder for good, and folders that become empty. Others may do the
        same at this moment."""
        found = False
        for path in paths:
            try:
                path.unlink()
                found = True
            except (FileNotFoundError, NotADirectoryError, IsADirectoryError):
                continue
        if found:
            with suppress(FileNotFoundError):
                sync_folder(paths[0].parent)
            self.prune(paths[0].parent)

    def prune(self, folder: Path) -> None:
        """Removes the folder and its parents as far as they are empty."""
        with self._lock:
            self._prune(folder)

    def _make(self, folder: Path) -> None:
        if folder != self.root and not folder.is_dir():
            self._make(folder.parent)
            folder.mkdir(FOLDER, exist_ok=True)

    def _sync(self, path: Path) -> None:
        """Has no effect on a file that was removed meanwhile, with its folder."""
        with suppress(FileNotFoundError):
            sync_folder(path.parent)
            self._sync_names(path.parent)

    def _sync_names(self, folder: Path) -> None:
        """Of the folder and its parents, unless that was done before. Careful: the process that
        created them may have been killed before it came to that."""
        while folder != self.root and not self._synced.get(folder):
            sync_folder(folder.parent)
            self._synced.put(folder, True)
            folder = folder.parent

    def _prune(self, folder: Path) -> None:
        while folder.parent != self.root and folder != self.root:
            try:
                folder.rmdir()
            except OSError:
                return
            self._synced.discard(folder)
            folder = folder.parent

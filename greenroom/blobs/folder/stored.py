"""Reads and writes whole blobs on disk. Everything here blocks: the engine calls it in threads."""

import fcntl
import os
import stat
import time
import zlib
from collections.abc import Sequence
from pathlib import Path
from threading import Lock

from msgspec import Struct

from greenroom.blobs.base import BlobHead, BlobKey
from greenroom.blobs.folder.layout import FILE, Layout
from greenroom.durable_files import sync_file

_UNKNOWN_TYPE = "application/octet-stream"
_NO_UPLOAD = "-"
_RETRIES = 10
_PIECE = 1024 * 1024
_ABSENT = (FileNotFoundError, NotADirectoryError, IsADirectoryError)
_locks = tuple(Lock() for _ in range(64))


class OpenBlob(Struct):
    """A blob that stays readable when it is replaced or deleted. Close it."""

    descriptor: int
    head: BlobHead
    upload: str
    """The multipart upload that has made it, or `-`."""

    def close(self) -> None:
        if self.descriptor >= 0:
            os.close(self.descriptor)
            self.descriptor = -1

    def __del__(self) -> None:
        self.close()


class _Origin(Struct, frozen=True):
    """What is known of the content with one etag."""

    content_type: str = _UNKNOWN_TYPE
    upload: str = _NO_UPLOAD


class Draft:
    """A file that is being written. It is locked, so that a process that starts does not take it
    for one that a killed process has left."""

    descriptor = -1

    def __init__(self, layout: Layout) -> None:
        for _ in range(_RETRIES):
            self.path = layout.new_draft()
            flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC
            self.descriptor = os.open(self.path, flags, FILE)
            if self._lock():
                return
            self.discard()
        raise FileNotFoundError(self.path)

    def _lock(self) -> bool:
        """False if a process that starts has removed the file before it was locked."""
        try:
            fcntl.flock(self.descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return _is_current(self.path, os.fstat(self.descriptor))

    def discard(self) -> None:
        """Has no effect on a file that was given another name."""
        if self.descriptor >= 0:
            os.close(self.descriptor)
            self.descriptor = -1
            self.path.unlink(missing_ok=True)

    def __del__(self) -> None:
        self.discard()


def open_blob(layout: Layout, key: BlobKey) -> OpenBlob | None:
    """Its content type is that of the bytes which were opened, even while it is replaced."""
    path = layout.blob(key)
    for attempt in range(_RETRIES):
        try:
            descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
        except _ABSENT:
            return None
        found = os.fstat(descriptor)
        if not stat.S_ISREG(found.st_mode):
            os.close(descriptor)
            return None
        origins, etag = _origins(layout, key), etag_of(found)
        if etag in origins or attempt == _RETRIES - 1 or _is_current(path, found):
            newest = next(reversed(origins.values()), _Origin())
            origin = origins.get(etag, newest)
            head = BlobHead(found.st_size, origin.content_type, etag)
            return OpenBlob(descriptor, head, origin.upload)
        os.close(descriptor)
    return None


def head_of(layout: Layout, key: BlobKey, upload: str | None = None) -> BlobHead | None:
    """With an upload, only of the blob that it has made."""
    blob = open_blob(layout, key)
    if blob is None:
        return None
    blob.close()
    return blob.head if upload in (None, blob.upload) else None


def publish(
    layout: Layout, draft: Path, key: BlobKey, content_type: str, upload: str = _NO_UPLOAD
) -> BlobHead:
    """Gives a file that is written to its end the key. The file of types first names both the old
    and the new content, so that every reader finds the type of what it has opened."""
    now_ns = time.time_ns()  # of the etag only: the file system's own time has steps of 4 ms
    os.utime(draft, ns=(now_ns, now_ns))
    sync_file(draft)
    found = draft.stat()
    head = BlobHead(found.st_size, content_type, etag_of(found))
    path = layout.blob(key)
    with _locks[zlib.crc32(key.encode()) % len(_locks)]:
        _write_origins(layout, key, path, head.etag, _Origin(content_type, upload))
        layout.rename(draft, path)
    return head


def put(layout: Layout, key: BlobKey, content: bytes, content_type: str) -> BlobHead:
    draft = Draft(layout)
    try:
        write_all(draft.descriptor, content)
        return publish(layout, draft.path, key, content_type)
    finally:
        draft.discard()


def put_files(
    layout: Layout,
    key: BlobKey,
    paths: Sequence[Path],
    content_type: str,
    upload: str = _NO_UPLOAD,
) -> BlobHead:
    """The contents of the files, one after another."""
    draft = Draft(layout)
    try:
        for path in paths:
            with path.open("rb", buffering=0) as file:
                while piece := file.read(_PIECE):
                    write_all(draft.descriptor, piece)
        return publish(layout, draft.path, key, content_type, upload)
    finally:
        draft.discard()


def delete(layout: Layout, key: BlobKey) -> None:
    layout.remove(layout.blob(key), layout.type_of(key))


def write_all(descriptor: int, content: bytes | bytearray | memoryview) -> None:
    """Careful: one write takes at most 2 GB, and less on a full disk."""
    left = memoryview(content)
    while left:
        left = left[os.write(descriptor, left) :]


def etag_of(found: os.stat_result) -> str:
    return f'"{found.st_mtime_ns:x}-{found.st_ino:x}-{found.st_size:x}"'


def _is_current(path: Path, found: os.stat_result) -> bool:
    """Whether the name still leads to the file that was opened."""
    try:
        return path.lstat().st_ino == found.st_ino
    except OSError:
        return False


def _origins(layout: Layout, key: BlobKey) -> dict[str, _Origin]:
    """By etag, the newest last. After a backup is restored no etag is known: then the newest
    holds."""
    try:
        lines = layout.type_of(key).read_text().splitlines()
    except FileNotFoundError:
        return {}
    return {
        etag: _Origin(kind, upload)
        for etag, upload, kind in (line.split(" ", maxsplit=2) for line in lines)
    }


def _write_origins(layout: Layout, key: BlobKey, path: Path, etag: str, origin: _Origin) -> None:
    origins = _origins(layout, key)
    try:
        current = etag_of(path.lstat())
    except OSError:
        current = ""
    kept = {current: origins[current]} if current in origins else {}
    lines = [f"{at} {one.upload} {one.content_type}" for at, one in {**kept, etag: origin}.items()]
    draft = Draft(layout)
    try:
        write_all(draft.descriptor, "\n".join(lines).encode())
        os.fsync(draft.descriptor)
        layout.rename(draft.path, layout.type_of(key), sync=False)  # with the blob
    finally:
        draft.discard()

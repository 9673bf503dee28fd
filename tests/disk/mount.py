"""The FUSE process of the disk: mounts the media and accepts commands on a Unix socket.

    python -m tests.disk.mount FOLDER SOCKET

Commands are JSON lines: `cut` freezes everything and computes what survives; `release` unblocks
waiting calls once the programs are dead; the next mount has what survived. `fail` makes every sync
fail, and `capacity` limits the free space.

Careful: a program that waits for a frozen disk cannot be killed before the disk responds.
"""

import errno
import json
import os
import random
import socket
import sys
import threading
import time
from collections.abc import Callable
from functools import wraps
from pathlib import PurePosixPath
from typing import Any, TypeVar

import mfusepy  # type: ignore[import-untyped]

from tests.disk.media import ROOT, File, Folder, Kept, Media

_Call = TypeVar("_Call", bound=Callable[..., Any])
_PERMISSIONS = 0o7777
_CHANGES = {"mkdir", "rmdir", "unlink", "rename", "link", "create", "write", "truncate"}
_CHANGES |= {"fsync", "fsyncdir"}


def _fail(number: int) -> OSError:
    return mfusepy.FuseOSError(number)  # type: ignore[no-any-return]


def _powered(call: _Call) -> _Call:
    """Waits while the power is off, and then fails: the caller is dead by then."""

    @wraps(call)
    def guarded(self: "Mounted", *arguments: Any) -> Any:
        with self._turn:
            self.count(call.__name__)
            if not self.is_cut:
                return call(self, *arguments)
        self.released.wait()
        raise _fail(errno.EIO)

    return guarded  # type: ignore[return-value]


class Mounted(mfusepy.Operations):  # type: ignore[misc]
    use_ns = True

    def __init__(self) -> None:
        self.media = Media()
        self._turn = threading.Lock()
        self.released = threading.Event()
        self.is_cut = False
        self.fails: str = ""
        """`error`: a sync fails; `lose`: and its data is dropped; `destroy`: and everything else in
        that file, synced or not."""
        self.failed = 0
        self.capacity = 1 << 40
        self.born_ns = time.time_ns()
        self.steps = 0
        """The number of changes and syncs so far."""
        self._cut_at: tuple[int, dict[str, Any]] | None = None

    # Commands, from the socket's thread.

    def command(self, asked: dict[str, Any]) -> dict[str, Any]:
        with self._turn:
            match asked["do"]:
                case "cut" if asked["after"]:
                    self._cut_at = self.steps + asked["after"], asked
                case "cut":
                    return {"unsynced": self._cut(asked)}
                case "release":
                    self.released.set()
                case "fail":
                    self.fails, self.failed = asked["how"], 0
                case "capacity":
                    self.capacity = asked["bytes"]
                case "state":
                    names = ("failed", "is_cut", "steps")
                    told = {name: getattr(self, name) for name in names}
                    return {**told, "used": self.media.used()}
        return {}

    def count(self, call: str) -> None:
        if call in _CHANGES:
            self.steps += 1
            if self._cut_at is not None and self.steps > self._cut_at[0]:
                self._cut(self._cut_at[1])

    def _cut(self, asked: dict[str, Any]) -> int:
        self._cut_at = None
        self.released.clear()
        self.is_cut = True
        return self.media.cut(Kept(asked["kept"]), random.Random(asked["seed"]))

    def power_on(self) -> None:
        self.is_cut = False

    # Names.

    def _walk(self, path: str) -> int:
        number = ROOT
        for part in PurePosixPath(path).parts[1:]:
            node = self.media.nodes[number]
            if not isinstance(node, Folder) or part not in node.entries:
                raise _fail(errno.ENOENT)
            number = node.entries[part]
        return number

    def _place(self, path: str) -> tuple[int, str]:
        place = PurePosixPath(path)
        return self._walk(str(place.parent)), place.name

    def _node(self, path: str) -> File | Folder:
        return self.media.nodes[self._walk(path)]

    def _file(self, number: int) -> File:
        node = self.media.nodes.get(number)
        if not isinstance(node, File):
            raise _fail(errno.EIO)
        return node

    @_powered
    def getattr(self, path: str, fh: int | None = None) -> dict[str, Any]:
        number = self._walk(path)
        node = self.media.nodes[number]
        return {
            "st_mode": node.mode,
            "st_nlink": node.links,
            "st_ino": number,
            "st_size": len(node.content) if isinstance(node, File) else 0,
            "st_uid": os.getuid(),
            "st_gid": os.getgid(),
            "st_mtime": self.born_ns,
            "st_ctime": self.born_ns,
            "st_atime": self.born_ns,
        }

    @_powered
    def readdir(self, path: str, fh: int) -> list[str]:
        node = self._node(path)
        assert isinstance(node, Folder)
        return [".", "..", *node.entries]

    @_powered
    def mkdir(self, path: str, mode: int) -> int:
        folder, name = self._place(path)
        self.media.name((folder, name, self.media.add(Folder(mode & _PERMISSIONS))))
        return 0

    @_powered
    def rmdir(self, path: str) -> int:
        node = self._node(path)
        if not isinstance(node, Folder) or node.entries:
            raise _fail(errno.ENOTEMPTY)
        self.media.name((*self._place(path), None))
        return 0

    @_powered
    def unlink(self, path: str) -> int:
        self._node(path).links -= 1
        self.media.name((*self._place(path), None))
        return 0

    @_powered
    def rename(self, old: str, new: str) -> int:
        number = self._walk(old)
        self.media.name((*self._place(old), None), (*self._place(new), number))
        return 0

    @_powered
    def link(self, target: str, source: str) -> int:
        number = self._walk(source)
        self.media.nodes[number].links += 1
        self.media.name((*self._place(target), number))
        return 0

    @_powered
    def chmod(self, path: str, mode: int) -> int:
        node = self._node(path)
        node.mode = (node.mode & ~_PERMISSIONS) | (mode & _PERMISSIONS)
        return 0

    def chown(self, path: str, uid: int, gid: int) -> int:
        return 0

    def utimens(self, path: str, times: tuple[int, int] | None = None) -> int:
        return 0

    # Content.

    @_powered
    def create(self, path: str, mode: int, fi: Any = None) -> int:
        folder, name = self._place(path)
        number = self.media.add(File(mode & _PERMISSIONS))
        self.media.name((folder, name, number))
        return number

    @_powered
    def open(self, path: str, flags: int) -> int:
        return self._walk(path)

    @_powered
    def read(self, path: str, size: int, offset: int, fh: int) -> bytes:
        return bytes(self._file(fh).content[offset : offset + size])

    @_powered
    def write(self, path: str, data: bytes, offset: int, fh: int) -> int:
        file = self._file(fh)
        self._check_room(offset + len(data) - len(file.content))
        file.write(offset, data)
        return len(data)

    @_powered
    def truncate(self, path: str, length: int, fh: int | None = None) -> int:
        file = self._file(self._walk(path))
        self._check_room(length - len(file.content))
        file.resize(length)
        return 0

    @_powered
    def fsync(self, path: str, datasync: int, fh: int) -> int:
        file = self._file(fh)
        if self.fails:
            self.failed += 1
            if self.fails == "destroy":
                file.stored.clear()
            if self.fails != "error":
                file.lose()
            raise _fail(errno.EIO)
        file.sync()
        return 0

    @_powered
    def fsyncdir(self, path: str, datasync: int, fh: int) -> int:
        if self.fails:
            raise _fail(errno.EIO)
        self.media.sync_folder(self._walk(path))
        return 0

    @_powered
    def statfs(self, path: str) -> dict[str, int]:
        free = max(0, self.capacity - self.media.used()) // 4096
        blocks = self.capacity // 4096
        return {"f_bsize": 4096, "f_frsize": 4096, "f_blocks": blocks, "f_bfree": free} | {
            "f_bavail": free,
            "f_namemax": 255,
        }

    def _check_room(self, more: int) -> None:
        if more > 0 and self.media.used() + more > self.capacity:
            raise _fail(errno.ENOSPC)


def _listen(path: str, mounted: Mounted) -> None:
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(path)
        listener.listen()
        while True:
            connection, _ = listener.accept()
            with connection, connection.makefile("rw") as lines:
                for line in lines:
                    lines.write(json.dumps(mounted.command(json.loads(line))) + "\n")
                    lines.flush()


def main(folder: str, control: str) -> None:
    mounted = Mounted()
    threading.Thread(target=_listen, args=(control, mounted), daemon=True).start()
    while True:
        mfusepy.FUSE(mounted, folder, foreground=True, nothreads=True, fsname="greenroom-test")
        if not mounted.is_cut:
            return
        mounted.power_on()


if __name__ == "__main__":
    main(*sys.argv[1:])

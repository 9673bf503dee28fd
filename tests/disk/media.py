"""The content of a simulated disk, and what survives a power cut. Does not use FUSE.

A file has the content that programs see (`content`), the content on the medium (`stored`), and the
writes between the two. Syncing a file moves only its writes to the medium: not its name, which is
in its folder, nor a folder's own name. Unsynced names survive in order, up to some point.

A power cut keeps synced data and, of the rest, nothing (`NOTHING`), any sectors (`SOME`), or the
first writes with the last one torn at a sector (`TORN`).
"""

import random
from enum import Enum
from itertools import pairwise
from stat import S_IFDIR, S_IFREG

SECTOR = 512
ROOT = 1


class Kept(Enum):
    """What a power cut keeps of unsynced data."""

    NOTHING = "nothing"
    SOME = "some"
    TORN = "torn"


class File:
    def __init__(self, mode: int) -> None:
        self.mode = mode | S_IFREG
        self.links = 1
        self.content = bytearray()
        self.stored = bytearray()
        self.unsynced: list[tuple[int, bytes] | int] = []
        """Writes, and the lengths that it was cut or grown to."""

    def write(self, offset: int, data: bytes) -> None:
        _write(self.content, offset, data)
        self.unsynced.append((offset, data))

    def resize(self, length: int) -> None:
        _resize(self.content, length)
        self.unsynced.append(length)

    def sync(self) -> None:
        for change in self.unsynced:
            _apply(self.stored, change)
        self.unsynced.clear()

    def lose(self) -> None:
        """Drops the written data as after a failed sync; the next sync succeeds."""
        self.unsynced.clear()
        self.content = bytearray(self.stored)

    def cut(self, kept: Kept, chance: random.Random) -> None:
        if kept is Kept.SOME:
            for change in self.unsynced:
                for part in _sectors(change):
                    if chance.random() < 0.5:
                        _apply(self.stored, part)
        elif kept is Kept.TORN and self.unsynced:
            whole = chance.randrange(len(self.unsynced))
            for change in self.unsynced[:whole]:
                _apply(self.stored, change)
            parts = _sectors(self.unsynced[whole])
            for part in parts[: chance.randrange(len(parts) + 1)]:
                _apply(self.stored, part)
        self.lose()


class Folder:
    def __init__(self, mode: int) -> None:
        self.mode = mode | S_IFDIR
        self.links = 2
        self.entries: dict[str, int] = {}
        self.stored: dict[str, int] = {}


class Media:
    def __init__(self) -> None:
        self.nodes: dict[int, File | Folder] = {ROOT: Folder(0o755)}
        self._last = ROOT
        self._journal: list[list[tuple[int, str, int | None]]] = []
        """Changes of names that are not stored: folder, name, and what it now stands for."""

    def add(self, node: File | Folder) -> int:
        self._last += 1
        self.nodes[self._last] = node
        return self._last

    def name(self, *changes: tuple[int, str, int | None]) -> None:
        """Changes several names at once, as a rename does."""
        for folder, name, number in changes:
            _rename(self._folder(folder).entries, name, number)
        self._journal.append(list(changes))

    def sync_folder(self, number: int) -> None:
        """Stores the names in this folder, but not its own name."""
        folder = self._folder(number)
        folder.stored = dict(folder.entries)
        kept = [[change for change in changes if change[0] != number] for changes in self._journal]
        self._journal = [changes for changes in kept if changes]

    def cut(self, kept: Kept, chance: random.Random) -> int:
        """Returns how many bytes were not synced."""
        files = [node for node in self.nodes.values() if isinstance(node, File)]
        unsynced = sum(
            len(change[1])
            for file in files
            for change in file.unsynced
            if isinstance(change, tuple)
        )
        if kept is not Kept.NOTHING:
            self._store_names(chance.randrange(len(self._journal) + 1))
        self._journal.clear()
        for file in files:
            file.cut(kept, chance)
        self._forget_the_unnamed()
        return unsynced

    def used(self) -> int:
        return sum(len(node.content) for node in self.nodes.values() if isinstance(node, File))

    def _store_names(self, count: int) -> None:
        for changes in self._journal[:count]:
            for folder, name, number in changes:
                _rename(self._folder(folder).stored, name, number)
        del self._journal[:count]

    def _forget_the_unnamed(self) -> None:
        found, ahead = {ROOT}, [ROOT]
        while ahead:
            node = self.nodes[ahead.pop()]
            if isinstance(node, Folder):
                node.entries = dict(node.stored)
                ahead += [inner for inner in node.stored.values() if inner not in found]
                found.update(node.stored.values())
        self.nodes = {number: self.nodes[number] for number in found}

    def _folder(self, number: int) -> Folder:
        node = self.nodes[number]
        assert isinstance(node, Folder)
        return node


def _rename(entries: dict[str, int], name: str, number: int | None) -> None:
    if number is None:
        entries.pop(name, None)
    else:
        entries[name] = number


def _apply(content: bytearray, change: tuple[int, bytes] | int) -> None:
    if isinstance(change, int):
        _resize(content, change)
    else:
        _write(content, *change)


def _write(content: bytearray, offset: int, data: bytes) -> None:
    if len(content) < offset:
        content.extend(bytes(offset - len(content)))
    content[offset : offset + len(data)] = data


def _resize(content: bytearray, length: int) -> None:
    if length < len(content):
        del content[length:]
    else:
        content.extend(bytes(length - len(content)))


def _sectors(change: tuple[int, bytes] | int) -> list[tuple[int, bytes] | int]:
    if isinstance(change, int):
        return [change]
    offset, data = change
    cuts = [0, *range(SECTOR - offset % SECTOR, len(data), SECTOR), len(data)]
    return [(offset + start, data[start:end]) for start, end in pairwise(cuts)]

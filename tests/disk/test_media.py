"""The simulated disk loses unsynced data, and nothing else."""

import os
import random
from pathlib import Path

import pytest

from tests.disk.disk import Disk, mounted
from tests.disk.media import ROOT, SECTOR, File, Folder, Kept, Media


def sync(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def cut(disk: Disk, kept: Kept) -> None:
    disk.cut(kept, "seed")
    disk.power_on()


def test_synced_data_survives_and_the_rest_is_lost(a_disk: None, tmp_path: Path) -> None:
    with mounted(tmp_path) as disk:
        file = disk.root / "file"
        file.write_bytes(b"synced")
        sync(file)
        sync(disk.root)
        with file.open("ab") as more:
            more.write(b" and not")
        (disk.root / "unnamed").write_bytes(b"synced without its name")
        sync(disk.root / "unnamed")
        assert file.read_bytes() == b"synced and not"
        cut(disk, Kept.NOTHING)
        assert file.read_bytes() == b"synced"
        assert os.listdir(disk.root) == ["file"]


def test_a_rename_that_was_not_synced_is_undone(a_disk: None, tmp_path: Path) -> None:
    with mounted(tmp_path) as disk:
        old, new = disk.root / "old", disk.root / "new"
        old.write_bytes(b"x")
        sync(old)
        sync(disk.root)
        old.rename(new)
        cut(disk, Kept.NOTHING)
        assert os.listdir(disk.root) == ["old"]
        old.rename(new)
        sync(disk.root)
        cut(disk, Kept.NOTHING)
        assert os.listdir(disk.root) == ["new"]
        assert new.read_bytes() == b"x"


def test_a_failed_sync_may_drop_its_data(a_disk: None, tmp_path: Path) -> None:
    with mounted(tmp_path) as disk:
        file = disk.root / "file"
        file.write_bytes(b"x")
        disk.fail("lose")
        with pytest.raises(OSError, match="Input/output error"):
            sync(file)
        assert disk.failed() == 1
        disk.fail("")
        sync(file)
        sync(disk.root)
        cut(disk, Kept.NOTHING)
        assert file.read_bytes() == b""


def test_a_full_disk_takes_nothing_more(a_disk: None, tmp_path: Path) -> None:
    with mounted(tmp_path) as disk:
        disk.limit(free=10)
        with pytest.raises(OSError, match="No space left"):
            (disk.root / "file").write_bytes(b"x" * 11)
        disk.limit(free=None)
        (disk.root / "file").write_bytes(b"x" * 11)


@pytest.mark.parametrize("kept", [Kept.SOME, Kept.TORN])
def test_writes_are_torn_at_sectors(kept: Kept) -> None:
    found = set()
    for seed in range(50):
        file = File(0o600)
        file.write(0, b"a" * 4 * SECTOR)
        file.sync()
        file.write(SECTOR // 2, b"b" * 3 * SECTOR)
        file.write(0, b"c" * SECTOR)
        file.cut(kept, random.Random(seed))
        assert bytes(file.content[:1]) in (b"a", b"c")
        assert file.content[3 * SECTOR + SECTOR // 2 :] == b"a" * (SECTOR // 2)
        found.add(bytes(file.content))
    assert len(found) > 3


def test_names_survive_in_the_order_in_which_they_were_given() -> None:
    found = set()
    for seed in range(50):
        media = Media()
        for name in ("one", "two", "three"):
            media.name((ROOT, name, media.add(File(0o600))))
        media.cut(Kept.SOME, random.Random(seed))
        root = media.nodes[ROOT]
        assert isinstance(root, Folder)
        assert list(root.entries) == ["one", "two", "three"][: len(root.entries)]
        found.add(len(root.entries))
    assert found == {0, 1, 2, 3}

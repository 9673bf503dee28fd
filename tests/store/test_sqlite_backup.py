"""Backups on file systems without hard links, with a name taken meanwhile, and after a crash."""

import errno
import os
import stat
from collections.abc import Callable
from pathlib import Path
from typing import NoReturn

import apsw
import pytest

from greenroom.clock import SystemClock
from greenroom.store.base import Put
from greenroom.store.problems import StoreUnavailable
from greenroom.store.sqlite import BackupExists, SqliteStore, backup
from tests.contracts.tables import NOTES, TABLES, at, note


@pytest.fixture
async def source(tmp_path: Path) -> Path:
    path = tmp_path / "store.db"
    store = await SqliteStore.open(path, TABLES, clock=SystemClock(), cursor_secret=b"s")
    await store.write(Put(NOTES, note(n=1)))
    await store.close()
    return path


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "backups"
    made.mkdir()
    return made


def no_links(monkeypatch: pytest.MonkeyPatch, first: Callable[[], object] = lambda: None) -> None:
    """As on exFAT, where `link` is not permitted."""

    def refuse(*_: object) -> NoReturn:
        first()
        raise PermissionError(errno.EPERM, "Operation not permitted")

    monkeypatch.setattr(os, "link", refuse)


async def test_a_backup_needs_no_hard_links(
    source: Path, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    no_links(monkeypatch)
    target = folder / "copy.db"
    backup(source, target)
    assert os.listdir(folder) == ["copy.db"]
    restored = await SqliteStore.open(target, TABLES, clock=SystemClock(), cursor_secret=b"s")
    assert await restored.get(NOTES, at()) == note(n=1)
    await restored.close()


@pytest.mark.parametrize("links", [True, False])
def test_a_name_taken_during_the_copy_is_not_overwritten(
    source: Path, folder: Path, monkeypatch: pytest.MonkeyPatch, links: bool
) -> None:
    target = folder / "copy.db"
    if links:
        real = os.link

        def late(draft: Path, name: Path) -> None:
            target.write_text("precious")
            real(draft, name)

        monkeypatch.setattr(os, "link", late)
    else:
        no_links(monkeypatch, lambda: target.write_text("precious"))
    with pytest.raises(BackupExists, match=r"copy\.db"):
        backup(source, target)
    assert target.read_text() == "precious"
    assert os.listdir(folder) == ["copy.db"]


def test_without_links_a_rename_that_fails_leaves_nothing(
    source: Path, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    no_links(monkeypatch)

    def fails(*_: object) -> NoReturn:
        raise OSError(errno.EIO, "Input/output error")

    monkeypatch.setattr(os, "replace", fails)
    with pytest.raises(StoreUnavailable, match="Input/output"):
        backup(source, folder / "copy.db")
    assert os.listdir(folder) == []


@pytest.mark.parametrize("links", [True, False])
def test_the_copy_and_its_name_are_on_disk_before_success_is_reported(
    source: Path, folder: Path, monkeypatch: pytest.MonkeyPatch, links: bool
) -> None:
    if not links:
        no_links(monkeypatch)
    target, synced = folder / "copy.db", list[tuple[str, bool]]()
    real = os.fsync

    def watch(descriptor: int) -> None:
        kind = "folder" if stat.S_ISDIR(os.fstat(descriptor).st_mode) else "file"
        synced.append((kind, target.exists()))
        real(descriptor)

    monkeypatch.setattr(os, "fsync", watch)
    backup(source, target)
    assert synced == [("file", False), ("folder", True)]


def test_a_folder_that_cannot_be_synced_is_accepted(
    source: Path, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Some network mounts cannot sync folders."""
    real = os.fsync

    def only_files(descriptor: int) -> None:
        if stat.S_ISDIR(os.fstat(descriptor).st_mode):
            raise OSError(errno.EINVAL, "Invalid argument")
        real(descriptor)

    monkeypatch.setattr(os, "fsync", only_files)
    backup(source, folder / "copy.db")
    assert apsw.Connection(str(folder / "copy.db")).pragma("quick_check") == "ok"


def test_files_of_a_killed_backup_do_not_disturb_the_next(source: Path, folder: Path) -> None:
    """In a container every process may have the same id."""
    (folder / f".copy.db.{os.getpid()}").write_bytes(b"half a copy")
    backup(source, folder / "copy.db")
    assert (folder / "copy.db").exists()


def test_a_missing_folder_is_reported(source: Path, folder: Path) -> None:
    with pytest.raises(StoreUnavailable, match="nowhere"):
        backup(source, folder / "nowhere" / "copy.db")

"""Files through the whole check with ClamAV's own daemon."""

from typing import Any

import pytest

from greenroom.files.clamd import Clamd, address_of
from greenroom.files.file_urls import Wanted, file_urls
from greenroom.files.items import change_op, changed
from greenroom.files.models import File, FileState, FileUse, Scan, Storage, Variant, Viewer
from greenroom.files.scanner_gaps import EICAR, encrypted_zip, zipped
from greenroom.files.storage import storage
from greenroom.people.actor import Actor
from scripts.engines.clamd import FILE_MAX
from tests.files.checks import CheckWorld
from tests.files.documents import archive, zip_bomb
from tests.files.pictures import saved, scene
from tests.files.scan_content import pdf_with

PICTURE = saved(scene(), "PNG")


class Everybody:
    """An audience to whom nothing is forbidden."""

    async def viewers(self, actor: Actor, files: Any) -> Any:
        return {file.id: Viewer() for file in files}

    async def show_band(self, file: File) -> None:
        pass


@pytest.fixture
async def scanned(checks: CheckWorld, clamd_url: str) -> CheckWorld:
    audiences = {"board": Everybody()}
    checks.change_files(scanner=Clamd(address_of(clamd_url)), audiences=audiences)
    return checks


async def _used(checks: CheckWorld, content: bytes, name: str) -> File:
    """Used by something that everybody may see, while it is checked."""
    file = await checks.uploaded(content, name)
    after = changed(file, checks.clock.now_ms(), use=FileUse(kind="board", target="b", item="m"))
    await checks.store.write(change_op(after))
    return after


async def _urls(checks: CheckWorld, name: str, file: File) -> list[Variant]:
    actor = await checks.person(name)
    found = await file_urls(checks.files, actor, Wanted(files=(file.id,)))
    return [variant for one in found for variant in one.urls]


@pytest.mark.parametrize(
    ("content", "state"),
    [
        pytest.param(EICAR, FileState.INFECTED, id="plain"),
        pytest.param(zipped(EICAR), FileState.INFECTED, id="in a zip"),
        pytest.param(pdf_with(EICAR), FileState.INFECTED, id="in a PDF"),
        pytest.param(PICTURE + EICAR, FileState.INFECTED, id="after a picture"),
        pytest.param(encrypted_zip(), FileState.UNSCANNABLE, id="an encrypted zip"),
        pytest.param(bytes(FILE_MAX + 1), FileState.UNSCANNABLE, id="too large"),
    ],
)
async def test_nothing_is_left_of_what_the_scanner_does_not_let_through(
    scanned: CheckWorld, content: bytes, state: FileState
) -> None:
    uploaded = await _used(scanned, content, "a.bin")
    assert await _urls(scanned, "ben", uploaded) == [], "not before the check"
    assert await _urls(scanned, "ana", uploaded) == [Variant.ORIGINAL]
    await scanned.run_timers()
    file = await scanned.file(uploaded.id)
    assert (file.state, file.scan.value) == (state, state.value)
    await scanned.run_timers()
    for name in ("ana", "ben"):
        assert await _urls(scanned, name, file) == []
    for variant in Variant:
        assert await scanned.bytes_of(file, variant) is None
    assert await storage(scanned.files, scanned.actors["ana"]) == Storage()


async def test_what_is_clean_reaches_others(scanned: CheckWorld) -> None:
    uploaded = await _used(scanned, PICTURE, "a.png")
    assert await _urls(scanned, "ben", uploaded) == []
    await scanned.run_timers()
    file = await scanned.file(uploaded.id)
    assert (file.state, file.scan) == (FileState.READY, Scan.CLEAN)
    assert Variant.LARGE in await _urls(scanned, "ben", file)


async def test_only_the_beginning_of_a_huge_entry_of_an_archive_is_scanned(
    scanned: CheckWorld,
) -> None:
    """As docs/guides/file-checks.md says: it depends on MaxFileSize of clamd."""
    for content in (zip_bomb(), archive(("a", bytes(FILE_MAX + 1_000_000) + EICAR))):
        file = await scanned.checked(content)
        assert (file.state, file.scan) == (FileState.READY, Scan.CLEAN)
    near = await scanned.checked(archive(("a", bytes(FILE_MAX - 1_000_000) + EICAR)))
    assert near.state is FileState.INFECTED

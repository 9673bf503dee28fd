"""The check of a file: what it compares, what it writes, and what it leaves for later."""

import asyncio
import os
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace as changed

from greenroom.background.models import Timer
from greenroom.background.set_aside import list_timers
from greenroom.blobs.base import BlobHead, BlobKey, BlobsFailing, ByteRange
from greenroom.files import items
from greenroom.files.check_file import give_up
from greenroom.files.check_timer import CHECK, LARGE_BYTES, LARGE_CHECK, check_kind
from greenroom.files.delete_file import delete_file
from greenroom.files.events import FileEvent, FileReady, FileRefused
from greenroom.files.models import File, FileState, FileUse, Scan, Storage, Variant
from greenroom.files.problems import InvalidFile
from greenroom.files.records import original_blob
from greenroom.files.removed_pictures import remember_removed
from greenroom.files.scanner import (
    Clean,
    Content,
    Infected,
    ScannerUnavailable,
    ScanOutcome,
    Unscannable,
)
from greenroom.files.storage import storage
from greenroom.metric_sources import of_pipeline
from tests.files.checks import CheckWorld
from tests.files.pictures import saved, scene
from tests.files.recordings import voice_note

PICTURE = saved(scene(), "JPEG")


class Says:
    """A scanner that reads the whole file and then says this."""

    def __init__(self, outcome: ScanOutcome | Exception) -> None:
        self.outcome = outcome
        self.read: list[int] = []

    async def scan(self, content: Content) -> ScanOutcome:
        self.read.append(sum([len(piece) async for piece in content()]))
        if isinstance(self.outcome, Exception):
            raise self.outcome
        return self.outcome

    async def version(self) -> str:
        return "1"


def heard(world: CheckWorld) -> list[FileEvent]:
    events = list[FileEvent]()
    world.change_files(publish=events.append)
    return events


async def used(world: CheckWorld) -> Storage:
    return await storage(world.files, world.actors["ana"])


async def timers_failed(world: CheckWorld) -> list[str]:
    """What happened to the timers that are still there, after many tries."""
    for _ in range(60):
        world.clock.advance(seconds=700)
        await world.run_timers()
    return [row.error for row in await list_timers(world.store, most=10)]


async def test_a_picture_becomes_ready_and_its_owner_is_told(checks: CheckWorld) -> None:
    events = heard(checks)
    file = await checks.checked(PICTURE, "a.jpg")
    assert file.state is FileState.READY
    assert file.scan is Scan.UNSCANNED
    assert file.version == 3
    assert events == [FileReady(file)]
    assert await used(checks) == Storage(len(PICTURE), 1)
    await checks.run_timers()
    assert await checks.file(file.id) == file, "nothing happens again"


async def test_wrong_bytes_are_refused_and_removed(checks: CheckWorld) -> None:
    events = heard(checks)
    other = await checks.checked(PICTURE, sha256="0" * 64)
    assert (other.state, other.problem) == (FileState.REFUSED, "checksum-mismatch")
    longer = await checks.checked(PICTURE, size=len(PICTURE) + 1)
    assert (longer.state, longer.problem) == (FileState.REFUSED, "bytes-missing")
    shorter = await checks.checked(PICTURE, size=100)
    assert (shorter.state, shorter.problem) == (FileState.REFUSED, "bytes-missing")
    assert events == [FileRefused(other), FileRefused(longer), FileRefused(shorter)]
    await checks.run_timers()
    for file in (other, longer, shorter):
        assert await checks.bytes_of(file, Variant.ORIGINAL) is None
    assert await used(checks) == Storage()


async def test_an_empty_file_cannot_be_announced(checks: CheckWorld) -> None:
    with pytest.raises(InvalidFile, match="empty"):
        await checks.uploaded(b"")


async def test_a_file_without_bytes_fails(checks: CheckWorld) -> None:
    file = await checks.uploaded(PICTURE)
    await checks.files.blobs.delete(original_blob(file))
    await checks.run_timers()
    after = await checks.file(file.id)
    assert (after.state, after.problem) == (FileState.FAILED, "check-failed")


@pytest.mark.parametrize(
    ("outcome", "state", "scan"),
    [
        (Clean(), FileState.READY, Scan.CLEAN),
        (Infected("Eicar"), FileState.INFECTED, Scan.INFECTED),
        (Unscannable("it is encrypted"), FileState.UNSCANNABLE, Scan.UNSCANNABLE),
    ],
)
async def test_the_scanner_decides(
    checks: CheckWorld, outcome: ScanOutcome, state: FileState, scan: Scan
) -> None:
    scanner = Says(outcome)
    checks.change_files(scanner=scanner)
    file = await checks.checked(PICTURE)
    assert (file.state, file.scan) == (state, scan)
    assert scanner.read == [len(PICTURE)]
    if state is not FileState.READY:
        assert file.previews == ()
        await checks.run_timers()
        for variant in Variant:
            assert await checks.bytes_of(file, variant) is None


async def test_the_policy_can_deliver_what_cannot_be_scanned(checks: CheckWorld) -> None:
    policy = replace_policy(checks, deliver_unscannable=True)
    checks.change_files(scanner=Says(Unscannable("it is encrypted")), policy=policy)
    file = await checks.checked(PICTURE)
    assert (file.state, file.scan) == (FileState.READY, Scan.UNSCANNABLE)


def replace_policy(world: CheckWorld, **values: Any) -> Any:
    return changed(world.files.policy, **values)


async def test_while_the_scanner_is_down_the_file_waits(checks: CheckWorld) -> None:
    scanner = Says(ScannerUnavailable("down"))
    checks.change_files(scanner=scanner)
    file = await checks.checked(PICTURE)
    assert file.state is FileState.CHECKING
    checks.clock.advance(seconds=3)
    await checks.run_timers()
    assert (await checks.file(file.id)).state is FileState.CHECKING
    scanner.outcome = Clean()
    checks.clock.advance(seconds=600)
    await checks.run_timers()
    assert (await checks.file(file.id)).state is FileState.READY


async def test_a_check_that_fails_for_hours_is_set_aside_and_can_be_given_up(
    checks: CheckWorld,
) -> None:
    checks.change_files(scanner=Says(ScannerUnavailable("down")))
    file = await checks.checked(PICTURE)
    [error] = await timers_failed(checks)
    assert "down" in error
    assert (await checks.file(file.id)).state is FileState.CHECKING
    await give_up(checks.files, Timer(CHECK, file.id, 0))
    await give_up(checks.files, Timer(CHECK, file.id, 0))
    after = await checks.file(file.id)
    assert (after.state, after.problem) == (FileState.FAILED, "check-failed")
    assert await used(checks) == Storage()


async def test_a_file_that_is_used_meanwhile_keeps_its_use(checks: CheckWorld) -> None:
    """The message is sent while the scanner reads."""

    class Slow(Says):
        async def scan(self, content: Content) -> ScanOutcome:
            file = await checks.file(uploaded.id)
            if file.use is None:
                use = FileUse(kind="message", target="thr_x", client_id="c1")
                after = items.changed(file, checks.clock.now_ms(), use=use)
                await checks.store.write(items.change_op(after))
            return await super().scan(content)

    scanner = Slow(Clean())
    checks.change_files(scanner=scanner)
    uploaded = await checks.uploaded(PICTURE)
    await checks.run_timers()
    file = await checks.file(uploaded.id)
    assert file.state is FileState.READY
    assert file.use is not None
    assert file.use.client_id == "c1"
    assert len(scanner.read) == 1, "it is not checked twice for that"


async def test_a_file_that_is_deleted_meanwhile_leaves_no_previews(checks: CheckWorld) -> None:
    ana = await checks.person("ana")

    class Deleting(Says):
        async def scan(self, content: Content) -> ScanOutcome:
            said = await super().scan(content)
            await delete_file(checks.files, ana, uploaded.id)
            return said

    checks.change_files(scanner=Deleting(Clean()))
    uploaded = await checks.uploaded(PICTURE)
    events = heard(checks)
    await checks.run_timers()
    await checks.run_timers()
    assert (await checks.file(uploaded.id)).state is FileState.DELETED
    for variant in Variant:
        assert await checks.bytes_of(uploaded, variant) is None
    assert events == []
    assert await used(checks) == Storage()


async def test_a_picture_that_resembles_a_removed_one_says_so(checks: CheckWorld) -> None:
    bad = await checks.checked(saved(scene(800, 600), "JPEG"))
    await checks.store.write(*remember_removed(bad, checks.clock.now_ms()))
    checks.clock.advance(seconds=2)
    again = await checks.checked(saved(scene(800, 600).resize((640, 480)), "WEBP", quality=60))
    assert again.resembles == bad.id
    another = await checks.checked(saved(scene(800, 600, seed=9), "JPEG"))
    assert another.resembles is None
    sound = await checks.checked(voice_note())
    assert remember_removed(sound, 1) == ()


async def test_other_nodes_learn_of_removed_pictures(checks: CheckWorld) -> None:
    """Also of one whose node has a clock that is a minute behind."""
    pictures = [saved(scene(800, 600, seed=number), "JPEG") for number in range(3)]
    removed = [await checks.checked(picture) for picture in pictures]
    known = checks.files.pipeline.removed
    now_ms = checks.clock.now_ms()
    await checks.store.write(*remember_removed(removed[0], now_ms))
    checks.clock.advance(seconds=2)
    assert await known.resembling(removed[0].hashes) == removed[0].id
    await checks.store.write(*remember_removed(removed[1], now_ms - 60_000))
    checks.clock.advance(seconds=2)
    assert await known.resembling(removed[1].hashes) == removed[1].id
    assert await known.resembling(removed[2].hashes) is None
    assert await known.resembling(()) is None


class FullDisk:
    """Blobs whose disk is full after some previews."""

    def __init__(self, blobs: Any, room: int) -> None:
        self._blobs = blobs
        self.room = room

    def __getattr__(self, name: str) -> Any:
        return getattr(self._blobs, name)

    async def put_file(self, key: BlobKey, path: Path, content_type: str) -> BlobHead:
        if self.room == 0:
            raise BlobsFailing
        self.room -= 1
        head: BlobHead = await self._blobs.put_file(key, path, content_type)
        return head


async def test_a_full_disk_leaves_the_file_for_later(checks: CheckWorld) -> None:
    disk = FullDisk(checks.files.blobs, room=2)
    checks.change_files(blobs=disk)
    file = await checks.checked(PICTURE)
    assert file.state is FileState.CHECKING
    assert file.previews == ()
    disk.room = 100
    checks.clock.advance(seconds=3)
    await checks.run_timers()
    after = await checks.file(file.id)
    assert after.state is FileState.READY
    for preview in after.previews:
        content = await checks.bytes_of(after, preview.variant)
        assert content is not None
        assert len(content) == preview.size


class Elsewhere:
    """Blobs that are not on this machine, as on S3."""

    def __init__(self, blobs: Any) -> None:
        self._blobs = blobs

    def __getattr__(self, name: str) -> Any:
        return getattr(self._blobs, name)

    def path_of(self, key: BlobKey) -> None:
        return None

    async def get(
        self, key: BlobKey, range: ByteRange | None = None
    ) -> AsyncIterator[bytes] | None:
        content: AsyncIterator[bytes] | None = await self._blobs.get(key, range)
        return content


@pytest.mark.parametrize("has_scanner", [False, True])
async def test_bytes_that_are_elsewhere_are_fetched_once(
    checks: CheckWorld, tmp_path: Path, has_scanner: bool
) -> None:
    scanner = Says(Clean()) if has_scanner else None
    checks.change_files(blobs=Elsewhere(checks.files.blobs), scanner=scanner)
    assert (await checks.checked(PICTURE)).state is FileState.READY
    assert (await checks.checked(PICTURE, sha256="0" * 64)).problem == "checksum-mismatch"
    left = [path.name for path in await asyncio.to_thread(lambda: [*tmp_path.rglob("work/*/*")])]
    assert left == ["lock"]


async def test_large_files_have_a_timer_of_their_own(checks: CheckWorld) -> None:
    file = await checks.uploaded(PICTURE)
    assert check_kind(file) == CHECK
    assert check_kind(_sized(file, LARGE_BYTES + 1)) == LARGE_CHECK
    large = await checks.checked(os.urandom(LARGE_BYTES + 1))
    assert large.state is FileState.READY
    assert await timers_failed(checks) == []


def _sized(file: File, size: int) -> File:
    return changed(file, size=size)


async def test_counts_are_kept_for_metrics(checks: CheckWorld) -> None:
    await checks.checked(PICTURE)
    await checks.checked(PICTURE, sha256="0" * 64)
    counts = checks.files.pipeline.counts
    assert counts.ended == {FileState.READY: 1, FileState.REFUSED: 1}
    assert sum(counts.seconds.counts) == 2
    assert counts.running == 0
    found = {
        (value.name, *value.labels): value.number for value in of_pipeline(checks.files.pipeline)
    }
    assert found == {
        ("greenroom_files_checking",): 0,
        ("greenroom_files_waiting",): 0,
        ("greenroom_files_checked_total", "ready"): 1,
        ("greenroom_files_checked_total", "refused"): 1,
    }

"""The sync source `files`: what a device has, plus what sync says, is what the server has."""

import dataclasses
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path

import pytest
from msgspec.structs import replace

from greenroom.api.files.shapes import File, file_shape
from greenroom.api.files.sync import FileChanges, FileSource
from greenroom.api.sync import Known
from greenroom.files import items
from greenroom.files.create_file import create_file
from greenroom.files.delete_file import delete_file
from greenroom.files.events import FileEvent, FileReady, FileRefused
from greenroom.files.models import FileState, FileUse, SafeMode
from greenroom.files.own_files import MAX_PAGE, own_files
from greenroom.files.preferences import safe_mode
from greenroom.files.release import end_badly_ops
from greenroom.files.set_band import apply_band
from greenroom.files.set_preferences import set_safe_mode
from greenroom.files.sync_files import file_cursor_now
from greenroom.files.use import use_op
from greenroom.ids import FileId, UserId
from greenroom.people.actor import Actor
from greenroom.people.models import MAX_USER_ID
from greenroom.store.server_clock import SLACK_MS
from tests.files.upload_world import NOTES, UploadWorld, upload_world

_USE = FileUse(kind="avatar", target="usr_ana")
ROOM = 350
"""Bytes of the cursor that the source may use, and a little less."""


@pytest.fixture
async def world(store_url: str, tmp_path: Path) -> AsyncIterator[UploadWorld]:
    async with upload_world(store_url, tmp_path) as found:
        yield found


class Device:
    """Keeps files as a client does."""

    def __init__(self, world: UploadWorld, actor: Actor) -> None:
        self.world = world
        self.actor = actor
        self.files: dict[FileId, File] = {}
        self.mode = SafeMode.BLUR
        self.modes_synced = 0
        self.position: bytes | None = None
        self.resets = 0
        self.pages = 0
        self.given: list[tuple[FileId, int]] = []
        """Every file that sync has named, with its version."""

    async def sync(self) -> None:
        source, more = FileSource(self.world.files), True
        while more:
            self.pages += 1
            found = await source.changes(self.actor, self.position, Known(), ROOM)
            assert len(found.position) <= ROOM
            self.position, more = found.position, found.more
            if found.reset:
                self.resets += 1
                self.files = await listed(self.world, self.actor)
                self.mode = await safe_mode(self.world.files, self.actor)
            if isinstance(found.changes, FileChanges):
                self._apply(found.changes)

    def _apply(self, changes: FileChanges) -> None:
        for file in changes.changed:
            self.given.append((file.file_id, file.version))
            known = self.files.get(file.file_id)
            if known is None or known.version <= file.version:
                self.files[file.file_id] = file
        for file_id in changes.deleted:
            self.files.pop(file_id, None)
        if changes.preferences is not None:
            self.mode = changes.preferences.safe_mode
            self.modes_synced += 1


async def listed(world: UploadWorld, actor: Actor) -> dict[FileId, File]:
    found: dict[FileId, File] = {}
    cursor: str | None = None
    while True:
        page = await own_files(world.files, actor, limit=MAX_PAGE, cursor=cursor)
        found |= {file.id: file_shape(file) for file in page.files}
        cursor = page.next
        if cursor is None:
            return found


async def test_after_every_change_sync_says_what_the_server_has(world: UploadWorld) -> None:
    ana = world.actors["ana"]
    device, rare = Device(world, ana), Device(world, ana)
    await device.sync()
    await rare.sync()
    assert (device.resets, device.files) == (1, {})
    one, two, three = [await world.announce(name=f"{n}.txt") for n in range(3)]
    now_ms = world.clock.now_ms()

    async def use() -> None:
        await world.store.write(use_op(await world.file(one.id), _USE, now_ms))

    async def refuse() -> None:
        before = await world.send(two)
        after = items.changed(before, now_ms, state=FileState.REFUSED, problem="checksum-mismatch")
        await world.store.write(*end_badly_ops(before, after, now_ms))

    async def upload() -> None:
        await world.send(three)

    async def check() -> None:
        await world.run_timers()

    async def delete() -> None:
        await delete_file(world.files, ana, three.id)

    async def expire() -> None:
        world.clock.advance(seconds=86_400)
        await world.run_timers()

    changes: tuple[Callable[[], Awaitable[None]], ...] = (
        use,
        refuse,
        upload,
        check,
        delete,
        expire,
    )
    for change in changes:
        await change()
        world.clock.advance(seconds=1)
        await device.sync()
        assert device.files == await listed(world, ana), change.__name__
    assert set(device.files) == {one.id}
    await rare.sync()
    assert rare.files == device.files
    assert (device.resets, rare.resets) == (1, 1)


async def test_many_changes_come_in_pages_and_none_is_lost(world: UploadWorld) -> None:
    ana = world.actors["ana"]
    device = Device(world, ana)
    await device.sync()
    for _ in range(MAX_PAGE + 7):
        await world.announce(b"x")
        world.clock.advance(ms=10)
    await device.sync()
    assert len(device.files) == MAX_PAGE + 7
    assert device.files == await listed(world, ana)


async def test_sync_says_how_sensitive_pictures_are_shown(world: UploadWorld) -> None:
    ana = world.actors["ana"]
    device, rare, ben = Device(world, ana), Device(world, ana), Device(world, world.actors["ben"])
    for one in (device, rare, ben):
        await one.sync()
    for mode in (SafeMode.HIDE, SafeMode.SHOW, SafeMode.BLUR, SafeMode.HIDE):
        await set_safe_mode(world.files, ana, mode)
        await world.announce()
        await device.sync()
        assert device.mode is mode
        assert device.files == await listed(world, ana)
        world.clock.advance(ms=SLACK_MS + 1)
    await device.sync()
    before = device.modes_synced
    await device.sync()
    assert device.modes_synced == before, "not given again once the change is long ago"
    await rare.sync()
    await ben.sync()
    assert (rare.mode, rare.modes_synced, rare.files) == (SafeMode.HIDE, 1, device.files)
    assert (ben.mode, ben.modes_synced) == (SafeMode.BLUR, 0)
    fresh = Device(world, ana)
    await fresh.sync()
    assert (fresh.resets, fresh.mode) == (1, SafeMode.HIDE)


async def test_the_preferences_are_no_file_in_the_list(world: UploadWorld) -> None:
    ana = world.actors["ana"]
    files = [await world.announce(name=f"{n}.txt") for n in range(3)]
    await set_safe_mode(world.files, ana, SafeMode.HIDE)
    first = await own_files(world.files, ana, limit=2)
    assert len(first.files) == 2
    rest = await own_files(world.files, ana, limit=2, cursor=first.next)
    assert {one.id for one in (*first.files, *rest.files)} == {one.id for one in files}


async def test_a_write_that_comes_late_is_not_missed(world: UploadWorld) -> None:
    """A node with a slow clock, or a write that was retried for long."""
    ana = world.actors["ana"]
    device = Device(world, ana)
    early_ms = world.clock.now_ms()
    world.clock.advance(ms=SLACK_MS - 1)
    await device.sync()
    file = await world.announce()
    late = replace(items.changed(file, early_ms, name="late.txt"), changed_ms=early_ms)
    await world.store.write(items.change_op(late))
    await device.sync()
    assert device.files[file.id].name == "late.txt"


async def test_a_position_that_is_too_old_is_reset(world: UploadWorld) -> None:
    ana = world.actors["ana"]
    device = Device(world, ana)
    await device.sync()
    await world.announce()
    world.clock.advance(ms=items.DELETED_MS - SLACK_MS)
    await device.sync()
    assert device.resets == 1
    world.clock.advance(ms=items.DELETED_MS - SLACK_MS + 1)
    await device.sync()
    assert device.resets == 2
    for unknown in (b"", b"\xff\xff", b"\x93\x01"):
        device.position = unknown
        await device.sync()
    assert device.resets == 5


@pytest.mark.parametrize("apart_ms", [0, 2000])
async def test_a_change_is_given_once(world: UploadWorld, apart_ms: int) -> None:
    """All within the slack, or most of them before it."""
    ana = world.actors["ana"]
    device = Device(world, ana)
    await device.sync()
    await set_safe_mode(world.files, ana, SafeMode.HIDE)
    for _ in range(MAX_PAGE - 10):
        await world.announce(b"x")
        world.clock.advance(ms=apart_ms)
        if apart_ms:
            await device.sync()
    for _ in range(3):
        await device.sync()
        device.position = FileSource(world.files).position_now(ana.user, device.position, ROOM)
    assert len(device.given) == len(device.files) == MAX_PAGE - 10
    assert device.modes_synced == 1
    changed = next(iter(device.files))
    await delete_file(world.files, ana, changed)
    await device.sync()
    assert changed not in device.files
    assert len(device.given) == MAX_PAGE - 10


async def test_more_changes_than_the_position_can_hold_are_given_again_in_part(
    world: UploadWorld,
) -> None:
    ana = world.actors["ana"]
    device = Device(world, ana)
    await device.sync()
    count = MAX_PAGE + 10
    for _ in range(count):
        await world.announce(b"x")
    await device.sync()
    assert len(device.files) == count
    await device.sync()
    for _ in range(3):
        pages, given = device.pages, len(device.given)
        await device.sync()
        assert device.pages == pages + 1
        assert len(device.given) - given <= count // 4
    world.clock.advance(ms=2 * SLACK_MS + 2)
    await device.sync()
    given = len(device.given)
    await device.sync()
    assert len(device.given) == given, "nothing is given twice once the changes are long ago"


async def test_nobody_gets_the_files_of_others(world: UploadWorld) -> None:
    ben = Device(world, world.actors["ben"])
    await ben.sync()
    await world.announce()
    await ben.sync()
    assert ben.files == {}


async def test_the_position_of_the_longest_user_id_fits(world: UploadWorld) -> None:
    actor = Actor(UserId("u" * MAX_USER_ID))
    position = file_cursor_now(world.files)
    for _ in range(MAX_PAGE + 1):
        await create_file(world.files, actor, world.new(b"x"))
    found = await FileSource(world.files).changes(actor, position, Known(), ROOM)
    assert found.more
    assert len(found.position) <= ROOM


async def test_the_owner_is_told_how_a_check_ended(world: UploadWorld) -> None:
    told: list[FileEvent] = []
    world.contexts.add(dataclasses.replace(world.files, publish=told.append))
    good = await world.send(await world.announce())
    bad = await world.announce(NOTES, sha256="0" * 64)
    await world.send(bad)
    await world.run_timers()
    kinds = {
        event.file.id: type(event) for event in told if isinstance(event, FileReady | FileRefused)
    }
    assert kinds == {good.id: FileReady, bad.id: FileRefused}


async def test_sync_gives_a_band_that_is_applied_long_after_the_decision(
    world: UploadWorld,
) -> None:
    ana = world.actors["ana"]
    file = await world.announce()
    await world.send(file)
    await world.run_timers()
    decided_ms = world.clock.now_ms()
    world.clock.advance(seconds=3 * SLACK_MS // 1000)
    device = Device(world, ana)
    await device.sync()
    await apply_band(world.files, file.id, 2, ana.user, decided_ms)
    world.clock.advance(seconds=5)
    await device.sync()
    assert [known.band for known in device.files.values()] == [2]
    assert device.files == await listed(world, ana)

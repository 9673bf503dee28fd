"""The quota: STORAGE is the sum of the files that are uploading, checking or ready."""

import asyncio
import dataclasses
from collections.abc import AsyncIterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st
from msgspec.structs import replace

from greenroom.files import access, items
from greenroom.files.complete_upload import complete_upload
from greenroom.files.create_file import create_file
from greenroom.files.delete_file import delete_file
from greenroom.files.models import ENDED_BADLY, File, FileState, FileUse, Storage
from greenroom.files.own_files import changed_since
from greenroom.files.problems import (
    FileInUse,
    FileNotFound,
    QuotaExceeded,
    UploadConflict,
    UploadFinished,
)
from greenroom.files.release import end_badly_ops, release_ops
from greenroom.files.use import use_op
from greenroom.store.base import Store
from greenroom.store.problems import ConditionFailed
from tests.background.faults import Killed, KilledStore
from tests.files.upload_world import NOTES, UploadWorld, upload_world
from tests.stores import SQLITE

REFUSALS = (FileInUse, FileNotFound, ConditionFailed, UploadFinished, UploadConflict)
USE = FileUse(kind="avatar", target="usr_ana")


@pytest.fixture
async def world(store_url: str, tmp_path: Path) -> AsyncIterator[UploadWorld]:
    async with upload_world(store_url, tmp_path) as found:
        yield found


async def sum_of_files(world: UploadWorld, name: str = "ana") -> Storage:
    """By the files themselves."""
    found = (await changed_since(world.files, world.user(name), 0)).files
    counted = [file for file in found if items.counts_against_quota(file)]
    return Storage(sum(file.size for file in counted), len(counted))


async def ended_badly(world: UploadWorld, file: File, state: FileState) -> File:
    now_ms = world.clock.now_ms()
    after = items.changed(file, now_ms, state=state, problem="checksum-mismatch")
    await world.store.write(*end_badly_ops(file, after, now_ms))
    return after


def limited(world: UploadWorld, megabytes: int) -> None:
    policy = replace(world.files.policy, quota_mb=megabytes)
    world.contexts.add(dataclasses.replace(world.files, policy=policy))


async def test_the_first_file_of_a_user_must_fit_too(world: UploadWorld) -> None:
    limited(world, 1)
    with pytest.raises(QuotaExceeded):
        await world.announce(size=1_000_001)
    await world.announce(size=1_000_000)


async def test_each_file_is_counted_once_and_given_back_once(world: UploadWorld) -> None:
    ana = world.actors["ana"]
    one, two = await world.announce(), await world.announce(b"short")
    assert await world.used() == Storage(len(NOTES) + 5, 2)
    await world.send(one)
    assert await world.used() == Storage(len(NOTES) + 5, 2)
    await delete_file(world.files, ana, one.id)
    with pytest.raises(FileNotFound):
        await delete_file(world.files, ana, one.id)
    assert await world.used() == Storage(5, 1) == await sum_of_files(world)
    await delete_file(world.files, ana, two.id)
    assert await world.used() == Storage(0, 0)
    assert await world.used("ben") == Storage(0, 0)


async def test_a_file_beyond_the_quota_is_refused(world: UploadWorld) -> None:
    limited(world, 1)
    await world.announce(size=999_000)
    with pytest.raises(QuotaExceeded) as refusal:
        await world.announce(size=1_001)
    assert (refusal.value.used_bytes, refusal.value.quota_bytes) == (999_000, 1_000_000)
    await world.announce(size=1_000)
    await world.announce(size=1_000_000, by="ben")


async def test_announcements_at_once_do_not_exceed_the_quota(world: UploadWorld) -> None:
    limited(world, 1)
    tried = await asyncio.gather(
        *(world.announce(size=300_000) for _ in range(8)), return_exceptions=True
    )
    made = [one for one in tried if isinstance(one, File)]
    assert 1 <= len(made) <= 3
    assert (await world.used()).bytes == 300_000 * len(made)


@pytest.mark.parametrize("state", sorted(ENDED_BADLY))
async def test_a_file_that_ended_badly_gives_its_bytes_back_at_once(
    world: UploadWorld, state: FileState
) -> None:
    file = await ended_badly(world, await world.send(await world.announce()), state)
    assert await world.used() == Storage(0, 0)
    await world.run_timers()
    assert world.bytes_on_disk() == []
    kept = await world.file(file.id)
    assert (kept.state, kept.problem, kept.name) == (state, "checksum-mismatch", "notes.txt")
    await delete_file(world.files, world.actors["ana"], file.id)
    assert await world.used() == Storage(0, 0) == await sum_of_files(world)


async def test_files_of_a_message_are_released_together(world: UploadWorld) -> None:
    mine = [await world.announce(), await world.announce(b"short")]
    other = await world.announce(by="ben")
    bad = await ended_badly(world, await world.announce(), FileState.REFUSED)
    ops = release_ops([*mine, other, bad], world.clock.now_ms())
    await world.store.write(*ops)
    assert await world.used() == await world.used("ben") == Storage(0, 0)
    gone = [await world.file(file.id) for file in (*mine, other, bad)]
    assert {file.state for file in gone} == {FileState.DELETED}
    assert release_ops(gone, world.clock.now_ms()) == ()
    with pytest.raises(ConditionFailed):
        await world.store.write(*ops)
    assert await world.used() == Storage(0, 0)


async def test_a_used_file_is_not_deleted(world: UploadWorld) -> None:
    file = await world.announce()
    await world.store.write(use_op(file, USE, world.clock.now_ms()))
    with pytest.raises(FileInUse):
        await delete_file(world.files, world.actors["ana"], file.id)
    assert (await world.used()).files == 1


STEPS = st.lists(
    st.tuples(
        st.sampled_from(["create", "upload", "delete", "expire", "refuse", "use", "release"]),
        st.integers(0, 5),
        st.one_of(st.none(), st.tuples(st.integers(1, 6), st.booleans())),
    ),
    max_size=25,
)
"""What to do, with which of the files, and at which call to the store the server is killed."""


class RandomLife:
    """Files are created, uploaded, deleted, … by a server that is killed now and then."""

    def __init__(self, world: UploadWorld) -> None:
        self.world = world
        self.files: list[File] = []

    async def step(self, what: str, number: int, kill: tuple[int, bool] | None) -> None:
        store: Store = self.world.store
        if kill is not None:
            store = KilledStore(store, kill[0], after=kill[1])
        node = self.world.on(store)
        with suppress(
            Killed, FileInUse, FileNotFound, ConditionFailed, UploadFinished, UploadConflict
        ):
            await getattr(self, what)(node, number)
        await self.look()

    async def look(self) -> None:
        """What a client finds that comes back after the kill."""
        ids = {file.id for file in self.files}
        page = await changed_since(self.world.files, self.world.user("ana"), 0)
        ids |= {file.id for file in page.files}
        found = [await access.load(self.world.files, file_id) for file_id in sorted(ids)]
        self.files = [file for file in found if file is not None]

    def one(self, number: int) -> File:
        if not self.files:
            raise FileNotFound
        return self.files[number % len(self.files)]

    async def create(self, node: UploadWorld, number: int) -> None:
        new = node.new(NOTES, size=len(NOTES) + number)
        await create_file(node.files, node.actors["ana"], new, key=f"key-{number}")

    async def upload(self, node: UploadWorld, number: int) -> None:
        file = self.one(number)
        await node.append(file, NOTES + b"!" * (file.size - len(NOTES)))
        await complete_upload(node.files, node.actors["ana"], file.id)

    async def delete(self, node: UploadWorld, number: int) -> None:
        await delete_file(node.files, node.actors["ana"], self.one(number).id)

    async def expire(self, node: UploadWorld, number: int) -> None:
        self.world.clock.advance(seconds=13 * 3600)
        await node.run_timers()

    async def refuse(self, node: UploadWorld, number: int) -> None:
        file = self.one(number)
        if file.state is FileState.CHECKING:
            await ended_badly(node, file, FileState.REFUSED)

    async def use(self, node: UploadWorld, number: int) -> None:
        file = self.one(number)
        if file.state is FileState.READY:
            await node.store.write(use_op(file, USE, node.clock.now_ms()))

    async def release(self, node: UploadWorld, number: int) -> None:
        if ops := release_ops(self.files[:number], node.clock.now_ms()):
            await node.store.write(*ops)


@given(steps=STEPS)
@settings(
    max_examples=25,
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
def test_storage_is_the_sum_of_the_live_files(steps: list[Any], tmp_path_factory: Any) -> None:
    folder = tmp_path_factory.mktemp("random")

    async def run() -> None:
        async with upload_world(f"{SQLITE}{folder}/store.db", folder) as world:
            life = RandomLife(world)
            for step in steps:
                await life.step(*step)
                assert await world.used() == await sum_of_files(world), step
            world.clock.advance(seconds=86_400 * 2)
            for _ in range(3):
                await world.run_timers()
            assert await world.used() == await sum_of_files(world)

    asyncio.run(run())

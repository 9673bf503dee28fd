"""Kills a node at every call to the store and to the blobs while it checks a file. Another node
goes on after each kill: the outcome is there once, with all its bytes, and nothing is left over."""

from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import replace

import pytest

from greenroom.background.records import SHARDS, TIMERS, TIMERS_DUE, due_key
from greenroom.files.check_timer import CHECK
from greenroom.files.events import FileEvent, FileReady, FileRefused
from greenroom.files.models import File, FileState, Storage, Variant
from greenroom.files.records import blob_of
from greenroom.files.storage import storage
from tests.background.faults import Killed
from tests.files.checks import CheckWorld
from tests.files.pictures import saved, scene
from tests.files.test_upload_kills import KillableStore, Process, killable

PICTURE = saved(scene(), "JPEG")
_MOST = 60


def _node(world: CheckWorld, process: Process | None, heard: list[FileEvent]) -> CheckWorld:
    """With nothing cached. The decoder process is the same, because starting one takes long."""
    store = world.store if process is None else KillableStore(world.store, process)
    blobs = world.files.blobs if process is None else killable(world.files.blobs, process)
    node = CheckWorld.over(store, world.clock, world.rates, blobs=blobs, actors=world.actors)
    pipeline = replace(node.files.pipeline, decoder=world.files.pipeline.decoder)
    pipeline.work = world.files.pipeline.work
    node.change_files(pipeline=pipeline, publish=heard.append)
    return node


async def _killed_everywhere(
    world: CheckWorld,
    upload: Callable[[], Awaitable[File]],
    proof: Callable[[File, list[FileEvent]], Awaitable[None]],
) -> int:
    """The number of calls to kill at."""
    for after in (False, True):
        for dies_at in range(1, _MOST):
            file, heard = await upload(), list[FileEvent]()
            process = Process(dies_at, after=after)
            with suppress(Killed):
                await _node(world, process, heard).run_timers()
            was_killed = process.is_dead
            world.clock.advance(seconds=3)
            await _node(world, None, heard).run_timers()
            await proof(await world.file(file.id), heard)
            if not was_killed:
                break
        else:
            pytest.fail("it never ends")
    return dies_at


async def _timers(world: CheckWorld) -> list[str]:
    pages = [
        await world.store.query(TIMERS, due_key(shard), index=TIMERS_DUE, limit=99)
        for shard in range(SHARDS)
    ]
    names = [str(item["pk"]) for page in pages for item in page.items]
    return [name for name in names if CHECK in name]


async def test_a_picture_becomes_ready_once(checks: CheckWorld) -> None:
    sizes = list[int]()

    async def proof(file: File, heard: list[FileEvent]) -> None:
        sizes.append(file.size)
        assert file.state is FileState.READY
        assert file.version == 3, "the outcome is written once"
        assert len(file.previews) == 4
        for preview in file.previews:
            content = await checks.bytes_of(file, preview.variant)
            assert content is not None
            assert len(content) == preview.size
        assert heard in ([], [FileReady(file)]), "told once, or left to sync"
        assert await _timers(checks) == []
        used = await storage(checks.files, checks.actors["ana"])
        assert used == Storage(sum(sizes), len(sizes))

    calls = await _killed_everywhere(checks, lambda: checks.uploaded(PICTURE), proof)
    assert calls > 8
    assert not list(await _work(checks))


async def _work(world: CheckWorld) -> list[str]:
    """What is left of checks in the temporary folder."""
    own = world.files.pipeline.work
    async with own.check() as folder:
        return [
            path.name for path in folder.parent.iterdir() if path.name not in ("lock", folder.name)
        ]


async def test_a_refused_file_is_refused_and_given_back_once(checks: CheckWorld) -> None:
    async def proof(file: File, heard: list[FileEvent]) -> None:
        assert (file.state, file.problem) == (FileState.REFUSED, "checksum-mismatch")
        assert file.version == 3
        assert heard in ([], [FileRefused(file)])
        await checks.run_timers()
        for variant in Variant:
            assert await checks.files.blobs.head(blob_of(file, variant)) is None
        assert await _timers(checks) == []
        assert await storage(checks.files, checks.actors["ana"]) == Storage()

    async def upload() -> File:
        return await checks.uploaded(PICTURE, sha256="0" * 64)

    assert await _killed_everywhere(checks, upload, proof) > 3

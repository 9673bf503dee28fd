"""Kills a server at every call to the store and to the blobs while it takes an upload, completes
and deletes it. Another one goes on after each kill: nothing is lost, and nothing is left over."""

from collections.abc import Awaitable, Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from greenroom.blobs.base import Blobs
from greenroom.cost.counted_blobs import CountedBlobs
from greenroom.files.complete_upload import complete_upload
from greenroom.files.create_file import create_file
from greenroom.files.delete_file import delete_file
from greenroom.files.models import FileState, Storage
from greenroom.files.problems import FileNotFound, UploadConflict, UploadFinished
from greenroom.files.upload_state import InOrder, InParts, upload_state
from greenroom.ids import FileId
from greenroom.store.base import Store
from tests.background.faults import Killed
from tests.files.upload_world import NOTES, UploadWorld, upload_world
from tests.forwarding_store import ForwardingStore
from tests.stores import SQLITE

_MOST = 60


class Process:
    """Counts the calls of one server to its store and its blobs, and is killed at one of them."""

    def __init__(self, dies_at: int, *, after: bool) -> None:
        self._dies_at = dies_at
        self._after = after
        self.calls = 0

    @property
    def is_dead(self) -> bool:
        return self.calls >= self._dies_at

    async def call(self, call: Callable[[], Awaitable[Any]]) -> Any:
        self.calls += 1
        if self.calls > self._dies_at or (self.is_dead and not self._after):
            raise Killed
        answer = await call()
        if self.is_dead:
            raise Killed
        return answer


class KillableStore(ForwardingStore):
    def __init__(self, store: Store, process: Process) -> None:
        super().__init__(store)
        self._process = process

    async def _call(self, call: Callable[[], Awaitable[Any]]) -> Any:
        return await self._process.call(call)


_CALLS = (
    "append",
    "appended",
    "finish_append",
    "abort_append",
    "begin_multipart",
    "uploaded_parts",
    "complete_multipart",
    "abort_multipart",
    "head",
    "get",
    "delete",
    "put",
    "put_file",
)


def killable(blobs: Blobs, process: Process) -> Any:
    """The same engine: it has the methods that the engine has."""

    def wrapped(name: str) -> Callable[..., Awaitable[Any]]:
        async def call(self: Any, *args: Any, **named: Any) -> Any:
            return await process.call(lambda: getattr(blobs, name)(*args, **named))

        return call

    found = {name: wrapped(name) for name in _CALLS if hasattr(blobs, name)}
    other: dict[str, Any] = {"__getattr__": lambda _, name: getattr(blobs, name)}
    return type("Killable", (), found | other)()


async def killed_everywhere(
    world: UploadWorld, run: Callable[[UploadWorld, str], Awaitable[None]]
) -> int:
    """Calls `run` with a kill at each call, and each time once more without one."""
    for after in (False, True):
        for dies_at in range(1, _MOST):
            process, name = Process(dies_at, after=after), f"{after} {dies_at}"
            blobs = killable(world.files.blobs, process)
            with suppress(Killed):
                await run(world.on(KillableStore(world.store, process), blobs), name)
            await run(world.on(world.store), name)
            if not process.is_dead:
                break
    return dies_at


async def uploaded(node: UploadWorld, name: str) -> FileId:
    """As a client does it that does not know how far an earlier try has come."""
    ana = node.actors["ana"]
    file = await create_file(node.files, ana, node.new(), key=name)
    state = (await upload_state(node.files, ana, file.id)).state
    if isinstance(state, InOrder):
        with suppress(UploadConflict, UploadFinished):
            await node.append(file, NOTES[state.offset :], state.offset)
    if isinstance(state, InParts):
        blobs = node.files.blobs
        for part in state.missing:
            await blobs.send(part.request, NOTES)  # type: ignore[attr-defined]
    await complete_upload(node.files, ana, file.id)
    return file.id


@pytest.mark.parametrize("in_parts", [False, True])
async def test_an_upload_survives_a_kill_at_any_moment(tmp_path: Path, in_parts: bool) -> None:
    url = f"{SQLITE}{tmp_path}/store.db"
    async with upload_world(url, tmp_path, parts=in_parts) as world:
        made: set[FileId] = set()

        async def run(node: UploadWorld, name: str) -> None:
            made.add(await uploaded(node, name))

        assert await killed_everywhere(world, run) > 8
        for file_id in made:
            file = await world.file(file_id)
            assert file.state is FileState.CHECKING
            assert await world.content(file) == NOTES
        assert await world.used() == Storage(len(NOTES) * len(made), len(made))
        checks = [timer for timer in await world.timers() if "file_check" in timer]
        assert len(checks) == len(made)


@pytest.mark.parametrize("in_parts", [False, True])
async def test_a_deleted_file_leaves_nothing_whenever_the_server_is_killed(
    tmp_path: Path, in_parts: bool
) -> None:
    url = f"{SQLITE}{tmp_path}/store.db"
    async with upload_world(url, tmp_path, parts=in_parts) as world:

        async def run(node: UploadWorld, name: str) -> None:
            ana = node.actors["ana"]
            with suppress(FileNotFound):  # deleted by the first try
                file_id = await uploaded(node, name)
                await delete_file(node.files, ana, file_id)
            await node.run_timers()
            await node.run_timers()

        assert await killed_everywhere(world, run) > 8
        # A kill before an upload's id is noted leaves an empty one: a rule of the bucket ends it.
        assert [path for path in world.bytes_on_disk() if not path.endswith("/upload")] == []
        assert await world.used() == Storage(0, 0)
        assert await world.timers() == []


async def test_a_kill_between_blob_and_store_leaves_a_blob_that_is_found(tmp_path: Path) -> None:
    async with upload_world(f"{SQLITE}{tmp_path}/store.db", tmp_path, parts=True) as world:
        file, ana = await world.announce(), world.actors["ana"]
        await world.send_parts(file, NOTES)
        process = Process(4, after=True)  # file, parts, joined: then the store is written
        node = world.on(KillableStore(world.store, process), killable(world.files.blobs, process))
        with suppress(Killed):
            await complete_upload(node.files, ana, file.id)
        blobs = world.files.blobs
        assert isinstance(blobs, CountedBlobs)
        assert (await complete_upload(world.files, ana, file.id)).state is FileState.CHECKING
        assert await world.content(file) == NOTES

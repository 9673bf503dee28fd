"""A world in which files are uploaded in one call and checked by their timer."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from typing import Any

from greenroom.app import compose
from greenroom.blobs.base import Blobs
from greenroom.blobs.folder import FolderBlobs
from greenroom.clock import ManualClock
from greenroom.files import Files, access, items
from greenroom.files.check_timer import check_timer
from greenroom.files.create_file import create_file
from greenroom.files.models import File, FileState, NewFile, Variant
from greenroom.files.records import blob_of, original_blob
from greenroom.ids import FileId
from greenroom.settings import Settings
from greenroom.store.base import Store
from tests.stores import IN_2100_MS, SECRET, SQLITE, fresh_store
from tests.world import SETTINGS, TABLES, UNLIMITED, World


@dataclass(eq=False)
class CheckWorld(World):
    async def uploaded(self, content: bytes, name: str = "file", **new: Any) -> File:
        """All bytes are there, and the check is due."""
        owner = await self.person("ana")
        fields: dict[str, Any] = {"size": len(content), "sha256": sha256(content).hexdigest()}
        announced = NewFile(name=name, **fields | new)
        file = await create_file(self.files, owner, announced)
        await self.files.blobs.put(original_blob(file), content, "application/octet-stream")
        now_ms = self.clock.now_ms()
        after = items.changed(file, now_ms, state=FileState.CHECKING)
        await self.store.write(items.change_op(after), check_timer(after, now_ms))
        return after

    async def checked(self, content: bytes, name: str = "file", **new: Any) -> File:
        file = await self.uploaded(content, name, **new)
        await self.run_timers()
        return await self.file(file.id)

    async def file(self, file_id: FileId) -> File:
        found = await access.load(self.files, file_id)
        assert found is not None
        return found

    async def bytes_of(self, file: File, variant: Variant) -> bytes | None:
        content = await self.files.blobs.get(blob_of(file, variant))
        return None if content is None else b"".join([piece async for piece in content])

    def change_files(self, **fields: Any) -> None:
        self.contexts.add(replace(self.contexts[Files], **fields))


@asynccontextmanager
async def check_world(
    folder: Path, store_url: str | None = None, settings: Settings | None = None
) -> AsyncIterator[CheckWorld]:
    clock = ManualClock(IN_2100_MS)
    blobs = FolderBlobs(folder / "files", SECRET, clock)
    async with fresh_store(store_url or f"{SQLITE}{folder}/store.db", TABLES, clock) as store:
        world = world_over(store, clock, blobs, folder, settings)
        try:
            yield world
        finally:
            await world.files.close()
            await blobs.close()


def world_over(
    store: Store,
    clock: ManualClock,
    blobs: Blobs,
    folder: Path,
    settings: Settings | None = None,
) -> CheckWorld:
    """A node: nothing is cached, and no process runs for it."""
    given = settings or Settings(data=folder, groups=SETTINGS.groups)
    contexts = compose(store, clock, SECRET, blobs=blobs, rates=UNLIMITED, settings=given)
    return CheckWorld(contexts, clock, UNLIMITED)

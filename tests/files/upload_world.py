"""A world in which Ana and Ben upload files: in order to a folder, or in parts as to S3."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Any

from greenroom.background.records import SHARDS, TIMERS, TIMERS_DUE, due_key
from greenroom.blobs.base import Blobs
from greenroom.blobs.folder import FolderBlobs
from greenroom.clock import ManualClock
from greenroom.cost.counted_blobs import CountedBlobs
from greenroom.files import access
from greenroom.files.append_upload import append_upload
from greenroom.files.complete_upload import complete_upload
from greenroom.files.create_file import create_file
from greenroom.files.models import File, NewFile, Storage
from greenroom.files.records import original_blob
from greenroom.files.storage import storage
from greenroom.files.upload_state import InParts, upload_state
from greenroom.ids import FileId
from greenroom.store.base import Store
from tests.stores import IN_2100_MS, SECRET, fresh_store
from tests.world import TABLES, UNLIMITED, World

NOTES = b"What we agreed on: three looks, natural light, two retouched pictures each."


@dataclass(eq=False)
class UploadWorld(World):
    folder: Path = field(kw_only=True)
    """Of the blobs."""

    def new(self, content: bytes = NOTES, **fields: Any) -> NewFile:
        known: dict[str, Any] = {"name": "notes.txt", "size": len(content)}
        known["sha256"] = digest_of(content)
        return NewFile(**(known | fields))

    async def announce(self, content: bytes = NOTES, *, by: str = "ana", **fields: Any) -> File:
        actor = await self.person(by)
        return await create_file(self.files, actor, self.new(content, **fields))

    async def append(self, file: File, content: bytes, offset: int = 0, *, by: str = "ana") -> int:
        actor = await self.person(by)
        appended = await append_upload(
            self.files, actor, file.id, offset, pieces(content), length=len(content)
        )
        return appended.offset

    async def send_parts(self, file: File, content: bytes, *numbers: int) -> None:
        """Those that are missing, or of them only these."""
        blobs = self.files.blobs
        assert isinstance(blobs, CountedBlobs)
        state = (await upload_state(self.files, self.actors["ana"], file.id)).state
        assert isinstance(state, InParts)
        for part in state.missing:
            if not numbers or part.number in numbers:
                start = (part.number - 1) * state.part_size
                await blobs.send(part.request, content[start : start + part.size])

    async def send(self, file: File, content: bytes = NOTES) -> File:
        """The whole content, in the way of the engine. The upload is complete then."""
        if isinstance(self.files.blobs, CountedBlobs):
            await self.send_parts(file, content)
            return await complete_upload(self.files, self.actors["ana"], file.id)
        await self.append(file, content)
        return await self.file(file.id)

    async def file(self, file_id: FileId) -> File:
        found = await access.load(self.files, file_id)
        assert found is not None
        return found

    async def used(self, name: str = "ana") -> Storage:
        return await storage(self.files, await self.person(name))

    async def content(self, file: File) -> bytes | None:
        found = await self.files.blobs.get(original_blob(file))
        return None if found is None else b"".join([piece async for piece in found])

    async def timers(self) -> list[str]:
        """The timers that are scheduled."""
        pages = [
            await self.store.query(TIMERS, due_key(shard), index=TIMERS_DUE, limit=99)
            for shard in range(SHARDS)
        ]
        return sorted(str(item["pk"]) for page in pages for item in page.items)

    def bytes_on_disk(self) -> list[str]:
        """All files in the folder, whatever they are for."""
        found = (path for path in self.folder.rglob("*") if path.is_file())
        return sorted(str(path.relative_to(self.folder)) for path in found)

    def on(self, store: Store, blobs: Blobs | None = None) -> "UploadWorld":
        """Another node, on its own view of the store."""
        return UploadWorld.over(
            store,
            self.clock,
            UNLIMITED,
            blobs=blobs or self.files.blobs,
            actors=self.actors,
            folder=self.folder,
        )


def digest_of(content: bytes) -> str:
    return sha256(content).hexdigest()


async def pieces(content: bytes, size: int = 1000) -> AsyncIterator[bytes]:
    for start in range(0, len(content), size):
        yield content[start : start + size]


@asynccontextmanager
async def upload_world(
    url: str, folder: Path, *, parts: bool = False
) -> AsyncIterator[UploadWorld]:
    clock = ManualClock(IN_2100_MS)
    blobs = FolderBlobs(folder / "files", SECRET, clock)
    async with fresh_store(url, TABLES, clock) as store:
        given: Blobs = CountedBlobs(blobs) if parts else blobs
        world = UploadWorld.over(store, clock, UNLIMITED, blobs=given, folder=folder / "files")
        for name in ("ana", "ben"):
            await world.person(name)
        yield world
        await world.files.close()
    await blobs.close()

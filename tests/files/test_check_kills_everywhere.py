"""Kills a node at every call to the store, the blobs, the scanner and the rater while it checks a
file: with each engine, each end of a check and a video."""

import shutil
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from msgspec import Struct

from greenroom.blobs.base import Blobs
from greenroom.blobs.folder import FolderBlobs
from greenroom.clock import ManualClock
from greenroom.files.decoder.client import Decoder, Outcome
from greenroom.files.events import FileEvent, FileReady, FileRefused
from greenroom.files.models import ENDED_BADLY, File, FileState, Scan, Storage, Variant
from greenroom.files.rater import LABELS
from greenroom.files.records import blob_of
from greenroom.files.scanner import Clean, Content, Infected, ScanOutcome, Unscannable
from greenroom.files.storage import storage
from tests.background.faults import Killed
from tests.buckets import fresh_bucket
from tests.files.checks import CheckWorld, world_over
from tests.files.pictures import saved, scene
from tests.files.recordings import made, pictures
from tests.files.test_upload_kills import KillableStore, Process, killable
from tests.stores import IN_2100_MS, SECRET, SQLITE, fresh_store
from tests.world import TABLES

_MOST = 60
_PREVIEWS = {Variant.SMALL, Variant.MEDIUM, Variant.LARGE, Variant.BLURRED}


class KillableScanner:
    """Reads the file and says this; it may be killed before or after."""

    def __init__(self, outcome: ScanOutcome, process: Process | None) -> None:
        self._outcome = outcome
        self._process = process

    async def scan(self, content: Content) -> ScanOutcome:
        if self._process is None:
            return await self._scan(content)
        found: ScanOutcome = await self._process.call(lambda: self._scan(content))
        return found

    async def _scan(self, content: Content) -> ScanOutcome:
        async for _ in content():
            pass
        return self._outcome

    async def version(self) -> str:
        return "1"


class KillableRater:
    def __init__(self, process: Process | None) -> None:
        self._process = process

    async def rate(self, pixels: bytes) -> dict[str, float]:
        async def rated() -> dict[str, float]:
            return dict.fromkeys(LABELS, 0.0) | {"porn": 0.9}

        if self._process is None:
            return await rated()
        found: dict[str, float] = await self._process.call(rated)
        return found

    async def close(self) -> None:
        pass


class DecodesOnce(Decoder):
    """Decodes a file for real, and then says the same again, with copies of the files it made."""

    def __init__(self, decoder: Decoder, kept: Path) -> None:
        super().__init__(workers=1, memory_bytes=1)
        self._decoder = decoder
        self._kept = kept
        self._outcome: Outcome | None = None

    async def decode(
        self, path: Path, folder: Path, *, size: int, max_pixels: int, owner: str = ""
    ) -> Outcome:
        if self._outcome is None:
            self._kept.mkdir()
            self._outcome = await self._decoder.decode(
                path, self._kept, size=size, max_pixels=max_pixels, owner=owner
            )
        shutil.copytree(self._kept, folder, dirs_exist_ok=True)
        return self._outcome

    async def close(self) -> None:
        await self._decoder.close()


class Case(Struct, frozen=True, kw_only=True):
    content: Callable[[], bytes] = lambda: saved(scene(64, 48), "PNG")
    scan: ScanOutcome | None = Clean()
    state: FileState = FileState.READY
    variants: frozenset[Variant] = frozenset(_PREVIEWS)
    fields: dict[str, Any] = {}
    on_s3: bool = False
    on_dynamodb: bool = False
    least_calls: int = 10
    decodes_once: bool = False
    """A file that takes seconds to decode: each further check is given a copy of what was made."""


def _video() -> bytes:
    return made("v.mp4", *pictures("64x48", 0.2), "-c:v", "libx264", "-pix_fmt", "yuv420p")


_BAD: dict[str, Any] = {"variants": frozenset(), "least_calls": 5}
CASES = {
    "a scanner and a rater": Case(),
    "a virus": Case(scan=Infected("Eicar"), state=FileState.INFECTED, **_BAD),
    "what cannot be scanned": Case(
        scan=Unscannable("it is encrypted"), state=FileState.UNSCANNABLE, **_BAD
    ),
    "a refused picture": Case(
        content=lambda: b"\xff\xd8\xff\xe1" + b"Exif\0\0", state=FileState.REFUSED, **_BAD
    ),
    "a wrong checksum on S3": Case(
        fields={"sha256": "0" * 64}, state=FileState.REFUSED, on_s3=True, **_BAD
    ),
    "a copy from S3": Case(on_s3=True),
    "a copy from S3 without a scanner": Case(on_s3=True, scan=None),
    "DynamoDB and S3": Case(on_dynamodb=True, on_s3=True),
    "a video": Case(
        content=_video, variants=frozenset({*_PREVIEWS, Variant.CLIP}), decodes_once=True
    ),
}


@pytest.fixture(params=CASES)
async def case(request: pytest.FixtureRequest) -> Case:
    return CASES[request.param]


@pytest.fixture
async def world(
    case: Case, request: pytest.FixtureRequest, tmp_path: Path
) -> AsyncIterator[CheckWorld]:
    clock, url = ManualClock(IN_2100_MS), f"{SQLITE}{tmp_path}/store.db"
    if case.on_dynamodb:
        url = request.getfixturevalue("dynamodb_url")
    async with AsyncExitStack() as stack:
        blobs: Blobs = FolderBlobs(tmp_path / "files", SECRET, clock)
        if case.on_s3:
            bucket = fresh_bucket(request.getfixturevalue("s3_url"))
            blobs = await stack.enter_async_context(bucket)
        store = await stack.enter_async_context(fresh_store(url, TABLES, clock))
        found = world_over(store, clock, blobs, tmp_path)
        if case.decodes_once:
            own = found.files.pipeline
            once = DecodesOnce(own.decoder, tmp_path / "decoded")
            found.change_files(pipeline=replace(own, decoder=once))
        yield found
        await found.files.close()


def _node(
    world: CheckWorld, case: Case, process: Process | None, heard: list[FileEvent]
) -> CheckWorld:
    """With nothing cached but what was removed. The decoder process is the same."""
    store = world.store if process is None else KillableStore(world.store, process)
    blobs = world.files.blobs if process is None else killable(world.files.blobs, process)
    node = CheckWorld.over(store, world.clock, world.rates, blobs=blobs, actors=world.actors)
    own = world.files.pipeline
    pipeline = replace(node.files.pipeline, decoder=own.decoder, work=own.work, removed=own.removed)
    scanner = None if case.scan is None else KillableScanner(case.scan, process)
    rater = KillableRater(process)
    node.change_files(pipeline=pipeline, publish=heard.append, scanner=scanner, rater=rater)
    return node


async def test_a_check_ends_once_whenever_the_node_is_killed(world: CheckWorld, case: Case) -> None:
    content, sizes = case.content(), list[int]()
    for after in (False, True):
        for dies_at in range(1, _MOST):
            file, heard = await world.uploaded(content, **case.fields), list[FileEvent]()
            process = Process(dies_at, after=after)
            with suppress(Killed):
                await _node(world, case, process, heard).run_timers()
            world.clock.advance(seconds=3)
            await _node(world, case, None, heard).run_timers()
            await _node(world, case, None, heard).run_timers()  # removes the bytes
            found = await world.file(file.id)
            sizes += [] if found.state in ENDED_BADLY else [file.size]
            await _check(world, case, found, heard, Storage(sum(sizes), len(sizes)))
            if not process.is_dead:
                break
        else:
            pytest.fail("it never ends")
    assert dies_at > case.least_calls, "it was killed at few calls"


async def _check(
    world: CheckWorld, case: Case, file: File, heard: list[FileEvent], used: Storage
) -> None:
    assert (file.state, file.version) == (case.state, 3), "the outcome is written once"
    is_bad = file.state in ENDED_BADLY
    event = FileRefused(file) if is_bad else FileReady(file)
    assert heard in ([], [event]), "told once, or left to sync"
    assert {one.variant for one in file.previews} == case.variants
    if case.state is FileState.READY:
        assert file.scan is (Scan.UNSCANNED if case.scan is None else Scan.CLEAN)
        assert file.band == 2
    sizes = {one.variant: one.size for one in file.previews}
    for variant in Variant:
        head = await world.files.blobs.head(blob_of(file, variant))
        if variant is Variant.ORIGINAL:
            assert (head is None) == is_bad
        else:
            assert (head and head.size) == sizes.get(variant)
    assert await storage(world.files, world.actors["ana"]) == used

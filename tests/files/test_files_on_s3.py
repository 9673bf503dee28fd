"""Files from the announcement to the removal of their bytes, in a bucket of a real S3 server."""

import os
from collections.abc import AsyncIterator
from pathlib import Path

import aiohttp
import pytest
from yarl import URL

from greenroom.blobs.s3 import S3Blobs
from greenroom.clock import ManualClock
from greenroom.files.complete_upload import complete_upload
from greenroom.files.create_file import create_file
from greenroom.files.delete_file import delete_file
from greenroom.files.file_urls import Wanted, file_urls
from greenroom.files.models import File, FileState, NewFile, Variant
from greenroom.files.problems import UploadIncomplete
from greenroom.files.records import blob_of
from greenroom.files.upload_state import InParts, MissingPart, upload_state
from tests.buckets import fresh_bucket
from tests.files.checks import CheckWorld, world_over
from tests.files.pictures import saved, scene
from tests.files.upload_world import digest_of
from tests.stores import IN_2100_MS, SQLITE, fresh_store
from tests.world import TABLES

PART = 8 * 1024 * 1024


@pytest.fixture
async def bucket(s3_url: str) -> AsyncIterator[S3Blobs]:
    async with fresh_bucket(s3_url) as blobs:
        yield blobs


@pytest.fixture
async def world(bucket: S3Blobs, tmp_path: Path) -> AsyncIterator[CheckWorld]:
    clock = ManualClock(IN_2100_MS)
    async with fresh_store(f"{SQLITE}{tmp_path}/store.db", TABLES, clock) as store:
        found = world_over(store, clock, bucket, tmp_path)
        yield found
        await found.files.close()


async def announced(world: CheckWorld, content: bytes, name: str) -> File:
    new = NewFile(name=name, size=len(content), sha256=digest_of(content))
    return await create_file(world.files, await world.person("ana"), new)


async def missing(world: CheckWorld, file: File) -> tuple[MissingPart, ...]:
    state = (await upload_state(world.files, world.actors["ana"], file.id)).state
    assert isinstance(state, InParts)
    return state.missing


async def sent(part: MissingPart, content: bytes) -> int:
    """As a client sends a part, without any token."""
    start = (part.number - 1) * PART
    url = URL(part.request.url, encoded=True)
    async with (
        aiohttp.ClientSession() as client,
        client.put(url, data=content[start : start + part.size]) as answer,
    ):
        return answer.status


async def got(url: str) -> tuple[int, bytes]:
    async with aiohttp.ClientSession() as client, client.get(URL(url, encoded=True)) as answer:
        return answer.status, await answer.read()


async def test_an_upload_goes_on_with_the_part_that_was_lost(world: CheckWorld) -> None:
    content = os.urandom(2 * PART + 7)
    file = await announced(world, content, "film.bin")
    first, lost, last = await missing(world, file)
    assert [await sent(part, content) for part in (last, first)] == [200, 200]
    with pytest.raises(UploadIncomplete) as refusal:
        await complete_upload(world.files, world.actors["ana"], file.id)
    assert refusal.value.missing_bytes == PART
    [again] = await missing(world, file)
    assert (again.number, again.size) == (lost.number, PART)
    assert await sent(again, content) == 200
    for _ in range(2):
        done = await complete_upload(world.files, world.actors["ana"], file.id)
        assert done.state is FileState.CHECKING
    assert await world.bytes_of(done, Variant.ORIGINAL) == content
    assert await sent(again, content) == 404, "a blob must not change once it is complete"


async def test_a_picture_is_checked_downloaded_and_removed(
    world: CheckWorld, bucket: S3Blobs
) -> None:
    content = saved(scene(), "JPEG")
    file = await announced(world, content, "scene.jpg")
    [part] = await missing(world, file)
    assert await sent(part, content) == 200
    await complete_upload(world.files, world.actors["ana"], file.id)
    await world.run_timers()
    ready = await world.file(file.id)
    assert ready.state is FileState.READY
    [urls] = await file_urls(world.files, world.actors["ana"], Wanted(files=(file.id,)))
    assert len(urls.urls) > 1
    for url in urls.urls.values():
        assert url.startswith(bucket.origin)
        status, body = await got(url)
        assert (status, bool(body)) == (200, True)
    await delete_file(world.files, world.actors["ana"], file.id)
    await world.run_timers()
    assert [await bucket.head(blob_of(ready, variant)) for variant in Variant] == [None] * len(
        Variant
    )
    assert {(await got(url))[0] for url in urls.urls.values()} == {404}


async def test_an_upload_that_is_given_up_leaves_no_parts(
    world: CheckWorld, bucket: S3Blobs
) -> None:
    content = os.urandom(PART + 1)
    file = await announced(world, content, "film.bin")
    first, _ = await missing(world, file)
    assert await sent(first, content) == 200
    await delete_file(world.files, world.actors["ana"], file.id)
    await world.run_timers()
    assert bucket.requests["AbortMultipartUpload"] >= 1
    assert await sent(first, content) == 404

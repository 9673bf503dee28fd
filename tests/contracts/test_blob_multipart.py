"""What every engine of the blob store does with uploads in parts."""

import asyncio
import os

import pytest

from greenroom.blobs.base import (
    BlobKey,
    Blobs,
    InvalidParts,
    PresignedRequest,
    UploadedPart,
    UploadId,
    UploadNotFound,
)
from greenroom.blobs.part_rules import MIN_PART as PART
from tests.contracts.blob_client import KEY, TYPE, content_of, sent, upload_parts
from tests.contracts.blob_engines import BlobEngine


async def test_parts_become_a_blob_when_they_are_completed(engine: BlobEngine) -> None:
    blobs, pieces = engine.blobs, {1: os.urandom(PART), 2: b"the end"}
    upload = await blobs.begin_multipart(KEY, TYPE)
    parts = await upload_parts(engine, upload, pieces)
    assert await blobs.head(KEY) is None
    done = await blobs.complete_multipart(KEY, upload, parts)
    assert (done.size, done.content_type) == (sum(map(len, pieces.values())), TYPE)
    assert await blobs.head(KEY) == done
    assert await content_of(blobs) == b"".join(pieces.values())


async def test_completing_again_finds_the_blob_that_it_made(engine: BlobEngine) -> None:
    blobs = engine.blobs
    upload = await blobs.begin_multipart(KEY, TYPE)
    parts = await upload_parts(engine, upload, {1: b"bytes"})
    first = await blobs.complete_multipart(KEY, upload, parts)
    for _ in range(2):
        assert await blobs.complete_multipart(KEY, upload, parts) == first
    assert await content_of(blobs) == b"bytes"
    await blobs.put(KEY, b"bytes", TYPE)
    with pytest.raises(UploadNotFound):
        await blobs.complete_multipart(KEY, upload, parts)
    await blobs.delete(KEY)
    with pytest.raises(UploadNotFound):
        await blobs.complete_multipart(KEY, upload, parts)


async def test_completing_twice_at_once_makes_one_blob(engine: BlobEngine) -> None:
    blobs, content = engine.blobs, os.urandom(PART)
    upload = await blobs.begin_multipart(KEY, TYPE)
    parts = await upload_parts(engine, upload, {1: content})
    calls = [blobs.complete_multipart(KEY, upload, parts) for _ in range(4)]
    heads = await asyncio.gather(*calls)
    assert {head.size for head in heads} == {PART}
    assert await blobs.head(KEY) in heads
    assert await content_of(blobs) == content


async def test_no_part_is_taken_once_the_upload_has_ended(engine: BlobEngine) -> None:
    blobs = engine.blobs
    upload = await blobs.begin_multipart(KEY, TYPE)
    request = blobs.presign_part(KEY, upload, 1, size=5, seconds=60)
    parts = await upload_parts(engine, upload, {1: b"bytes"})
    await blobs.complete_multipart(KEY, upload, parts)
    assert (await sent(engine, request, b"other")).status == 404
    with pytest.raises(UploadNotFound):
        await blobs.uploaded_parts(KEY, upload)
    await blobs.abort_multipart(KEY, upload)
    assert await content_of(blobs) == b"bytes"


async def test_parts_are_joined_by_number_however_they_come(engine: BlobEngine) -> None:
    blobs = engine.blobs
    pieces = {3: b"the end", 1: os.urandom(PART), 2: os.urandom(PART + 1)}
    upload = await blobs.begin_multipart(KEY, TYPE)
    await asyncio.gather(
        *(upload_parts(engine, upload, {number: piece}) for number, piece in pieces.items())
    )
    known = await blobs.uploaded_parts(KEY, upload)
    for wrong in (known[::-1], [known[0], known[0], *known[1:]]):
        with pytest.raises(InvalidParts):
            await blobs.complete_multipart(KEY, upload, wrong)
    await blobs.complete_multipart(KEY, upload, known)
    assert await content_of(blobs) == b"".join(pieces[number] for number in (1, 2, 3))


async def test_only_the_last_part_may_be_small(engine: BlobEngine) -> None:
    blobs = engine.blobs
    upload = await blobs.begin_multipart(KEY, TYPE)
    parts = await upload_parts(engine, upload, {1: b"x" * (PART - 1), 2: b"y"})
    with pytest.raises(InvalidParts):
        await blobs.complete_multipart(KEY, upload, parts)
    assert await blobs.head(KEY) is None
    larger = await upload_parts(engine, upload, {1: b"x" * PART})
    done = await blobs.complete_multipart(KEY, upload, [*larger, parts[1]])
    assert done.size == PART + 1


async def test_some_parts_can_be_left_out(engine: BlobEngine) -> None:
    blobs = engine.blobs
    upload = await blobs.begin_multipart(KEY, TYPE)
    [first, _, _] = await upload_parts(engine, upload, {1: b"one", 2: b"two", 3: b"three"})
    await blobs.complete_multipart(KEY, upload, [first])
    assert await content_of(blobs) == b"one"


async def test_a_multipart_upload_replaces_a_blob_at_its_end(engine: BlobEngine) -> None:
    blobs = engine.blobs
    await blobs.put(KEY, b"old", "text/plain")
    upload = await blobs.begin_multipart(KEY, TYPE)
    parts = await upload_parts(engine, upload, {1: b"new"})
    assert await content_of(blobs) == b"old"
    done = await blobs.complete_multipart(KEY, upload, parts)
    assert (await blobs.head(KEY), done.content_type) == (done, TYPE)
    assert await content_of(blobs) == b"new"


async def test_two_uploads_for_one_key_are_separate(engine: BlobEngine) -> None:
    blobs = engine.blobs
    one, other = [await blobs.begin_multipart(KEY, TYPE) for _ in range(2)]
    parts = await upload_parts(engine, one, {1: b"one"})
    assert list(await blobs.uploaded_parts(KEY, other)) == []
    await blobs.abort_multipart(KEY, other)
    await blobs.complete_multipart(KEY, one, parts)
    assert await content_of(blobs) == b"one"


async def test_a_part_is_refused_after_its_time_or_if_it_was_altered(engine: BlobEngine) -> None:
    blobs = engine.blobs
    upload = await blobs.begin_multipart(KEY, TYPE)
    request = blobs.presign_part(KEY, upload, 1, size=5, seconds=2)
    for url in (
        request.url.replace("art=1", "art=2").replace("artNumber=1", "artNumber=2"),
        request.url.replace("fil_1", "fil_2"),
    ):
        assert url != request.url
        assert (await sent(engine, PresignedRequest("PUT", url), b"bytes")).status == 403
    await engine.wait(3.1)
    assert (await sent(engine, request, b"bytes")).status == 403
    assert list(await blobs.uploaded_parts(KEY, upload)) == []


async def test_the_parts_that_have_arrived_are_known(engine: BlobEngine) -> None:
    blobs = engine.blobs
    upload = await blobs.begin_multipart(KEY, TYPE)
    assert list(await blobs.uploaded_parts(KEY, upload)) == []
    sent_parts = await upload_parts(engine, upload, {12: b"last", 2: os.urandom(PART)})
    known = await blobs.uploaded_parts(KEY, upload)
    assert [(part.number, part.size) for part in known] == [(2, PART), (12, 4)]
    assert {part.etag for part in known} == {part.etag for part in sent_parts}
    done = await blobs.complete_multipart(KEY, upload, known)
    assert done.size == PART + 4


async def test_a_part_that_is_sent_again_replaces_the_first(engine: BlobEngine) -> None:
    blobs = engine.blobs
    upload = await blobs.begin_multipart(KEY, TYPE)
    await upload_parts(engine, upload, {1: b"first"})
    await asyncio.sleep(1.1)  # SeaweedFS keeps both, and tells them apart by the second
    new = await upload_parts(engine, upload, {1: b"second one"})
    assert list(await blobs.uploaded_parts(KEY, upload)) == list(new)
    await blobs.complete_multipart(KEY, upload, new)
    assert await content_of(blobs) == b"second one"


async def test_a_part_that_was_sent_again_is_refused_or_joined_as_it_was(
    engine: BlobEngine,
) -> None:
    """S3 and a folder refuse it; SeaweedFS has kept it."""
    blobs = engine.blobs
    upload = await blobs.begin_multipart(KEY, TYPE)
    old = await upload_parts(engine, upload, {1: b"first"})
    await upload_parts(engine, upload, {1: b"second one"})
    try:
        await blobs.complete_multipart(KEY, upload, old)
    except InvalidParts:
        assert await blobs.head(KEY) is None
    else:
        assert await content_of(blobs) == b"first"


async def test_parts_that_never_came_cannot_be_completed(engine: BlobEngine) -> None:
    blobs = engine.blobs
    upload = await blobs.begin_multipart(KEY, TYPE)
    [first] = await upload_parts(engine, upload, {1: b"bytes"})
    missing = UploadedPart(2, '"0123456789abcdef0123456789abcdef"', 5)
    for parts in ([first, missing], []):
        with pytest.raises(InvalidParts):
            await blobs.complete_multipart(KEY, upload, parts)
    assert await blobs.head(KEY) is None


async def test_a_part_of_another_size_is_refused(engine: BlobEngine) -> None:
    upload = await engine.blobs.begin_multipart(KEY, TYPE)
    request = engine.blobs.presign_part(KEY, upload, 1, size=5, seconds=60)
    assert (await sent(engine, request, b"longer")).status >= 400
    assert list(await engine.blobs.uploaded_parts(KEY, upload)) == []


async def test_an_aborted_upload_leaves_nothing(engine: BlobEngine) -> None:
    blobs = engine.blobs
    upload = await blobs.begin_multipart(KEY, TYPE)
    await upload_parts(engine, upload, {1: b"a"})
    for _ in range(2):
        await blobs.abort_multipart(KEY, upload)
    assert await blobs.head(KEY) is None
    request = blobs.presign_part(KEY, upload, 1, size=1, seconds=60)
    assert (await sent(engine, request, b"a")).status >= 400
    with pytest.raises(UploadNotFound):
        await blobs.uploaded_parts(KEY, upload)


async def test_an_unknown_upload_is_refused(blobs: Blobs) -> None:
    upload = UploadId("0123456789abcdef0123456789abcdef")
    with pytest.raises(UploadNotFound):
        await blobs.uploaded_parts(KEY, upload)
    with pytest.raises(UploadNotFound):
        await blobs.complete_multipart(KEY, upload, [UploadedPart(1, '"0"', 1)])
    await blobs.abort_multipart(KEY, upload)


async def test_an_upload_belongs_to_one_key(engine: BlobEngine) -> None:
    upload = await engine.blobs.begin_multipart(KEY, TYPE)
    with pytest.raises(UploadNotFound):
        await engine.blobs.uploaded_parts(BlobKey("files/fil_2/original"), upload)

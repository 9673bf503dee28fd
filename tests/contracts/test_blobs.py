"""What every engine of the blob store does. conftest.py leaves it out while there is none."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import aiohttp
import pytest

from greenroom.blobs.base import BlobKey, Blobs, ByteRange, PresignedRequest, UploadedPart
from tests.contracts.blob_engines import ENGINES

KEY = BlobKey("files/fil_1/original")
CONTENT = bytes(range(256)) * 4096
TYPE = "image/png"


@pytest.fixture(params=ENGINES)
async def blobs(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Blobs]:
    async with ENGINES[request.param](tmp_path) as opened:
        yield opened


async def content_of(blobs: Blobs, part: ByteRange | None = None) -> bytes | None:
    pieces = await blobs.get(KEY, part)
    return None if pieces is None else b"".join([piece async for piece in pieces])


async def sent(request: PresignedRequest, body: bytes | None = None) -> tuple[int, str, bytes]:
    """The status, the etag and the body of the answer."""
    async with (
        aiohttp.ClientSession() as client,
        client.request(request.method, request.url, headers=request.headers, data=body) as answer,
    ):
        return answer.status, answer.headers.get("ETag", ""), await answer.read()


async def test_a_blob_is_read_as_it_was_put(blobs: Blobs) -> None:
    put = await blobs.put(KEY, CONTENT, TYPE)
    assert (put.size, put.content_type) == (len(CONTENT), TYPE)
    assert await blobs.head(KEY) == put
    assert await content_of(blobs) == CONTENT


async def test_an_empty_blob_is_not_a_missing_one(blobs: Blobs) -> None:
    assert (await blobs.head(KEY), await content_of(blobs)) == (None, None)
    assert (await blobs.put(KEY, b"", TYPE)).size == 0
    assert await content_of(blobs) == b""


async def test_a_put_replaces_the_blob_and_its_etag(blobs: Blobs) -> None:
    first = await blobs.put(KEY, b"first", TYPE)
    second = await blobs.put(KEY, b"second", "text/plain")
    assert first.etag != second.etag
    assert await blobs.head(KEY) == second
    assert await content_of(blobs) == b"second"


@pytest.mark.parametrize(("first", "last"), [(0, 0), (5, 9), (0, 2**40), (1_048_570, 2**40)])
async def test_a_range_includes_both_ends_and_is_cut(blobs: Blobs, first: int, last: int) -> None:
    await blobs.put(KEY, CONTENT, TYPE)
    assert await content_of(blobs, ByteRange(first, last)) == CONTENT[first : last + 1]


async def test_a_deleted_blob_is_gone_and_may_be_deleted_again(blobs: Blobs) -> None:
    await blobs.put(KEY, CONTENT, TYPE)
    for _ in range(2):
        await blobs.delete(KEY)
        assert (await blobs.head(KEY), await content_of(blobs)) == (None, None)


async def test_a_client_downloads_until_the_request_expires(blobs: Blobs) -> None:
    await blobs.put(KEY, CONTENT, TYPE)
    request = blobs.presign_download(KEY, file_name="a photo.png", seconds=1)
    status, _, body = await sent(request)
    assert (status, body) == (200, CONTENT)
    await asyncio.sleep(2.1)
    assert (await sent(request))[0] == 403


async def test_a_client_uploads_exactly_what_was_agreed(blobs: Blobs) -> None:
    request = blobs.presign_upload(KEY, size=5, content_type=TYPE, seconds=60)
    assert (await sent(request, b"longer"))[0] >= 400
    assert await blobs.head(KEY) is None
    assert (await sent(request, b"bytes"))[0] < 300
    assert await content_of(blobs) == b"bytes"


async def test_parts_become_a_blob_when_they_are_completed(blobs: Blobs) -> None:
    pieces = {1: b"a" * 5 * 2**20, 2: b"the end"}
    upload = await blobs.begin_multipart(KEY, TYPE)
    parts = []
    for number, piece in pieces.items():
        request = blobs.presign_part(KEY, upload, number, size=len(piece), seconds=60)
        status, etag, _ = await sent(request, piece)
        assert status < 300
        parts.append(UploadedPart(number, etag))
    assert await blobs.head(KEY) is None
    done = await blobs.complete_multipart(KEY, upload, parts)
    assert (done.size, done.content_type) == (sum(map(len, pieces.values())), TYPE)
    assert await content_of(blobs) == b"".join(pieces.values())


async def test_an_aborted_upload_leaves_nothing(blobs: Blobs) -> None:
    upload = await blobs.begin_multipart(KEY, TYPE)
    request = blobs.presign_part(KEY, upload, 1, size=1, seconds=60)
    assert (await sent(request, b"a"))[0] < 300
    await blobs.abort_multipart(KEY, upload)
    assert await blobs.head(KEY) is None
    assert (await sent(request, b"a"))[0] >= 400

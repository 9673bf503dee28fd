"""The blob store on S3: what a folder cannot get wrong, such as lost answers and refused keys."""

import logging
import os
from collections.abc import AsyncIterator
from pathlib import Path

import aiohttp
import pytest
from yarl import URL

from greenroom.blobs.base import (
    BlobKey,
    BlobsFailing,
    BlobsRefused,
    UploadedPart,
    UploadId,
    UploadNotFound,
)
from greenroom.blobs.s3 import S3Blobs, multipart
from tests.blobs.s3_proxy import S3Proxy, s3_proxy
from tests.buckets import fresh_bucket, opened, with_prefix

KEY = BlobKey("threads/thr_1/attachments/fil_1")
TYPE = "image/png"


@pytest.fixture
async def bucket(s3_url: str) -> AsyncIterator[S3Blobs]:
    async with fresh_bucket(s3_url) as blobs:
        yield blobs


@pytest.fixture
async def proxied(s3_url: str) -> AsyncIterator[tuple[S3Proxy, S3Blobs]]:
    """A bucket, and the proxy that its requests go through."""
    async with s3_proxy(s3_url) as (proxy, url), fresh_bucket(url) as blobs:
        yield proxy, blobs


async def sent_parts(blobs: S3Blobs, upload: UploadId, *pieces: bytes) -> list[UploadedPart]:
    parts = []
    async with aiohttp.ClientSession() as client:
        for number, piece in enumerate(pieces, 1):
            request = blobs.presign_part(KEY, upload, number, size=len(piece), seconds=60)
            async with client.put(URL(request.url, encoded=True), data=piece) as answer:
                assert answer.status == 200
                parts.append(UploadedPart(number, answer.headers["ETag"], len(piece)))
    return parts


async def test_parts_are_listed_page_by_page(
    bucket: S3Blobs, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(multipart, "_PAGE", 3)
    upload = await bucket.begin_multipart(KEY, TYPE)
    parts = await sent_parts(bucket, upload, *(b"%d" % number for number in range(8)))
    before = bucket.requests["ListParts"]
    assert await bucket.uploaded_parts(KEY, upload) == parts
    assert bucket.requests["ListParts"] - before == 3


async def test_a_lost_answer_to_complete_is_asked_for_again(
    proxied: tuple[S3Proxy, S3Blobs],
) -> None:
    proxy, blobs = proxied
    upload = await blobs.begin_multipart(KEY, TYPE)
    parts = await sent_parts(blobs, upload, b"bytes")
    proxy.lose_answer_to("POST", "uploadId")
    done = await blobs.complete_multipart(KEY, upload, parts)
    assert (done.size, blobs.requests["CompleteMultipartUpload"]) == (5, 2)
    assert await blobs.head(KEY) == done


@pytest.mark.parametrize("status", [500, 503])
async def test_a_failure_that_passes_is_not_noticed(
    proxied: tuple[S3Proxy, S3Blobs], status: int
) -> None:
    proxy, blobs = proxied
    for method in ("PUT", "GET", "POST", "DELETE"):
        proxy.answer_once(method, status)
    await blobs.put(KEY, b"bytes", TYPE)
    assert await blobs.get(KEY) is not None
    upload = await blobs.begin_multipart(KEY, TYPE)
    await blobs.abort_multipart(KEY, upload)
    assert proxy.faults_left == 0


async def test_an_error_after_the_status_is_an_error(proxied: tuple[S3Proxy, S3Blobs]) -> None:
    """S3 answers "complete" with 200 before it is done."""
    proxy, blobs = proxied
    upload = await blobs.begin_multipart(KEY, TYPE)
    parts = await sent_parts(blobs, upload, b"bytes")
    late = b"\n  <Error><Code>InternalError</Code><Message>try again</Message></Error>"
    proxy.answer_once("POST", 200, late)
    assert (await blobs.complete_multipart(KEY, upload, parts)).size == 5
    assert blobs.requests["CompleteMultipartUpload"] == 2


async def test_an_outage_is_one_problem(s3_url: str) -> None:
    endpoint = "endpoint=http://127.0.0.1:9"
    gone = with_prefix(s3_url.partition("endpoint=")[0] + endpoint)
    async with opened(gone) as blobs:
        for call in (
            blobs.put(KEY, b"bytes", TYPE),
            blobs.head(KEY),
            blobs.get(KEY),
            blobs.delete(KEY),
            blobs.begin_multipart(KEY, TYPE),
            blobs.uploaded_parts(KEY, UploadId("mark.id")),
            blobs.abort_multipart(KEY, UploadId("mark.id")),
        ):
            with pytest.raises(BlobsFailing):
                await call


async def test_a_wrong_secret_is_refused_and_not_told(
    s3_url: str, caplog: pytest.LogCaptureFixture
) -> None:
    wrong = with_prefix(s3_url.replace(":greenroom-secret@", ":another-secret@"))
    async with opened(wrong) as blobs:
        for call in (blobs.put(KEY, b"bytes", TYPE), blobs.begin_multipart(KEY, TYPE)):
            with pytest.raises(BlobsRefused, match="SignatureDoesNotMatch"):
                await call
    assert "another-secret" not in caplog.text
    assert "SignatureDoesNotMatch" in caplog.text


async def test_a_missing_bucket_is_refused_and_not_taken_for_a_missing_blob(
    s3_url: str, tmp_path: Path
) -> None:
    async with opened(with_prefix(s3_url.replace("@greenroom?", "@missing-bucket?"))) as blobs:
        for call in (blobs.get(KEY), blobs.begin_multipart(KEY, TYPE)):
            with pytest.raises(BlobsRefused, match="NoSuchBucket"):
                await call


async def test_a_missing_file_is_no_problem_of_the_bucket(bucket: S3Blobs, tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        await bucket.put_file(KEY, tmp_path / "missing", TYPE)


async def test_a_stream_that_is_cut_off_goes_on_or_fails(
    proxied: tuple[S3Proxy, S3Blobs],
) -> None:
    proxy, blobs = proxied
    content = os.urandom(3_000_000)
    await blobs.put(KEY, content, TYPE)
    proxy.cut_downloads_after = 1_500_000
    pieces = await blobs.get(KEY)
    assert pieces is not None
    assert b"".join([piece async for piece in pieces]) == content
    proxy.cut_downloads_after = 0
    pieces = await blobs.get(KEY)
    assert pieces is not None
    with pytest.raises(BlobsFailing):
        [piece async for piece in pieces]


async def test_each_call_costs_what_it_says(bucket: S3Blobs, tmp_path: Path) -> None:
    async def cost_of(call: object) -> dict[str, int]:
        bucket.requests.clear()
        await call  # type: ignore[misc]
        return dict(bucket.requests)

    large = tmp_path / "large"
    large.write_bytes(b"x" * (17 * 2**20))
    assert await cost_of(bucket.put(KEY, b"bytes", TYPE)) == {"PutObject": 1}
    assert await cost_of(bucket.head(KEY)) == {"HeadObject": 1}
    assert await cost_of(bucket.get(KEY)) == {"GetObject": 1}
    assert await cost_of(bucket.delete(KEY)) == {"DeleteObject": 1}
    assert await cost_of(bucket.put_file(KEY, large, TYPE)) == {
        "CreateMultipartUpload": 1,
        "UploadPart": 3,
        "CompleteMultipartUpload": 1,
    }
    upload = await bucket.begin_multipart(KEY, TYPE)
    parts = await sent_parts(bucket, upload, b"bytes")
    assert await cost_of(bucket.uploaded_parts(KEY, upload)) == {"ListParts": 1}
    assert await cost_of(bucket.complete_multipart(KEY, upload, parts)) == {
        "CompleteMultipartUpload": 1,
        "HeadObject": 1,
    }
    assert await cost_of(bucket.abort_multipart(KEY, upload)) == {"AbortMultipartUpload": 1}
    bucket.requests.clear()
    bucket.presign_part(KEY, upload, 1, size=1, seconds=60)
    assert not bucket.requests


async def test_a_foreign_upload_id_is_not_sent_to_the_bucket(bucket: S3Blobs) -> None:
    for odd in ("", "id", ".id", "mark."):
        with pytest.raises(UploadNotFound):
            await bucket.uploaded_parts(KEY, UploadId(odd))
        with pytest.raises(UploadNotFound):
            bucket.presign_part(KEY, UploadId(odd), 1, size=1, seconds=60)
    assert not bucket.requests


async def test_no_secret_is_in_what_is_shown(
    bucket: S3Blobs, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.DEBUG):
        await bucket.put(KEY, b"bytes", TYPE)
        await bucket.begin_multipart(KEY, TYPE)
    request = bucket.presign_upload(KEY, size=5, content_type=TYPE, seconds=60)
    for text in (repr(bucket), repr(request), caplog.text):
        assert "greenroom-secret" not in text

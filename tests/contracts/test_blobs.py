"""What every engine of the blob store does with whole blobs, and with those that clients send."""

import asyncio
import os
import re
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from greenroom.blobs.base import (
    BlobKey,
    Blobs,
    ByteRange,
    PresignedRequest,
)
from greenroom.blobs.disposition import content_disposition
from greenroom.blobs.keys import MAX_KEY, InvalidBlobKey
from tests.contracts.blob_client import KEY, TYPE, content_of, download, sent
from tests.contracts.blob_engines import BlobEngine

CONTENT = bytes(range(256)) * 4096
_DISPOSITION = re.compile(r"attachment(; filename=\"[ -~]*\"(; filename\*=UTF-8''[!-~]+)?)?")


# Whole blobs.


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


async def test_an_etag_is_in_quotes(blobs: Blobs) -> None:
    etag = (await blobs.put(KEY, b"bytes", TYPE)).etag
    assert (etag[0], etag[-1]) == ('"', '"')
    assert len(etag) > 10


async def test_a_blob_is_put_from_a_large_file(blobs: Blobs, tmp_path: Path) -> None:
    content, source = os.urandom(12_000_000), tmp_path / "source"
    source.write_bytes(content)
    put = await blobs.put_file(KEY, source, "video/mp4")
    assert (put.size, put.content_type) == (len(content), "video/mp4")
    assert await content_of(blobs) == content


async def test_blobs_under_different_keys_are_separate(blobs: Blobs) -> None:
    other = BlobKey("files/fil_1/original2")
    await blobs.put(KEY, b"one", TYPE)
    await blobs.put(other, b"two", TYPE)
    await blobs.delete(KEY)
    assert (await content_of(blobs), await content_of(blobs, key=other)) == (None, b"two")


@pytest.mark.parametrize(("first", "last"), [(0, 0), (5, 9), (0, 2**40), (1_048_570, 2**40)])
async def test_a_range_includes_both_ends_and_is_cut(blobs: Blobs, first: int, last: int) -> None:
    await blobs.put(KEY, CONTENT, TYPE)
    assert await content_of(blobs, ByteRange(first, last)) == CONTENT[first : last + 1]


@pytest.mark.parametrize(
    ("size", "first"), [(5, 5), (5, 2**40), (0, 0)], ids=["end", "beyond", "empty"]
)
async def test_a_range_behind_the_end_is_empty(blobs: Blobs, size: int, first: int) -> None:
    await blobs.put(KEY, b"bytes"[:size], TYPE)
    assert await content_of(blobs, ByteRange(first, first + 10)) == b""


async def test_a_range_of_a_missing_blob_is_missing(blobs: Blobs) -> None:
    assert await content_of(blobs, ByteRange(0, 10)) is None


async def test_an_etag_stays_until_the_content_changes(blobs: Blobs) -> None:
    first = await blobs.put(KEY, b"first", TYPE)
    assert [await blobs.head(KEY) for _ in range(3)] == [first] * 3
    other = await blobs.put(KEY, b"other", TYPE)
    assert other.etag != first.etag


async def test_a_reader_of_a_replaced_blob_gets_one_of_both(blobs: Blobs) -> None:
    old, new = os.urandom(6_000_000), os.urandom(5_000_000)
    await blobs.put(KEY, old, TYPE)
    reading = [asyncio.create_task(content_of(blobs)) for _ in range(4)]
    await blobs.put(KEY, new, TYPE)
    reading += [asyncio.create_task(content_of(blobs)) for _ in range(4)]
    assert set(await asyncio.gather(*reading)) <= {old, new}


async def test_concurrent_puts_leave_one_of_them(blobs: Blobs) -> None:
    contents = [bytes([number]) * 300_000 for number in range(1, 9)]
    await asyncio.gather(*(blobs.put(KEY, content, f"type/{content[0]}") for content in contents))
    found, head = await content_of(blobs), await blobs.head(KEY)
    assert found in contents
    assert head is not None
    assert (head.size, head.content_type) == (300_000, f"type/{found[0]}")


async def test_a_reader_may_stop_before_the_end(blobs: Blobs) -> None:
    await blobs.put(KEY, os.urandom(8_000_000), TYPE)
    for _ in range(20):
        pieces = await blobs.get(KEY)
        assert pieces is not None
        assert await anext(pieces)
    assert await content_of(blobs, ByteRange(0, 3)) is not None


async def test_a_large_file_is_put_while_a_smaller_one_is_there(
    blobs: Blobs, tmp_path: Path
) -> None:
    source = tmp_path / "source"
    for size in (9_000_000, 0, 20_000_000, 5):
        source.write_bytes(os.urandom(size))
        put = await blobs.put_file(KEY, source, TYPE)
        assert (put.size, await blobs.head(KEY)) == (size, put)
        assert await content_of(blobs) == source.read_bytes()


async def test_a_deleted_blob_is_gone_and_may_be_deleted_again(blobs: Blobs) -> None:
    await blobs.put(KEY, CONTENT, TYPE)
    for _ in range(2):
        await blobs.delete(KEY)
        assert (await blobs.head(KEY), await content_of(blobs)) == (None, None)


@pytest.mark.parametrize(
    "key", ["", "/a", "a/", "a//b", "..", "a/../b", ".a", "a b", "a\0", "a?b", "é", "a" * 600]
)
async def test_an_odd_key_is_refused_everywhere(blobs: Blobs, key: str) -> None:
    odd = BlobKey(key)
    for call in (blobs.head, blobs.get, blobs.delete):
        with pytest.raises(InvalidBlobKey):
            await call(odd)
    with pytest.raises(InvalidBlobKey):
        await blobs.put(odd, b"bytes", TYPE)
    with pytest.raises(InvalidBlobKey):
        await blobs.begin_multipart(odd, TYPE)
    with pytest.raises(InvalidBlobKey):
        blobs.presign_download(odd, file_name="", content_type=TYPE, inline=True, seconds=60)
    with pytest.raises(InvalidBlobKey):
        blobs.presign_upload(odd, size=1, content_type=TYPE, seconds=60)


@pytest.mark.parametrize("key", ["~a/-b/_c", "a.b..c/d~e", "a-/~~/0", "A/a", "a/A"])
async def test_every_character_of_a_key_counts(engine: BlobEngine, key: str) -> None:
    blobs, odd = engine.blobs, BlobKey(key)
    await blobs.put(BlobKey("A-a"), b"another", TYPE)
    await blobs.put(odd, b"bytes", TYPE)
    request = blobs.presign_download(odd, file_name="", content_type=TYPE, inline=True, seconds=60)
    assert (await sent(engine, request)).body == b"bytes"
    put = blobs.presign_upload(odd, size=4, content_type=TYPE, seconds=60)
    assert (await sent(engine, put, b"more")).status == 200
    assert await content_of(blobs, key=odd) == b"more"


async def test_the_longest_key_works(blobs: Blobs) -> None:
    longest = BlobKey("/".join(["a" * 127] * 4) + "b")
    assert len(longest) == MAX_KEY
    await blobs.put(longest, b"bytes", TYPE)
    assert await content_of(blobs, key=longest) == b"bytes"


# Downloads by a client.


async def test_a_client_downloads_until_the_request_expires(engine: BlobEngine) -> None:
    await engine.blobs.put(KEY, CONTENT, TYPE)
    request = download(engine.blobs, seconds=2)
    answer = await sent(engine, request)
    assert (answer.status, answer.body) == (200, CONTENT)
    await engine.wait(3.1)
    assert (await sent(engine, request)).status == 403


@pytest.mark.parametrize("inline", [True, False])
async def test_a_download_says_type_and_name(engine: BlobEngine, inline: bool) -> None:
    name = 'Ünder "the" tree; 50%.png'
    await engine.blobs.put(KEY, CONTENT, "application/octet-stream")
    request = engine.blobs.presign_download(
        KEY, file_name=name, content_type=TYPE, inline=inline, seconds=60
    )
    headers = (await sent(engine, request)).headers
    assert headers["Content-Type"] == TYPE
    kind = "inline" if inline else "attachment"
    assert headers["Content-Disposition"] == (
        f'{kind}; filename="_nder _the_ tree_ 50_.png"; '
        "filename*=UTF-8''%C3%9Cnder%20%22the%22%20tree%3B%2050%25.png"
    )


@pytest.mark.parametrize(
    "name",
    [
        "",
        "photo.png",
        "it's a 'photo'.png",
        'a"b\\c.png',
        "two\r\nlines\tand\0nul.png",
        "../../etc/passwd",
        "写真 🎉 é.png",
        "\u202egnp.exe",
        "a;b=c,d&e+f%20g.png",
        "x" * 300,
    ],
)
async def test_any_name_makes_one_valid_header(engine: BlobEngine, name: str) -> None:
    await engine.blobs.put(KEY, CONTENT, TYPE)
    request = engine.blobs.presign_download(
        KEY, file_name=name, content_type=TYPE, inline=False, seconds=60
    )
    answer = await sent(engine, request)
    assert (answer.status, answer.body) == (200, CONTENT)
    disposition = answer.headers["Content-Disposition"]
    assert disposition == content_disposition(name, inline=False)
    assert _DISPOSITION.fullmatch(disposition)


async def test_a_download_may_be_kept_as_long_as_its_url_is_good(engine: BlobEngine) -> None:
    await engine.blobs.put(KEY, CONTENT, TYPE)
    cache = (await sent(engine, download(engine.blobs, seconds=60))).headers["Cache-Control"]
    assert cache.startswith("private, max-age=")
    assert 50 < int(cache.rpartition("=")[2]) <= 60


async def test_a_download_has_the_etag_of_the_blob(engine: BlobEngine) -> None:
    put = await engine.blobs.put(KEY, CONTENT, TYPE)
    request = download(engine.blobs)
    assert (await sent(engine, request)).headers["ETag"] == put.etag
    again = await sent(engine, request, If_None_Match=put.etag)
    assert (again.status, again.body) == (304, b"")


@pytest.mark.parametrize(
    ("asked", "first", "last"),
    [
        ("bytes=0-0", 0, 0),
        ("bytes=10-19", 10, 19),
        ("bytes=1048570-", 1048570, 1048575),
        ("bytes=-6", 1048570, 1048575),
        ("bytes=5-99999999999", 5, 1048575),
    ],
)
async def test_a_client_downloads_a_range(
    engine: BlobEngine, asked: str, first: int, last: int
) -> None:
    await engine.blobs.put(KEY, CONTENT, TYPE)
    answer = await sent(engine, download(engine.blobs), Range=asked)
    assert (answer.status, answer.body) == (206, CONTENT[first : last + 1])
    assert answer.headers["Content-Range"] == f"bytes {first}-{last}/{len(CONTENT)}"


async def test_a_range_behind_the_end_is_not_satisfiable(engine: BlobEngine) -> None:
    await engine.blobs.put(KEY, CONTENT, TYPE)
    answer = await sent(engine, download(engine.blobs), Range="bytes=1048576-")
    assert answer.status == 416


async def test_a_missing_blob_is_not_found(engine: BlobEngine) -> None:
    assert (await sent(engine, download(engine.blobs))).status == 404


async def test_an_altered_download_is_refused(engine: BlobEngine) -> None:
    await engine.blobs.put(KEY, CONTENT, TYPE)
    await engine.blobs.put(BlobKey("files/fil_2/original"), b"of another", TYPE)
    url = download(engine.blobs, inline=False).url
    altered = [
        url.replace("fil_1", "fil_2"),
        url.replace("attachment", "inline") if "attachment" in url else f"{url}&inline=1",
        url.replace("photo", "virus"),
        url.replace("image%2Fpng", "text%2Fhtml"),
        url[:-1] + ("0" if url[-1] != "0" else "1"),
        urlsplit(url)._replace(query="").geturl(),
    ]
    assert len({url, *altered}) == 7
    for other in altered:
        answer = await sent(engine, PresignedRequest("GET", other))
        assert answer.status == 403, other
    assert (await sent(engine, PresignedRequest("GET", url))).status == 200


async def test_a_download_is_no_permission_to_write(engine: BlobEngine) -> None:
    await engine.blobs.put(KEY, CONTENT, TYPE)
    request = download(engine.blobs)
    assert (await sent(engine, request, b"other", method="PUT")).status == 403
    assert await content_of(engine.blobs) == CONTENT


# Uploads by a client.


async def test_a_client_uploads_exactly_what_was_agreed(engine: BlobEngine) -> None:
    blobs = engine.blobs
    request = blobs.presign_upload(KEY, size=5, content_type=TYPE, seconds=60)
    assert (await sent(engine, request, b"longer")).status >= 400
    assert (await sent(engine, request, b"less")).status >= 400
    assert (await sent(engine, request, b"bytes", Content_Type="text/html")).status >= 400
    assert await blobs.head(KEY) is None
    answer = await sent(engine, request, b"bytes")
    head = await blobs.head(KEY)
    assert head is not None
    assert (answer.status, answer.headers["ETag"]) == (200, head.etag)
    assert (await content_of(blobs), head.content_type) == (b"bytes", TYPE)


async def test_an_upload_is_refused_after_its_time(engine: BlobEngine) -> None:
    request = engine.blobs.presign_upload(KEY, size=5, content_type=TYPE, seconds=2)
    await engine.wait(3.1)
    assert (await sent(engine, request, b"bytes")).status == 403
    assert await engine.blobs.head(KEY) is None


async def test_an_altered_upload_is_refused(engine: BlobEngine) -> None:
    request = engine.blobs.presign_upload(KEY, size=5, content_type=TYPE, seconds=60)
    elsewhere = PresignedRequest("PUT", request.url.replace("fil_1", "fil_2"), request.headers)
    assert (await sent(engine, elsewhere, b"bytes")).status == 403
    assert (await sent(engine, request, method="GET")).status == 403

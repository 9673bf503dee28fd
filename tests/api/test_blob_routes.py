"""Downloads and uploads by signed URLs of this server: headers, ranges, refusals, slow senders."""

import asyncio
import json
from collections.abc import AsyncIterator, Mapping
from hashlib import sha256
from pathlib import Path
from urllib.parse import parse_qsl, urlencode

import aiohttp
import pytest
from msgspec import Struct
from yarl import URL

from greenroom.api import downloads, http_limits, long_uploads
from greenroom.blobs.base import BlobKey
from greenroom.blobs.folder import FolderBlobs
from greenroom.clock import ManualClock
from tests.blob_folders import temporary_blobs
from tests.socket.node import Node, serving, until
from tests.stores import IN_2100_MS

KEY = BlobKey("threads/thr_1/attachments/fil_1")
NEW = BlobKey("threads/thr_1/attachments/fil_2")
CONTENT = bytes(range(256)) * 4096
TYPE = "video/mp4"


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock(IN_2100_MS)


@pytest.fixture
def blobs(clock: ManualClock) -> FolderBlobs:
    return temporary_blobs(clock)


@pytest.fixture
async def node(tmp_path: Path, clock: ManualClock, blobs: FolderBlobs) -> AsyncIterator[Node]:
    async with serving(tmp_path, clock=clock, blobs=blobs) as found:
        await blobs.put(KEY, CONTENT, "text/html")
        yield found


class Answer(Struct, frozen=True):
    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def problem(self) -> tuple[int, str]:
        return self.status, json.loads(self.body)["type"]


async def ask(node: Node, method: str, url: str, body: object = None, **headers: str) -> Answer:
    given = {name.replace("_", "-"): text for name, text in headers.items()}
    where = URL(node.url + url, encoded=True)
    async with (
        aiohttp.ClientSession() as client,
        client.request(method, where, headers=given, data=body) as answer,
    ):
        return Answer(answer.status, answer.headers, await answer.read())


def download(blobs: FolderBlobs, *, inline: bool = False, seconds: int = 60) -> str:
    return blobs.presign_download(
        KEY, file_name="page.html", content_type="text/html", inline=inline, seconds=seconds
    ).url


def upload(blobs: FolderBlobs, size: int) -> str:
    return blobs.presign_upload(NEW, size=size, content_type=TYPE, seconds=60).url


EXPIRED = (403, "/problems/link-expired")


# Downloads.


async def test_a_download_can_do_nothing_in_a_browser(node: Node, blobs: FolderBlobs) -> None:
    answer = await ask(node, "GET", download(blobs))
    assert (answer.status, answer.body) == (200, CONTENT)
    assert answer.headers["Content-Disposition"] == 'attachment; filename="page.html"'
    assert answer.headers["Content-Security-Policy"] == "sandbox; default-src 'none'"
    assert answer.headers["X-Content-Type-Options"] == "nosniff"
    assert answer.headers["Content-Type"].startswith("text/html")
    assert answer.headers["Content-Length"] == str(len(CONTENT))


async def test_an_inline_download_is_sandboxed_too(node: Node, blobs: FolderBlobs) -> None:
    answer = await ask(node, "GET", download(blobs, inline=True))
    assert answer.headers["Content-Disposition"] == 'inline; filename="page.html"'
    assert answer.headers["Content-Security-Policy"].startswith("sandbox; default-src 'none'")


async def test_a_download_is_cached_privately_while_its_url_works(
    node: Node, blobs: FolderBlobs, clock: ManualClock
) -> None:
    url = download(blobs)
    assert (await ask(node, "GET", url)).headers["Cache-Control"] == "private, max-age=59"
    clock.advance(seconds=50)
    assert (await ask(node, "GET", url)).headers["Cache-Control"] == "private, max-age=9"
    clock.advance(seconds=10)
    answer = await ask(node, "GET", url)
    assert answer.problem == EXPIRED
    assert answer.headers["Cache-Control"] == "no-store"


async def test_head_says_what_get_would(node: Node, blobs: FolderBlobs) -> None:
    url = download(blobs)
    head, got = await ask(node, "HEAD", url), await ask(node, "GET", url)
    for name in ("Content-Length", "Content-Type", "ETag", "Content-Disposition"):
        assert head.headers[name] == got.headers[name]
    assert (head.status, head.body) == (200, b"")
    part = await ask(node, "HEAD", url, Range="bytes=5-9")
    assert (part.status, part.headers["Content-Length"], part.body) == (206, "5", b"")


async def test_a_download_that_is_cached_is_not_sent_again(node: Node, blobs: FolderBlobs) -> None:
    url = download(blobs)
    etag = (await ask(node, "GET", url)).headers["ETag"]
    for named in (etag, f"W/{etag}", f'"other", {etag}', "*"):
        answer = await ask(node, "GET", url, If_None_Match=named)
        assert (answer.status, answer.body, answer.headers["ETag"]) == (304, b"", etag), named
    for named in ('"other"', "", etag[:-2] + '"'):
        assert (await ask(node, "GET", url, If_None_Match=named)).status == 200, named


@pytest.mark.parametrize(
    "asked",
    ["bytes=0-1,4-5", "bytes=5-4", "bytes=-", "bytes=a-b", "items=0-1", "bytes=0-1x", "bytes"],
)
async def test_a_range_that_is_odd_or_several_gives_the_whole(
    node: Node, blobs: FolderBlobs, asked: str
) -> None:
    answer = await ask(node, "GET", download(blobs), Range=asked)
    assert (answer.status, answer.body) == (200, CONTENT)


@pytest.mark.parametrize("asked", ["bytes=1048576-", "bytes=9999999999-99999999999", "bytes=-0"])
async def test_a_range_behind_the_end_says_where_the_end_is(
    node: Node, blobs: FolderBlobs, asked: str
) -> None:
    answer = await ask(node, "GET", download(blobs), Range=asked)
    assert (answer.status, answer.headers["Content-Range"]) == (416, "bytes */1048576")


async def test_a_download_goes_on_only_with_the_same_content(
    node: Node, blobs: FolderBlobs
) -> None:
    url = download(blobs)
    etag = (await ask(node, "GET", url)).headers["ETag"]
    same = await ask(node, "GET", url, Range="bytes=10-", If_Range=etag)
    assert (same.status, same.body) == (206, CONTENT[10:])
    await blobs.put(KEY, b"another content", "text/html")
    other = await ask(node, "GET", url, Range="bytes=10-", If_Range=etag)
    assert (other.status, other.body) == (200, b"another content")


async def test_a_blob_that_was_deleted_is_not_found(node: Node, blobs: FolderBlobs) -> None:
    url = download(blobs)
    await blobs.delete(KEY)
    assert (await ask(node, "GET", url)).problem == (404, "/problems/file-not-found")


async def test_a_download_that_is_not_read_ends(
    node: Node, blobs: FolderBlobs, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(http_limits, "WRITE_SECONDS", 0.3)
    await blobs.put(KEY, bytes(30_000_000), "text/html")
    reader, writer = await asyncio.open_connection("127.0.0.1", node.port, limit=1024)
    writer.write(f"GET {download(blobs)} HTTP/1.1\r\nHost: greenroom\r\n\r\n".encode())
    await asyncio.sleep(2)
    with pytest.raises((ConnectionError, asyncio.IncompleteReadError)):
        await reader.readexactly(40_000_000)
    writer.close()


async def test_a_slow_reader_gets_the_whole_download(
    node: Node, blobs: FolderBlobs, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(http_limits, "WRITE_SECONDS", 1.0)
    content = bytes(range(256)) * 40_000
    await blobs.put(KEY, content, "text/html")
    reader, writer = await asyncio.open_connection("127.0.0.1", node.port, limit=65_536)
    writer.write(f"GET {download(blobs)} HTTP/1.1\r\nHost: greenroom\r\n\r\n".encode())
    await reader.readuntil(b"\r\n\r\n")
    received = b""
    while len(received) < len(content):
        await asyncio.sleep(0.02 if len(received) < 5_000_000 else 0)
        received += await reader.readexactly(min(100_000, len(content) - len(received)))
    assert received == content
    writer.write(b"GET /healthz HTTP/1.1\r\nHost: greenroom\r\n\r\n")
    assert (await reader.readuntil(b"\r\n")).startswith(b"HTTP/1.1 200"), "it is still usable"
    writer.close()


async def test_slow_readers_do_not_keep_others_from_downloading(
    tmp_path: Path, clock: ManualClock, blobs: FolderBlobs, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(downloads, "GRACE_SECONDS", 0.5)
    await blobs.put(KEY, bytes(100_000_000), "text/html")  # much more than sockets can hold
    async with serving(tmp_path, clock=clock, blobs=blobs, most_http=4) as node:
        head = f"GET {download(blobs)} HTTP/1.1\r\nHost: greenroom\r\n\r\n".encode()
        slow, faster = [await _begin(node, head) for _ in range(2)]
        assert await slow.readexactly(100_000)
        assert await faster.readexactly(15_000_000)
        await asyncio.sleep(0.6)
        newest = await _begin(node, head)  # only two may run
        assert await newest.readexactly(1_000_000)
        with pytest.raises((ConnectionError, asyncio.IncompleteReadError)):
            await slow.readexactly(99_000_000)
        assert await faster.readexactly(10_000_000)


async def _begin(node: Node, head: bytes) -> asyncio.StreamReader:
    reader, writer = await asyncio.open_connection("127.0.0.1", node.port, limit=65_536)
    writer.write(head)
    await reader.readuntil(b"\r\n\r\n")
    return reader


# Altered URLs.


async def test_every_part_of_a_url_is_signed(node: Node, blobs: FolderBlobs) -> None:
    await blobs.put(NEW, b"of another", TYPE)
    path, _, query = download(blobs).partition("?")
    given = dict(parse_qsl(query))
    assert {*given} == {"expires", "type", "name", "signature"}
    changed = [{**given, name: f"{text}1"} for name, text in given.items()]
    missing = [{n: t for n, t in given.items() if n != name} for name in given]
    more = [{**given, "inline": "1"}, {**given, "size": "1"}, {**given, "part": "1"}]
    more += [{**given, "x": ""}, {}, {**given, "expires": "\uff19" * 10}, {**given, "inline": "-1"}]
    urls = [f"{path}?{urlencode(one)}" for one in [*changed, *missing, *more]]
    urls += [f"{path}?{query}&name=page.html", f"{path}?name=other&{query}", path, f"{path}?&&&"]
    urls += [f"{path}?{query}&{'x&' * 100}", f"{path}?name=%ff&{query}", f"{path}2?{query}"]
    urls += [f"{path.replace('fil_1', 'fil_2')}?{query}", f"/v1/blobs/../secret?{query}"]
    for url in urls:
        assert (await ask(node, "GET", url)).problem == EXPIRED, url
    assert (await ask(node, "GET", f"{path}?{query}")).status == 200


@pytest.mark.parametrize("key", ["", "..", "%2e%2e/secret", "a%00b", "a" * 3000, "%c3%a9", "a//b"])
async def test_an_odd_path_is_refused(node: Node, key: str) -> None:
    answer = await ask(node, "GET", f"/v1/blobs/{key}?expires=1&signature=1")
    assert answer.status in (403, 404)


async def test_a_long_parameter_is_refused(node: Node, blobs: FolderBlobs) -> None:
    url = f"{download(blobs)}{'a' * 20_000}"
    assert (await ask(node, "GET", url)).status == 403


# Uploads.


async def test_an_upload_of_unknown_length_is_counted(node: Node, blobs: FolderBlobs) -> None:
    async def body(*pieces: bytes) -> AsyncIterator[bytes]:
        for piece in pieces:
            yield piece

    url = upload(blobs, 10)
    for pieces in ((b"12345", b"678901"), (b"12345",)):
        answer = await ask(node, "PUT", url, body(*pieces), Content_Type=TYPE)
        assert answer.problem == (422, "/problems/wrong-size")
    assert await blobs.head(NEW) is None
    assert (await ask(node, "PUT", url, body(b"12345", b"67890"), Content_Type=TYPE)).status == 200


async def test_an_upload_that_is_cut_off_leaves_nothing(node: Node, blobs: FolderBlobs) -> None:
    _, writer = await asyncio.open_connection("127.0.0.1", node.port)
    writer.write(_put(upload(blobs, 3_000_000), 3_000_000) + CONTENT)
    folder = blobs.path_of(BlobKey("a"))
    assert folder is not None
    drafts = folder.parent / ".drafts"
    await until(lambda: any(drafts.iterdir()))
    writer.transport.abort()
    await until(lambda: not any(drafts.iterdir()))
    assert await blobs.head(NEW) is None


async def test_a_slow_upload_is_finished_and_a_stalled_one_is_not(
    node: Node, blobs: FolderBlobs, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(http_limits, "REQUEST_SECONDS", 0.3)
    reader, writer = await asyncio.open_connection("127.0.0.1", node.port)
    size = 30 * http_limits.UPLOAD_BYTES
    writer.write(_put(upload(blobs, size), size))
    for _ in range(30):
        await asyncio.sleep(0.05)
        writer.write(bytes(http_limits.UPLOAD_BYTES))
    assert (await reader.readuntil(b"\r\n")).startswith(b"HTTP/1.1 200")
    writer.close()
    reader, writer = await asyncio.open_connection("127.0.0.1", node.port)
    writer.write(_put(upload(blobs, 2_000_000), 2_000_000) + CONTENT)
    assert (await asyncio.wait_for(reader.read(), 20)).startswith(b"HTTP/1.1 408")
    writer.close()


async def test_a_slow_tus_upload_is_finished(node: Node, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(http_limits, "REQUEST_SECONDS", 0.3)
    await node.join("ana")
    content = bytes(20 * http_limits.UPLOAD_BYTES)
    announced = {
        "name": "a.bin",
        "size": len(content),
        "type": "application/octet-stream",
        "sha256": sha256(content).hexdigest(),
    }
    created = await node.call("ana", "POST", "/files", announced)
    reader, writer = await asyncio.open_connection("127.0.0.1", node.port)
    head = (
        f"PATCH {created['upload']['url']} HTTP/1.1\r\nHost: greenroom\r\n"
        "Tus-Resumable: 1.0.0\r\nUpload-Offset: 0\r\n"
        f"Content-Type: application/offset+octet-stream\r\nContent-Length: {len(content)}\r\n\r\n"
    )
    writer.write(head.encode())
    for _ in range(20):
        await asyncio.sleep(0.05)
        writer.write(bytes(http_limits.UPLOAD_BYTES))
    assert (await reader.readuntil(b"\r\n")).startswith(b"HTTP/1.1 204")
    writer.close()


async def test_too_many_uploads_at_once_are_refused(
    tmp_path: Path, clock: ManualClock, blobs: FolderBlobs, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(long_uploads, "MOST", 1)
    async with serving(tmp_path, clock=clock, blobs=blobs) as node:
        _, writer = await asyncio.open_connection("127.0.0.1", node.port)
        writer.write(_put(upload(blobs, 10), 10))
        url = upload(blobs, 5)

        async def until_status(wanted: int) -> None:
            while (await ask(node, "PUT", url, b"bytes", Content_Type=TYPE)).status != wanted:
                pass

        await asyncio.wait_for(until_status(503), 20)
        writer.write(b"0123456789")
        await asyncio.wait_for(until_status(200), 20)
        writer.close()


async def test_one_sender_does_not_take_the_place_of_others(
    node: Node, blobs: FolderBlobs, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(long_uploads, "MOST_OF_ONE", 2)
    await node.person("ana")
    await node.person("ben")

    async def slow_upload(by: str) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        announced = {"name": "a.txt", "size": 10, "sha256": sha256(b"0123456789").hexdigest()}
        created = await node.call(by, "POST", "/files", announced)
        reader, writer = await asyncio.open_connection("127.0.0.1", node.port)
        head = (
            f"PATCH {created['upload']['url']} HTTP/1.1\r\nHost: greenroom\r\n"
            "Tus-Resumable: 1.0.0\r\nUpload-Offset: 0\r\n"
            "Content-Type: application/offset+octet-stream\r\nContent-Length: 10\r\n\r\n"
        )
        writer.write(head.encode())
        await asyncio.sleep(0.1)
        return reader, writer

    running = [await slow_upload("ana") for _ in range(2)]
    reader, writer = await slow_upload("ana")
    assert (await reader.readuntil(b"\r\n")).startswith(b"HTTP/1.1 429")
    writer.close()
    reader, writer = await slow_upload("ben")
    for one_reader, one_writer in (*running, (reader, writer)):
        one_writer.write(b"0123456789")
        assert (await one_reader.readuntil(b"\r\n")).startswith(b"HTTP/1.1 204")
        one_writer.close()


async def test_an_upload_does_not_fill_memory_when_the_disk_is_slow(
    node: Node, blobs: FolderBlobs
) -> None:
    """Eight slow jobs occupy every thread that writes to the disk."""
    gate = asyncio.Event()
    loop = asyncio.get_running_loop()
    waiting = [asyncio.create_task(blobs._threads.run(_until_set, gate, loop)) for _ in range(8)]
    await asyncio.sleep(0.1)
    size = 64 * 2**20
    _, writer = await asyncio.open_connection("127.0.0.1", node.port)
    writer.write(_put(upload(blobs, size), size))
    assert await _sent_until_held_up(writer, size) < 16 * 2**20
    gate.set()
    await asyncio.gather(*waiting)
    writer.transport.abort()


async def _sent_until_held_up(writer: asyncio.StreamWriter, size: int) -> int:
    for sent in range(0, size, len(CONTENT)):
        writer.write(CONTENT)
        try:
            await asyncio.wait_for(writer.drain(), 1)
        except TimeoutError:
            return sent
    return size


def _until_set(gate: asyncio.Event, loop: asyncio.AbstractEventLoop) -> None:
    asyncio.run_coroutine_threadsafe(_wait(gate), loop).result()


async def _wait(gate: asyncio.Event) -> None:
    await gate.wait()


def _put(url: str, size: int) -> bytes:
    head = f"PUT {url} HTTP/1.1\r\nHost: greenroom\r\nContent-Type: {TYPE}\r\n"
    return f"{head}Content-Length: {size}\r\n\r\n".encode()

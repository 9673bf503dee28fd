"""Scans with a server that is not what it should be: nothing that it says makes a file clean."""

import asyncio
import os
import resource
import time
from collections.abc import AsyncIterator
from hashlib import sha256
from pathlib import Path

import pytest
from msgspec.structs import replace

from greenroom.blobs.base import BlobKey
from greenroom.blobs.folder import FolderBlobs, pieces
from greenroom.blobs.folder.stored import OpenBlob
from greenroom.clock import ManualClock
from greenroom.files.clamd import Address, Clamd, Timeouts, address_of
from greenroom.files.read_bytes import read_bytes
from greenroom.files.scanner import Clean, Infected, ScannerUnavailable, Unscannable
from greenroom.files.scanner_gaps import log_gaps
from tests.files.hostile_clamd import Behave, answering, read_file, serving
from tests.files.scan_content import of, zeros

QUICK = Timeouts(connect=0.5, send=0.5, reply=0.5, whole=1.5)


@pytest.mark.parametrize(
    "reply",
    [
        b"",
        b"\0",
        b"OK\0",
        b"stream: OK",
        b"stream: O",
        b"stream: ok\0",
        b"stream: OK FOUND ERROR\0",
        b"stream: FOUND\0",
        b"HTTP/1.1 200 OK\r\n\r\nstream: OK\0",
        b"\xff\xfe\x00\x00",
        b"UNKNOWN COMMAND\0",
        b"stream: Can't allocate memory ERROR\0",
        b"COMMAND READ TIMED OUT\0",
        b"x" * 100_000,
        b"x" * 100_000 + b"\0",
    ],
)
async def test_an_answer_that_is_no_result_makes_nothing_clean(reply: bytes) -> None:
    async with serving(answering(reply)) as address:
        try:
            outcome = await Clamd(address, QUICK).scan(of(b"content"))
        except ScannerUnavailable:
            return
        assert isinstance(outcome, Unscannable)


async def test_whole_answers_are_understood() -> None:
    for reply, outcome in (
        (b"stream: OK\0", Clean()),
        (b"stream: Win.Test-1 FOUND\0", Infected("Win.Test-1")),
        (b"stream: <b>\xe2\x80\xae\n evil FOUND\0", Infected("bevil")),
        (b"stream: " + b"x" * 5000 + b" FOUND\0", Infected("x" * 100)),
        (
            b"stream: Heuristics.Encrypted.PDF FOUND\0",
            Unscannable("the scanner cannot look into an encrypted file"),
        ),
    ):
        async with serving(answering(reply)) as address:
            assert await Clamd(address, QUICK).scan(of(b"content")) == outcome


async def test_an_answer_before_the_last_byte_makes_nothing_clean() -> None:
    async def early(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read(10)
        writer.write(b"stream: OK\0")
        await read_file(reader)

    async with serving(early) as address:
        with pytest.raises(ScannerUnavailable):
            await Clamd(address, QUICK).scan(zeros(30_000_000))


async def test_an_endless_answer_is_not_kept_in_memory() -> None:
    async def endless(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await read_file(reader)
        while True:
            writer.write(b"x" * 65_536)
            await writer.drain()

    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    async with serving(endless) as address:
        with pytest.raises(ScannerUnavailable):
            await Clamd(address, QUICK).scan(of(b"content"))
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 20_000


async def test_a_scanner_that_never_answers_has_taken_too_long() -> None:
    async def silent(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await read_file(reader)
        await asyncio.sleep(5)

    async with serving(silent) as address:
        outcome = await Clamd(address, QUICK).scan(of(b"content"))
        assert outcome == Unscannable("the scanner took too long")


async def test_a_scanner_that_answers_nothing_at_all_is_unavailable() -> None:
    async def silent(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await read_file(reader)
        await asyncio.sleep(5)

    async with serving(silent, version=b"") as address:
        with pytest.raises(ScannerUnavailable):
            await Clamd(address, QUICK).scan(of(b"content"))


async def test_a_scanner_that_reads_nothing_is_unavailable_and_memory_stays_small() -> None:
    async def deaf(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await asyncio.sleep(5)

    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    async with serving(deaf) as address:
        with pytest.raises(ScannerUnavailable):
            await Clamd(address, QUICK).scan(zeros(1_000_000_000))
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 20_000


async def test_a_scanner_that_reads_slowly_has_taken_too_long() -> None:
    async def slow(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        for _ in range(1000):
            await reader.read(400_000)
            await asyncio.sleep(0.05)

    async with serving(slow) as address:
        outcome = await Clamd(address, QUICK).scan(zeros(1_000_000_000))
        assert outcome == Unscannable("the scanner took too long")


def leaving_after(count: int) -> Behave:
    async def scan(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readexactly(count)
        writer.transport.abort()

    return scan


async def test_a_scanner_that_hangs_up_in_a_large_file_does_not_accept_its_size() -> None:
    async with serving(leaving_after(3_000_000)) as address:
        outcome = await Clamd(address, QUICK).scan(zeros(30_000_000))
        assert outcome == Unscannable("the scanner does not accept a file of this size")


async def test_a_scanner_that_hangs_up_at_once_is_in_trouble() -> None:
    """No scanner has such a limit: the file is scanned later."""

    async def leaving(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.transport.abort()

    async def slowly() -> AsyncIterator[bytes]:
        for _ in range(10):
            yield bytes(10_000)
            await asyncio.sleep(0.02)

    async with serving(leaving) as address:
        with pytest.raises(ScannerUnavailable):
            await Clamd(address, QUICK).scan(slowly)


async def test_a_scanner_that_dies_of_a_file_cannot_check_it() -> None:
    async with serving(answering(b"")) as address:
        outcome = await Clamd(address, QUICK).scan(of(b"content"))
        assert outcome == Unscannable("the scanner failed on it")


@pytest.mark.parametrize(
    ("url", "address"),
    [
        ("clamd://scanner:3310", Address("scanner", 3310)),
        ("clamd://scanner", Address("scanner", 3310)),
        ("clamd://[::1]:99", Address("::1", 99)),
        ("clamd:///run/clamd.sock", Address(path="/run/clamd.sock")),
    ],
)
def test_addresses_are_read(url: str, address: Address) -> None:
    assert address_of(url) == address


@pytest.mark.parametrize(
    "url",
    [
        "clamd:",
        "clamd://",
        "clamd:///",
        "http://scanner:3310",
        "clamd://user@scanner",
        "clamd://scanner:0",
        "clamd://scanner:99999",
        "clamd://scanner:port",
        "clamd://scanner/path",
        "clamd://scanner?x=1",
        "clamd://[::1",
        "scanner:3310",
    ],
)
def test_other_addresses_are_refused(url: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        address_of(url)


@pytest.mark.parametrize("is_local", [True, False])
async def test_the_checksum_is_of_all_bytes_also_after_a_scan_that_took_too_long(
    is_local: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The scan is cancelled in the middle of a read, on a slow disk."""
    read = pieces._read_at

    def slowly(blob: OpenBlob, count: int, at: int) -> bytes:
        time.sleep(0.05)
        return read(blob, count, at)

    monkeypatch.setattr(pieces, "_read_at", slowly)
    if not is_local:
        monkeypatch.setattr(FolderBlobs, "path_of", lambda blobs, key: None)
    content, key = os.urandom(4_000_000), BlobKey("threads/t/attachments/f")
    blobs = FolderBlobs(tmp_path / "blobs", b"s" * 32, ManualClock())
    await blobs.put(key, content, "text/plain")
    async with serving(answering(b"stream: OK\0")) as address:
        scanner = Clamd(address, replace(QUICK, whole=0.2))
        found = await read_bytes(blobs, key, most=len(content), scanner=scanner, folder=tmp_path)
    await blobs.close()
    assert found is not None
    assert isinstance(found.scan, Unscannable)
    assert (found.size, found.sha256) == (len(content), sha256(content).hexdigest())
    assert found.path.read_bytes() == content


async def test_the_log_has_what_a_scanner_lets_through(caplog: pytest.LogCaptureFixture) -> None:
    async with serving(answering(b"stream: OK\0")) as address:
        await log_gaps(Clamd(address, QUICK))
    assert [record.levelname for record in caplog.records] == ["ERROR"] * 3
    assert "EICAR" in caplog.text
    caplog.clear()
    await log_gaps(Clamd(Address("127.0.0.1", 9), QUICK))
    assert [record.levelname for record in caplog.records] == ["WARNING"]
    assert "no file gets ready" in caplog.text

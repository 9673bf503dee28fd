"""Scans with ClamAV's own daemon."""

import asyncio
import os
import signal
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from greenroom.files.clamd import Clamd, Timeouts, address_of
from greenroom.files.scanner import Clean, Infected, Scanner, ScannerUnavailable, Unscannable
from greenroom.files.scanner_gaps import EICAR, encrypted_zip, gaps, nested_zip, zipped
from scripts import engines
from scripts.engines import clamd as engine
from scripts.engines.clamd import FILE_MAX, SIGNATURE, STREAM_MAX
from tests.files.scan_content import of, pdf_with, zeros


@pytest.fixture
def scanner(clamd_url: str) -> Scanner:
    return Clamd(address_of(clamd_url))


@pytest.fixture
def own_clamd() -> Iterator[engines.Engine]:
    """One that a test may stop."""
    try:
        started = engine.start()
    except engines.Unavailable as reason:
        pytest.skip(str(reason))
    yield started
    started.stop()


async def test_the_scanner_says_its_version(scanner: Scanner) -> None:
    assert (await scanner.version()).startswith("ClamAV ")


@pytest.mark.parametrize(
    "content",
    [b"", b"hello", b"PK\x03\x04 not a zip", bytes(range(256)) * 4000],
    ids=["empty", "text", "broken zip", "1 MB"],
)
async def test_harmless_files_are_clean(scanner: Scanner, content: bytes) -> None:
    assert await scanner.scan(of(content)) == Clean()


async def test_a_file_in_many_small_pieces_is_clean(scanner: Scanner) -> None:
    assert await scanner.scan(of(*[b"ab"] * 5000)) == Clean()


@pytest.mark.parametrize(
    "content",
    [EICAR, zipped(EICAR), zipped(zipped(EICAR)), pdf_with(EICAR), bytes(3_000_000) + EICAR],
    ids=["plain", "in a zip", "in a zip in a zip", "in a PDF", "at the end of 3 MB"],
)
async def test_the_test_virus_is_found(scanner: Scanner, content: bytes) -> None:
    assert await scanner.scan(of(content)) == Infected(SIGNATURE)


async def test_the_test_virus_is_found_across_pieces(scanner: Scanner) -> None:
    pieces = [EICAR[at : at + 1] for at in range(len(EICAR))]
    assert await scanner.scan(of(*pieces)) == Infected(SIGNATURE)


async def test_encrypted_files_are_unscannable(scanner: Scanner) -> None:
    assert await scanner.scan(of(encrypted_zip())) == Unscannable(
        "the scanner cannot look into an encrypted file"
    )


@pytest.mark.parametrize("size", [FILE_MAX + 1, FILE_MAX + 5_000_000])
async def test_a_file_larger_than_is_checked_is_unscannable(scanner: Scanner, size: int) -> None:
    outcome = await scanner.scan(zeros(size))
    assert outcome == Unscannable("the scanner cannot look into all of it")


async def test_a_file_nested_too_deeply_is_unscannable(scanner: Scanner) -> None:
    outcome = await scanner.scan(of(nested_zip(25)))
    assert outcome == Unscannable("the scanner cannot look into all of it")


@pytest.mark.parametrize("more", [1, 1_000_000, 200_000_000])
async def test_a_file_larger_than_the_stream_limit_is_unscannable(
    scanner: Scanner, more: int
) -> None:
    """Whether clamd's reason arrives before the connection is reset, or not."""
    for _ in range(3):
        outcome = await scanner.scan(zeros(STREAM_MAX + more))
        assert outcome == Unscannable("the scanner does not accept a file of this size")


async def test_this_scanner_has_no_gaps(scanner: Scanner) -> None:
    assert await gaps(scanner) == []


async def test_many_files_are_scanned_at_once(scanner: Scanner) -> None:
    files = [of(b"harmless"), of(EICAR), zeros(2_000_000)] * 10
    found = await asyncio.gather(*map(scanner.scan, files))
    assert found == [Clean(), Infected(SIGNATURE), Clean()] * 10


async def test_a_unix_socket_works_as_well(own_clamd: engines.Engine, tmp_path: Path) -> None:
    """Through a relay, because the engine listens on TCP."""
    address = address_of(own_clamd.url)

    async def relay(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        other_reader, other_writer = await asyncio.open_connection(address.host, address.port)
        await asyncio.gather(_copy(reader, other_writer), _copy(other_reader, writer))

    server = await asyncio.start_unix_server(relay, tmp_path / "clamd.sock")
    async with server:
        scanner = Clamd(address_of(f"clamd://{tmp_path}/clamd.sock"))
        assert await scanner.scan(of(EICAR)) == Infected(SIGNATURE)
        assert await scanner.scan(of(b"harmless")) == Clean()


async def _copy(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    try:
        while piece := await reader.read(65_536):
            writer.write(piece)
            await writer.drain()
        writer.write_eof()
    except OSError:
        writer.transport.abort()


async def test_a_scanner_that_is_killed_in_between_is_unavailable(
    own_clamd: engines.Engine,
) -> None:
    async def dying() -> AsyncIterator[bytes]:
        yield bytes(1_000_000)
        own_clamd.process.kill()
        own_clamd.process.wait()
        for _ in range(8):
            yield bytes(1_000_000)

    scanner = Clamd(address_of(own_clamd.url))
    assert await scanner.scan(of(b"before")) == Clean()
    with pytest.raises(ScannerUnavailable):
        await scanner.scan(dying)


async def test_a_file_is_scanned_again_if_the_scanner_was_restarted_in_between(
    own_clamd: engines.Engine,
) -> None:
    address = address_of(own_clamd.url)
    started: list[engines.Engine] = []

    async def restarting() -> AsyncIterator[bytes]:
        yield bytes(1_000_000)
        if not started:
            own_clamd.process.kill()
            own_clamd.process.wait()
            started.append(await asyncio.to_thread(engine.start_at, address.port))
        for _ in range(5):
            yield bytes(1_000_000)
        yield EICAR

    try:
        assert await Clamd(address).scan(restarting) == Infected(SIGNATURE)
    finally:
        for one in started:
            one.stop()


async def test_a_scanner_that_hangs_is_unavailable(own_clamd: engines.Engine) -> None:
    timeouts = Timeouts(connect=0.3, send=0.5, reply=0.5, whole=5)
    scanner = Clamd(address_of(own_clamd.url), timeouts)
    os.kill(own_clamd.process.pid, signal.SIGSTOP)
    try:
        for content in (of(b"small"), zeros(18_000_000)):
            with pytest.raises(ScannerUnavailable):
                await scanner.scan(content)
    finally:
        os.kill(own_clamd.process.pid, signal.SIGCONT)


async def test_a_scanner_that_is_not_there_is_unavailable(tmp_path: Path) -> None:
    for url in ("clamd://127.0.0.1:1", f"clamd://{tmp_path}/none.sock"):
        with pytest.raises(ScannerUnavailable, match="cannot be reached"):
            await Clamd(address_of(url)).scan(of(b"anything"))


async def test_what_the_content_raises_is_raised(scanner: Scanner) -> None:
    async def failing() -> AsyncIterator[bytes]:
        yield b"some"
        raise FileNotFoundError("the blob is gone")

    with pytest.raises(FileNotFoundError):
        await scanner.scan(failing)

"""The decoder process and its children: what limits them, and how they end."""

import asyncio
import os
import signal
import sys
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from functools import partial
from pathlib import Path

import pytest

from greenroom.files.decoder import client, ffmpeg, landlock
from greenroom.files.decoder.client import Decoder, DecoderFailed, Outcome, TooComplex
from greenroom.files.decoder.jobs import UNKNOWN, Decoded
from greenroom.files.decoder.problems import NotDecodable
from greenroom.files.models import Media
from greenroom.files.python_process import start_python
from tests.files import breaking_decoder, documents, pictures, recordings
from tests.files.pictures import saved, scene

MOST_PIXELS = 90_000_000


@asynccontextmanager
async def decoder(
    *, workers: int = 1, memory_mb: int = 2000, cpu_seconds: int = 40
) -> AsyncIterator[Decoder]:
    one = Decoder(workers=workers, memory_bytes=memory_mb * 1_000_000, cpu_seconds=cpu_seconds)
    try:
        yield one
    finally:
        await one.close()


async def decoded(one: Decoder, folder: Path, content: bytes, name: str = "file") -> Outcome:
    path, made = folder / name, folder / f"{name}-made"
    await asyncio.to_thread(_prepare, path, made, content)
    return await one.decode(path, made, size=len(content), max_pixels=MOST_PIXELS)


def _prepare(path: Path, made: Path, content: bytes) -> None:
    path.write_bytes(content)
    made.mkdir()


def _processes(under: int) -> list[int]:
    """The processes that descend from one."""
    parents: dict[int, int] = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            state, parent = stat.read_text().rpartition(")")[2].split()[:2]
            if state != "Z":
                parents[int(stat.parent.name)] = int(parent)
    ours, grew = {under}, True
    while grew:
        more = {pid for pid, parent in parents.items() if parent in ours} - ours
        ours, grew = ours | more, bool(more)
    return sorted(ours - {under})


async def until(holds: Callable[[], bool], seconds: float = 20) -> None:
    deadline = time.monotonic() + seconds
    while not await asyncio.to_thread(holds):
        assert time.monotonic() < deadline, "it does not come"
        await asyncio.sleep(0.05)


def _is_alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


async def test_nothing_runs_before_the_first_file() -> None:
    before = _processes(os.getpid())
    async with decoder():
        assert _processes(os.getpid()) == before


async def test_a_decoder_process_that_was_killed_is_started_again(tmp_path: Path) -> None:
    others = _processes(os.getpid())
    async with decoder() as one:
        picture = saved(scene(), "JPEG")
        assert isinstance(await decoded(one, tmp_path, picture, "first"), Decoded)
        [pid] = set(_processes(os.getpid())) - set(others)
        os.kill(pid, signal.SIGKILL)
        await until(lambda: not _is_alive(pid))
        assert isinstance(await decoded(one, tmp_path, picture, "second"), Decoded)


async def test_jobs_of_a_decoder_process_that_is_killed_fail_at_once(tmp_path: Path) -> None:
    others = set(_processes(os.getpid()))
    async with decoder() as one:
        job = asyncio.create_task(decoded(one, tmp_path, documents.pdf_that_draws_forever()))
        await until(lambda: len(set(_processes(os.getpid())) - others) >= 2)
        started = set(_processes(os.getpid())) - others
        os.kill(min(started), signal.SIGKILL)
        with pytest.raises(DecoderFailed):
            await job
        await until(lambda: not any(map(_is_alive, started)))


async def test_a_job_that_is_cancelled_leaves_no_process(tmp_path: Path) -> None:
    others = set(_processes(os.getpid()))
    async with decoder() as one:
        job = asyncio.create_task(decoded(one, tmp_path, documents.pdf_that_draws_forever()))
        await until(lambda: len(set(_processes(os.getpid())) - others) >= 2)
        job.cancel()
        with pytest.raises(asyncio.CancelledError):
            await job
        await until(lambda: len(set(_processes(os.getpid())) - others) == 1)
        picture = saved(scene(), "JPEG")
        assert isinstance(await decoded(one, tmp_path, picture, "next"), Decoded)


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux limits privileges")
@pytest.mark.parametrize("kind", ["pdf", "video"])
async def test_what_decodes_a_file_has_limits_and_no_privileges(tmp_path: Path, kind: str) -> None:
    """Also the programs that it starts."""
    is_video = kind == "video"
    content = recordings.video(30, "1920x1080") if is_video else documents.pdf_that_draws_forever()
    others = set(_processes(os.getpid()))
    async with decoder(memory_mb=1500, cpu_seconds=30) as one:
        job = asyncio.create_task(decoded(one, tmp_path, content))

        def limited() -> list[int]:
            new = set(_processes(os.getpid())) - others
            return [pid for pid in new if _status(pid).get("NoNewPrivs") == "1"]

        await until(lambda: len(limited()) >= (2 if is_video else 1))
        for pid in limited():
            limits = _limits(pid)
            if not limits:
                continue  # a program that has just ended
            assert limits["Max address space"] == "1500000000"
            assert limits["Max cpu time"] == ("90" if is_video else "30")
            assert limits["Max file size"] == "64000000"
            assert _status(pid)["CapEff"].strip("0") == ""
            if os.geteuid() == 0:
                assert os.readlink(f"/proc/{pid}/ns/net") != os.readlink("/proc/self/ns/net")
        job.cancel()
        await asyncio.gather(job, return_exceptions=True)


def _status(pid: int) -> dict[str, str]:
    try:
        lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    except OSError:
        return {}
    return {name: value.strip() for name, _, value in (line.partition(":") for line in lines)}


def _limits(pid: int) -> dict[str, str]:
    """The soft ones."""
    try:
        lines = Path(f"/proc/{pid}/limits").read_text().splitlines()
    except OSError:
        return {}
    return {line[:25].strip(): line[26:46].strip() for line in lines}


async def test_a_picture_that_takes_too_much_memory_is_refused(tmp_path: Path) -> None:
    async with decoder(memory_mb=300) as one:
        big = pictures.png_bomb(9_000)
        assert await decoded(one, tmp_path, big, "big") == TooComplex("memory")
        assert one.used.most_memory_bytes < 300_000_000
        small = await decoded(one, tmp_path, saved(scene(), "JPEG"), "small")
        assert isinstance(small, Decoded)


async def test_the_largest_picture_that_is_allowed_is_decoded(tmp_path: Path) -> None:
    async with decoder() as one:
        found = await decoded(one, tmp_path, pictures.png_bomb(9_480))
        assert isinstance(found, Decoded)
        assert found.width * found.height == 89_870_400
        assert one.used.most_memory_bytes < 1_000_000_000


async def test_a_document_that_takes_too_much_time_has_no_preview(tmp_path: Path) -> None:
    async with decoder(cpu_seconds=1) as one:
        found = await decoded(one, tmp_path, documents.pdf_that_draws_forever())
        assert found == Decoded(type="application/pdf", media=Media.PDF)
        assert one.used.cpu_seconds < 5


@pytest.mark.parametrize("how", breaking_decoder.WAYS)
async def test_a_file_whose_type_cannot_be_found_is_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, how: str
) -> None:
    """The decoder would break on it again, so it is not tried again."""
    start = partial(start_python, breaking_decoder.__name__, how)
    monkeypatch.setattr(client, "start_python", lambda _, **options: start(**options))
    async with decoder(cpu_seconds=1) as one:
        assert await decoded(one, tmp_path, b"PK\x03\x04") == Decoded(type=UNKNOWN)


async def test_no_more_jobs_run_than_there_are_workers(tmp_path: Path) -> None:
    async with decoder(workers=2) as one:
        picture = saved(scene(), "JPEG")
        jobs = [
            asyncio.create_task(decoded(one, tmp_path, picture, str(number))) for number in range(5)
        ]
        await until(lambda: one.waiting == 3)
        assert all(isinstance(found, Decoded) for found in await asyncio.gather(*jobs))
        assert one.waiting == 0


async def test_videos_leave_a_place_for_pictures(tmp_path: Path) -> None:
    async with decoder(workers=1) as one:
        long = recordings.video(10, "1280x720")
        videos = [
            asyncio.create_task(decoded(one, tmp_path, long, f"video{number}"))
            for number in range(3)
        ]
        await until(lambda: one.waiting >= 2)
        picture = await decoded(one, tmp_path, saved(scene(), "JPEG"), "picture")
        assert isinstance(picture, Decoded)
        assert not all(video.done() for video in videos)
        for video in videos:
            video.cancel()
        await asyncio.gather(*videos, return_exceptions=True)


_NODE = """
import asyncio, sys
from pathlib import Path
from greenroom.files.decoder.client import Decoder
async def main():
    one = Decoder(workers=1, memory_bytes=2_000_000_000, cpu_seconds=100)
    await one.decode(Path(sys.argv[1]), Path(sys.argv[2]), size=1, max_pixels=10**8)
asyncio.run(main())
"""


@pytest.mark.parametrize("kind", ["pdf", "video"])
async def test_all_processes_end_with_a_node_that_is_killed(tmp_path: Path, kind: str) -> None:
    content = documents.pdf_that_draws_forever()
    if kind == "video":
        content = recordings.video(30, "1920x1080")
    await asyncio.to_thread(_prepare, tmp_path / "file", tmp_path / "made", content)
    environment = os.environ | {
        "GREENROOM_SECRET": "a secret that no child may see",
        "PYTHONPATH": ".",
    }
    node = await asyncio.create_subprocess_exec(
        *(sys.executable, "-c", _NODE, str(tmp_path / "file"), str(tmp_path / "made")),
        env=environment,
    )
    wanted = 3 if kind == "video" else 2
    await until(lambda: len(_processes(node.pid)) >= wanted)
    started = _processes(node.pid)
    for pid in started:
        assert b"GREENROOM" not in _environment(pid)
    node.kill()
    await node.wait()
    await until(lambda: not any(map(_is_alive, started)))


def _environment(pid: int) -> bytes:
    try:
        return Path(f"/proc/{pid}/environ").read_bytes()
    except (FileNotFoundError, ProcessLookupError):  # a short step of the video has ended
        return b""


_CHILD = """
import os, socket, sys
from pathlib import Path
from greenroom.files.decoder import isolation
file, folder, other = map(Path, sys.argv[1:4])
isolation.leave_network()
isolation.limit(memory_bytes=10**9, cpu_seconds=5, file_bytes=1000)
isolation.drop_privileges(readable=(file,), writable=folder)
def refused(act):
    try:
        act()
    except OSError:
        return True
    return False
print(
    file.read_bytes() == b"mine",
    refused(other.read_bytes),
    refused(lambda: Path("/etc/passwd").read_bytes()),
    refused(lambda: os.listdir("/")),
    refused(lambda: file.write_bytes(b"x")),
    refused(lambda: os.link(other, folder / "link")),
    refused(lambda: (folder / "large").write_bytes(bytes(2000))),
    refused(lambda: socket.create_connection(("127.0.0.1", int(sys.argv[4])), 2)),
    (folder / "small").write_bytes(b"fine") == 4,
)
"""


@pytest.mark.skipif(landlock.version() < 4, reason="this kernel has no Landlock with network rules")
async def test_a_child_reaches_nothing_but_its_file_and_folder(tmp_path: Path) -> None:
    for name, content in (("file", b"mine"), ("other", b"not mine")):
        (tmp_path / name).write_bytes(content)
    (tmp_path / "folder").mkdir()
    paths = [str(tmp_path / name) for name in ("file", "folder", "other")]
    async with _listening() as (port, visitors):
        child = await asyncio.create_subprocess_exec(
            *(sys.executable, "-c", _CHILD, *paths, str(port)),
            stdout=asyncio.subprocess.PIPE,
            env=os.environ | {"PYTHONPATH": "."},
        )
        said, _ = await child.communicate()
        assert said.split() == [b"True"] * 9
        assert visitors == []


@asynccontextmanager
async def _listening() -> AsyncIterator[tuple[int, list[str]]]:
    visitors = list[str]()

    async def note(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        visitors.append("somebody")
        writer.close()

    server = await asyncio.start_server(note, "127.0.0.1", 0)
    async with server:
        yield server.sockets[0].getsockname()[1], visitors


@pytest.mark.parametrize("kind", recordings.PLAYLISTS)
async def test_ffmpeg_follows_no_playlist(tmp_path: Path, kind: str) -> None:
    """Not even if the type of the file were found wrongly: ffmpeg itself is asked here."""
    recordings.ffmpeg()
    async with _listening() as (port, visitors):
        for target in (f"http://127.0.0.1:{port}/x.ts", "file:///etc/passwd"):
            path = tmp_path / "playlist"
            path.write_bytes(recordings.playlist(kind, target))
            for format in ("mov", "matroska", "ogg"):
                assert b"root:" not in await asyncio.to_thread(_read_anyway, path, format)
        assert visitors == []


def _read_anyway(path: Path, format: str) -> bytes:
    with suppress(NotDecodable):
        ffmpeg.probe(path, format)
    with suppress(NotDecodable):
        return ffmpeg.ffmpeg((*ffmpeg.source(path, format), "-f", "data", "pipe:1"), seconds=30)
    return b""

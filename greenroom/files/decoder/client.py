"""Runs jobs in the decoder process, which it starts with the first one and again when it has died.

Pictures and documents go past videos and sounds, which take longer: those have fewer slots.
"""

import asyncio
import logging
import os
import stat
from contextlib import suppress
from itertools import count
from pathlib import Path
from typing import TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from greenroom.files.decoder.jobs import (
    PIXELS,
    UNKNOWN,
    Answer,
    Broken,
    Cancel,
    Decoded,
    DiskFull,
    Job,
    LocationStays,
    MetadataStays,
    NeedsTime,
    Reply,
    TooManyPixels,
    decode_reply,
    encode,
)
from greenroom.files.decoder.slots import Slots
from greenroom.files.models import Media, Variant
from greenroom.files.python_process import end_python, start_python

_LINE_BYTES = 2_000_000
_SLACK_SECONDS = 30
_log = logging.getLogger(__name__)


class DecoderFailed(Exception):
    """The file may be fine: it is to be tried again."""


class TooComplex(Struct, frozen=True):
    """A picture that takes more memory or time than a child is given."""

    reason: str


Outcome: TypeAlias = Decoded | TooManyPixels | TooComplex | LocationStays | MetadataStays


class Used:
    """What the children have used so far."""

    def __init__(self) -> None:
        self.most_memory_bytes = 0
        self.cpu_seconds = 0.0

    def add(self, reply: Reply) -> None:
        self.most_memory_bytes = max(self.most_memory_bytes, reply.memory_bytes)
        self.cpu_seconds += reply.cpu_seconds


class Decoder:
    def __init__(self, *, workers: int, memory_bytes: int, cpu_seconds: int = 40) -> None:
        """`memory_bytes` and `cpu_seconds` are for one picture; a video has three times the CPU."""
        self._memory_bytes = memory_bytes
        self._cpu_seconds = cpu_seconds
        self._light = Slots(workers)
        self._heavy = Slots(max(1, workers // 2))
        self._ids = count(1)
        self._starting = asyncio.Lock()
        self._process: _Process | None = None
        self.used = Used()

    @property
    def waiting(self) -> int:
        """Jobs that wait for a slot."""
        return self._light.waiting + self._heavy.waiting

    async def decode(
        self, path: Path, folder: Path, *, size: int, max_pixels: int, owner: str = ""
    ) -> Outcome:
        """Writes the previews to `folder`, each under the name of its variant. Owners have their
        files decoded in turns."""
        job = self._job(path, folder, size, max_pixels)
        answer = await self._answer(job, self._light, owner)
        if isinstance(answer, NeedsTime):
            heavy = replace(job, id=next(self._ids), is_heavy=True)
            answer = await self._answer(heavy, self._heavy, owner)
        outcome = _outcome(answer)
        if isinstance(outcome, Decoded):
            _check_files(outcome, folder)
        return outcome

    def _job(self, path: Path, folder: Path, size: int, max_pixels: int) -> Job:
        return Job(
            id=next(self._ids),
            path=str(path.absolute()),
            folder=str(folder.absolute()),
            size=size,
            max_pixels=max_pixels,
            memory_bytes=self._memory_bytes,
            cpu_seconds=self._cpu_seconds,
        )

    async def close(self) -> None:
        process, self._process = self._process, None
        if process is not None:
            await process.close()

    async def _answer(self, job: Job, slots: Slots, owner: str) -> Answer:
        async with slots.slot(owner):
            process = await self._running()
            try:
                async with asyncio.timeout(job.seconds + _SLACK_SECONDS):
                    reply = await process.answer(job)
                self.used.add(reply)
                return reply.answer
            except TimeoutError:
                await process.close()
                raise DecoderFailed("the decoder process does not answer") from None

    async def _running(self) -> "_Process":
        async with self._starting:
            if self._process is None or self._process.has_ended:
                self._process = await _Process.start()
            return self._process


class _Process:
    """A decoder process, and the jobs that it has not answered."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process
        self._waiting: dict[int, asyncio.Future[Reply]] = {}
        self._reading = asyncio.create_task(self._read())

    @classmethod
    async def start(cls) -> "_Process":
        return cls(await start_python("greenroom.files.decoder", most_line=_LINE_BYTES))

    @property
    def has_ended(self) -> bool:
        return self._reading.done()

    async def answer(self, job: Job) -> Reply:
        waiting: asyncio.Future[Reply] = asyncio.get_running_loop().create_future()
        self._waiting[job.id] = waiting
        try:
            self._send(job)
            return await waiting
        except asyncio.CancelledError:
            with suppress(DecoderFailed):
                self._send(Cancel(job.id))
            raise
        finally:
            self._waiting.pop(job.id, None)

    async def close(self) -> None:
        await end_python(self._process)
        await asyncio.gather(self._reading, return_exceptions=True)

    def _send(self, what: Job | Cancel) -> None:
        assert self._process.stdin is not None
        if self.has_ended or self._process.stdin.is_closing():
            raise DecoderFailed("the decoder process has ended")
        self._process.stdin.write(encode(what) + b"\n")

    async def _read(self) -> None:
        assert self._process.stdout is not None
        try:
            while line := await self._process.stdout.readline():
                reply = decode_reply(line)
                waiting = self._waiting.get(reply.id)
                if waiting is not None and not waiting.done():
                    waiting.set_result(reply)
        finally:
            if self._process.returncode is None:
                self._process.kill()
            for waiting in self._waiting.values():
                if not waiting.done():
                    waiting.set_exception(DecoderFailed("the decoder process has died"))


def _outcome(answer: Answer) -> Outcome:
    if isinstance(answer, Broken):
        return _of_broken(answer)
    if isinstance(answer, DiskFull):
        raise DecoderFailed("the disk is full or cannot be written")
    if isinstance(answer, NeedsTime):
        raise DecoderFailed("wrong answer of a child")
    return answer


def _of_broken(broken: Broken) -> Outcome:
    """What is left of a file whose decoder did not survive it."""
    _log.warning("a decoder did not come to an end: %s", broken)
    sniffed = broken.sniffed
    if sniffed is None or broken.is_outside:
        raise DecoderFailed(broken.reason)
    if sniffed.media is Media.OTHER:
        return Decoded(type=UNKNOWN)
    if sniffed.media is Media.PICTURE:
        return TooComplex(broken.reason)
    if sniffed.media is Media.PDF:
        return Decoded(type=sniffed.type, media=Media.PDF)
    return MetadataStays(UNKNOWN)


def _check_files(decoded: Decoded, folder: Path) -> None:
    """A child that was taken over could leave links to files of ours."""
    names = [made.variant.value for made in decoded.previews]
    if Variant.ORIGINAL.value in names or len(set(names)) != len(names):
        raise DecoderFailed("wrong files of a child")
    for name in (*names, *([PIXELS] if decoded.has_pixels else ())):
        found = os.lstat(folder / name)
        if not stat.S_ISREG(found.st_mode) or found.st_nlink != 1:
            raise DecoderFailed(f"no plain file: {name}")

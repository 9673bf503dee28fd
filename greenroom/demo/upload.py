"""Uploads the files of the demo as their owners would, and has them checked at once.

All contexts of a start share one decoder, which is a process: starting it takes most of the time.
"""

import asyncio
import logging
import urllib.request
from collections.abc import AsyncIterator, Callable
from dataclasses import replace
from hashlib import sha256

from msgspec import Struct

from greenroom.background.models import Timer
from greenroom.files import Files
from greenroom.files.append_upload import append_upload
from greenroom.files.check_file import check_file
from greenroom.files.check_timer import CHECK, LARGE_CHECK, check_kind
from greenroom.files.check_turns import CheckTurns
from greenroom.files.complete_upload import complete_upload
from greenroom.files.create_file import create_file
from greenroom.files.models import File, NewFile
from greenroom.files.pipeline import Pipeline
from greenroom.files.upload_state import InParts, upload_state
from greenroom.ids import FileId, ThreadId
from greenroom.people.actor import Actor

_log = logging.getLogger(__name__)
_PART_SECONDS = 60
_AT_ONCE = {CHECK: 100, LARGE_CHECK: 100}


class SampleFile(Struct, frozen=True):
    name: str
    make: Callable[[], bytes | None]
    """Its bytes; None where it cannot be made on this machine."""
    alt: str = ""


class Uploader:
    def __init__(self) -> None:
        self._shared: Pipeline | None = None

    async def close(self) -> None:
        if self._shared is not None:
            await self._shared.close()

    async def upload(
        self, files: Files, owner: Actor, sample: SampleFile, *, key: str, thread: ThreadId | None
    ) -> FileId | None:
        """The file once it is checked. The same key finds the file of an earlier start."""
        content = await asyncio.to_thread(sample.make)
        if content is None:
            _log.warning("%s is left out: it cannot be made without ffmpeg", sample.name)
            return None
        new = NewFile(
            name=sample.name,
            size=len(content),
            sha256=sha256(content).hexdigest(),
            thread=thread,
        )
        file = await create_file(files, owner, new, key=key)
        await _send(files, owner, file, content)
        checking = replace(files, pipeline=self._pipeline(files))
        await check_file(checking, Timer(check_kind(file), file.id, files.clock.now_ms()))
        return file.id

    def _pipeline(self, files: Files) -> Pipeline:
        """The decoder and folder of the first, and what else belongs to these files' clock."""
        own = files.pipeline
        if self._shared is None:
            self._shared = own
        return replace(
            own, decoder=self._shared.decoder, work=self._shared.work, turns=CheckTurns(_AT_ONCE)
        )


async def _send(files: Files, owner: Actor, file: File, content: bytes) -> None:
    uploading = await upload_state(files, owner, file.id)
    if uploading.state is None:
        return
    if isinstance(uploading.state, InParts):
        for part in uploading.state.missing:
            begin = (part.number - 1) * uploading.state.part_size
            request = urllib.request.Request(
                part.request.url,
                content[begin : begin + part.size],
                dict(part.request.headers),
                method=part.request.method,
            )
            await asyncio.to_thread(_request, request)
        await complete_upload(files, owner, file.id)
        return
    offset = uploading.state.offset
    await append_upload(files, owner, file.id, offset, _pieces(content[offset:]))


def _request(request: urllib.request.Request) -> None:
    with urllib.request.urlopen(request, timeout=_PART_SECONDS):
        pass


async def _pieces(content: bytes) -> AsyncIterator[bytes]:
    yield content

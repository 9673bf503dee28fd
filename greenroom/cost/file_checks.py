"""Cost patterns: checks of uploaded files, by the code that the timer calls, in a real decoder."""

import asyncio
from functools import partial
from hashlib import sha256

from msgspec.structs import replace

from greenroom.background.models import Timer
from greenroom.cost.fixture import Fixture
from greenroom.cost.fixture_files import photo, send_parts
from greenroom.cost.pattern import Act, Pattern
from greenroom.demo.documents import clip
from greenroom.files.check_file import check_file
from greenroom.files.check_timer import check_kind
from greenroom.files.complete_upload import complete_upload
from greenroom.files.create_file import create_file
from greenroom.files.events import FileEvent, FileReady, FileRefused
from greenroom.files.models import FileState, NewFile

TITLE = "Checks of files"
_TEXT = b"What we agreed on: three looks, natural light, two retouched pictures each. "


async def _check(fixture: Fixture, name: str, *, ends: FileState) -> Act:
    ana, content = await fixture.person("ana"), await _content_of(name)
    new = NewFile(name=name, size=len(content), sha256=sha256(content).hexdigest())
    if ends is FileState.REFUSED:
        new = replace(new, sha256="ab" * 32)
    file = await create_file(fixture.files, ana, new)
    await send_parts(fixture, file, content)
    uploaded = await complete_upload(fixture.files, ana, file.id)
    events = list[FileEvent]()
    files = fixture.files_that_check(events.append)
    await files.pipeline.removed.resembling(["0" * 64])  # `learn_removed` is its price

    async def act() -> None:
        try:
            await check_file(files, Timer(check_kind(uploaded), uploaded.id, 0))
        finally:
            await files.close()
        [event] = events
        assert isinstance(event, FileReady | FileRefused)
        assert event.file.state is ends

    return act


async def _content_of(name: str) -> bytes:
    if name.endswith("mp4"):
        return await asyncio.to_thread(clip) or _TEXT  # without ffmpeg there are no previews
    return photo() if name.endswith("jpg") else _TEXT


PATTERNS: tuple[Pattern, ...] = (
    Pattern(
        "check_photo",
        "check a photo: it is ready, with four previews",
        partial(_check, name="DSC_0417.jpg", ends=FileState.READY),
    ),
    Pattern(
        "check_video",
        "check a short video: it is ready, with a poster in four sizes and a clip",
        partial(_check, name="coast road.mp4", ends=FileState.READY),
    ),
    Pattern(
        "check_text",
        "check a file without previews: it is ready",
        partial(_check, name="what we agreed on.txt", ends=FileState.READY),
    ),
    Pattern(
        "check_refused",
        "check a file whose checksum is wrong: it is refused, and its room is given back",
        partial(_check, name="what we agreed on.txt", ends=FileState.REFUSED),
    ),
)

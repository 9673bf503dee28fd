"""Files for the cost patterns: uploads in parts, photos that are ready, and a real photo."""

from functools import cache
from io import BytesIO

from PIL import Image

from greenroom.cost.fixture import Fixture
from greenroom.files import Files, items
from greenroom.files.access import load
from greenroom.files.create_file import create_file
from greenroom.files.models import File, FileState, Media, NewFile, Preview, Scan, Variant
from greenroom.files.rater import LABELS
from greenroom.files.upload_state import InParts, state_of
from greenroom.ids import FileId, ThreadId
from greenroom.people.actor import Actor

_SIZES = (Variant.SMALL, Variant.MEDIUM, Variant.LARGE, Variant.BLURRED)
_UPLOAD_ID = "u" * 128
"""About as long as those of S3."""


@cache
def photo() -> bytes:
    """A JPEG with enough in it to be recognised again."""
    made = BytesIO()
    drawn = Image.effect_mandelbrot((1600, 1200), (-2.0, -1.2, 1.2, 1.2), 60)
    drawn.convert("RGB").save(made, "JPEG")
    return made.getvalue()


async def send_parts(fixture: Fixture, file: File, content: bytes) -> None:
    """As a client does."""
    found = await state_of(fixture.files, file)
    assert isinstance(found.state, InParts)
    assert fixture.blobs is not None
    size = found.state.part_size
    for part in found.state.missing:
        start = (part.number - 1) * size
        await fixture.blobs.send(part.request, content[start : start + size])


async def announced(
    fixture: Fixture, owner: Actor, thread: ThreadId | None = None, *, count: int
) -> list[FileId]:
    new = NewFile(name="DSC_0417.jpg", size=4_812_345, sha256="ab" * 32, thread=thread)
    files = fixture.contexts[Files]
    return [(await create_file(files, owner, new)).id for _ in range(count)]


async def make_ready(
    fixture: Fixture, *ids: FileId, band: int = 0, resembles: FileId | None = None
) -> None:
    """As the check of a photo ends, without its bytes."""
    for file_id in ids:
        before = await load(fixture.contexts[Files], file_id)
        assert before is not None
        after = items.changed(
            before,
            fixture.clock.now_ms(),
            state=FileState.READY,
            upload_id=before.upload_id or _UPLOAD_ID,
            part_size=8_388_608,
            type="image/jpeg",
            media=Media.PICTURE,
            scan=Scan.CLEAN,
            width=4000,
            height=3000,
            thumbhash="1QcSHQRnh493V4dIh4eXh1h4kJUI",
            previews=tuple(Preview(size, "image/webp", 91_234, 640, 480) for size in _SIZES),
            labels=dict.fromkeys(LABELS, 0.0102) | {"neutral": 0.9592},
            perceptual_hash="f" * 64,
            mirrored_hashes=("e" * 64,),
            band=band,
            resembles=resembles,
        )
        await fixture.store.write(items.change_op(after))


async def ready_photo(
    fixture: Fixture,
    owner: Actor,
    thread: ThreadId | None = None,
    *,
    band: int = 0,
    like_removed: bool = False,
) -> FileId:
    """With `like_removed` it resembles a picture that a moderator removed."""
    [file] = await announced(fixture, owner, thread, count=1)
    resembles = fixture.contexts[Files].ids.file() if like_removed else None
    await make_ready(fixture, file, band=band, resembles=resembles)
    return file

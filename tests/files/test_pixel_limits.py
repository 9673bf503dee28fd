"""How many pixels an animation and a video may have."""

import pytest
from msgspec.structs import replace
from PIL import Image

from greenroom.files.models import FileState, Media
from tests.files.checks import CheckWorld
from tests.files.pictures import gif_bomb, saved
from tests.files.recordings import made


@pytest.mark.parametrize(
    ("frames", "state"), [(29, FileState.READY), (31, FileState.REFUSED), (89, FileState.REFUSED)]
)
async def test_an_animation_may_have_a_third_of_the_pixels(
    checks: CheckWorld, frames: int, state: FileState
) -> None:
    """90 megapixels are allowed, and each picture has one."""
    file = await checks.checked(gif_bomb(1000, 1000, frames))
    assert file.state is state
    if state is FileState.READY:
        assert (file.media, file.width, file.height) == (Media.PICTURE, 1000, 1000)
    else:
        assert file.problem == "too-many-pixels"
        assert f"{frames} megapixels, and 30" in file.detail


@pytest.mark.parametrize("format", ["PNG", "AVIF", "WEBP"])
@pytest.mark.parametrize(("frames", "state"), [(3, FileState.READY), (4, FileState.REFUSED)])
async def test_every_kind_of_animation_may_have_a_third_of_the_pixels(
    checks: CheckWorld, format: str, frames: int, state: FileState
) -> None:
    checks.change_files(policy=replace(checks.files.policy, max_megapixels=1))
    one = [Image.new("RGB", (300, 300), (60 * number, 0, 0)) for number in range(frames)]
    options = {"speed": 10} if format == "AVIF" else {}
    file = await checks.checked(
        saved(one[0], format, save_all=True, append_images=one[1:], **options)
    )
    assert file.state is state
    assert file.problem == ("" if state is FileState.READY else "too-many-pixels")


async def test_a_video_of_too_many_pixels_is_refused(checks: CheckWorld) -> None:
    grey = "color=gray:size=10000x9100:rate=1:duration=1,format=yuvj420p"
    content = made("v.mkv", "-f", "lavfi", "-i", grey, "-c:v", "mjpeg", "-frames:v", "1")
    assert len(content) < 2_000_000
    file = await checks.checked(content)
    assert (file.state, file.problem) == (FileState.REFUSED, "too-many-pixels")
    assert "91 megapixels, and 90" in file.detail


def box(kind: bytes, *content: bytes) -> bytes:
    inner = b"".join(content)
    return (8 + len(inner)).to_bytes(4) + kind + inner


def large_box(kind: bytes, *content: bytes) -> bytes:
    """The same with a size of 64 bits."""
    inner = b"".join(content)
    return b"\0\0\0\1" + kind + (16 + len(inner)).to_bytes(8) + inner


def ispe(width: int, height: int) -> bytes:
    return box(b"ispe", b"\0\0\0\1", width.to_bytes(4), height.to_bytes(4))


@pytest.mark.parametrize(
    "sizes",
    [
        pytest.param(ispe(10_000, 9_100), id="one picture"),
        pytest.param(ispe(4_000, 3_000) * 60, id="many pictures"),
        pytest.param(ispe(100, 100) + ispe(200_000, 455), id="a later one"),
    ],
)
async def test_a_heic_of_too_many_pixels_is_refused_before_it_is_decoded(
    checks: CheckWorld, sizes: bytes
) -> None:
    """A program decodes it, and all pictures in it."""
    brands = box(b"ftyp", b"heic\0\0\0\0mif1heic")
    for wrapped in (box, large_box):
        meta = wrapped(b"meta", bytes(4), box(b"iprp", wrapped(b"ipco", sizes)))
        file = await checks.checked(brands + box(b"free", bytes(2_000_000)) + meta, "IMG_1.HEIC")
        assert (file.state, file.problem) == (FileState.REFUSED, "too-many-pixels")

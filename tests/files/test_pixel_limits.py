"""How many pixels an animation and a video may have."""

import pytest

from greenroom.files.models import FileState, Media
from tests.files.checks import CheckWorld
from tests.files.pictures import gif_bomb
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


async def test_a_video_of_too_many_pixels_is_refused(checks: CheckWorld) -> None:
    grey = "color=gray:size=10000x9100:rate=1:duration=1,format=yuvj420p"
    content = made("v.mkv", "-f", "lavfi", "-i", grey, "-c:v", "mjpeg", "-frames:v", "1")
    assert len(content) < 2_000_000
    file = await checks.checked(content)
    assert (file.state, file.problem) == (FileState.REFUSED, "too-many-pixels")
    assert "91 megapixels, and 90" in file.detail

"""Previews show the picture upright, in its colors, without metadata, and blurred for good."""

import base64
import io
import subprocess
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import pytest_asyncio
import thumbhash as reference  # type: ignore[import-untyped]
from PIL import Image, ImageChops, ImageCms

from greenroom.files.decoder.thumbhash import thumbhash
from greenroom.files.models import File, Variant
from tests.files import pictures, recordings
from tests.files.checks import CheckWorld, check_world
from tests.files.pictures import saved, scene

pytestmark = pytest.mark.asyncio(loop_scope="module")


@pytest_asyncio.fixture(loop_scope="module", scope="module")
async def world(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[CheckWorld]:
    async with check_world(tmp_path_factory.mktemp("previews")) as one:
        yield one


async def _shown(world: CheckWorld, file: File, variant: Variant = Variant.LARGE) -> Image.Image:
    content = await world.bytes_of(file, variant)
    assert content is not None
    return Image.open(io.BytesIO(content))


def _difference(one: Image.Image, other: Image.Image) -> float:
    """The mean difference of two pictures of one size, from 0 to 255."""
    difference = ImageChops.difference(one.convert("RGB"), other.convert("RGB"))
    return float(np.asarray(difference, dtype=np.float64).mean())


@pytest.mark.parametrize("format", ["JPEG", "PNG", "WEBP", "TIFF"])
@pytest.mark.parametrize("orientation", range(1, 9))
async def test_a_picture_is_turned_upright(
    world: CheckWorld, orientation: int, format: str
) -> None:
    content = pictures.turned(orientation, format)
    with Image.open(io.BytesIO(content)) as image:
        is_sideways = orientation >= 5 and format != "TIFF"  # Pillow turns those
        assert (image.size == (300, 200)) != is_sideways
    file = await world.checked(content)
    assert (file.width, file.height) == (300, 200)
    for variant in (Variant.SMALL, Variant.LARGE):
        assert _difference(await _shown(world, file, variant), pictures.corners()) < 6


async def test_a_moving_preview_keeps_the_pace_of_its_original(world: CheckWorld) -> None:
    frames = [scene(64, 64, seed=number) for number in range(3)]
    options: dict[str, Any] = {"save_all": True, "append_images": frames[1:]}
    for format in ("GIF", "WEBP", "PNG"):
        content = pictures.saved(frames[0], format, duration=[40, 700, 2000], **options)
        shown = await _shown(world, await world.checked(content))
        durations = list[int]()
        for number in range(3):
            shown.seek(number)
            shown.load()
            durations.append(shown.info["duration"])
        assert durations == [40, 700, 2000], format


async def test_sizes_keep_the_proportions_and_never_grow(world: CheckWorld) -> None:
    file = await world.checked(saved(scene(2400, 1200), "JPEG"))
    assert (file.width, file.height) == (2400, 1200)
    sizes = {preview.variant: (preview.width, preview.height) for preview in file.previews}
    assert sizes[Variant.LARGE] == (1920, 960)
    assert sizes[Variant.MEDIUM] == (960, 480)
    assert sizes[Variant.SMALL] == (320, 160)
    tiny = await world.checked(saved(scene(50, 40), "JPEG"))
    assert {(preview.width, preview.height) for preview in tiny.previews} == {(50, 40)}


async def test_colors_of_cmyk_and_of_16_bits_are_kept(world: CheckWorld) -> None:
    cmyk = await world.checked(saved(scene().convert("CMYK"), "JPEG", quality=95))
    assert _difference(await _shown(world, cmyk), scene()) < 8
    ramp = await _shown(world, await world.checked(pictures.png_of_16_bits()))
    values = np.asarray(ramp.convert("L"))
    assert values[0].mean() < 5
    assert values[-1].mean() > 250


async def test_a_color_profile_is_applied(world: CheckWorld) -> None:
    """In a profile whose red and blue are exchanged, red is shown as blue."""
    profile = bytearray(ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB")).tobytes())
    profile = profile.replace(b"sRGB", b"odd1").replace(
        "sRGB".encode("utf-16-be"), b"\0o\0d\0d\0" + b"1"
    )
    for one, other in ((b"rXYZ", b"????"), (b"bXYZ", b"rXYZ"), (b"????", b"bXYZ")):
        profile = profile.replace(one, other, 1)
    red = Image.new("RGB", (64, 64), "red")
    file = await world.checked(saved(red, "PNG", icc_profile=bytes(profile)))
    red_part, _, blue_part = np.asarray((await _shown(world, file)).convert("RGB")).mean((0, 1))
    assert blue_part > 200 > 60 > red_part


async def test_no_preview_is_transparent(world: CheckWorld) -> None:
    """Otherwise it would look different on each screen, and unlike what was rated."""
    picture = scene().convert("RGBA")
    picture.putalpha(Image.linear_gradient("L").resize(picture.size))
    filled = Image.new("RGB", picture.size, "white")
    filled.paste(picture, mask=picture.getchannel("A"))
    for format in ("PNG", "WEBP", "TIFF"):
        file = await world.checked(saved(picture, format))
        for variant in (Variant.SMALL, Variant.LARGE, Variant.BLURRED):
            assert (await _shown(world, file, variant)).mode == "RGB"
        assert _difference(await _shown(world, file), filled) < 4


@pytest.mark.parametrize("color", ["white", "black"])
async def test_a_transparent_logo_can_be_seen_on_its_ground(world: CheckWorld, color: str) -> None:
    logo = Image.new("RGBA", (200, 100), "#0000")
    logo.paste(color, (50, 25, 150, 75))
    shown = (await _shown(world, await world.checked(saved(logo, "PNG")))).convert("L")
    inside, outside = shown.getpixel((100, 50)), shown.getpixel((5, 5))
    assert isinstance(inside, int)
    assert isinstance(outside, int)
    assert abs(inside - outside) > 200


async def test_an_animation_keeps_the_ground_of_its_first_picture(world: CheckWorld) -> None:
    frames = [Image.new("RGBA", (64, 64), "#0000") for _ in range(3)]
    for frame, color in zip(frames, ("white", "red", "black"), strict=True):
        frame.paste(color, (16, 16, 48, 48))
    options: dict[str, Any] = {"save_all": True, "append_images": frames[1:], "disposal": 2}
    for format in ("GIF", "WEBP", "PNG"):
        shown = await _shown(world, await world.checked(saved(frames[0], format, **options)))
        for number in range(3):
            shown.seek(number)
            assert max(np.asarray(shown.convert("RGB"))[4, 4]) < 40, (format, number)


async def test_the_blurred_version_has_nothing_left_of_the_details(world: CheckWorld) -> None:
    """Two pictures with the same broad colors and other details are blurred to the same."""
    broad = scene(16, 12).resize((640, 480), Image.Resampling.NEAREST)
    squares = np.indices((480, 640)).sum(axis=0) // 8 % 2 * 60 - 30
    detailed = (np.asarray(broad, dtype=np.int16) + squares[..., None]).clip(0, 255)
    one = await world.checked(saved(broad, "PNG"))
    other = await world.checked(saved(Image.fromarray(detailed.astype(np.uint8)), "PNG"))
    clear = [await _shown(world, file, Variant.SMALL) for file in (one, other)]
    blurred = [await _shown(world, file, Variant.BLURRED) for file in (one, other)]
    assert _difference(*clear) > 10
    assert _difference(*blurred) < 4
    edges = np.abs(np.diff(np.asarray(blurred[1].convert("L"), dtype=np.int16), axis=1))
    assert edges.max() < 12


async def test_a_short_animation_moves_in_its_large_version_only(world: CheckWorld) -> None:
    for format in ("GIF", "WEBP", "PNG"):
        file = await world.checked(pictures.animation(format, frames=4))
        moving = {
            variant: getattr(await _shown(world, file, variant), "n_frames", 1)
            for variant in (Variant.SMALL, Variant.MEDIUM, Variant.LARGE, Variant.BLURRED)
        }
        assert moving == {
            Variant.SMALL: 1,
            Variant.MEDIUM: 1,
            Variant.LARGE: 4,
            Variant.BLURRED: 1,
        }, format


async def test_a_long_animation_stays_a_still(world: CheckWorld) -> None:
    file = await world.checked(pictures.gif_bomb(640, 640, 60))
    assert file.problem == ""
    assert getattr(await _shown(world, file), "n_frames", 1) == 1


async def test_the_thumbhash_is_that_of_its_inventor(world: CheckWorld) -> None:
    picture = scene(90, 60)
    numbers = list(picture.convert("RGBA").tobytes())
    expected = bytes(reference.rgba_to_thumb_hash(90, 60, numbers))
    assert base64.b64decode(thumbhash(picture)) == expected


async def test_the_same_picture_saved_otherwise_is_recognised(world: CheckWorld) -> None:
    one = await world.checked(saved(scene(800, 600), "JPEG"))
    smaller = scene(800, 600).resize((500, 375))
    other = await world.checked(saved(smaller, "WEBP", quality=50))
    third = await world.checked(saved(scene(800, 600, seed=5), "JPEG"))
    plain = await world.checked(saved(Image.new("RGB", (300, 300), "teal"), "PNG"))
    bits = [int(file.perceptual_hash, 16) for file in (one, other, third)]
    assert (bits[0] ^ bits[1]).bit_count() <= 31 < 80 < (bits[0] ^ bits[2]).bit_count()
    assert plain.perceptual_hash == "", "there is nothing to recognise in it"


@pytest.mark.parametrize("name", ["v.mp4", "v.mov"])
async def test_nothing_of_a_video_but_its_original_tells_the_place(
    world: CheckWorld, name: str
) -> None:
    content = recordings.video_with_place(name)
    marks = (recordings.PLACE.rstrip("/").encode(), b"loci", b"\xa9xyz")
    assert any(mark in content for mark in marks)
    file = await world.checked(content)
    for variant in (Variant.CLIP, Variant.STRIPPED):
        made = await world.bytes_of(file, variant)
        assert made is not None
        assert not any(mark in made for mark in marks)


async def test_a_clip_is_short_small_and_plays_at_once(world: CheckWorld, tmp_path: Path) -> None:
    file = await world.checked(recordings.video(33, "1280x720", "-crf", "40"))
    assert 32_900 <= file.duration_ms <= 33_100
    [clip] = [preview for preview in file.previews if preview.variant is Variant.CLIP]
    assert (clip.width, clip.height) == (640, 360)
    content = await world.bytes_of(file, Variant.CLIP)
    assert content is not None
    assert content.index(b"moov") < content.index(b"mdat")
    (tmp_path / "clip.mp4").write_bytes(content)
    said = _probed(tmp_path / "clip.mp4")
    for fact in ("codec_name=h264", "codec_name=aac", "width=640", "height=360", "duration=30."):
        assert fact in said


def _probed(path: Path) -> str:
    shown = "stream=codec_name,width,height:format=duration"
    argv = ("ffprobe", "-v", "error", "-show_entries", shown, str(path))
    return subprocess.run(argv, capture_output=True, text=True, check=True).stdout


async def test_a_portrait_clip_is_360_wide(world: CheckWorld) -> None:
    file = await world.checked(recordings.video(1, "480x854"))
    [clip] = [preview for preview in file.previews if preview.variant is Variant.CLIP]
    assert (clip.width, clip.height) == (360, 640)


async def test_a_recording_that_does_not_say_its_duration_has_one(world: CheckWorld) -> None:
    note = await world.checked(recordings.voice_note())
    assert 1_900 <= note.duration_ms <= 2_100
    video = await world.checked(recordings.browser_video())
    assert 800 <= video.duration_ms <= 1_100


async def test_a_waveform_follows_the_loudness(world: CheckWorld) -> None:
    louder = ("-af", "volume='if(lt(t,1),0,if(lt(t,2),0.2,1))':eval=frame")
    file = await world.checked(recordings.sound("s.wav", 3, *louder))
    values = base64.b64decode(file.waveform)
    assert len(values) == 64
    assert max(values[:20]) == 0
    assert 30 < values[32] < 80
    assert min(values[45:]) > 200
    silence = recordings.sound("s.wav", 1, "-af", "volume=0")
    quiet = await world.checked(silence)
    assert set(base64.b64decode(quiet.waveform)) == {0}

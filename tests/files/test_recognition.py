"""Rating and recognising pictures, videos and animations, also where only a part of them is bad."""

import io
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from subprocess import CalledProcessError

import pytest
from PIL import Image, ImageOps

from greenroom.files import items, rules
from greenroom.files.items import Removed
from greenroom.files.models import BLUR, File, Media, Shown, Variant
from greenroom.files.policy import SafeModeRules
from greenroom.files.rater import LABELS, PIXEL_BYTES
from greenroom.files.records import removed_in
from greenroom.files.removed_pictures import RemovedPictures, remember_removed
from greenroom.ids import FileId
from tests.files import hostile_recordings as hostile
from tests.files.checks import CheckWorld
from tests.files.pictures import saved, scene
from tests.files.recordings import made

_BAD = (200, 30, 30)


class RedIsBad:
    """A rater that finds a picture explicit if it is red."""

    def __init__(self) -> None:
        self.rated = 0

    async def rate(self, pixels: bytes) -> dict[str, float]:
        assert len(pixels) == PIXEL_BYTES
        self.rated += 1
        red, green, _ = (sum(pixels[at::3]) / (PIXEL_BYTES / 3) for at in range(3))
        bad = 0.9 if red > green + 50 else 0.01
        return dict.fromkeys(LABELS, 0.0) | {"porn": bad, "neutral": 1 - bad}

    async def close(self) -> None:
        pass


def _plain(color: tuple[int, int, int]) -> Image.Image:
    return Image.new("RGB", (160, 120), color)


def _animation(format: str, frames: list[Image.Image], duration: int | list[int]) -> bytes:
    first, *rest = frames
    return saved(first, format, save_all=True, append_images=rest, duration=duration)


def _greens(count: int) -> list[Image.Image]:
    return [_plain((10, 100 + number, 20)) for number in range(count)]


@pytest.mark.parametrize("format", ["GIF", "WEBP", "PNG"])
@pytest.mark.parametrize("bad", [1, 5, 9])
async def test_an_animation_is_rated_by_its_worst_picture(
    checks: CheckWorld, format: str, bad: int
) -> None:
    rater = RedIsBad()
    checks.change_files(rater=rater)
    frames = _greens(10)
    frames[bad : bad + 2] = [_plain(_BAD)] * 2
    shown = [100 if at in (bad, bad + 1) else 10 for at in range(len(frames))]
    file = await checks.checked(_animation(format, frames, shown))
    assert file.media is Media.PICTURE
    assert file.band == 2
    assert rater.rated <= 5


async def test_a_picture_that_is_shown_for_long_is_rated_among_many(checks: CheckWorld) -> None:
    checks.change_files(rater=RedIsBad())
    frames = [*_greens(30), _plain(_BAD), *_greens(30)]
    file = await checks.checked(_animation("GIF", frames, [20] * 30 + [2000] + [20] * 30))
    assert file.band == 2


async def test_what_a_video_shows_is_rated_whatever_its_transparency_says(
    checks: CheckWorld,
) -> None:
    checks.change_files(rater=RedIsBad())
    hidden = ("-vf", "format=rgba,colorchannelmixer=aa=0", "-c:v", "qtrle")
    red = ("-f", "lavfi", "-i", "color=c=red:size=160x120:duration=1")
    file = await checks.checked(made("v.mov", *red, *hidden))
    assert (file.media, file.band) == (Media.VIDEO, 2)


@pytest.mark.parametrize(("color", "is_negative"), [("white", False), ("black", True)])
async def test_a_picture_in_the_transparency_of_another_is_recognised(
    checks: CheckWorld, color: str, is_negative: bool
) -> None:
    grey = scene(640, 480).convert("L")
    plain = await checks.checked(saved(grey, "PNG"))
    hiding = Image.new("RGBA", grey.size, color)
    hiding.putalpha(ImageOps.invert(grey) if is_negative else grey)
    hidden = await checks.checked(saved(hiding, "PNG"))
    bits = [int(file.perceptual_hash or "0", 16) for file in (plain, hidden)]
    assert (bits[0] ^ bits[1]).bit_count() <= 31


async def test_a_still_is_rated_once(checks: CheckWorld) -> None:
    rater = RedIsBad()
    checks.change_files(rater=rater)
    file = await checks.checked(saved(_plain(_BAD), "PNG"))
    assert (file.band, rater.rated) == (2, 1)
    assert (await checks.checked(saved(_plain((10, 200, 20)), "PNG"))).band == 0


def _video_that_turns_red(at: float, seconds: float = 10) -> bytes:
    parts = f"color=green:160x120:rate=10:d={at}[a];color=red:160x120:rate=10:d=2[b]"
    rest = f"color=green:160x120:rate=10:d={seconds - at - 2}[c];[a][b][c]concat=n=3"
    codec = ("-c:v", "libx264", "-preset", "ultrafast", "-pix_fmt", "yuv420p")
    return made("v.mp4", "-filter_complex", f"{parts};{rest}", *codec)


@pytest.mark.parametrize("at", [2, 5, 7])
async def test_a_video_is_rated_by_its_worst_picture(checks: CheckWorld, at: float) -> None:
    rater = RedIsBad()
    checks.change_files(rater=rater)
    file = await checks.checked(_video_that_turns_red(at))
    assert (file.media, file.band) == (Media.VIDEO, 2)
    assert rater.rated == 5


_RED_VIDEOS: dict[str, Callable[[], bytes]] = {
    "an MP4 that says it is shorter": lambda: hostile.too_short("v.mp4"),
    "a WebM that says it is shorter": lambda: hostile.too_short("v.webm"),
    "a wrong index": hostile.with_wrong_index,
    "a picture that is shown for long": hostile.almost_still,
    "pictures of chapters": hostile.video_as_chapters,
    "a cover as the first stream": hostile.with_cover_first,
}


@pytest.mark.parametrize("name", _RED_VIDEOS)
async def test_what_players_show_is_rated(checks: CheckWorld, name: str) -> None:
    checks.change_files(rater=RedIsBad())
    file = await checks.checked(_RED_VIDEOS[name]())
    assert (file.media, file.band) == (Media.VIDEO, 2)


async def test_a_video_of_which_pictures_cannot_be_read_counts_as_unrated(
    checks: CheckWorld,
) -> None:
    checks.change_files(rater=RedIsBad())
    file = await checks.checked(hostile.partly_damaged())
    assert (file.media, file.band, file.is_rated) == (Media.VIDEO, BLUR, False)


def _pixels(content: bytes, folder: Path, *options: str) -> set[tuple[int, int, int]]:
    """The first pixel of pictures of the first video track, roughly."""
    path = folder / "video"
    path.write_bytes(content)
    before, after = (options, ()) if "-map" not in options else ((), options)
    shown = ("-vf", "fps=2,scale=1:1", "-pix_fmt", "rgb24", "-f", "rawvideo")
    found = made.__wrapped__("p.raw", *before, "-i", str(path), *after, *shown)
    return {
        (red // 200, green // 200, blue // 200)
        for red, green, blue in zip(*[iter(found)] * 3, strict=True)
    }


@pytest.mark.parametrize("name", ["v.mp4", "v.webm"])
@pytest.mark.parametrize("keep_original", [True, False])
async def test_of_two_videos_others_get_only_the_one_that_is_rated(
    checks: CheckWorld, tmp_path: Path, name: str, keep_original: bool
) -> None:
    checks.change_files(rater=RedIsBad())
    content = hostile.with_two_tracks(name)
    file = await checks.checked(content, keep_original=keep_original)
    assert file.band == 2, "players show the red one"
    variants = rules.variants_for(file, Shown.CLEAR, reveal=False)
    assert Variant.ORIGINAL not in variants
    assert Variant.STRIPPED in variants
    stripped = await checks.bytes_of(file, Variant.STRIPPED)
    assert stripped is not None
    assert _pixels(stripped, tmp_path) == {(1, 0, 0)}
    with pytest.raises(CalledProcessError):
        _pixels(stripped, tmp_path, "-map", "0:v:1")


async def test_others_do_not_get_pictures_that_an_edit_list_leaves_out(
    checks: CheckWorld, tmp_path: Path
) -> None:
    checks.change_files(rater=RedIsBad())
    content = hostile.cut()
    assert _pixels(content, tmp_path) == {(0, 1, 0)}
    assert _pixels(content, tmp_path, "-ignore_editlist", "1") == {(0, 1, 0), (1, 0, 0)}
    file = await checks.checked(content, keep_original=True)
    assert (file.band, rules.may_have_original(file)) == (0, False)
    stripped = await checks.bytes_of(file, Variant.STRIPPED)
    assert stripped is not None
    assert _pixels(stripped, tmp_path, "-ignore_editlist", "1") == {(0, 1, 0)}


def test_the_worst_rating_counts() -> None:
    thresholds = SafeModeRules()
    none = dict.fromkeys(LABELS, 0.0)
    harmless = none | {"neutral": 0.99}
    sexy = none | {"sexy": 0.99, "neutral": 0.01}
    explicit = none | {"porn": 0.81, "neutral": 0.19}
    assert rules.worst([harmless, sexy], thresholds) == sexy
    assert rules.worst([sexy, explicit, harmless], thresholds) == explicit
    almost = none | {"porn": 0.3, "neutral": 0.7}
    assert rules.worst([harmless, almost], thresholds) == almost


async def _removed(checks: CheckWorld, content: bytes) -> File:
    file = await checks.checked(content)
    await checks.store.write(*remember_removed(file, checks.clock.now_ms()))
    checks.clock.advance(seconds=2)
    return file


async def test_an_animation_with_a_removed_picture_in_it_is_recognised(
    checks: CheckWorld,
) -> None:
    removed = await _removed(checks, saved(scene(600, 400), "JPEG"))
    white = Image.new("RGB", (600, 400), "white")
    for first in (white, scene(600, 400, seed=2)):
        frames = [first, *[scene(600, 400)] * 3]
        file = await checks.checked(_animation("WEBP", frames, 100))
        assert file.perceptual_hash
        assert file.resembles == removed.id
        large = await checks.bytes_of(file, Variant.LARGE)
        assert large is not None
        assert getattr(Image.open(io.BytesIO(large)), "n_frames", 1) > 1


async def test_a_picture_out_of_a_removed_animation_is_recognised(checks: CheckWorld) -> None:
    white, scenes = Image.new("RGB", (600, 400), "white"), [scene(600, 400, seed=n) for n in (1, 2)]
    removed = await _removed(checks, _animation("WEBP", [white, *scenes], 100))
    for one in scenes:
        assert (await checks.checked(saved(one, "JPEG"))).resembles == removed.id


async def test_a_mirrored_copy_is_recognised(checks: CheckWorld) -> None:
    mirror = Image.Transpose.FLIP_LEFT_RIGHT
    for seed in (1, 2, 3):
        removed = await _removed(checks, saved(scene(600, 400, seed=seed), "JPEG"))
        copy = scene(600, 400, seed=seed).transpose(mirror).resize((420, 280))
        assert (await checks.checked(saved(copy, "JPEG", quality=50))).resembles == removed.id
    assert (await checks.checked(saved(scene(600, 400, seed=9), "JPEG"))).resembles is None


async def test_a_video_with_a_removed_picture_in_it_is_recognised(
    checks: CheckWorld, tmp_path: Path
) -> None:
    removed = await _removed(checks, saved(scene(640, 480), "JPEG"))
    still = tmp_path / "still.png"
    still.write_bytes(saved(scene(640, 480), "PNG"))
    picture = ("-loop", "1", "-t", "4", "-framerate", "10", "-i", str(still))
    grey = ("-f", "lavfi", "-i", "color=gray:640x480:rate=10:d=4")
    joined = ("-filter_complex", "[0:v][1:v]concat=n=2", "-pix_fmt", "yuv420p")
    file = await checks.checked(made("v.mp4", *grey, *picture, *joined))
    assert (file.media, file.resembles) == (Media.VIDEO, removed.id)


def _hash(number: int) -> str:
    """Unlike that of any other number."""
    return sha256(b"%d" % number).hexdigest()


async def _remembered(checks: CheckWorld, at_ms: int, number: int) -> FileId:
    file = checks.files.ids.file()
    await checks.store.write(items.removed_op(Removed(file, at_ms, (_hash(number),))))
    return file


DAY_MS = 86_400_000


async def test_removed_pictures_are_kept_by_month_and_read_from_the_newest(
    checks: CheckWorld,
) -> None:
    now_ms = checks.clock.now_ms()
    ages = (0, 20, 40, 200, 600)
    made = [await _remembered(checks, now_ms - age * DAY_MS, age) for age in ages]
    assert len({removed_in(now_ms - age * DAY_MS) for age in ages}) >= 4
    known = RemovedPictures(checks.store, checks.clock)
    for age, file in zip(ages, made, strict=True):
        assert await known.resembling([_hash(age)]) == file


async def test_a_node_knows_the_newest_and_no_more(checks: CheckWorld) -> None:
    now_ms = checks.clock.now_ms()
    made = [await _remembered(checks, now_ms - age * 9 * DAY_MS, age) for age in range(10)]
    known = RemovedPictures(checks.store, checks.clock, most=6)
    for age, file in enumerate(made):
        assert await known.resembling([_hash(age)]) == (file if age < 6 else None)
    checks.clock.advance(seconds=2)
    assert await known.resembling([_hash(77)]) is None
    newest = await _remembered(checks, checks.clock.now_ms(), 77)
    assert await known.resembling([_hash(77)]) is None, "it asks once a second"
    checks.clock.advance(seconds=2)
    assert await known.resembling([_hash(77)]) == newest
    assert await known.resembling([_hash(4)]) == made[4]
    assert await known.resembling([_hash(5)]) is None, "it has made room"


async def test_after_a_long_time_a_node_reads_no_more_than_the_newest(checks: CheckWorld) -> None:
    known = RemovedPictures(checks.store, checks.clock, most=3)
    assert await known.resembling([_hash(0)]) is None
    checks.clock.advance(seconds=40 * 86_400)
    now_ms = checks.clock.now_ms()
    made = [await _remembered(checks, now_ms - age * DAY_MS // 4, age) for age in range(100)]
    with checks.store.counting() as cost:
        assert await known.resembling([_hash(0)]) == made[0]
    assert await known.resembling([_hash(4)]) is None
    assert cost.read_units <= 1


async def test_a_new_month_is_read_from_its_beginning(checks: CheckWorld) -> None:
    known = RemovedPictures(checks.store, checks.clock)
    assert await known.resembling([_hash(1)]) is None
    month = removed_in(checks.clock.now_ms())
    while removed_in(checks.clock.now_ms() + 3_600_000) == month:
        checks.clock.advance(seconds=3600)
    assert await known.resembling([_hash(1)]) is None
    checks.clock.advance(seconds=3590)
    before = await _remembered(checks, checks.clock.now_ms(), 1)
    checks.clock.advance(seconds=3600)
    assert removed_in(checks.clock.now_ms()) != month
    after = await _remembered(checks, checks.clock.now_ms(), 2)
    checks.clock.advance(seconds=1)
    assert await known.resembling([_hash(2)]) == after
    assert await known.resembling([_hash(1)]) == before

"""Reads a video: its duration, a picture of it, a short preview, and whether it tells a place."""

import re
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Final

from msgspec.structs import replace
from PIL import Image

from greenroom.files.decoder.content_type import Guess
from greenroom.files.decoder.ffmpeg import Probe, Stream, ffmpeg, probe, source
from greenroom.files.decoder.jobs import (
    MOST_FRAMES,
    UNKNOWN,
    Decoded,
    LocationStays,
    Made,
    MetadataStays,
)
from greenroom.files.decoder.picture import LARGEST, check_pixels, open_picture
from greenroom.files.decoder.problems import NotDecodable, Stopped
from greenroom.files.decoder.sound import read_sound
from greenroom.files.decoder.versions import FRAME_SIDE, versions, with_frames
from greenroom.files.models import Media, Variant

CLIP_SECONDS: Final = 30
CLIP_SIDE: Final = 360
_POSTER_SECONDS, _FRAME_SECONDS, _MAKE_CLIP_SECONDS, _COUNT_SECONDS = 60, 10, 120, 60
_NO_METADATA: Final = ("-map_metadata", "-1", "-map_chapters", "-1", "-fflags", "+bitexact")
_PLACE: Final = re.compile(r"location|gps|geo|xyz|loci", re.IGNORECASE)
_PLACE_IN_XMP: Final = re.compile(r"GPS|Location|City", re.IGNORECASE)
_TYPE_BY_CONTENT: Final = {"video/webm": "video/x-matroska"}
_WEBM_CODECS: Final = frozenset({"vp8", "vp9", "av1", "opus", "vorbis"})


def read_video(path: Path, guess: Guess, folder: Path, *, max_pixels: int, size: int) -> Decoded:
    """A video, or a sound in the same kind of file."""
    found = probe(path, guess.reader)
    guess = replace(guess, type=_exact_type(guess.type, found))
    if found.first("video") is None:
        sound = read_sound(path, replace(guess, type=sound_type(guess.type)), found)
        return _with_stripped(sound, path, guess, folder, found, size)
    try:
        video = _read(path, guess, folder, found, max_pixels)
    except NotDecodable:
        if tells_place(found):
            raise Stopped(MetadataStays(UNKNOWN)) from None
        raise
    return _with_stripped(video, path, guess, folder, found, size)


def sound_type(type: str) -> str:
    """`audio/webm` for `video/webm`."""
    special = {"video/quicktime": "audio/mp4", "video/x-ms-wmv": "audio/x-ms-wma"}
    return special.get(type, type.replace("video/", "audio/"))


def _exact_type(type: str, found: Probe) -> str:
    """A Matroska file is WebM only with certain codecs."""
    codecs = {stream.codec_name for stream in found.streams if stream.codec_name}
    is_other = type in _TYPE_BY_CONTENT and not codecs <= _WEBM_CODECS
    return _TYPE_BY_CONTENT[type] if is_other else type


def _read(path: Path, guess: Guess, folder: Path, found: Probe, max_pixels: int) -> Decoded:
    stream = found.first("video")
    assert stream is not None
    width, height = _upright(stream)
    check_pixels(width, height, 1, max_pixels)
    duration_ms = found.duration_ms or _counted_ms(path, guess.reader)
    poster = _poster(path, guess.reader, folder, duration_ms)
    picture = open_picture(poster, "PNG", max_pixels=max_pixels)
    poster.unlink()
    picture = replace(picture, width=width, height=height)
    decoded = versions(picture, guess.type, Media.VIDEO, folder)
    decoded = replace(decoded, duration_ms=duration_ms)
    frames = _later_frames(path, guess.reader, folder, duration_ms, max_pixels)
    decoded = with_frames(decoded, frames, folder)
    with suppress(NotDecodable):  # a video that is too slow to convert has no short preview
        clip = _clip(path, guess.reader, folder, (width, height))
        return replace(decoded, previews=(*decoded.previews, clip))
    return decoded


def _upright(stream: Stream) -> tuple[int, int]:
    """Its size as it is shown: with square pixels, and turned."""
    width, height = max(stream.width, 1), max(stream.height, 1)
    with suppress(ValueError, ZeroDivisionError, OverflowError):
        across, down = map(int, stream.sample_aspect_ratio.split(":"))
        if across > 0:
            width = max(1, min(round(width * across / down), 100_000))
    turns = [side.get("rotation") for side in stream.side_data_list]
    is_sideways = any(isinstance(turn, int | float) and turn % 180 == 90 for turn in turns)
    return (height, width) if is_sideways else (width, height)


def _counted_ms(path: Path, format: str) -> int:
    """Browsers record without saying how long: the time of the last packet."""
    arguments = (*source(path, format), "-map", "0:v:0", "-c", "copy", "-progress", "pipe:1")
    try:
        output = ffmpeg((*arguments, "-f", "null", "-"), seconds=_COUNT_SECONDS)
    except NotDecodable:
        return 0
    times = re.findall(rb"out_time_us=(\d{1,15})", output)
    return int(times[-1]) // 1000 if times else 0


def _poster(path: Path, format: str, folder: Path, duration_ms: int) -> Path:
    """The picture after a second, or earlier in a shorter video; the first one if that fails."""
    poster = folder / "poster.png"
    for at_ms in (min(1000, duration_ms // 4), 0):
        with suppress(NotDecodable):
            return _frame(path, format, poster, at_ms, LARGEST, seconds=_POSTER_SECONDS)
    raise NotDecodable("no picture in the video")


def _later_frames(
    path: Path, format: str, folder: Path, duration_ms: int, max_pixels: int
) -> Iterator[Image.Image]:
    """After a fifth of its time, two fifths, and so on."""
    target = folder / "frame.png"
    for part in range(1, MOST_FRAMES):
        at_ms = duration_ms * part // MOST_FRAMES
        with suppress(NotDecodable):
            _frame(path, format, target, at_ms, FRAME_SIDE, seconds=_FRAME_SECONDS)
            yield open_picture(target, "PNG", max_pixels=max_pixels).image
        target.unlink(missing_ok=True)


def _frame(path: Path, format: str, target: Path, at_ms: int, side: int, *, seconds: float) -> Path:
    ffmpeg(
        (
            *("-ss", f"{at_ms}ms", *source(path, format)),
            *("-map", "0:v:0", "-frames:v", "1", "-vf", _scaled(side, short=False)),
            *("-pix_fmt", "rgb24"),  # without transparency, like the clip
            *("-f", "image2", "-c:v", "png", "-update", "1", str(target)),
        ),
        seconds=seconds,
    )
    if not target.exists() or not target.stat().st_size:
        raise NotDecodable("no picture in the video")
    return target


def _scaled(side: int, *, short: bool) -> str:
    """Makes pixels square, and the long or short side at most this long. Sides stay even."""
    measure = "min" if short else "max"
    factor = f"min(1,{side}/{measure}(iw,ih))"
    half = f"w='2*max(1,round(iw*{factor}/2))':h='2*max(1,round(ih*{factor}/2))'"
    return f"scale='max(1,iw*if(sar,sar,1))':ih,setsar=1,scale={half}"


def _clip(path: Path, format: str, folder: Path, size: tuple[int, int]) -> Made:
    target = folder / Variant.CLIP.value
    ffmpeg(
        (
            *("-t", str(CLIP_SECONDS), *source(path, format)),
            *("-map", "0:v:0", "-map", "0:a:0?", "-sn", "-dn", *_NO_METADATA),
            *("-vf", f"{_scaled(CLIP_SIDE, short=True)},fps='min(30,source_fps)',format=yuv420p"),
            *("-c:v", "libx264", "-preset", "veryfast", "-crf", "28", "-threads", "2"),
            *("-maxrate", "900k", "-bufsize", "1800k", "-profile:v", "main"),
            *("-c:a", "aac", "-b:a", "64k", "-ac", "2", "-ar", "44100"),
            *("-movflags", "+faststart", "-f", "mp4", str(target)),
        ),
        seconds=_MAKE_CLIP_SECONDS,
    )
    factor = min(1.0, CLIP_SIDE / min(size))
    width, height = (2 * max(1, round(side * factor / 2)) for side in size)
    return Made(Variant.CLIP, "video/mp4", width, height)


def _with_stripped(
    decoded: Decoded, path: Path, guess: Guess, folder: Path, found: Probe, size: int
) -> Decoded:
    """Adds a copy without metadata if the file tells a place."""
    if not tells_place(found):
        return decoded
    target = folder / Variant.STRIPPED.value
    try:
        _strip(path, guess, target, seconds=30 + size / 10_000_000)
        if tells_place(probe(target, guess.reader)):
            raise NotDecodable("the place is still there")
    except NotDecodable:
        raise Stopped(LocationStays()) from None
    made = Made(Variant.STRIPPED, decoded.type, decoded.width, decoded.height)
    return replace(decoded, previews=(*decoded.previews, made))


_WRITERS: Final = {"asf": "asf", "mpeg": "mpeg", "aac": "adts"}


def _strip(path: Path, guess: Guess, target: Path, *, seconds: float) -> None:
    writer = _WRITERS.get(guess.reader, guess.reader)
    if guess.reader == "mov" and guess.type != "video/quicktime":
        writer = "mp4"
    if guess.reader == "matroska" and guess.type.endswith("webm"):
        writer = "webm"
    streams = ("-map", "0:v?", "-map", "0:a?", "-map", "0:s?", "-dn", *_NO_METADATA)
    faststart = ("-movflags", "+faststart") if writer in ("mp4", "mov") else ()
    arguments = (*source(path, guess.reader), *streams, "-c", "copy", *faststart)
    ffmpeg((*arguments, "-f", writer, str(target)), seconds=seconds)


def tells_place(found: Probe) -> bool:
    """In a tag, or in a track of data, in which cameras record where they are all the time."""
    every = [found.format.tags, *(stream.tags for stream in found.streams)]
    if any(stream.codec_type == "data" for stream in found.streams):
        return True
    return any(map(_names_place, every))


def _names_place(tags: dict[str, str]) -> bool:
    return _any_matches(_PLACE, tags) or bool(_PLACE_IN_XMP.search(tags.get("xmp", "")))


def _any_matches(pattern: re.Pattern[str], names: Iterable[str]) -> bool:
    return any(pattern.search(name) for name in names)

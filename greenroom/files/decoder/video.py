"""Reads a video: its duration, pictures of it, a short preview, and a copy for others if needed."""

import time
from contextlib import suppress
from pathlib import Path
from typing import Final

from msgspec import Struct
from msgspec.structs import replace
from PIL import Image

from greenroom.files.decoder.content_type import Guess
from greenroom.files.decoder.ffmpeg import Probe, Stream, ffmpeg, probe, source
from greenroom.files.decoder.jobs import Decoded, Made
from greenroom.files.decoder.picture import LARGEST, check_pixels, open_picture
from greenroom.files.decoder.problems import NotDecodable
from greenroom.files.decoder.sound import read_sound
from greenroom.files.decoder.stripped import NO_METADATA, refuse_if_more, with_stripped
from greenroom.files.decoder.timeline import Timeline, read_timeline
from greenroom.files.decoder.versions import FRAME_SIDE, versions, with_frames
from greenroom.files.models import Media, Variant

CLIP_SECONDS: Final = 30
CLIP_SIDE: Final = 360
_POSTER_SECONDS, _FRAME_SECONDS, _MAKE_CLIP_SECONDS = 60, 10, 120
_FRAMES_SECONDS: Final = 40
"""Together."""
_EARLY_SECONDS: Final = 15
"""More than there are between two whole pictures of nearly all videos."""
_TYPE_BY_CONTENT: Final = {"video/webm": "video/x-matroska"}
_WEBM_CODECS: Final = frozenset({"vp8", "vp9", "av1", "opus", "vorbis"})


def read_video(path: Path, guess: Guess, folder: Path, *, max_pixels: int, size: int) -> Decoded:
    """A video, or a sound in the same kind of file."""
    found = probe(path, guess.reader)
    guess = replace(guess, type=_exact_type(guess.type, found))
    try:
        if (stream := found.video) is None:
            read = read_sound(path, replace(guess, type=sound_type(guess.type)), found)
        else:
            read = _read(path, guess, folder, found, stream, max_pixels)
    except NotDecodable:
        refuse_if_more(path, guess, found)
        raise
    return with_stripped(read, path, guess, folder, found, size)


def sound_type(type: str) -> str:
    """`audio/webm` for `video/webm`."""
    special = {"video/quicktime": "audio/mp4", "video/x-ms-wmv": "audio/x-ms-wma"}
    return special.get(type, type.replace("video/", "audio/"))


def _exact_type(type: str, found: Probe) -> str:
    """A Matroska file is WebM only with certain codecs."""
    if type == "audio/mp4" and found.video is not None:
        return "video/mp4"
    others_get = [found.video, *(one for one in found.streams if one.codec_type == "audio")]
    codecs = {stream.codec_name for stream in others_get if stream and stream.codec_name}
    is_other = type in _TYPE_BY_CONTENT and not codecs <= _WEBM_CODECS
    return _TYPE_BY_CONTENT[type] if is_other else type


def _read(
    path: Path, guess: Guess, folder: Path, found: Probe, stream: Stream, max_pixels: int
) -> Decoded:
    width, height = _upright(stream)
    check_pixels(width, height, 1, max_pixels)
    timeline = read_timeline(path, guess.reader, stream)
    video = _Video(path, guess.reader, stream, timeline)
    poster = _poster(video, folder)
    picture = open_picture(poster, "PNG", max_pixels=max_pixels)
    poster.unlink()
    picture = replace(picture, width=width, height=height)
    decoded = versions(picture, guess.type, Media.VIDEO, folder)
    frames = _later_frames(video, folder, max_pixels)
    decoded = replace(
        with_frames(decoded, frames, folder),
        duration_ms=max(found.duration_ms, round(timeline.duration * 1000)),
        is_rated_whole=timeline.is_whole and len(frames) == len(timeline.later()),
        shows_more=len(found.videos) > 1 or _is_cut(guess, stream, timeline),
    )
    with suppress(NotDecodable):  # a video that is too slow to convert has no short preview
        clip = _clip(video, folder, (width, height))
        return replace(decoded, previews=(*decoded.previews, clip))
    return decoded


class _Video(Struct, frozen=True):
    """The stream of a file that is shown and rated."""

    path: Path
    format: str
    stream: Stream
    timeline: Timeline

    @property
    def map(self) -> tuple[str, str]:
        return "-map", f"0:{self.stream.index}"


def _is_cut(guess: Guess, stream: Stream, timeline: Timeline) -> bool:
    """Whether an edit list leaves pictures out. Not all players follow it."""
    count = int(stream.nb_frames) if stream.nb_frames.isdecimal() else 0
    return guess.reader == "mov" and count > len(timeline.times)


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


def _poster(video: _Video, folder: Path) -> Path:
    """The picture after a second, or earlier in a shorter video; the first one if that fails."""
    poster, timeline = folder / "poster.png", video.timeline
    if timeline.times:
        at = timeline.shown_at(min(1, timeline.duration / 4))
        with suppress(NotDecodable):
            return _frame(video, poster, _Seek(at), LARGEST, seconds=_POSTER_SECONDS)
    return _frame(video, poster, None, LARGEST, seconds=_POSTER_SECONDS)


class _Seek(Struct, frozen=True):
    """The picture that begins then, and no other one."""

    at: float
    early: float = 0
    """So many seconds before it, reading begins."""
    has_index: bool = True

    @property
    def arguments(self) -> tuple[str, ...]:
        start = ("-seek_timestamp", "1", "-ss", f"{self.at - self.early - 0.001:.6f}")
        return start if self.has_index else ("-fflags", "+ignidx", *start)

    @property
    def filter(self) -> str:
        """Without it there would be a later one where the index of a file leads elsewhere."""
        return f"trim=start={self.early}:end={self.early + 1},"


def _seeks(at: float, before: float, first: float) -> tuple[_Seek, ...]:
    """The ways to a picture: the usual one, two for files with a wrong index or with none, and one
    to another picture."""
    early = _Seek(at, early=min(_EARLY_SECONDS, at - first))
    return _Seek(at), _Seek(at, has_index=False), early, _Seek(before)


def _later_frames(video: _Video, folder: Path, max_pixels: int) -> list[Image.Image]:
    """Fewer than there should be, if some cannot be read."""
    frames, target = list[Image.Image](), folder / "frame.png"
    until = time.monotonic() + _FRAMES_SECONDS
    for at, before in video.timeline.later():
        for seek in _seeks(at, before, video.timeline.times[0]):
            target.unlink(missing_ok=True)
            with suppress(NotDecodable):
                seconds = max(0.1, min(_FRAME_SECONDS, until - time.monotonic()))
                _frame(video, target, seek, FRAME_SIDE, seconds=seconds)
                frames.append(open_picture(target, "PNG", max_pixels=max_pixels).image)
                break
    target.unlink(missing_ok=True)
    return frames


def _frame(video: _Video, target: Path, seek: _Seek | None, side: int, *, seconds: float) -> Path:
    before, chosen = ((), "") if seek is None else (seek.arguments, seek.filter)
    ffmpeg(
        (
            *(*before, *source(video.path, video.format), *video.map),
            *("-frames:v", "1", "-vf", chosen + _scaled(side, short=False)),
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


def _clip(video: _Video, folder: Path, size: tuple[int, int]) -> Made:
    target = folder / Variant.CLIP.value
    ffmpeg(
        (
            *("-t", str(CLIP_SECONDS), *source(video.path, video.format)),
            *(*video.map, "-map", "0:a:0?", "-sn", "-dn", *NO_METADATA),
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

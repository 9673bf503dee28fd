"""Calls ffmpeg and ffprobe: on one file of a given format, without network, with few threads.

Careful: ffmpeg reads playlists, which name other files and addresses. The format is always given,
never guessed by ffmpeg, and no format outside the list is opened from within a file.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import msgspec
from msgspec import Meta, Struct, field

from greenroom.files.decoder.problems import NotDecodable
from greenroom.files.decoder.programs import find, run

FORMATS = "mov,matroska,webm,avi,mpegts,flv,ogg,asf,mpeg,mp3,wav,flac,aac,amr,caf,aiff"
_PROBE_SECONDS = 20
_PICTURE_CODECS = frozenset({"bmp", "gif", "jpegls", "mjpeg", "png", "tiff", "webp"})
_Text = Annotated[str, Meta(max_length=100_000)]


class Stream(Struct, frozen=True):
    index: int = 0
    codec_type: str = ""
    codec_name: str = ""
    width: int = 0
    height: int = 0
    sample_aspect_ratio: str = "1:1"
    duration: str = ""
    nb_frames: str = ""
    """Empty in formats that do not count them."""
    disposition: dict[str, int] = field(default_factory=dict)
    tags: dict[str, _Text] = field(default_factory=dict)
    side_data_list: list[dict[str, Any]] = field(default_factory=list)

    @property
    def is_video(self) -> bool:
        """A cover counts as none. Careful: ffmpeg calls a video a cover too if the chapters of a
        sound refer to it, and players show it."""
        is_cover = self.disposition.get("attached_pic") and self.codec_name in _PICTURE_CODECS
        is_still = is_cover and not self.disposition.get("timed_thumbnails")
        return self.codec_type == "video" and not is_still


class Format(Struct, frozen=True):
    duration: str = ""
    tags: dict[str, _Text] = field(default_factory=dict)


class Probe(Struct, frozen=True):
    streams: list[Stream] = field(default_factory=list)
    format: Format = Format()

    @property
    def videos(self) -> list[Stream]:
        return [stream for stream in self.streams if stream.is_video]

    @property
    def video(self) -> Stream | None:
        """The one that players choose, of several. Others are given no other one."""
        return max(self.videos, key=lambda one: one.disposition.get("default", 0), default=None)

    @property
    def has_sound(self) -> bool:
        return any(stream.codec_type == "audio" for stream in self.streams)

    @property
    def has_more_streams(self) -> bool:
        """Besides one video and sounds: subtitles, data, covers, attachments, other videos."""
        video = self.video
        return any(one != video and one.codec_type != "audio" for one in self.streams)

    @property
    def duration_ms(self) -> int:
        """0 if the file does not say."""
        said = [self.format.duration, *(stream.duration for stream in self.streams)]
        return next((ms for ms in map(_milliseconds, said) if ms > 0), 0)


def is_installed() -> bool:
    return find("ffmpeg") is not None and find("ffprobe") is not None


def source(path: Path, format: str) -> tuple[str, ...]:
    """The arguments that name the file to read."""
    restricted = ("-protocol_whitelist", "file,pipe", "-format_whitelist", FORMATS)
    more = ("-export_xmp", "1") if format == "mov" else ()
    return (*restricted, *more, "-f", format, "-i", f"file:{path}")


def probe(path: Path, format: str) -> Probe:
    shown = "format=duration:format_tags:stream=index,codec_type,codec_name,width,height,duration"
    shown += ",nb_frames,sample_aspect_ratio:stream_tags:stream_side_data"
    shown += ":stream_disposition=default,attached_pic,timed_thumbnails"
    arguments = ("-of", "json", "-show_entries", shown, *source(path, format))
    output = ffprobe(arguments, seconds=_PROBE_SECONDS)
    try:
        return msgspec.json.decode(output.decode("utf-8", "replace"), type=Probe)
    except msgspec.MsgspecError as error:
        raise NotDecodable(str(error)) from error


def ffprobe(arguments: Sequence[str], *, seconds: float) -> bytes:
    return run((_program("ffprobe"), "-v", "quiet", *arguments), seconds=seconds)


def ffmpeg(arguments: Sequence[str], *, seconds: float) -> bytes:
    quiet = ("-v", "quiet", "-nostdin", "-hide_banner", "-y", "-threads", "2")
    threads = ("-filter_threads", "1", "-filter_complex_threads", "1")
    return run((_program("ffmpeg"), *quiet, *threads, *arguments), seconds=seconds)


def _program(name: str) -> str:
    found = find(name)
    if found is None:
        raise NotDecodable(f"{name} is not installed")
    return found


def _milliseconds(said: str) -> int:
    try:
        return max(0, min(round(float(said) * 1000), 10**12))
    except (ValueError, OverflowError):
        return 0

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
_Text = Annotated[str, Meta(max_length=100_000)]


class Stream(Struct, frozen=True):
    codec_type: str = ""
    codec_name: str = ""
    width: int = 0
    height: int = 0
    sample_aspect_ratio: str = "1:1"
    duration: str = ""
    disposition: dict[str, int] = field(default_factory=dict)
    tags: dict[str, _Text] = field(default_factory=dict)
    side_data_list: list[dict[str, Any]] = field(default_factory=list)


class Format(Struct, frozen=True):
    duration: str = ""
    tags: dict[str, _Text] = field(default_factory=dict)


class Probe(Struct, frozen=True):
    streams: list[Stream] = field(default_factory=list)
    format: Format = Format()

    def first(self, kind: str) -> Stream | None:
        """Of the streams of this kind. A cover of a song counts as no video."""
        return next(
            (
                stream
                for stream in self.streams
                if stream.codec_type == kind and not stream.disposition.get("attached_pic")
            ),
            None,
        )

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
    shown = "format=duration:format_tags:stream=codec_type,codec_name,width,height,duration"
    shown += ",sample_aspect_ratio:stream_disposition=attached_pic:stream_tags:stream_side_data"
    argv = (_program("ffprobe"), "-v", "quiet", "-of", "json", "-show_entries", shown)
    output = run((*argv, *source(path, format)), seconds=_PROBE_SECONDS)
    try:
        return msgspec.json.decode(output.decode("utf-8", "replace"), type=Probe)
    except msgspec.MsgspecError as error:
        raise NotDecodable(str(error)) from error


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

"""Makes the version of a video or sound that others get where the original holds more than its
pictures and sound: a copy of these tracks, without anything else."""

import re
from pathlib import Path
from typing import Final

from msgspec.structs import replace

from greenroom.files.decoder.content_type import Guess
from greenroom.files.decoder.ffmpeg import Probe, ffmpeg, probe, source
from greenroom.files.decoder.jobs import UNKNOWN, Decoded, LocationStays, Made, MetadataStays
from greenroom.files.decoder.metadata import holds_more, holds_place
from greenroom.files.decoder.problems import NotDecodable, Stopped
from greenroom.files.models import Variant

NO_METADATA: Final = ("-map_metadata", "-1", "-map_chapters", "-1", "-fflags", "+bitexact")
_PLACE: Final = re.compile(r"location|gps|geo|xyz|loci|id3v2_priv", re.IGNORECASE)
_PLACE_IN_XMP: Final = re.compile(r"GPS|Location|City", re.IGNORECASE)
_WRITERS: Final = {"asf": "asf", "mpeg": "mpeg", "aac": "adts"}


def with_stripped(
    decoded: Decoded, path: Path, guess: Guess, folder: Path, found: Probe, size: int
) -> Decoded:
    """Adds the copy if it is needed: what is not rated and not searched reaches nobody else."""
    is_tracks_only = not (decoded.shows_more or found.has_more_streams or tells_place(found))
    if is_tracks_only and not holds_more(path, guess.reader):
        return decoded
    target = folder / Variant.STRIPPED.value
    try:
        _strip(path, guess, target, found, seconds=30 + size / 10_000_000)
        left = probe(target, guess.reader)
        if left.has_more_streams or tells_place(left) or holds_place(target, guess.reader):
            raise NotDecodable("it still holds more")
    except NotDecodable:
        stays = LocationStays() if tells_place(found) else MetadataStays(UNKNOWN)
        raise Stopped(stays) from None
    made = Made(Variant.STRIPPED, decoded.type, decoded.width, decoded.height)
    return replace(decoded, previews=(*decoded.previews, made))


def _strip(path: Path, guess: Guess, target: Path, found: Probe, *, seconds: float) -> None:
    writer = _WRITERS.get(guess.reader, guess.reader)
    if guess.reader == "mov" and guess.type != "video/quicktime":
        writer = "mp4"
    if guess.reader == "matroska" and guess.type.endswith("webm"):
        writer = "webm"
    video = found.video
    shown = () if video is None else ("-map", f"0:{video.index}", "-disposition:v", "default")
    streams = (*shown, "-map", "0:a?", "-sn", "-dn", *NO_METADATA)
    faststart = ("-movflags", "+faststart") if writer in ("mp4", "mov") else ()
    arguments = (*source(path, guess.reader), *streams, "-c", "copy", *faststart)
    ffmpeg((*arguments, "-f", writer, str(target)), seconds=seconds)


def refuse_if_more(path: Path, guess: Guess, found: Probe) -> None:
    """For one that cannot be decoded."""
    if found.has_more_streams or tells_place(found) or holds_place(path, guess.reader):
        raise Stopped(MetadataStays(UNKNOWN)) from None


def tells_place(found: Probe) -> bool:
    """In a tag, or in a track of data, in which cameras record where they are all the time."""
    every = [found.format.tags, *(stream.tags for stream in found.streams)]
    if any(stream.codec_type == "data" for stream in found.streams):
        return True
    return any(map(_names_place, every))


def _names_place(tags: dict[str, str]) -> bool:
    in_name = any(_PLACE.search(name) for name in tags)
    return in_name or bool(_PLACE_IN_XMP.search(tags.get("xmp", "")))

"""Decodes one file: guesses its type, proves it with a decoder, and makes its previews.

| the file …                                         | becomes                                    |
| ---                                                | ---                                        |
| is decoded                                         | a picture, video, sound or PDF             |
| is a picture that was cut off or is a bit damaged  | a picture, of what is left                 |
| is damaged, or only begins like one of these       | `other`, `application/octet-stream`        |
| is a PDF that is encrypted or cannot be drawn      | a PDF without a preview                    |
| is HEIC, and no program for it is installed        | `other`, `image/heic`                      |
| is a video or sound, and ffmpeg is not installed   | `other`, with the type that it seems to be |
| is text, SVG, HTML, an archive, anything else      | `other`, with the type of its content      |
| takes too much memory or time to find its type    | `other`, `application/octet-stream`        |
| becomes `other`, but has metadata that stays       | refused (`metadata.py`)                    |
| has more pixels than allowed                       | refused                                    |
| is a picture that takes too much memory or time    | refused (`client.py`)                      |

A damaged file loses its type so that no browser is asked to show it: nothing has proved that it is
harmless there.
"""

from collections.abc import Callable
from pathlib import Path

from greenroom.files.decoder import ffmpeg, heif
from greenroom.files.decoder.animation import later_frames, with_animation
from greenroom.files.decoder.content_type import HEIF, Guess, guess
from greenroom.files.decoder.jobs import (
    UNKNOWN,
    Answer,
    Decoded,
    Job,
    MetadataStays,
    NeedsTime,
    Sniffed,
)
from greenroom.files.decoder.metadata import has_metadata
from greenroom.files.decoder.pdf import read_pdf
from greenroom.files.decoder.picture import accept_damage, open_picture
from greenroom.files.decoder.problems import NotDecodable, Stopped, is_disk_trouble
from greenroom.files.decoder.versions import versions, with_frames
from greenroom.files.decoder.video import read_video
from greenroom.files.models import Media


def decode(job: Job, tell: Callable[[Sniffed], None]) -> Answer:
    """`tell` is called with what is known before each step that the child may not survive."""
    tell(Sniffed(UNKNOWN, Media.OTHER))
    found = _guessed(Path(job.path))
    tell(Sniffed(found.type, found.media))
    try:
        answer: Answer = _decoded(job, found)
    except Stopped as stopped:
        return stopped.answer
    except NotDecodable:
        answer = Decoded(type=UNKNOWN)
    if isinstance(answer, Decoded) and answer.media is Media.OTHER:
        return MetadataStays(answer.type) if has_metadata(Path(job.path), found) else answer
    return answer


def _guessed(path: Path) -> Guess:
    """A library that breaks on a file would break on it again."""
    try:
        return guess(path)
    except Exception as error:
        if is_disk_trouble(error):
            raise
        return Guess(UNKNOWN)


def _decoded(job: Job, found: Guess) -> Answer:
    path, folder = Path(job.path), Path(job.folder)
    if found.media is Media.PICTURE:
        return _picture(job, found, path, folder)
    if found.media is Media.PDF:
        return read_pdf(path, folder)
    if found.media is Media.OTHER or not ffmpeg.is_installed():
        return Decoded(type=found.type)
    if not job.is_heavy:
        return NeedsTime()
    return read_video(path, found, folder, max_pixels=job.max_pixels, size=job.size)


def _picture(job: Job, found: Guess, path: Path, folder: Path) -> Decoded:
    if found.reader == HEIF:
        if heif.program() is None:
            return Decoded(type=found.type)
        picture = heif.open_heif(path, folder, max_pixels=job.max_pixels)
        return versions(picture, found.type, Media.PICTURE, folder)
    try:
        picture = open_picture(path, found.reader, max_pixels=job.max_pixels)
    except NotDecodable:  # most viewers show what is left of it
        accept_damage()
        picture = open_picture(path, found.reader, max_pixels=job.max_pixels)
    still = versions(picture, found.type, Media.PICTURE, folder)
    if not picture.is_animated:
        return still
    rated = with_frames(still, later_frames(path, found.reader, picture.ground), folder)
    return with_animation(rated, path, found.reader, folder, picture.ground)

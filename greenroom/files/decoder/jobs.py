"""The job that a child is given, and what it answers."""

from typing import Final, TypeAlias

import msgspec
from msgspec import Struct

from greenroom.files.models import Media, Variant

UNKNOWN: Final = "application/octet-stream"
PIXELS: Final = "pixels"
"""The file with pictures for the rater: each has 224 x 224 pixels of three bytes."""
MOST_FRAMES: Final = 5
"""Pictures of an animation or video that are rated and hashed."""


class _Tagged(Struct, frozen=True, tag=True, tag_field="kind"):
    """A line of JSON that says what it is."""


class Job(_Tagged, frozen=True):
    id: int
    path: str
    folder: str
    """Where the child writes its files, each named by its variant."""
    size: int
    max_pixels: int
    memory_bytes: int
    is_heavy: bool = False
    """It may decode videos and sounds, which take longer than pictures."""

    cpu_seconds: int = 40
    """Of each of its processes; three times as many in a heavy job."""

    @property
    def seconds(self) -> int:
        """Until it is killed. More than it needs, even where the machine is busy."""
        copy_seconds = self.size // 10_000_000  # of a slow disk
        return copy_seconds + 60 + self.cpu_seconds * (9 if self.is_heavy else 2)


class Cancel(_Tagged, frozen=True):
    id: int


class Made(Struct, frozen=True):
    """A file that the child has written."""

    variant: Variant
    type: str
    width: int = 0
    height: int = 0


class Sniffed(_Tagged, frozen=True):
    """What a file seems to be. The child says so before it decodes, in case it does not survive
    it."""

    type: str
    media: Media


class Decoded(_Tagged, frozen=True, kw_only=True):
    """What a file is."""

    type: str
    media: Media = Media.OTHER
    width: int = 0
    height: int = 0
    thumbhash: str = ""
    perceptual_hash: str = ""
    frame_hashes: tuple[str, ...] = ()
    mirrored_hashes: tuple[str, ...] = ()
    duration_ms: int = 0
    waveform: str = ""
    pages: int = 0
    previews: tuple[Made, ...] = ()
    has_pixels: bool = False
    is_rated_whole: bool = True
    """No picture of a video that should be rated is missing."""
    shows_more: bool = False
    """The original has pictures that are not rated, such as a second video track."""


class TooManyPixels(_Tagged, frozen=True):
    pixels: int
    most: int


class LocationStays(_Tagged, frozen=True):
    """It says where it was recorded, and that cannot be removed."""


class MetadataStays(_Tagged, frozen=True):
    """No decoder can read it, and it has metadata, or may have."""

    type: str


class NeedsTime(_Tagged, frozen=True):
    """It is a video or a sound: it needs a heavy job."""


class Broken(_Tagged, frozen=True):
    """The child has not come to an end."""

    reason: str
    sniffed: Sniffed | None = None
    is_outside: bool = False
    """It was killed by us or by the kernel, because the machine is busy or short of memory. That
    says nothing about the file."""


class DiskFull(_Tagged, frozen=True):
    """The child could not write its files."""


Answer: TypeAlias = (
    Decoded | TooManyPixels | LocationStays | MetadataStays | NeedsTime | Broken | DiskFull
)


class Reply(Struct, frozen=True):
    """An answer as the decoder process sends it."""

    id: int
    answer: Answer
    memory_bytes: int = 0
    """The most that the child had in memory."""
    cpu_seconds: float = 0.0
    """Of the child and the programs that it ran."""


encode = msgspec.json.Encoder().encode
decode_request = msgspec.json.Decoder(Job | Cancel).decode
decode_reply = msgspec.json.Decoder(Reply).decode
decode_child_line = msgspec.json.Decoder(Sniffed | Answer).decode

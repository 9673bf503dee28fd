"""Why a check ends badly. The owner finds the code and the message in the file."""

from greenroom.errors import Clause, Problem


class BytesMissing(Problem):
    """The server has {arrived_bytes} bytes of this file, and {announced_bytes} were announced.
    Upload it again."""

    arrived_bytes: int
    announced_bytes: int


class ChecksumMismatch(Problem):
    """What arrived is not the file that was announced: its SHA-256 is another one. Upload it
    again."""


class VirusFound(Problem):
    """The virus scanner found {signature} in this file."""

    signature: str


class NotScannable(Problem):
    """The virus scanner cannot check this file, because {reason}."""

    reason: Clause


class TooManyPixels(Problem):
    """The picture has {megapixels} megapixels, and {most_megapixels} are allowed. All pictures of
    an animation count together."""

    megapixels: int
    most_megapixels: int


class PictureTooComplex(Problem):
    """This picture takes too much time or memory to decode. Save it in another format or size."""


class LocationNotRemovable(Problem):
    """The video says where it was recorded, and that cannot be removed. Save it without its
    location, or in another format."""


class MetadataNotRemovable(Problem):
    """This file cannot be read here, so the place where it was taken cannot be removed from it.
    Save it in another format, or send the original with its metadata."""


class CheckFailed(Problem):
    """The file could not be checked. Upload it again."""

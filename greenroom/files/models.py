"""Files, their previews, ratings and uses as values. Pure, no I/O.

    uploading ──> checking ──> ready
                          ├──> infected      the scanner found something
                          ├──> unscannable   the scanner cannot tell: too big, encrypted, too slow
                          ├──> refused       not what was announced, more than a limit allows, or
                          │                  with metadata that cannot be removed
                          └──> failed        the server gave up on it
    any state ──> deleted

Careful: a file is written whole under its `version`. Only its owner sees a file that is not used;
who else sees it is decided by the context that uses it (`context.Audience`).
"""

from enum import StrEnum
from typing import Literal

from msgspec import Struct

from greenroom.ids import FileId, ManifestId, ThreadId, UserId


class FileState(StrEnum):
    UPLOADING = "uploading"
    CHECKING = "checking"
    READY = "ready"
    INFECTED = "infected"
    UNSCANNABLE = "unscannable"
    REFUSED = "refused"
    FAILED = "failed"
    DELETED = "deleted"
    """Its bytes are gone or about to go. The item stays for a while, so that sync can tell."""


ENDED_BADLY = frozenset(
    {FileState.INFECTED, FileState.UNSCANNABLE, FileState.REFUSED, FileState.FAILED}
)


class Scan(StrEnum):
    """What the virus scanner said."""

    UNSCANNED = "unscanned"
    """No scanner is configured, or it has not come to it yet."""
    CLEAN = "clean"
    INFECTED = "infected"
    UNSCANNABLE = "unscannable"


class Media(StrEnum):
    """What a file shows, found from its content."""

    PICTURE = "picture"
    VIDEO = "video"
    SOUND = "sound"
    PDF = "pdf"
    OTHER = "other"


UNKNOWN_TYPE = "application/octet-stream"
"""Of bytes that were not looked at yet."""

MAX_MIME, MAX_THUMBHASH, MAX_WAVEFORM, MAX_URL = 150, 60, 100, 2048
"""Characters."""
SHOW, BLUR, HIDE = 0, 1, 2
"""The bands: how careful a preview must be."""


class Variant(StrEnum):
    """The versions of a file that can be downloaded. All but the first are made by the server."""

    ORIGINAL = "original"
    SMALL = "small"
    MEDIUM = "medium"
    LARGE = "large"
    """Pictures, posters of videos and first pages of PDFs, in three sizes, as WebP."""
    BLURRED = "blurred"
    """The small one, blurred beyond recognition."""
    CLIP = "clip"
    """The beginning of a video, 360 pixels high, as MP4."""
    STRIPPED = "stripped"
    """A video or sound without anything else, where the original holds more or says where it was
    recorded."""


class Preview(Struct, frozen=True):
    """A version of a file that the server made."""

    variant: Variant
    type: str
    size: int
    width: int = 0
    height: int = 0


class FileUse(Struct, frozen=True, kw_only=True):
    """What a file is used for. The kind is registered by the context that knows who may see it."""

    kind: str
    """`message`, `avatar`, `thread_picture`."""
    target: str
    """The thread or user that it belongs to."""
    item: str = ""
    """The message; empty while the message waits for its files."""
    position: int = 0
    """The message's seq."""
    client_id: str = ""
    """The client message id of the message."""

    @property
    def is_waiting(self) -> bool:
        """The message is not sent yet: it waits for its files, or for a moderator."""
        return bool(self.client_id) and not self.item


class File(Struct, frozen=True, kw_only=True, omit_defaults=True):
    id: FileId
    owner: UserId
    name: str
    """As it is shown: one line, without folders or hidden characters."""
    size: int
    sha256: str
    """Hexadecimal; as announced, and checked when all bytes are there."""
    thread: ThreadId | None = None
    """The conversation for which it was uploaded. It can be used nowhere else."""
    keep_original: bool = False
    """Others may download a picture or a video as it was uploaded, with its metadata."""
    state: FileState = FileState.UPLOADING
    problem: str = ""
    """Why it ended badly: the code of the refusal …"""
    detail: str = ""
    """… and what it says."""
    created_ms: int
    changed_ms: int
    upload_id: str = ""
    """Of a multipart upload."""
    part_size: int = 0
    type: str = ""
    """The media type, found from the content; empty until then."""
    media: Media = Media.OTHER
    scan: Scan = Scan.UNSCANNED
    width: int = 0
    height: int = 0
    thumbhash: str = ""
    """Base64: about 25 bytes that a client shows until the picture is there."""
    duration_ms: int = 0
    waveform: str = ""
    """Base64: of a sound, 64 loudness values of one byte each."""
    pages: int = 0
    previews: tuple[Preview, ...] = ()
    band: int = SHOW
    labels: dict[str, float] = {}
    """What the model saw, with its confidence; empty if it was not rated."""
    banded_by: UserId | None = None
    """The moderator who set the band …"""
    banded_ms: int = 0
    """… and when it was decided."""
    appealed: tuple[int, ...] = ()
    """The bands against which its owner has appealed: once against each."""
    perceptual_hash: str = ""
    frame_hashes: tuple[str, ...] = ()
    """Of further pictures of an animation or video."""
    mirrored_hashes: tuple[str, ...] = ()
    """Of the mirror images of all of these."""
    resembles: FileId | None = None
    """A picture that a moderator removed and that this one resembles."""
    use: FileUse | None = None
    version: int = 1

    @property
    def hashes(self) -> tuple[str, ...]:
        """What it is recognised by."""
        return (self.perceptual_hash, *self.frame_hashes) if self.perceptual_hash else ()

    @property
    def is_rated(self) -> bool:
        return bool(self.labels) or self.banded_by is not None

    @property
    def can_appeal(self) -> bool:
        return self.state is FileState.READY and self.band > SHOW and self.band not in self.appealed

    @property
    def is_visual(self) -> bool:
        return bool(self.thumbhash)


class NewFile(Struct, frozen=True, kw_only=True):
    """What a client announces before it uploads."""

    name: str
    size: int
    sha256: str
    type: str = ""
    """The client's guess. It is not believed."""
    thread: ThreadId | None = None
    keep_original: bool = False


class Attachment(Struct, frozen=True, kw_only=True, omit_defaults=True, rename="camel"):
    """A file or a manifest in a message, with all that is needed to draw its place."""

    kind: Literal["preview", "manifest"] = "preview"
    file: FileId | None = None
    manifest: ManifestId | None = None
    name: str
    mime: str
    size: int
    media: Media = Media.OTHER
    w: int = 0
    h: int = 0
    thumbhash: str = ""
    duration_ms: int = 0
    waveform: str = ""
    pages: int = 0
    alt: str = ""
    """A description for those who cannot see it."""
    band: int = SHOW
    rated: bool = False
    scan: Scan = Scan.UNSCANNED
    sha256: str = ""
    """Of a manifest."""
    url: str = ""
    """Of a manifest: where the deliverable is."""


class SafeMode(StrEnum):
    """A viewer's own preference."""

    SHOW = "show"
    """Show sensitive pictures; blur explicit ones."""
    BLUR = "blur"
    """Blur sensitive pictures until they are tapped; hide explicit ones. The default."""
    HIDE = "hide"
    """Hide both."""


class Viewer(Struct, frozen=True):
    """Somebody who may see a file, as the context that uses it knows them."""

    safe_mode_required: bool = False
    """The conversation insists on safe mode, whatever its members prefer."""
    knows_owner: bool = True
    """Has written to the file's owner, or accepted a request of theirs."""


class Shown(StrEnum):
    """How a file is shown to a viewer."""

    CLEAR = "clear"
    BLURRED = "blurred"
    """Until the viewer asks for it."""
    HIDDEN = "hidden"


class Storage(Struct, frozen=True):
    """What counts against a user's quota."""

    bytes: int = 0
    files: int = 0


class Manifest(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The record of a deliverable that is kept elsewhere. Never changed."""

    id: ManifestId
    thread: ThreadId
    number: int
    """Its place in the thread's chain, from 1."""
    name: str
    size: int
    sha256: str
    url: str
    by: UserId
    created_ms: int
    salt: str
    """Random, so that nobody can guess what `sealed` is made of."""
    sealed: str
    """The hash of what only members see: thread, url, by and salt (`manifest_hash.sealed`)."""
    previous: str
    """The hash of the manifest before it; empty for the first."""
    hash: str
    """SHA-256 of all that the public page shows (`manifest_hash.hash_of`)."""
    withheld: bool = False
    """A moderator removed it: it has no name and no URL here. Not hashed."""


class ChainEnd(Struct, frozen=True):
    """The last manifest of a thread."""

    number: int = 0
    hash: str = ""


class NewManifest(Struct, frozen=True, kw_only=True):
    """What a client records."""

    name: str
    size: int
    sha256: str
    url: str

"""The JSON shapes of a user's own files."""

from msgspec import Struct

from greenroom.clock import iso
from greenroom.files import models
from greenroom.files.models import FileState, Media, SafeMode, Scan, Variant
from greenroom.ids import FileId, MessageId, ThreadId, UserId


class FileProblem(Struct, rename="camel"):
    """Why a file ended badly."""

    type: str
    """The problem type, as in an error response."""
    detail: str
    """The reason, for a person to read."""


class FileUse(Struct, rename="camel"):
    """What a file is used for."""

    kind: str
    """`message`, `avatar` or `thread_picture`."""
    thread_id: ThreadId | None
    user_id: UserId | None
    message_id: MessageId | None
    """Null while the message waits for its files."""


class FileVariant(Struct, rename="camel"):
    """A version of a file that the server made."""

    variant: Variant
    type: str
    size: int
    width: int
    height: int


class File(Struct, rename="camel"):
    """A file, as its owner sees it."""

    file_id: FileId
    name: str
    size: int
    sha256: str
    thread_id: ThreadId | None
    """The conversation for which it was uploaded."""
    keep_original: bool
    state: FileState
    """`uploading`, `checking`, then `ready`; or `infected`, `unscannable`, `refused` or `failed`:
    `problem` says why."""
    problem: FileProblem | None
    scan: Scan
    type: str
    """The media type, found from the content; empty until then."""
    media: Media
    width: int
    height: int
    thumbhash: str
    duration_ms: int
    waveform: str
    pages: int
    band: int
    rated: bool
    labels: dict[str, float]
    can_appeal: bool
    variants: list[FileVariant]
    use: FileUse | None
    """Null if nothing uses it: then it is deleted after a day."""
    created_at: str
    changed_at: str
    version: int


class FileList(Struct, rename="camel"):
    """A page of files."""

    files: list[File]
    next: str | None


class Storage(Struct, rename="camel"):
    """How much room the caller's files take, and the limits."""

    bytes: int
    files: int
    quota_bytes: int
    max_file_bytes: int
    files_per_message: int


class FilePreferences(Struct, rename="camel", forbid_unknown_fields=True):
    """How sensitive pictures are shown to the caller."""

    safe_mode: SafeMode


def file_shape(file: models.File) -> File:
    problem = None
    if file.problem:
        problem = FileProblem(f"/problems/{file.problem}", file.detail)
    return File(
        file_id=file.id,
        name=file.name,
        size=file.size,
        sha256=file.sha256,
        thread_id=file.thread,
        keep_original=file.keep_original,
        state=file.state,
        problem=problem,
        scan=file.scan,
        type=file.type,
        media=file.media,
        width=file.width,
        height=file.height,
        thumbhash=file.thumbhash,
        duration_ms=file.duration_ms,
        waveform=file.waveform,
        pages=file.pages,
        band=file.band,
        rated=file.is_rated,
        labels=file.labels,
        can_appeal=file.can_appeal,
        variants=[_variant(preview) for preview in file.previews],
        use=None if file.use is None else _use(file.use),
        created_at=iso(file.created_ms),
        changed_at=iso(file.changed_ms),
        version=file.version,
    )


def _variant(preview: models.Preview) -> FileVariant:
    return FileVariant(preview.variant, preview.type, preview.size, preview.width, preview.height)


def _use(use: models.FileUse) -> FileUse:
    is_person = use.kind == "avatar"
    return FileUse(
        kind=use.kind,
        thread_id=None if is_person else ThreadId(use.target),
        user_id=UserId(use.target) if is_person else None,
        message_id=MessageId(use.item) if use.item else None,
    )

"""The JSON shapes of attachments."""

from collections.abc import Iterable
from typing import Annotated, Literal

from msgspec import Meta, Struct

from greenroom.files import models as files
from greenroom.files.models import Media, Scan
from greenroom.ids import FileId, ManifestId
from greenroom.messaging import models

MOST_ATTACHMENTS = 10
"""In one message. The policy may allow fewer."""


class NewAttachment(Struct, rename="camel", forbid_unknown_fields=True):
    """A file to send. It need not be ready: the message waits for it."""

    file_id: Annotated[str, Meta(min_length=1, max_length=64)]
    alt: str = ""
    """A description for those who cannot see it."""


class Attachment(Struct, rename="camel"):
    """A file in a message, with all that is needed to draw its place before it is loaded."""

    kind: Literal["preview", "manifest"]
    file_id: FileId | None
    manifest_id: ManifestId | None
    name: str
    mime: str
    size: int
    media: Media
    w: int
    h: int
    thumbhash: str
    duration_ms: int
    waveform: str
    pages: int
    alt: str
    band: int
    rated: bool
    scan: Scan
    sha256: str
    url: str


def new_attachments(given: Iterable[NewAttachment]) -> tuple[models.NewAttachment, ...]:
    return tuple([models.NewAttachment(FileId(one.file_id), one.alt) for one in given])


def attachment_shapes(attachments: Iterable[files.Attachment]) -> tuple[Attachment, ...]:
    return tuple(
        [
            Attachment(
                kind=one.kind,
                file_id=one.file,
                manifest_id=one.manifest,
                name=one.name,
                mime=one.mime,
                size=one.size,
                media=one.media,
                w=one.w,
                h=one.h,
                thumbhash=one.thumbhash,
                duration_ms=one.duration_ms,
                waveform=one.waveform,
                pages=one.pages,
                alt=one.alt,
                band=one.band,
                rated=one.rated,
                scan=one.scan,
                sha256=one.sha256,
                url=one.url,
            )
            for one in attachments
        ]
    )

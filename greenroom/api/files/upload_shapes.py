"""The JSON shapes of uploads: where to send the bytes of a file."""

from typing import Literal

from msgspec import Struct

from greenroom.api.files.shapes import File, file_shape
from greenroom.clock import iso
from greenroom.files import Files, models
from greenroom.files.create_file import expires_ms
from greenroom.files.upload_state import InOrder, InParts, MissingPart, Uploading
from greenroom.files.upload_token import upload_token


class UploadPart(Struct, rename="camel"):
    """A part that is missing: send exactly these bytes, with this request."""

    number: int
    offset: int
    size: int
    method: str
    url: str
    headers: dict[str, str]


class Upload(Struct, rename="camel"):
    """Where to send the bytes of a file."""

    protocol: Literal["tus", "parts"]
    """`tus`: send them in order to `url`, with PATCH. `parts`: send each of `parts`, then complete
    the upload."""
    url: str | None
    """For `tus`: where to send them. It needs no token."""
    offset: int
    """How many bytes have arrived. With `tus`, the next one to send."""
    part_size: int | None
    """For `parts`: the size of each but the last."""
    uploaded_parts: list[int]
    """For `parts`: the numbers of those that have arrived."""
    parts: list[UploadPart]
    """For `parts`: the first 100 that are missing. Ask again for more."""
    expires_at: str
    """When the file is deleted unless something uses it."""


class FileUpload(Struct, rename="camel"):
    """A file, and where to send its bytes."""

    file: File
    upload: Upload | None
    """Null once all bytes have arrived."""


def file_upload(files: Files, uploading: Uploading) -> FileUpload:
    shape = file_shape(uploading.file)
    match uploading.state:
        case None:
            return FileUpload(shape, None)
        case InOrder() as state:
            return FileUpload(shape, _in_order(files, uploading.file, state))
        case InParts() as state:
            return FileUpload(shape, _in_parts(files, uploading.file, state))


def upload_url(files: Files, file: models.File) -> str:
    """Relative to this server. It needs no token."""
    return f"/v1/uploads/{file.id}?token={upload_token(files, file)}"


def _in_order(files: Files, file: models.File, state: InOrder) -> Upload:
    return Upload(
        protocol="tus",
        url=upload_url(files, file),
        offset=state.offset,
        part_size=None,
        uploaded_parts=[],
        parts=[],
        expires_at=iso(expires_ms(files, file)),
    )


def _in_parts(files: Files, file: models.File, state: InParts) -> Upload:
    return Upload(
        protocol="parts",
        url=None,
        offset=state.uploaded_bytes,
        part_size=state.part_size,
        uploaded_parts=list(state.uploaded),
        parts=[_part(state, part) for part in state.missing],
        expires_at=iso(expires_ms(files, file)),
    )


def _part(state: InParts, part: MissingPart) -> UploadPart:
    return UploadPart(
        number=part.number,
        offset=(part.number - 1) * state.part_size,
        size=part.size,
        method=part.request.method,
        url=part.request.url,
        headers=dict(part.request.headers),
    )

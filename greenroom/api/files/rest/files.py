"""Routes of the caller's own files: announce, list, get, complete, delete."""

from typing import Annotated

from litestar import Router, delete, get, post
from litestar.di import NamedDependency
from litestar.params import JSONBody, QueryParameter, SkipValidation
from msgspec import Meta, Struct

from greenroom.api.auth import BEARER, needs
from greenroom.api.files.params import FileIdInPath, TheFiles
from greenroom.api.files.shapes import File, FileList, Storage, file_shape
from greenroom.api.files.upload_shapes import FileUpload, file_upload
from greenroom.api.idempotency import IdempotencyKey, Idempotent, digest_of
from greenroom.api.params import Caller, Cursor
from greenroom.api.route_docs import refuses
from greenroom.blobs.base import BlobsFailing, InvalidParts
from greenroom.files import access, models
from greenroom.files.complete_upload import complete_upload
from greenroom.files.create_file import create_file
from greenroom.files.delete_file import delete_file
from greenroom.files.names import LONGEST_GIVEN
from greenroom.files.own_files import MAX_PAGE, own_files
from greenroom.files.policy import UPLOAD_REQUESTS
from greenroom.files.problems import (
    FileInUse,
    FileNotFound,
    FileTooLarge,
    InvalidFile,
    QuotaExceeded,
    UploadConflict,
    UploadIncomplete,
)
from greenroom.files.storage import storage
from greenroom.files.upload_state import state_of, upload_state
from greenroom.ids import FileId, ThreadId
from greenroom.messaging.problems import (
    AcceptFirst,
    ConversationClosed,
    ConversationLocked,
    PlainTextOnly,
    RequestPending,
    RoleNotAllowed,
    ThreadNotFound,
)
from greenroom.people.actor import Scope
from greenroom.store.problems import InvalidCursor

_LARGEST = 5_000_000_000_000
"""What S3 takes. The policy has a smaller limit."""
_Limit = Annotated[int, QueryParameter(ge=1, le=MAX_PAGE)]


class NewFile(Struct, rename="camel", forbid_unknown_fields=True):
    """A file to upload."""

    name: Annotated[str, Meta(min_length=1, max_length=LONGEST_GIVEN)]
    size: Annotated[int, Meta(ge=1, le=_LARGEST)]
    sha256: Annotated[str, Meta(min_length=64, max_length=64, pattern="^[0-9a-fA-F]+$")]
    type: Annotated[str, Meta(max_length=255)] = ""
    thread_id: Annotated[str, Meta(min_length=1, max_length=64)] | None = None
    """The conversation that it is for. Without it the file can be used for a profile."""
    keep_original: bool = False


class CreatedFile(Struct, rename="camel"):
    """What is kept of a request with an `Idempotency-Key`. The URLs are made again: they expire."""

    file_id: FileId


@post(
    "/files",
    operation_id="createFile",
    summary="Announce a file",
    description="Reserves its bytes in your quota, and says where to send them. What arrives is "
    "compared with `size` and `sha256`; the type is found from the content. A file that nothing "
    "uses within a day is deleted.",
    response_description="The file, and where to send its bytes.",
    responses=refuses(
        FileNotFound,
        InvalidFile,
        FileTooLarge,
        QuotaExceeded,
        ThreadNotFound,
        AcceptFirst,
        ConversationLocked,
        ConversationClosed,
        RequestPending,
        PlainTextOnly,
        RoleNotAllowed,
        BlobsFailing,
        body=True,
    ),
)
async def post_file(
    data: JSONBody[NewFile],
    actor: Caller,
    files: TheFiles,
    idempotent: NamedDependency[SkipValidation[Idempotent]],
    idempotency_key: IdempotencyKey = None,
) -> FileUpload:
    new = models.NewFile(
        name=data.name,
        size=data.size,
        sha256=data.sha256,
        type=data.type,
        thread=None if data.thread_id is None else ThreadId(data.thread_id),
        keep_original=data.keep_original,
    )

    async def run() -> CreatedFile:
        return CreatedFile((await create_file(files, actor, new, key=idempotency_key)).id)

    request = digest_of("createFile", data)
    created = await idempotent(actor, idempotency_key, request, run, CreatedFile)
    file = await access.own_file(files, actor, created.file_id)
    return file_upload(files, await state_of(files, file))


@get(
    "/files",
    operation_id="getFiles",
    summary="List your files",
    description="Also those that are being uploaded, and those that ended badly.",
    response_description="The last changed first.",
    responses=refuses(InvalidCursor),
)
async def get_files(
    actor: Caller, files: TheFiles, cursor: Cursor = None, limit: _Limit = 20
) -> FileList:
    page = await own_files(files, actor, limit=limit, cursor=cursor)
    return FileList([file_shape(file) for file in page.files], page.next)


@get(
    "/files/{fileId:str}",
    operation_id="getFile",
    summary="Get one of your files",
    response_description="The file.",
    responses=refuses(FileNotFound),
)
async def get_file(file_id: FileIdInPath, actor: Caller, files: TheFiles) -> File:
    return file_shape(await access.own_file(files, actor, file_id))


@get(
    "/files/{fileId:str}/upload",
    operation_id="getUpload",
    summary="Ask where an upload goes on",
    description="After a lost connection, a closed tab or a restart: how many bytes have arrived, "
    "and where to send the rest.",
    response_description="The file, and where to send the rest of its bytes.",
    limit=UPLOAD_REQUESTS,
    responses=refuses(FileNotFound, BlobsFailing),
)
async def get_upload(file_id: FileIdInPath, actor: Caller, files: TheFiles) -> FileUpload:
    return file_upload(files, await upload_state(files, actor, file_id))


@post(
    "/files/{fileId:str}/complete",
    operation_id="completeUpload",
    summary="Complete an upload",
    description="All bytes have arrived: the file is checked now. A tus upload completes itself "
    "with its last byte. Completing it again has no effect.",
    response_description="The file, which is being checked, or has been.",
    status_code=200,
    limit=UPLOAD_REQUESTS,
    responses=refuses(FileNotFound, UploadIncomplete, UploadConflict, InvalidParts, BlobsFailing),
)
async def post_complete(file_id: FileIdInPath, actor: Caller, files: TheFiles) -> File:
    return file_shape(await complete_upload(files, actor, file_id))


@delete(
    "/files/{fileId:str}",
    operation_id="deleteFile",
    summary="Delete a file",
    description="Also ends its upload. A file that a message or a profile uses is deleted with "
    "that.",
    response_description="The file is deleted.",
    responses=refuses(FileNotFound, FileInUse),
)
async def delete_own_file(file_id: FileIdInPath, actor: Caller, files: TheFiles) -> None:
    await delete_file(files, actor, file_id)


@get(
    "/me/storage",
    operation_id="getStorage",
    summary="Get how much room your files take",
    response_description="The room that is used, and the limits.",
    responses=refuses(),
)
async def get_storage(actor: Caller, files: TheFiles) -> Storage:
    used = await storage(files, actor)
    return Storage(
        bytes=used.bytes,
        files=used.files,
        quota_bytes=files.policy.quota_bytes,
        max_file_bytes=files.policy.max_bytes,
        files_per_message=files.policy.per_message,
    )


routes = Router(
    "/v1",
    route_handlers=[
        post_file,
        get_files,
        get_file,
        get_upload,
        post_complete,
        delete_own_file,
        get_storage,
    ],
    guards=[needs(Scope.USER)],
    security=BEARER,
    tags=["files"],
)

"""Routes of tus 1.0: the bytes of a file in one or many requests, resumed where they were cut off.

Core protocol, with the extensions creation, checksum, expiration and termination. A HEAD request
comes here as GET (`api/head_requests.py`). The routes are not in the OpenAPI document: clients of
tus know them, and docs/guides/files.md shows them.
"""

from typing import Any

from litestar import Request, Response, Router, delete, get, patch, post, route
from litestar.enums import HttpMethod

from greenroom.api.files import tus_headers
from greenroom.api.files.params import FileIdInPath, TheFiles
from greenroom.api.files.tus_headers import (
    ALGORITHMS,
    CHUNK,
    EXTENSIONS,
    VERSION,
    WrongContentType,
)
from greenroom.api.files.upload_guard import needs_uploader
from greenroom.api.files.upload_shapes import upload_url
from greenroom.api.idempotency import IdempotencyKey
from greenroom.api.long_uploads import long_upload
from greenroom.api.params import Caller
from greenroom.blobs.base import AppendBlobs
from greenroom.files import Files, models
from greenroom.files.append_upload import append_upload
from greenroom.files.create_file import create_file, expires_ms
from greenroom.files.delete_file import delete_file
from greenroom.files.models import FileState
from greenroom.files.policy import UPLOAD_REQUESTS
from greenroom.files.problems import UploadInParts
from greenroom.files.upload_state import InOrder, upload_state
from greenroom.ids import ThreadId

_ALWAYS = {"Tus-Resumable": VERSION, "Tus-Version": VERSION}


@route("/uploads", http_method=[HttpMethod.OPTIONS], status_code=204)
async def options_uploads(files: TheFiles) -> Response[None]:
    return _capabilities(files)


@route("/uploads/{fileId:str}", http_method=[HttpMethod.OPTIONS], status_code=204)
async def options_upload(files: TheFiles) -> Response[None]:
    return _capabilities(files)


@post("/uploads")
async def post_upload(
    request: Request[Any, Any, Any],
    actor: Caller,
    files: TheFiles,
    idempotency_key: IdempotencyKey = None,
) -> Response[None]:
    """Creates a file. The metadata has `filename`, `sha256`, and perhaps `filetype`, `threadId` and
    `keepOriginal`."""
    tus_headers.check_version(request.headers)
    if not isinstance(files.blobs, AppendBlobs):
        raise UploadInParts
    file = await create_file(files, actor, _announced(request), key=idempotency_key)
    headers = {"Location": upload_url(files, file), **_expiry(files, file)}
    return Response(None, status_code=201, headers=headers)


@get("/uploads/{fileId:str}")
async def get_upload_offset(
    file_id: FileIdInPath, request: Request[Any, Any, Any], actor: Caller, files: TheFiles
) -> Response[None]:
    tus_headers.check_version(request.headers)
    found = await upload_state(files, actor, file_id)
    file, state = found.file, found.state
    headers = {
        "Upload-Offset": str(state.offset if isinstance(state, InOrder) else file.size),
        "Upload-Length": str(file.size),
        "Upload-Metadata": _metadata(file),
        **_expiry(files, file),
    }
    return Response(None, headers=headers)


@patch("/uploads/{fileId:str}", status_code=204)
async def patch_upload(
    file_id: FileIdInPath, request: Request[Any, Any, Any], actor: Caller, files: TheFiles
) -> Response[None]:
    tus_headers.check_version(request.headers)
    if request.headers.get("Content-Type", "").strip().lower() != CHUNK:
        raise WrongContentType(CHUNK)
    offset = tus_headers.number_in(request.headers, "Upload-Offset")
    length = None
    if "Content-Length" in request.headers:
        length = tus_headers.number_in(request.headers, "Content-Length")
    checksum = tus_headers.checksum_in(request.headers)
    with long_upload(request, actor.user) as body:
        arrived = await append_upload(
            files, actor, file_id, offset, body, length=length, checksum=checksum
        )
    headers = {"Upload-Offset": str(arrived.offset), **_expiry(files, arrived.file)}
    return Response(None, status_code=204, headers=headers)


@delete("/uploads/{fileId:str}")
async def delete_upload(
    file_id: FileIdInPath, request: Request[Any, Any, Any], actor: Caller, files: TheFiles
) -> None:
    tus_headers.check_version(request.headers)
    await delete_file(files, actor, file_id)


def _capabilities(files: Files) -> Response[None]:
    headers = {
        "Tus-Checksum-Algorithm": ALGORITHMS,
        "Tus-Extension": EXTENSIONS,
        "Tus-Max-Size": str(files.policy.max_bytes),
    }
    return Response(None, status_code=204, headers=headers)


def _announced(request: Request[Any, Any, Any]) -> models.NewFile:
    size = tus_headers.upload_length(request.headers)
    given = tus_headers.metadata_in(request.headers)
    thread = given.get("threadId")
    return models.NewFile(
        name=given.get("filename", ""),
        size=size,
        sha256=given.get("sha256", ""),
        type=given.get("filetype", ""),
        thread=ThreadId(thread) if thread else None,
        keep_original=given.get("keepOriginal") == "true",
    )


def _metadata(file: models.File) -> str:
    return tus_headers.metadata_of({"filename": file.name, "sha256": file.sha256})


def _expiry(files: Files, file: models.File) -> dict[str, str]:
    if file.state is not FileState.UPLOADING:
        return {}
    return {"Upload-Expires": tus_headers.http_date(expires_ms(files, file))}


routes = Router(
    "/v1",
    route_handlers=[
        options_uploads,
        options_upload,
        post_upload,
        get_upload_offset,
        patch_upload,
        delete_upload,
    ],
    guards=[needs_uploader],
    opt={"limit": UPLOAD_REQUESTS, "headers": _ALWAYS},
    include_in_schema=False,
)

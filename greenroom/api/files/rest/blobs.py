"""Downloads and uploads of bytes by signed URLs. The URL is the permission: there is no token.

Only the folder engine has these routes. With S3 clients talk to the bucket.
"""

from typing import Any
from urllib.parse import parse_qsl

from litestar import Request, Response, Router, get, put
from litestar.exceptions import NotFoundException
from litestar.params import FromPath

from greenroom.api.files.blob_response import BlobResponse
from greenroom.api.files.params import TheFiles
from greenroom.api.head_requests import is_head
from greenroom.api.long_uploads import long_upload
from greenroom.api.not_modified import has_current
from greenroom.api.ranges import Unsatisfiable, range_in
from greenroom.blobs.base import BlobHead, BlobKey, WrongSize
from greenroom.blobs.disposition import content_disposition
from greenroom.blobs.folder import FolderBlobs, Grant
from greenroom.files import Files
from greenroom.files.problems import FileNotFound, LinkExpired

_MOST_PARAMETERS = 20
_SANDBOX = "sandbox; default-src 'none'"
_INLINE = f"{_SANDBOX}; img-src 'self'; media-src 'self'; style-src 'unsafe-inline'"
"""What a browser needs to show a single picture, video or sound."""


@get("/{key:path}")
async def download_blob(
    request: Request[Any, Any, Any], files: TheFiles, key: FromPath[str]
) -> Response[Any]:
    blobs = _folder(files)
    grant = _granted(blobs, request, "GET", key)
    blob = await blobs.open(grant.key)
    if blob is None:
        raise FileNotFound
    headers = _headers(blobs, grant, blob.head)
    if has_current(request, blob.head.etag):
        return Response(b"", status_code=304, headers=headers, media_type=grant.type)
    asked = request.headers.get("range")
    if request.headers.get("if-range", blob.head.etag) != blob.head.etag:
        asked = None
    size, part = blob.head.size, range_in(asked, blob.head.size)
    if isinstance(part, Unsatisfiable):
        headers["Content-Range"] = f"bytes */{size}"
        return Response(b"", status_code=416, headers=headers, media_type=grant.type)
    if part is not None:
        headers["Content-Range"] = f"bytes {part.first}-{part.last}/{size}"
    headers["Content-Length"] = str(size if part is None else part.last - part.first + 1)
    status = 200 if part is None else 206
    if is_head(request):
        return Response(b"", status_code=status, headers=headers, media_type=grant.type)
    return BlobResponse(blobs, blob, part, status, headers, grant.type)


@put("/{key:path}", request_max_body_size=None)
async def upload_blob(
    request: Request[Any, Any, Any], files: TheFiles, key: FromPath[str]
) -> Response[bytes]:
    """A whole blob, or a part of one."""
    blobs = _folder(files)
    grant = _granted(blobs, request, "PUT", key)
    if grant.type and request.headers.get("content-type") != grant.type:
        raise LinkExpired
    if request.headers.get("content-length", str(grant.size)) != str(grant.size):
        raise WrongSize(grant.size)
    with long_upload(request, grant.key) as content:
        etag = await blobs.receive(grant, content)
    return Response(b"", status_code=200, headers={"ETag": etag}, media_type="text/plain")


def _folder(files: Files) -> FolderBlobs:
    if not isinstance(files.blobs, FolderBlobs):
        raise NotFoundException
    return files.blobs


def _granted(blobs: FolderBlobs, request: Request[Any, Any, Any], method: str, key: str) -> Grant:
    try:
        query = parse_qsl(
            request.scope["query_string"].decode("ascii"),
            keep_blank_values=True,
            max_num_fields=_MOST_PARAMETERS,
            errors="strict",
        )
    except ValueError:
        raise LinkExpired from None
    grant = blobs.signer.verified(method, BlobKey(key.removeprefix("/")), query)
    if grant is None:
        raise LinkExpired
    return grant


def _headers(blobs: FolderBlobs, grant: Grant, head: BlobHead) -> dict[str, str]:
    return {
        "Accept-Ranges": "bytes",
        "Cache-Control": f"private, max-age={blobs.signer.seconds_left(grant)}",
        "Content-Disposition": content_disposition(grant.name, inline=bool(grant.inline)),
        "Content-Security-Policy": _INLINE if grant.inline else _SANDBOX,
        "Cross-Origin-Resource-Policy": "cross-origin",
        "ETag": head.etag,
        "X-Content-Type-Options": "nosniff",
    }


routes = Router("/v1/blobs", route_handlers=[download_blob, upload_blob], include_in_schema=False)

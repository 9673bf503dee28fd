"""The response with a PDF for its body, or a range of it."""

from collections.abc import Awaitable, Callable
from typing import Any

from litestar import Request, Response

from greenroom.api.head_requests import is_head
from greenroom.api.ranges import Unsatisfiable, range_in
from greenroom.blobs.base import ByteRange
from greenroom.blobs.disposition import content_disposition

_TYPE = "application/pdf"
_HEADERS = {
    "Accept-Ranges": "bytes",
    "Cache-Control": "no-store",
    "Content-Security-Policy": "sandbox; default-src 'none'",
    "X-Content-Type-Options": "nosniff",
}


async def pdf_response(
    request: Request[Any, Any, Any],
    name: str,
    size: int,
    read: Callable[[ByteRange | None], Awaitable[bytes]],
) -> Response[bytes]:
    """`read` gives the content or a part of it. It is not called for HEAD."""
    headers = _HEADERS | {"Content-Disposition": content_disposition(name, inline=False)}
    part = range_in(request.headers.get("range"), size)
    if isinstance(part, Unsatisfiable):
        headers["Content-Range"] = f"bytes */{size}"
        return Response(b"", status_code=416, headers=headers, media_type=_TYPE)
    if part is not None:
        headers["Content-Range"] = f"bytes {part.first}-{part.last}/{size}"
    status = 200 if part is None else 206
    if is_head(request):
        headers["Content-Length"] = str(size if part is None else part.last - part.first + 1)
        return Response(b"", status_code=status, headers=headers, media_type=_TYPE)
    return Response(await read(part), status_code=status, headers=headers, media_type=_TYPE)

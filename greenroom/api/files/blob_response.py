"""The response that has a blob, or a range of it, for its body.

Where the server can send files by the kernel (send_file.py), it does. Elsewhere the blob is read in
pieces.
"""

from collections.abc import Mapping
from typing import Any

from litestar import Request, Response
from litestar.response.base import ASGIResponse
from litestar.response.streaming import ASGIStreamingResponse
from litestar.types import Receive, Scope, Send

from greenroom.api.send_file import EXTENSION
from greenroom.blobs.base import ByteRange
from greenroom.blobs.folder import FolderBlobs
from greenroom.blobs.folder.stored import OpenBlob


class BlobResponse(Response[bytes]):
    def __init__(
        self,
        blobs: FolderBlobs,
        blob: OpenBlob,
        range: ByteRange | None,
        status: int,
        headers: Mapping[str, str],
        media_type: str,
    ) -> None:
        """Closes the blob."""
        super().__init__(b"", status_code=status, headers=dict(headers), media_type=media_type)
        self._blobs = blobs
        self._blob = blob
        self._range = range

    def to_asgi_response(  # type: ignore[override]
        self, app: None, request: Request[Any, Any, Any], **named: Any
    ) -> ASGIResponse:
        return _AsgiBlobResponse(
            blob=self._blob,
            range=self._range or ByteRange(0, self._blob.head.size - 1),
            iterator=self._blobs.pieces(self._blob, self._range),
            headers=dict(self.headers),
            media_type=str(self.media_type),
            status_code=self.status_code,
        )


class _AsgiBlobResponse(ASGIStreamingResponse):
    def __init__(self, *, blob: OpenBlob, range: ByteRange, **named: Any) -> None:
        super().__init__(**named)
        self._blob = blob
        self._range = range

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        extensions: Mapping[str, object] = scope.get("extensions") or {}
        if EXTENSION not in extensions:
            await super().__call__(scope, receive, send)
            return
        await self.start_response(send)
        count = self._range.last - self._range.first + 1
        message: Any = {
            "type": EXTENSION,
            "file": self._blob.descriptor,
            "offset": self._range.first,
            "count": count,
        }
        try:
            await send(message)
        finally:
            self._blob.close()

"""Serves documents that are the same for everybody from memory, with an ETag."""

from hashlib import blake2b
from typing import Any

from litestar import Request, Response
from msgspec import Struct

from greenroom.api.not_modified import has_current

_REVALIDATE = "no-cache"


class CachedDocument(Struct, frozen=True):
    body: bytes
    media_type: str
    etag: str

    def answer(self, request: Request[Any, Any, Any]) -> Response[bytes]:
        headers = {"Cache-Control": _REVALIDATE, "ETag": self.etag}
        if has_current(request, self.etag):
            return Response(b"", status_code=304, headers=headers, media_type=self.media_type)
        return Response(self.body, headers=headers, media_type=self.media_type)


def document(body: bytes, media_type: str) -> CachedDocument:
    return CachedDocument(body, media_type, f'"{blake2b(body, digest_size=12).hexdigest()}"')

"""Uploads in numbered parts: what obstore lacks to let clients send the parts themselves.

An `UploadId` is `{mark}.{id}`: a random mark, and the id that the bucket has given. The mark is
stored as metadata of the blob. So a repeated `complete` knows the blob that it has made, when the
first answer was lost and the bucket has forgotten the upload.
"""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from secrets import token_hex

from greenroom.blobs.base import (
    BlobHead,
    BlobKey,
    InvalidParts,
    UploadedPart,
    UploadId,
    UploadNotFound,
)
from greenroom.blobs.part_rules import check_parts
from greenroom.blobs.s3.errors import S3Refusal, failing, refused
from greenroom.blobs.s3.objects import UPLOAD, Objects
from greenroom.blobs.s3.requests import S3Requests
from greenroom.blobs.s3.responses import (
    ListedPart,
    NotXml,
    Response,
    list_of_parts,
    newest,
    parts_in,
)

_NOT_FOUND = {"NoSuchUpload"}
_INVALID = {"EntityTooSmall", "InvalidPart", "InvalidPartOrder", "InvalidRequest", "MalformedXML"}
_PAGE = 1000


class Multipart:
    def __init__(self, requests: S3Requests, objects: Objects) -> None:
        self._requests = requests
        self._objects = objects

    async def begin(self, key: BlobKey, content_type: str) -> UploadId:
        mark = token_hex(8)
        headers = {"content-type": content_type, f"x-amz-meta-{UPLOAD}": mark}
        answer = await self._send(
            "CreateMultipartUpload", "POST", key, {"uploads": ""}, headers=headers
        )
        upload = answer.text("UploadId")
        if not upload:
            raise failing("CreateMultipartUpload: the answer has no upload id")
        return UploadId(f"{mark}.{upload}")

    async def uploaded(self, key: BlobKey, upload: UploadId) -> Sequence[UploadedPart]:
        parts: list[ListedPart] = []
        query = {**query_of(upload), "max-parts": str(_PAGE), "part-number-marker": "0"}
        while True:
            page = await self._send("ListParts", "GET", key, query)
            found = parts_in(page)
            parts += found
            if page.text("IsTruncated") != "true" or not found:
                return newest(parts)
            query["part-number-marker"] = str(found[-1].part.number)

    async def complete(
        self, key: BlobKey, upload: UploadId, parts: Sequence[UploadedPart]
    ) -> BlobHead:
        check_parts(parts)
        query, body = query_of(upload), list_of_parts(parts)
        with suppress(UploadNotFound):  # an earlier call may have ended it
            await self._send("CompleteMultipartUpload", "POST", key, query, body=body)
        made = await self._objects.head(key)
        if made is None or made.upload != _mark(upload):
            raise UploadNotFound
        return made.head

    async def abort(self, key: BlobKey, upload: UploadId) -> None:
        with suppress(UploadNotFound):
            await self._send("AbortMultipartUpload", "DELETE", key, query_of(upload))

    async def _send(
        self,
        operation: str,
        method: str,
        key: BlobKey,
        query: Mapping[str, str],
        *,
        headers: Mapping[str, str] | None = None,
        body: bytes = b"",
    ) -> Response:
        try:
            answer = await self._requests.send(
                operation, method, key, query, headers=headers, body=body
            )
            return Response.parse(answer or b"<Empty/>")
        except S3Refusal as refusal:
            if refusal.code in _NOT_FOUND:
                raise UploadNotFound from None
            if refusal.code in _INVALID:
                raise InvalidParts from None
            raise refused(refusal.code) from None
        except NotXml:
            raise failing(f"{operation}: the answer is not that of a bucket") from None


def query_of(upload: UploadId) -> dict[str, str]:
    mark, _, given = upload.partition(".")
    if not mark or not given:
        raise UploadNotFound
    return {"uploadId": given}


def _mark(upload: UploadId) -> str:
    return upload.partition(".")[0]

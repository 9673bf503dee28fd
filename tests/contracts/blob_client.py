"""What the suites of the blob store have in common: a key, and requests as a client sends them."""

from collections.abc import Mapping, Sequence

import aiohttp
from msgspec import Struct
from yarl import URL

from greenroom.blobs.base import (
    BlobKey,
    Blobs,
    ByteRange,
    PresignedRequest,
    UploadedPart,
    UploadId,
)
from tests.contracts.blob_engines import BlobEngine

KEY = BlobKey("files/fil_1/original")
TYPE = "image/png"


class Answer(Struct, frozen=True):
    status: int
    headers: Mapping[str, str]
    body: bytes


async def content_of(
    blobs: Blobs, part: ByteRange | None = None, key: BlobKey = KEY
) -> bytes | None:
    pieces = await blobs.get(key, part)
    return None if pieces is None else b"".join([piece async for piece in pieces])


async def sent(
    engine: BlobEngine,
    request: PresignedRequest,
    body: bytes | None = None,
    *,
    method: str | None = None,
    **headers: str,
) -> Answer:
    given = {**request.headers, **{name.replace("_", "-"): text for name, text in headers.items()}}
    origin = engine.origin if request.url.startswith("/") else ""
    url = URL(origin + request.url, encoded=True)
    async with (
        aiohttp.ClientSession(auto_decompress=False) as client,
        client.request(method or request.method, url, headers=given, data=body) as answer,
    ):
        return Answer(answer.status, answer.headers, await answer.read())


def download(blobs: Blobs, *, inline: bool = True, seconds: int = 60) -> PresignedRequest:
    return blobs.presign_download(
        KEY, file_name="a photo.png", content_type=TYPE, inline=inline, seconds=seconds
    )


async def upload_parts(
    engine: BlobEngine, upload: UploadId, pieces: Mapping[int, bytes]
) -> Sequence[UploadedPart]:
    """As a client uploads them."""
    parts = []
    for number, piece in pieces.items():
        request = engine.blobs.presign_part(KEY, upload, number, size=len(piece), seconds=60)
        answer = await sent(engine, request, piece)
        assert answer.status < 300
        parts.append(UploadedPart(number, answer.headers["ETag"], len(piece)))
    return parts

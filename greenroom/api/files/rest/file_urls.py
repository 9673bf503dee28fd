"""The route that gives the download URLs of files."""

from typing import Annotated

from litestar import Router, post
from litestar.params import JSONBody
from msgspec import Meta, Struct

from greenroom.api.auth import BEARER, needs
from greenroom.api.files.params import TheFiles
from greenroom.api.params import MAX_ID, Caller
from greenroom.api.route_docs import refuses
from greenroom.clock import iso
from greenroom.files import file_urls as giving
from greenroom.files.models import Shown, Variant
from greenroom.files.policy import FILE_URLS
from greenroom.ids import FileId
from greenroom.people.actor import Scope

_FileId = Annotated[FileId, Meta(min_length=1, max_length=MAX_ID)]


class WantedFiles(Struct, rename="camel", forbid_unknown_fields=True):
    file_ids: Annotated[list[_FileId], Meta(min_length=1, max_length=giving.MAX_FILES)]
    reveal: Annotated[list[_FileId], Meta(max_length=giving.MAX_FILES)] = []
    variants: Annotated[list[Variant], Meta(min_length=1, max_length=10)] | None = None
    download: bool = False


class UrlsOfFile(Struct, rename="camel"):
    file_id: FileId
    shown: Shown
    can_reveal: bool
    urls: dict[Variant, str]


class UrlsOfFiles(Struct, rename="camel"):
    files: list[UrlsOfFile]
    expires_at: str


@post(
    "/v1/file-urls",
    operation_id="getFileUrls",
    limit=FILE_URLS,
    summary="Get download URLs of files",
    description="Of your own files, and of those that are used where you may see them: in a "
    "message, as a picture of a person or a conversation. Files that do not exist, and those that "
    "you may not see, are left out.\n\nA URL needs no token. It works until `expiresAt`; then ask "
    "again. It is relative to this server where it begins with a slash. Ranges are supported.\n\n"
    "`shown` says how safe mode shows the file to you. A blurred one has only the URL of its "
    "`blurred` version, until you name the file in `reveal`. A hidden one has none.",
    response_description="The URLs by variant, in the order of `fileIds`.",
    status_code=200,
    responses=refuses(body=True),
)
async def get_file_urls(data: JSONBody[WantedFiles], actor: Caller, files: TheFiles) -> UrlsOfFiles:
    wanted = giving.Wanted(
        files=tuple(data.file_ids),
        reveal=frozenset(data.reveal),
        variants=None if data.variants is None else frozenset(data.variants),
        download=data.download,
    )
    expires_at = expiry(files)
    found = await giving.file_urls(files, actor, wanted)
    return UrlsOfFiles([urls_shape(one) for one in found], expires_at)


def expiry(files: TheFiles) -> str:
    """Of URLs that are made after this is called: never later than they expire."""
    return iso(files.clock.now_ms() // 1000 * 1000 + files.policy.url_seconds * 1000)


def urls_shape(found: giving.FileUrls) -> UrlsOfFile:
    return UrlsOfFile(found.file, found.shown, found.can_reveal, dict(found.urls))


routes = Router(
    "/",
    route_handlers=[get_file_urls],
    guards=[needs(Scope.USER)],
    security=BEARER,
    tags=["files"],
)

"""Routes of ratings: owners appeal against a band, and moderators look at files and set bands."""

from typing import Annotated

from litestar import Router, post, put
from litestar.params import JSONBody
from msgspec import Meta, Struct

from greenroom.api.auth import BEARER, needs
from greenroom.api.files.params import FileIdInPath, TheFiles
from greenroom.api.files.rest.file_urls import UrlsOfFiles, expiry, urls_shape
from greenroom.api.files.shapes import File, file_shape
from greenroom.api.params import MAX_ID, MOST_BYTES_OF_NAMES, Caller
from greenroom.api.route_docs import refuses
from greenroom.api.safety.shapes import CaseFile, case_file_shape
from greenroom.files import appeal as appealing
from greenroom.files.judge_band import judge_band
from greenroom.files.moderator_urls import moderator_urls
from greenroom.files.problems import AlreadyAppealed, FileNotFound, FileNotReady, NothingToAppeal
from greenroom.people.actor import Scope
from greenroom.safety.decide import MAX_NOTE, MAX_REASON
from greenroom.safety.models import CaseId
from greenroom.safety.problems import (
    AdminsOnly,
    CaseClosed,
    CaseNotClaimed,
    CaseNotFound,
    InvalidDecision,
    OwnCase,
)

_CaseId = Annotated[CaseId, Meta(min_length=1, max_length=MAX_ID)]


class NewAppeal(Struct, rename="camel", forbid_unknown_fields=True):
    note: Annotated[str, Meta(max_length=appealing.MAX_NOTE)] = ""


class NewBand(Struct, rename="camel", forbid_unknown_fields=True):
    case_id: _CaseId
    band: Annotated[int, Meta(ge=0, le=2)]
    reason: Annotated[str, Meta(max_length=MAX_REASON)] = ""
    note: Annotated[str, Meta(max_length=MAX_NOTE)] = ""


class FileOfCase(Struct, rename="camel", forbid_unknown_fields=True):
    case_id: _CaseId
    reveal: bool = False


@post(
    "/v1/files/{fileId:str}/appeals",
    operation_id="appeal",
    summary="Appeal against the band of a file",
    description="For the file's owner, once against each band. A moderator keeps the band or sets "
    "another one, and a notice tells you which.",
    response_description="The file. A moderator looks at it.",
    guards=[needs(Scope.USER)],
    responses=refuses(FileNotFound, FileNotReady, NothingToAppeal, AlreadyAppealed, body=True),
)
async def post_appeal(
    file_id: FileIdInPath, data: JSONBody[NewAppeal], actor: Caller, files: TheFiles
) -> File:
    return file_shape(await appealing.appeal(files, actor, file_id, data.note.strip()))


@put(
    "/v1/moderation/files/{fileId:str}/band",
    operation_id="setBand",
    summary="Set the band of a file",
    description="Of a file of a case that you have claimed. The case stays open. The owner is "
    "notified with `reason`, viewers get `message.edited`, and the audit log has an entry. To "
    "decide an appeal, use `POST /v1/moderation/cases/{caseId}/decide`.",
    response_description="The file with its band.",
    guards=[needs(Scope.MODERATOR)],
    responses=refuses(
        CaseNotFound,
        CaseClosed,
        CaseNotClaimed,
        FileNotFound,
        FileNotReady,
        OwnCase,
        AdminsOnly,
        InvalidDecision,
        body=True,
    ),
)
async def put_band(
    file_id: FileIdInPath, data: JSONBody[NewBand], actor: Caller, files: TheFiles
) -> CaseFile:
    file = await judge_band(
        files,
        actor,
        file_id,
        data.band,
        case_id=data.case_id,
        reason=data.reason.strip(),
        note=data.note.strip(),
    )
    return case_file_shape(file)


@post(
    "/v1/moderation/files/{fileId:str}/urls",
    operation_id="getFileUrlsAsModerator",
    summary="Get download URLs of a file of a case",
    description="Of a file of an open case that you may judge. Whatever its band, you get the "
    "blurred version; with `reveal` you get the clear ones, and the audit log has an entry.",
    response_description="The URLs by variant.",
    status_code=200,
    guards=[needs(Scope.MODERATOR)],
    responses=refuses(
        CaseNotFound, CaseClosed, FileNotFound, FileNotReady, OwnCase, AdminsOnly, body=True
    ),
)
async def post_moderator_urls(
    file_id: FileIdInPath, data: JSONBody[FileOfCase], actor: Caller, files: TheFiles
) -> UrlsOfFiles:
    expires_at = expiry(files)
    found = await moderator_urls(files, actor, file_id, data.case_id, reveal=data.reveal)
    return UrlsOfFiles([urls_shape(found)], expires_at)


appeal_routes = Router(
    "/",
    route_handlers=[post_appeal],
    security=BEARER,
    tags=["files"],
    request_max_body_size=MOST_BYTES_OF_NAMES,
)
moderation_routes = Router(
    "/",
    route_handlers=[put_band, post_moderator_urls],
    security=BEARER,
    tags=["moderation"],
    request_max_body_size=MOST_BYTES_OF_NAMES,
)

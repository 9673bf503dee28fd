"""Routes of the caller's own preferences for files."""

from litestar import Router, get, put
from litestar.params import JSONBody

from greenroom.api.auth import BEARER, needs
from greenroom.api.files.params import TheFiles
from greenroom.api.files.shapes import FilePreferences
from greenroom.api.params import Caller
from greenroom.api.route_docs import refuses
from greenroom.files import preferences, set_preferences
from greenroom.people.actor import Scope


@get(
    "/",
    operation_id="getFilePreferences",
    summary="Get how sensitive pictures are shown to you",
    response_description="Your preferences; `blur` if you have set none.",
    responses=refuses(),
)
async def get_preferences(actor: Caller, files: TheFiles) -> FilePreferences:
    return FilePreferences(await preferences.safe_mode(files, actor))


@put(
    "/",
    operation_id="setFilePreferences",
    summary="Set how sensitive pictures are shown to you",
    description="Decides what `POST /v1/file-urls` gives you. A conversation that requires safe "
    "mode shows you nothing clearer than `blur` does. Your devices get it over the socket "
    "(`file_preferences.changed`) and with `GET /v1/sync`.",
    response_description="Your preferences.",
    responses=refuses(body=True),
)
async def put_preferences(
    data: JSONBody[FilePreferences], actor: Caller, files: TheFiles
) -> FilePreferences:
    await set_preferences.set_safe_mode(files, actor, data.safe_mode)
    return data


routes = Router(
    "/v1/me/file-preferences",
    route_handlers=[get_preferences, put_preferences],
    guards=[needs(Scope.USER)],
    security=BEARER,
    tags=["files"],
)

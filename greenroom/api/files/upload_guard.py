"""Authenticates uploads: by the token in the upload's own URL, or by a bearer token."""

from litestar.handlers import BaseRouteHandler

from greenroom.api.auth import Authenticator, Connection, needs
from greenroom.api.composition import Contexts
from greenroom.files import Files
from greenroom.files.policy import UPLOAD_REQUESTS
from greenroom.files.upload_token import uploader
from greenroom.ids import FileId
from greenroom.people.actor import Scope

_needs_user = needs(Scope.USER)


async def needs_uploader(connection: Connection, handler: BaseRouteHandler) -> None:
    """A guard. The account of an uploader may have been suspended since the URL was made. Anybody
    may ask what the server can do."""
    if connection.scope.get("method") == "OPTIONS":
        return
    token = connection.query_params.get("token")
    if token is None or "fileId" not in connection.path_params:
        await _needs_user(connection, handler)  # type: ignore[misc]
        return
    contexts: Contexts = connection.app.state.contexts
    authenticator: Authenticator = connection.app.state.authenticator
    files = contexts[Files]
    actor = uploader(files, FileId(connection.path_params["fileId"]), token)
    await authenticator.check(actor)
    await files.safety.limits.spend(actor.user, UPLOAD_REQUESTS)
    connection.state["actor"] = actor

"""Routes of the deliverables of a conversation: record one, list them."""

from typing import Annotated

from litestar import Response, Router, get, post
from litestar.openapi.datastructures import ResponseSpec
from litestar.params import JSONBody, QueryParameter
from msgspec import Meta, Struct

from greenroom.api.auth import BEARER, needs
from greenroom.api.files.manifest_shapes import Manifest, Manifests, manifest_shape
from greenroom.api.messaging import shapes
from greenroom.api.messaging.params import TheMessaging, ThreadIdInPath
from greenroom.api.messaging.shapes import Message
from greenroom.api.params import MOST_BYTES, Caller, Cursor
from greenroom.api.route_docs import refuses
from greenroom.files import models
from greenroom.files.manifests import MAX_PAGE
from greenroom.files.names import LONGEST_GIVEN
from greenroom.files.new_manifest import MAX_SIZE, MAX_URL
from greenroom.files.problems import InvalidFile
from greenroom.files.public_fetch import Reached
from greenroom.messaging.problems import (
    AcceptFirst,
    ClientIdReused,
    ConversationClosed,
    ConversationLocked,
    DeliverableNeedsReview,
    InvalidText,
    PlainTextOnly,
    RequestPending,
    RoleNotAllowed,
    TextRefused,
    ThreadNotFound,
)
from greenroom.messaging.send_manifest import SentManifest, send_manifest
from greenroom.messaging.thread_manifests import thread_manifests
from greenroom.people.actor import Scope
from greenroom.store.problems import InvalidCursor


class NewManifest(Struct, rename="camel", forbid_unknown_fields=True):
    name: Annotated[str, Meta(min_length=1, max_length=LONGEST_GIVEN)]
    size: Annotated[int, Meta(ge=1, le=MAX_SIZE)]
    sha256: Annotated[str, Meta(min_length=64, max_length=64, pattern="^[0-9a-fA-F]+$")]
    url: Annotated[str, Meta(min_length=1, max_length=MAX_URL)]
    client_message_id: Annotated[str, Meta(min_length=1, max_length=64)]
    caption: str = ""


class UrlCheck(Struct, rename="camel"):
    """What the URL answered, once, when the deliverable was recorded."""

    reachable: bool
    size: int | None


class RecordedManifest(Struct, rename="camel"):
    manifest: Manifest
    message: Message
    url_check: UrlCheck | None
    """Null where the server does not ask URLs, which is the default."""


@post(
    "/",
    operation_id="recordManifest",
    summary="Record a deliverable",
    description="The record of a file that you keep elsewhere. It can be neither changed nor "
    "deleted, and the conversation shows it as a message. Each has the hash of the one before it. "
    "Anybody who has its id can check a file against it at `/verify/{manifestId}`. A retry with "
    "the same `clientMessageId` returns the first record. The server does not open the URL, unless "
    "`files.check_manifest_urls` of the policy says so.",
    response_description="The record, and the message that shows it.",
    responses={200: ResponseSpec(RecordedManifest, description="It was recorded before.")}
    | refuses(
        ThreadNotFound,
        InvalidFile,
        InvalidText,
        TextRefused,
        DeliverableNeedsReview,
        AcceptFirst,
        ConversationLocked,
        ConversationClosed,
        RequestPending,
        PlainTextOnly,
        RoleNotAllowed,
        ClientIdReused,
        body=True,
    ),
)
async def record_manifest(
    thread_id: ThreadIdInPath,
    data: JSONBody[NewManifest],
    actor: Caller,
    messaging: TheMessaging,
) -> Response[RecordedManifest]:
    new = models.NewManifest(name=data.name, size=data.size, sha256=data.sha256, url=data.url)
    recorded = await send_manifest(
        messaging, actor, thread_id, data.client_message_id, new, data.caption
    )
    shape = _shape(recorded, shapes.message(recorded.message, actor.user))
    headers = {"Location": f"/v1/manifests/{recorded.manifest.id}"}
    return Response(shape, status_code=200 if recorded.again else 201, headers=headers)


@get(
    "/",
    operation_id="getManifests",
    summary="List the deliverables of a conversation",
    description="For its participants, in the order of the chain, with all that is needed to "
    "verify it.",
    response_description="A page of records.",
    responses=refuses(ThreadNotFound, InvalidCursor),
)
async def get_manifests(
    thread_id: ThreadIdInPath,
    actor: Caller,
    messaging: TheMessaging,
    cursor: Cursor = None,
    limit: Annotated[int, QueryParameter(ge=1, le=MAX_PAGE)] = 50,
) -> Manifests:
    page = await thread_manifests(messaging, actor, thread_id, limit=limit, cursor=cursor)
    return Manifests([manifest_shape(one) for one in page.manifests], page.next)


def _shape(recorded: SentManifest, message: Message) -> RecordedManifest:
    return RecordedManifest(manifest_shape(recorded.manifest), message, _check(recorded.reached))


def _check(reached: Reached | None) -> UrlCheck | None:
    return None if reached is None else UrlCheck(reached.reachable, reached.size)


routes = Router(
    "/v1/threads/{threadId:str}/manifests",
    route_handlers=[record_manifest, get_manifests],
    guards=[needs(Scope.USER)],
    security=BEARER,
    tags=["files"],
    request_max_body_size=MOST_BYTES,
)

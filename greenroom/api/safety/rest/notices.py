"""Routes of the caller's moderation notices and held messages."""

from typing import Annotated

from litestar import Router, get, post
from litestar.params import QueryParameter
from msgspec import Struct

from greenroom.api.auth import BEARER, needs
from greenroom.api.messaging.attachment_shapes import NewAttachment
from greenroom.api.messaging.params import TheMessaging
from greenroom.api.params import Caller, Cursor
from greenroom.api.route_docs import refuses
from greenroom.api.safety.params import NoticeIdInPath, TheSafety
from greenroom.api.safety.shapes import ModerationNotice, notice_shape
from greenroom.clock import iso
from greenroom.ids import MessageId, ThreadId
from greenroom.messaging.held import HeldEntry, held_entries
from greenroom.people.actor import Scope
from greenroom.safety import notices as telling
from greenroom.safety.models import HeldKind
from greenroom.safety.problems import NoticeNotFound
from greenroom.store.problems import InvalidCursor

_Limit = Annotated[int, QueryParameter(ge=1, le=telling.MAX_PAGE)]


class Notices(Struct, rename="camel"):
    notices: list[ModerationNotice]
    next: str | None
    contact: str | None
    """Whom to contact about a decision: an e-mail address or a URL."""


class HeldMessage(Struct, rename="camel"):
    """A message, an edit or a name of yours that waits for a moderator."""

    kind: HeldKind
    """`message`; `edit`, a new text for a message; or `name`, a new name for the conversation."""
    thread_id: ThreadId
    client_message_id: str | None
    """For a message: the client's own id of it."""
    message_id: MessageId | None
    """For an edit: the message, which does not change until the edit is released."""
    body: str
    """The new text. It may be empty where there are attachments."""
    attachments: list[NewAttachment]
    """For a message: its files."""
    reply_to_message_id: MessageId | None
    held_at: str


class HeldMessages(Struct, rename="camel"):
    held: list[HeldMessage]
    next: str | None


@get(
    "/me/notices",
    operation_id="getNotices",
    summary="List your moderation notices",
    description="Each notice is listed until you acknowledge it. New ones also arrive over the "
    "socket (`notice.created`) and with `GET /v1/sync`. Your other devices get the acknowledgement "
    "in the same ways (`notice.acknowledged`, and `notices.acknowledged` in sync).",
    response_description="Newest first.",
    responses=refuses(InvalidCursor),
)
async def get_notices(
    actor: Caller, safety: TheSafety, cursor: Cursor = None, limit: _Limit = 20
) -> Notices:
    page = await telling.notices(safety, actor, limit=limit, cursor=cursor)
    contact = safety.people.contact or None
    return Notices([notice_shape(one) for one in page.notices], page.next, contact)


@post(
    "/me/notices/{noticeId:str}/acknowledge",
    operation_id="acknowledgeNotice",
    summary="Acknowledge a notice",
    response_description="The notice is no longer listed.",
    status_code=204,
    responses=refuses(NoticeNotFound),
)
async def acknowledge_notice(notice_id: NoticeIdInPath, actor: Caller, safety: TheSafety) -> None:
    await telling.acknowledge(safety, actor, notice_id)


@get(
    "/me/held",
    operation_id="getHeldMessages",
    summary="List what you wrote that waits for a moderator",
    description="Messages, edits and names of conversations. Others do not see them. After the "
    "decision each leaves this list, and a notice tells you the outcome.",
    response_description="Oldest first.",
    responses=refuses(InvalidCursor),
)
async def get_held(
    actor: Caller, messaging: TheMessaging, cursor: Cursor = None, limit: _Limit = 20
) -> HeldMessages:
    page = await held_entries(messaging, actor, limit=limit, cursor=cursor)
    return HeldMessages([_held(one) for one in page.entries], page.next)


def _held(entry: HeldEntry) -> HeldMessage:
    text = entry.held
    return HeldMessage(
        kind=text.kind,
        thread_id=text.thread,
        client_message_id=text.client_message_id,
        message_id=text.message,
        body=entry.body,
        attachments=[NewAttachment(one.file, one.alt) for one in entry.attachments],
        reply_to_message_id=text.reply_to,
        held_at=iso(text.held_ms),
    )


routes = Router(
    "/v1",
    route_handlers=[get_notices, acknowledge_notice, get_held],
    guards=[needs(Scope.USER)],
    security=BEARER,
    tags=["safety"],
)

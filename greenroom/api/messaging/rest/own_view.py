"""Routes of the caller's own settings of a thread: read position, pin, mute, archive, spam,
draft."""

from datetime import UTC, datetime, timedelta
from typing import Annotated

from litestar import Router, delete, get, patch, put
from litestar.params import JSONBody
from msgspec import UNSET, Meta, Struct, UnsetType

from greenroom.api.auth import BEARER, needs
from greenroom.api.messaging import shapes
from greenroom.api.messaging.params import TheMessaging, ThreadIdInPath
from greenroom.api.messaging.shapes import Mine
from greenroom.api.params import MOST_BYTES, Caller
from greenroom.api.route_docs import refuses
from greenroom.clock import iso
from greenroom.ids import ThreadId
from greenroom.messaging import Messaging, access, draft as drafts, read
from greenroom.messaging.policy import RECEIPTS
from greenroom.messaging.problems import InvalidReadPosition, InvalidText, ThreadNotFound
from greenroom.messaging.row_settings import RowChanges, change_row
from greenroom.people.actor import Actor, Scope

_EPOCH = datetime.fromtimestamp(0, UTC)
_Seq = Annotated[int, Meta(ge=0, le=2**53)]


class UpTo(Struct, rename="camel", forbid_unknown_fields=True):
    seq: _Seq


class From(Struct, rename="camel", forbid_unknown_fields=True):
    seq: _Seq | None = None
    """The first message that counts as unread; the last message if left out."""


class Arrangement(Struct, rename="camel", forbid_unknown_fields=True):
    """Fields that are left out do not change."""

    pinned: bool | UnsetType = UNSET
    muted_until: Annotated[datetime, Meta(tz=True)] | UnsetType | None = UNSET
    archived: bool | UnsetType = UNSET
    spam: bool | UnsetType = UNSET
    hidden: bool | UnsetType = UNSET
    """Moves the conversation to the folder `hidden` until the next message. Nobody else is
    notified."""


class NewDraft(Struct, rename="camel", forbid_unknown_fields=True):
    body: str


class Draft(Struct, rename="camel"):
    body: str
    """Empty if there is no draft."""
    saved_at: str | None


@put(
    "/read",
    operation_id="markRead",
    limit=RECEIPTS,
    summary="Mark messages as read",
    description="The read position never moves back. `PUT …/unread` moves it back.",
    response_description="Your side of the conversation.",
    responses=refuses(ThreadNotFound, InvalidReadPosition, body=True),
)
async def mark_read(
    thread_id: ThreadIdInPath, data: JSONBody[UpTo], actor: Caller, messaging: TheMessaging
) -> Mine:
    await read.mark_read(messaging, actor, thread_id, data.seq)
    return await _mine(messaging, actor, thread_id)


@put(
    "/delivered",
    operation_id="markDelivered",
    limit=RECEIPTS,
    summary="Mark messages as delivered",
    response_description="The messages are marked.",
    status_code=204,
    responses=refuses(ThreadNotFound, InvalidReadPosition, body=True),
)
async def mark_delivered(
    thread_id: ThreadIdInPath, data: JSONBody[UpTo], actor: Caller, messaging: TheMessaging
) -> None:
    await read.mark_delivered(messaging, actor, thread_id, data.seq)


@put(
    "/unread",
    operation_id="markUnread",
    summary="Mark as unread",
    description="From a message on, until you read or reply.",
    response_description="Your side of the conversation.",
    responses=refuses(ThreadNotFound, InvalidReadPosition, body=True),
)
async def mark_unread(
    thread_id: ThreadIdInPath, data: JSONBody[From], actor: Caller, messaging: TheMessaging
) -> Mine:
    await read.mark_unread(messaging, actor, thread_id, data.seq)
    return await _mine(messaging, actor, thread_id)


@patch(
    "/mine",
    operation_id="arrangeThread",
    summary="Pin, mute, archive, hide, or mark as spam",
    description="A muted conversation adds nothing to the badge; `mutedUntil: null` unmutes it. "
    "An archived one comes back with the next message, unless it is muted; a hidden one always.",
    response_description="Your side of the conversation.",
    responses=refuses(ThreadNotFound, InvalidReadPosition, body=True),
)
async def arrange_thread(
    thread_id: ThreadIdInPath, data: JSONBody[Arrangement], actor: Caller, messaging: TheMessaging
) -> Mine:
    changes = RowChanges(
        pinned=_given(data.pinned),
        muted_until_ms=_until(data.muted_until),
        archived=_given(data.archived),
        spam=_given(data.spam),
        hidden=_given(data.hidden),
    )
    await change_row(messaging, actor, thread_id, changes)
    return await _mine(messaging, actor, thread_id)


@get(
    "/draft",
    operation_id="getDraft",
    summary="Get your draft",
    response_description="The draft.",
    responses=refuses(ThreadNotFound),
)
async def get_draft(thread_id: ThreadIdInPath, actor: Caller, messaging: TheMessaging) -> Draft:
    return _draft(await drafts.draft(messaging, actor, thread_id))


@put(
    "/draft",
    operation_id="saveDraft",
    summary="Save a draft",
    description="Stored as typed, for your other devices. An empty text deletes the draft.",
    response_description="The draft.",
    responses=refuses(ThreadNotFound, InvalidText, body=True),
)
async def save_draft(
    thread_id: ThreadIdInPath, data: JSONBody[NewDraft], actor: Caller, messaging: TheMessaging
) -> Draft:
    return _draft(await drafts.save_draft(messaging, actor, thread_id, data.body))


@delete(
    "/draft",
    operation_id="deleteDraft",
    summary="Delete your draft",
    response_description="The draft is deleted.",
    responses=refuses(ThreadNotFound),
)
async def delete_draft(thread_id: ThreadIdInPath, actor: Caller, messaging: TheMessaging) -> None:
    await drafts.save_draft(messaging, actor, thread_id, "")


def _draft(found: drafts.Draft | None) -> Draft:
    return Draft("", None) if found is None else Draft(found.body, iso(found.saved_ms))


def _given(wish: bool | UnsetType) -> bool | None:
    return None if isinstance(wish, UnsetType) else wish


def _until(wish: datetime | UnsetType | None) -> int | None:
    if isinstance(wish, UnsetType):
        return None
    return 0 if wish is None else (wish - _EPOCH) // timedelta(milliseconds=1)


async def _mine(messaging: Messaging, actor: Actor, thread_id: ThreadId) -> Mine:
    view = await access.thread(messaging, actor, thread_id)
    return shapes.mine(view, messaging.clock.now_ms())


routes = Router(
    "/v1/threads/{threadId:str}",
    route_handlers=[
        mark_read,
        mark_delivered,
        mark_unread,
        arrange_thread,
        get_draft,
        save_draft,
        delete_draft,
    ],
    guards=[needs(Scope.USER)],
    security=BEARER,
    tags=["threads"],
    request_max_body_size=MOST_BYTES,
)

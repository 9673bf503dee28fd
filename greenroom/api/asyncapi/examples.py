"""An example of every frame, made of the frames' own types: a test holds them to the schema, and
fails for a frame that has none. Who is in them is who is in the examples of REST.
"""

from collections.abc import Mapping
from typing import Any

from msgspec import Struct

from greenroom.api import errors, examples as rest
from greenroom.api.ws import frames
from greenroom.ids import RequestId, UserId
from greenroom.messaging.models import GateStatus, Status
from greenroom.messaging.problems import ThreadNotFound


class Example(Struct, frozen=True):
    name: str
    frame: frames.Frame


def _answer(operation: str, status: int) -> Any:
    """What REST shows of it."""
    return rest.EXAMPLES[operation].answers[status]


_SENDING = _answer("sendMessage", 201)
_SENT = _SENDING.message
_EDITED = _answer("editMessage", 200)
_GONE = _answer("deleteMessage", 200)
_LIKED = _answer("react", 200)
_PAGE = _answer("getMessages", 200)
_CHANGES = _answer("sync", 200)
_THREAD, _MESSAGE = _SENT.thread_id, _SENT.message_id
_JONAS: UserId = _SENT.author_user_id
_MAYA: UserId = _answer("getMe", 200).user_id
_REQUEST = RequestId("rqt_01k75q8h4a2c4e6g8j0m2p4r6t")
_CURSOR = _CHANGES.cursor
_UNTIL = "2025-10-09T09:13:07.123Z"
_EXPIRES = "2025-10-09T10:00:00.000Z"

EXAMPLES: Mapping[type[frames.Frame], tuple[Example, ...]] = {
    frames.Auth: (
        Example("a user", frames.Auth(1, "eyJhbGciOi…")),
        Example("a service, for a user", frames.Auth(1, "eyJhbGciOi…", _MAYA)),
    ),
    frames.Send: (
        Example("a message", frames.Send(2, _THREAD, "c-17", _SENT.body)),
        Example("an answer to one", frames.Send(3, _THREAD, "c-18", "It does.", _MESSAGE)),
    ),
    frames.Edit: (
        Example("a new text", frames.Edit(4, _THREAD, _MESSAGE, _EDITED.body)),
        Example("only if unchanged", frames.Edit(5, _THREAD, _MESSAGE, _EDITED.body, 1)),
    ),
    frames.Delete: (Example("gone", frames.Delete(6, _THREAD, _MESSAGE)),),
    frames.React: (
        Example("on", frames.React(7, _THREAD, _MESSAGE, "👍")),
        Example("off again", frames.React(8, _THREAD, _MESSAGE, "👍", on=False)),
    ),
    frames.Read: (Example("read", frames.Read(9, _THREAD, 4)),),
    frames.Delivered: (Example("delivered", frames.Delivered(10, _THREAD, 4)),),
    frames.History: (
        Example("the newest", frames.History(13, _THREAD)),
        Example("before a message", frames.History(13, _THREAD, before=_MESSAGE, limit=20)),
    ),
    frames.Typing: (
        Example("typing", frames.Typing(_THREAD)),
        Example("no longer", frames.Typing(_THREAD, on=False)),
    ),
    frames.Focus: (
        Example("one thread", frames.Focus([_THREAD])),
        Example("in the background", frames.Focus([])),
    ),
    frames.Resume: (
        Example("after a short break", frames.Resume(11, _CURSOR)),
        Example("with what is there", frames.Resume(11, _CURSOR, {_THREAD: 4})),
    ),
    frames.Ping: (Example("ping", frames.Ping(12)),),
    frames.Ack: (
        Example("of auth", frames.Ack(1, cursor=_CURSOR, user_id=_JONAS, expires_at=_EXPIRES)),
        Example("of send", frames.Ack(2, status="sent", message=_SENT, hints=_SENDING.hints)),
        Example("of send, held for a moderator", frames.Ack(2, status="held")),
        Example(
            "of send, rejected by a moderator",
            frames.Ack(2, status="rejected", reason="Please keep it friendly.", warned=True),
        ),
        Example("of edit", frames.Ack(4, message=_EDITED)),
        Example("of read", frames.Ack(9)),
        Example("of history", frames.Ack(13, page=_PAGE)),
        Example("of resume", frames.Ack(11, cursor=_CURSOR)),
        Example("of resume, too late", frames.Ack(11, cursor=_CURSOR, reset=True)),
    ),
    frames.Problem: (Example("refused", frames.Problem(errors.document_of(ThreadNotFound()), 2)),),
    frames.MessageCreated: (
        Example("a message", frames.MessageCreated(_THREAD, _SENT, Status.AWAITING_REPLY, [_MAYA])),
    ),
    frames.MessageEdited: (Example("edited", frames.MessageEdited(_THREAD, _EDITED)),),
    frames.MessageDeleted: (Example("a tombstone", frames.MessageDeleted(_THREAD, _GONE)),),
    frames.ReactionChanged: (Example("a thumb", frames.ReactionChanged(_THREAD, _LIKED)),),
    frames.ReceiptMoved: (Example("read", frames.ReceiptMoved(_THREAD, _MAYA, 4, 4)),),
    frames.TypingChanged: (
        Example("typing", frames.TypingChanged(_THREAD, _MAYA, True, _UNTIL)),
        Example("no longer", frames.TypingChanged(_THREAD, _MAYA, False, None)),
    ),
    frames.PresenceChanged: (
        Example("there", frames.PresenceChanged(_THREAD, _MAYA, True, _UNTIL)),
        Example("gone", frames.PresenceChanged(_THREAD, _MAYA, False, None)),
    ),
    frames.ThreadUpdated: (Example("renamed", frames.ThreadUpdated(_THREAD)),),
    frames.InboxChanged: (
        Example("pinned", frames.InboxChanged(_THREAD)),
        Example("left", frames.InboxChanged(_THREAD, gone=True)),
    ),
    frames.RequestChanged: (
        Example(
            "accepted",
            frames.RequestChanged(_THREAD, _REQUEST, _MAYA, _JONAS, GateStatus.ACCEPTED),
        ),
    ),
    frames.PersonUpdated: (
        Example("a new name", frames.PersonUpdated(_answer("findPeople", 200).people[0])),
    ),
    frames.NoticeCreated: (
        Example("a warning", frames.NoticeCreated(_answer("getNotices", 200).notices[0])),
    ),
    frames.NoticeAcknowledged: (
        Example("seen", frames.NoticeAcknowledged(_answer("getNotices", 200).notices[0].notice_id)),
    ),
    frames.Synced: (Example("one thread", frames.Synced(11, _CHANGES)),),
    frames.Resync: (Example("resync", frames.Resync()),),
    frames.Expiring: (Example("expiring", frames.Expiring(_EXPIRES)),),
    frames.Closing: (Example("a restart", frames.Closing("the server restarts", 840)),),
}

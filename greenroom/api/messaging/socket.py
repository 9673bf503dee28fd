"""The socket requests and events of messaging, with their handlers and examples."""

from msgspec.structs import replace

from greenroom import metadata
from greenroom.api.example_values import JONAS, MAYA, MESSAGE, SENT, THREAD
from greenroom.api.messaging import frames, shapes
from greenroom.api.messaging.attachment_shapes import new_attachments
from greenroom.api.messaging.examples import (
    EXAMPLES,
    FAILED,
    HINT,
    NOT_SENT,
    REQUEST,
    SCHEDULED,
    WAITING,
)
from greenroom.api.messaging.focused_threads import FocusedThreads
from greenroom.api.messaging.frames import EditAck, HistoryAck, MessageAck, SendAck
from greenroom.api.platform.policy import READS
from greenroom.api.registry import Example, SocketEvent, SocketRequest
from greenroom.api.ws.frames import Ack
from greenroom.api.ws.session import Session
from greenroom.ids import MessageId, ThreadId
from greenroom.messaging import Messaging, edit, history, react, read, send as sending
from greenroom.messaging.delete import delete
from greenroom.messaging.hold_change import HeldChange
from greenroom.messaging.models import GateStatus, ScheduledStatus, Status, WaitingStatus
from greenroom.messaging.outgoing import Outgoing
from greenroom.messaging.policy import RECEIPTS


async def on_send(session: Session, request: frames.Send) -> SendAck:
    reply = request.reply_to_message_id
    outgoing = Outgoing(
        request.client_message_id,
        request.body,
        None if reply is None else MessageId(reply),
        metadata=metadata.checked(request.metadata),
        attachments=new_attachments(request.attachments) if request.attachments else (),
    )
    actor = session.authenticated_actor
    outcome = await sending.send(
        session.context(Messaging),
        actor,
        ThreadId(request.thread_id),
        outgoing,
        session.start_next,
    )
    sent = shapes.sending(outcome, request.client_message_id, actor.user)
    return SendAck(request.id, sent.status, sent.message, sent.hints, sent.reason, sent.warned)


async def on_edit(session: Session, request: frames.Edit) -> EditAck:
    actor = session.authenticated_actor
    edited = await edit.edit(
        session.context(Messaging),
        actor,
        ThreadId(request.thread_id),
        MessageId(request.message_id),
        request.body,
        version=request.version,
    )
    if isinstance(edited, HeldChange):
        return EditAck(request.id, status="held")
    return EditAck(request.id, message=shapes.message(edited, actor.user))


async def on_delete(session: Session, request: frames.Delete) -> MessageAck:
    actor = session.authenticated_actor
    message = await delete(
        session.context(Messaging),
        actor,
        ThreadId(request.thread_id),
        MessageId(request.message_id),
    )
    return MessageAck(request.id, message=shapes.message(message, actor.user))


async def on_react(session: Session, request: frames.React) -> MessageAck:
    actor = session.authenticated_actor
    change = react.react if request.on else react.remove_reaction
    message = await change(
        session.context(Messaging),
        actor,
        ThreadId(request.thread_id),
        MessageId(request.message_id),
        request.emoji,
    )
    return MessageAck(request.id, message=shapes.message(message, actor.user))


async def on_read(session: Session, request: frames.Read) -> Ack:
    thread = ThreadId(request.thread_id)
    await read.mark_read(
        session.context(Messaging), session.authenticated_actor, thread, request.seq
    )
    return Ack(request.id)


async def on_delivered(session: Session, request: frames.Delivered) -> Ack:
    thread = ThreadId(request.thread_id)
    await read.mark_delivered(
        session.context(Messaging), session.authenticated_actor, thread, request.seq
    )
    return Ack(request.id)


async def on_history(session: Session, request: frames.History) -> HistoryAck:
    named = (request.before, request.after, request.around)
    before, after, around = (None if one is None else MessageId(one) for one in named)
    await session.outbox.wait_writable()
    page = await history.history(
        session.context(Messaging),
        session.authenticated_actor,
        ThreadId(request.thread_id),
        before=before,
        after=after,
        around=around,
        limit=request.limit,
    )
    return HistoryAck(request.id, page=shapes.page(page))


async def on_typing(session: Session, request: frames.Typing) -> None:
    session.part(FocusedThreads).set_typing(ThreadId(request.thread_id), on=request.on)


async def on_focus(session: Session, request: frames.Focus) -> None:
    session.part(FocusedThreads).focus(map(ThreadId, request.thread_ids))


def order_of_sends(session: Session, request: frames.Send) -> str | None:
    """Handles a client's messages to one thread in the order in which they were sent: each is
    checked once the previous one is queued. A local store keeps that order itself, so only a retry
    of a message in progress waits, with the messages after it."""
    messaging, thread = session.context(Messaging), request.thread_id
    if not messaging.store.is_local or session.is_ordered(thread):
        return thread
    name = (ThreadId(thread), session.authenticated_actor.user, request.client_message_id)
    return thread if messaging.sending.is_locked(name) else None


def order_of_pages(_: Session, __: frames.History) -> str:
    """Pages are large, so a client gets them one at a time, as fast as it reads."""
    return "history"


_EDITED = EXAMPLES["editMessage"].answers[200]
_GONE = EXAMPLES["deleteMessage"].answers[200]
_LIKED = EXAMPLES["react"].answers[200]
_PAGE = EXAMPLES["getMessages"].answers[200]
_UNTIL = "2025-10-09T09:13:07.123Z"

REQUESTS: tuple[SocketRequest, ...] = (
    SocketRequest(
        frame=frames.Send,
        handle=on_send,
        ack=SendAck,
        ordering_key=order_of_sends,
        examples=(
            Example("a message", frames.Send(2, THREAD, "c-17", SENT.body)),
            Example("a reply", frames.Send(3, THREAD, "c-18", "It does.", MESSAGE)),
            Example(
                "a picture",
                frames.Send(4, THREAD, "c-19", WAITING.body, attachments=WAITING.attachments),
            ),
        ),
        ack_examples=(
            Example("sent", SendAck(2, "sent", SENT, [HINT])),
            Example("waiting for its files", SendAck(4, "waiting")),
            Example("held for a moderator", SendAck(2, "held")),
            Example(
                "rejected by a moderator",
                SendAck(2, "rejected", reason="Please keep it friendly.", warned=True),
            ),
        ),
    ),
    SocketRequest(
        frame=frames.Edit,
        handle=on_edit,
        ack=EditAck,
        examples=(
            Example("a new text", frames.Edit(4, THREAD, MESSAGE, _EDITED.body)),
            Example("only if unchanged", frames.Edit(5, THREAD, MESSAGE, _EDITED.body, 1)),
        ),
        ack_examples=(
            Example("edited", EditAck(4, message=_EDITED)),
            Example("held for a moderator", EditAck(4, status="held")),
        ),
    ),
    SocketRequest(
        frame=frames.Delete,
        handle=on_delete,
        ack=MessageAck,
        examples=(Example("delete", frames.Delete(6, THREAD, MESSAGE)),),
        ack_examples=(Example("a tombstone", MessageAck(6, _GONE)),),
    ),
    SocketRequest(
        frame=frames.React,
        handle=on_react,
        ack=MessageAck,
        examples=(
            Example("add", frames.React(7, THREAD, MESSAGE, "👍")),
            Example("remove", frames.React(8, THREAD, MESSAGE, "👍", on=False)),
        ),
        ack_examples=(Example("added", MessageAck(7, _LIKED)),),
    ),
    SocketRequest(
        frame=frames.Read,
        handle=on_read,
        limit=RECEIPTS,
        examples=(Example("read", frames.Read(9, THREAD, 4)),),
    ),
    SocketRequest(
        frame=frames.Delivered,
        handle=on_delivered,
        limit=RECEIPTS,
        examples=(Example("delivered", frames.Delivered(10, THREAD, 4)),),
    ),
    SocketRequest(
        frame=frames.History,
        handle=on_history,
        limit=READS,
        ack=HistoryAck,
        ordering_key=order_of_pages,
        examples=(
            Example("the newest", frames.History(13, THREAD)),
            Example("before a message", frames.History(13, THREAD, before=MESSAGE, limit=20)),
        ),
        ack_examples=(Example("a page", HistoryAck(13, _PAGE)),),
    ),
    SocketRequest(
        frame=frames.Typing,
        handle=on_typing,
        limit=RECEIPTS,
        examples=(
            Example("typing", frames.Typing(THREAD)),
            Example("stopped", frames.Typing(THREAD, on=False)),
        ),
    ),
    SocketRequest(
        frame=frames.Focus,
        handle=on_focus,
        limit=RECEIPTS,
        examples=(
            Example("one thread", frames.Focus([THREAD])),
            Example("in the background", frames.Focus([])),
        ),
    ),
)

EVENTS: tuple[SocketEvent, ...] = (
    SocketEvent(
        frame=frames.MessageCreated,
        examples=(
            Example(
                "a message", frames.MessageCreated(THREAD, SENT, Status.AWAITING_REPLY, [MAYA])
            ),
        ),
    ),
    SocketEvent(
        frame=frames.MessageEdited,
        examples=(Example("edited", frames.MessageEdited(THREAD, _EDITED)),),
    ),
    SocketEvent(
        frame=frames.MessageDeleted,
        examples=(Example("a tombstone", frames.MessageDeleted(THREAD, _GONE)),),
    ),
    SocketEvent(
        frame=frames.ReactionChanged,
        examples=(Example("a thumb", frames.ReactionChanged(THREAD, _LIKED)),),
    ),
    SocketEvent(
        frame=frames.ReceiptMoved,
        examples=(Example("read", frames.ReceiptMoved(THREAD, MAYA, 4, 4)),),
    ),
    SocketEvent(
        frame=frames.TypingChanged,
        examples=(
            Example("typing", frames.TypingChanged(THREAD, MAYA, True, _UNTIL)),
            Example("stopped", frames.TypingChanged(THREAD, MAYA, False, None)),
        ),
    ),
    SocketEvent(
        frame=frames.PresenceChanged,
        examples=(
            Example("online", frames.PresenceChanged(THREAD, MAYA, True, _UNTIL)),
            Example("left", frames.PresenceChanged(THREAD, MAYA, False, None)),
        ),
    ),
    SocketEvent(
        frame=frames.ThreadUpdated,
        examples=(Example("renamed", frames.ThreadUpdated(THREAD)),),
    ),
    SocketEvent(
        frame=frames.InboxChanged,
        examples=(
            Example("pinned", frames.InboxChanged(THREAD)),
            Example("left", frames.InboxChanged(THREAD, gone=True)),
        ),
    ),
    SocketEvent(
        frame=frames.RequestChanged,
        examples=(
            Example(
                "accepted",
                frames.RequestChanged(THREAD, REQUEST, MAYA, JONAS, GateStatus.ACCEPTED),
            ),
        ),
    ),
    SocketEvent(
        frame=frames.WaitingMessageChanged,
        examples=(
            Example("waiting", frames.WaitingMessageChanged(WAITING)),
            Example("could not be sent", frames.WaitingMessageChanged(NOT_SENT)),
            Example(
                "sent",
                frames.WaitingMessageChanged(replace(WAITING, status=WaitingStatus.SENT), MESSAGE),
            ),
        ),
    ),
    SocketEvent(
        frame=frames.ScheduledMessageChanged,
        examples=(
            Example("scheduled", frames.ScheduledMessageChanged(SCHEDULED)),
            Example("could not be sent", frames.ScheduledMessageChanged(FAILED)),
            Example(
                "sent",
                frames.ScheduledMessageChanged(
                    replace(SCHEDULED, status=ScheduledStatus.SENT), MESSAGE
                ),
            ),
        ),
    ),
)

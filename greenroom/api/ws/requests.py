"""What each request of a client does: parse, call one use case, render."""

from collections.abc import Mapping

from greenroom import metadata
from greenroom.api.messaging import shapes
from greenroom.api.ws import frames
from greenroom.api.ws.frames import Ack
from greenroom.api.ws.session import Session
from greenroom.api.ws.socket_server import Handler
from greenroom.ids import MessageId, ThreadId
from greenroom.messaging import edit, history, react, read, send as sending
from greenroom.messaging.delete import delete
from greenroom.messaging.hold_change import HeldChange
from greenroom.people.actor import Actor


async def on_send(session: Session, request: frames.Send) -> Ack:
    reply = request.reply_to_message_id
    outgoing = sending.Outgoing(
        request.client_message_id,
        request.body,
        None if reply is None else MessageId(reply),
        metadata=metadata.checked(request.metadata),
    )
    actor = _actor(session)
    outcome = await sending.send(
        session.server.messaging,
        actor,
        ThreadId(request.thread_id),
        outgoing,
        session.start_next,
    )
    sent = shapes.sending(outcome, request.client_message_id, actor.user)
    return Ack(
        request.id,
        status=sent.status,
        message=sent.message,
        hints=sent.hints,
        reason=sent.reason,
        warned=sent.warned,
    )


async def on_edit(session: Session, request: frames.Edit) -> Ack:
    actor = _actor(session)
    edited = await edit.edit(
        session.server.messaging,
        actor,
        ThreadId(request.thread_id),
        MessageId(request.message_id),
        request.body,
        version=request.version,
    )
    if isinstance(edited, HeldChange):
        return Ack(request.id, status="held")
    return Ack(request.id, message=shapes.message(edited, actor.user))


async def on_delete(session: Session, request: frames.Delete) -> Ack:
    actor = _actor(session)
    message = await delete(
        session.server.messaging,
        actor,
        ThreadId(request.thread_id),
        MessageId(request.message_id),
    )
    return Ack(request.id, message=shapes.message(message, actor.user))


async def on_react(session: Session, request: frames.React) -> Ack:
    actor = _actor(session)
    change = react.react if request.on else react.take_back
    message = await change(
        session.server.messaging,
        actor,
        ThreadId(request.thread_id),
        MessageId(request.message_id),
        request.emoji,
    )
    return Ack(request.id, message=shapes.message(message, actor.user))


async def on_read(session: Session, request: frames.Read) -> Ack:
    thread = ThreadId(request.thread_id)
    await read.mark_read(session.server.messaging, _actor(session), thread, request.seq)
    return Ack(request.id)


async def on_delivered(session: Session, request: frames.Delivered) -> Ack:
    thread = ThreadId(request.thread_id)
    await read.mark_delivered(session.server.messaging, _actor(session), thread, request.seq)
    return Ack(request.id)


async def on_history(session: Session, request: frames.History) -> Ack:
    named = (request.before, request.after, request.around)
    before, after, around = (None if one is None else MessageId(one) for one in named)
    await session.outbox.wait_writable()
    page = await history.history(
        session.server.messaging,
        _actor(session),
        ThreadId(request.thread_id),
        before=before,
        after=after,
        around=around,
        limit=request.limit,
    )
    return Ack(request.id, page=shapes.page(page))


async def on_typing(session: Session, request: frames.Typing) -> None:
    session.focus.set_typing(ThreadId(request.thread_id), on=request.on)


async def on_focus(session: Session, request: frames.Focus) -> None:
    session.focus.focus(map(ThreadId, request.thread_ids))


async def on_ping(session: Session, request: frames.Ping) -> Ack:
    return Ack(request.id, cursor=session.cursor())


def _actor(session: Session) -> Actor:
    assert session.actor is not None
    return session.actor


HANDLERS: Mapping[type, Handler] = {
    frames.Send: on_send,
    frames.Edit: on_edit,
    frames.Delete: on_delete,
    frames.React: on_react,
    frames.Read: on_read,
    frames.Delivered: on_delivered,
    frames.History: on_history,
    frames.Typing: on_typing,
    frames.Focus: on_focus,
    frames.Ping: on_ping,
}

"""Deletes a message. A tombstone keeps its seq, so that order and counts stay as they are."""

from msgspec.structs import replace

from greenroom.ids import MessageId, ThreadId
from greenroom.messaging import access
from greenroom.messaging.change import change_message
from greenroom.messaging.context import Messaging
from greenroom.messaging.events import MessageDeleted
from greenroom.messaging.models import Message, MessageKind
from greenroom.messaging.problems import MessageNotFound, NotYours
from greenroom.messaging.roles import Operation, may
from greenroom.people.actor import Actor


async def delete(
    messaging: Messaging,
    actor: Actor,
    thread_id: ThreadId,
    message_id: MessageId,
    *,
    version: int | None = None,
) -> Message:
    """For its author and for staff of the thread. Idempotent."""
    view = await access.thread(messaging, actor, thread_id)
    message = await access.message(messaging, view, message_id)
    if message.author != actor.user and not may(view.thread, actor, Operation.DELETE_OTHERS):
        raise NotYours
    if message.kind is MessageKind.SYSTEM:
        raise MessageNotFound
    if message.deleted_ms is not None:
        return message
    return await change_message(
        messaging,
        view,
        message,
        lambda found, ms: tombstoned(found, ms, actor),
        MessageDeleted,
        version=version,
    )


def tombstoned(message: Message, now_ms: int, actor: Actor) -> Message:
    if message.deleted_ms is not None:
        return message
    return replace(
        message,
        body="",
        mentions=(),
        reactions={},
        edits=(),
        metadata=None,
        policy_tags=(),
        policy_hints=(),
        spam_score="0",
        moderation="clean",
        deleted_ms=now_ms,
        deleted_by=actor.user,
    )

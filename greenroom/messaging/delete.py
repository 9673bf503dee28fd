"""Delete a message: a tombstone stays, with its seq, so that no order and no count changes."""

from msgspec.structs import replace

from greenroom.ids import MessageId, ThreadId
from greenroom.messaging import access
from greenroom.messaging.change import change_frame
from greenroom.messaging.context import Messaging
from greenroom.messaging.events import MessageDeleted
from greenroom.messaging.models import Frame, FrameKind
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
) -> Frame:
    """Its author, or staff of the thread. Again changes nothing."""
    side = await access.thread(messaging, actor, thread_id)
    frame = await access.message(messaging, side, message_id)
    if frame.author != actor.user and not may(side.thread, actor, Operation.DELETE_OTHERS):
        raise NotYours
    if frame.kind is FrameKind.SYSTEM:
        raise MessageNotFound
    if frame.deleted_ms is not None:
        return frame
    return await change_frame(
        messaging,
        side,
        frame,
        lambda found, ms: entombed(found, ms, actor),
        MessageDeleted,
        version=version,
    )


def entombed(frame: Frame, now_ms: int, actor: Actor) -> Frame:
    if frame.deleted_ms is not None:
        return frame
    return replace(
        frame,
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

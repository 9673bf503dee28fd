"""Change the metadata of one's own message."""

from msgspec import UnsetType
from msgspec.structs import replace

from greenroom.ids import MessageId, ThreadId
from greenroom.messaging import access
from greenroom.messaging.change import change_frame
from greenroom.messaging.context import Messaging
from greenroom.messaging.events import MessageEdited
from greenroom.messaging.models import Frame, FrameKind
from greenroom.messaging.problems import MessageNotFound, NotYours
from greenroom.people.actor import Actor
from greenroom.safety.limits import Limit


async def edit_metadata(
    messaging: Messaging,
    actor: Actor,
    thread_id: ThreadId,
    message_id: MessageId,
    metadata: str | None,
    *,
    version: int | None = None,
) -> Frame:
    """`metadata` is JSON text, as `metadata.checked` gives it; None takes it away."""
    side = await access.thread(messaging, actor, thread_id)
    frame = await access.message(messaging, side, message_id)
    if frame.author != actor.user:
        raise NotYours
    await messaging.safety.limits.spend(actor.user, Limit.MESSAGES, Limit.BURST)
    return await change_frame(
        messaging,
        side,
        frame,
        lambda found, _: with_metadata(found, metadata),
        MessageEdited,
        version=version,
    )


def with_metadata(found: Frame, metadata: str | UnsetType | None) -> Frame:
    """The very same frame where the metadata is unset or as it was."""
    if found.kind is FrameKind.SYSTEM or found.deleted_ms is not None:
        raise MessageNotFound
    if isinstance(metadata, UnsetType) or found.metadata == metadata:
        return found
    return replace(found, metadata=metadata)

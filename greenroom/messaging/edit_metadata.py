"""Changes the metadata of a message for its author."""

from msgspec import UnsetType
from msgspec.structs import replace

from greenroom.ids import MessageId, ThreadId
from greenroom.messaging import access
from greenroom.messaging.change import change_message
from greenroom.messaging.context import Messaging
from greenroom.messaging.events import MessageEdited
from greenroom.messaging.models import Message, MessageKind
from greenroom.messaging.policy import BURST, MESSAGES
from greenroom.messaging.problems import MessageNotFound, NotYours
from greenroom.people.actor import Actor


async def edit_metadata(
    messaging: Messaging,
    actor: Actor,
    thread_id: ThreadId,
    message_id: MessageId,
    metadata: str | None,
    *,
    version: int | None = None,
) -> Message:
    """`metadata` is JSON text, as `metadata.checked` gives it; None removes it."""
    view = await access.thread(messaging, actor, thread_id)
    message = await access.message(messaging, view, message_id)
    if message.author != actor.user:
        raise NotYours
    await messaging.safety.limits.spend(actor.user, MESSAGES, BURST)
    return await change_message(
        messaging,
        view,
        message,
        lambda found, _: with_metadata(found, metadata),
        MessageEdited,
        version=version,
    )


def with_metadata(found: Message, metadata: str | UnsetType | None) -> Message:
    """The same object where the metadata is unset or unchanged."""
    if found.kind in (MessageKind.SYSTEM, MessageKind.CARD) or found.deleted_ms is not None:
        raise MessageNotFound
    if isinstance(metadata, UnsetType) or found.metadata == metadata:
        return found
    return replace(found, metadata=metadata)

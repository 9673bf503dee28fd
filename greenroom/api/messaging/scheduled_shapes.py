"""The JSON shapes of scheduled messages."""

from typing import Any

from msgspec import Struct

from greenroom import metadata
from greenroom.clock import iso
from greenroom.ids import MessageId, ScheduledId, ThreadId
from greenroom.messaging import Messaging, models
from greenroom.messaging.models import ScheduledStatus
from greenroom.messaging.scheduled import scheduled_messages
from greenroom.people.actor import Actor


class ScheduledProblem(Struct, rename="camel"):
    """Why a scheduled message could not be sent."""

    type: str
    """The problem type, as in an error response."""
    detail: str
    """The reason, for a person to read."""


class ScheduledMessage(Struct, rename="camel"):
    """A message that is sent at a time. Only its author sees it."""

    scheduled_message_id: ScheduledId
    thread_id: ThreadId
    body: str
    reply_to_message_id: MessageId | None
    metadata: dict[str, Any] | None
    send_at: str
    created_at: str
    status: ScheduledStatus
    """`pending`; or `failed`, if it could not be sent at its time. In events also `sent`,
    `canceled`, and `held` where it waits for a moderator."""
    problem: ScheduledProblem | None
    """Why it could not be sent."""
    version: int


class ScheduledMessages(Struct, rename="camel"):
    """All scheduled messages, the next first."""

    scheduled_messages: list[ScheduledMessage]


async def all_scheduled(messaging: Messaging, actor: Actor) -> ScheduledMessages:
    found = await scheduled_messages(messaging, actor)
    return ScheduledMessages([scheduled_shape(message) for message in found])


def scheduled_shape(message: models.ScheduledMessage) -> ScheduledMessage:
    problem = None
    if message.problem:
        problem = ScheduledProblem(f"/problems/{message.problem}", message.detail)
    return ScheduledMessage(
        scheduled_message_id=message.id,
        thread_id=message.thread,
        body=message.body,
        reply_to_message_id=message.reply_to,
        metadata=metadata.to_json(message.metadata),
        send_at=iso(message.send_ms),
        created_at=iso(message.created_ms),
        status=message.status,
        problem=problem,
        version=message.version,
    )

"""The JSON shapes of messages that wait for their files."""

from typing import Any

from msgspec import Struct

from greenroom import metadata
from greenroom.api.messaging.attachment_shapes import NewAttachment
from greenroom.clock import iso
from greenroom.ids import MessageId, ThreadId
from greenroom.messaging import Messaging, models
from greenroom.messaging.models import WaitingStatus
from greenroom.messaging.waiting import waiting_messages
from greenroom.people.actor import Actor


class WaitingProblem(Struct, rename="camel"):
    """Why a message could not be sent."""

    type: str
    """The problem type, as in an error response."""
    detail: str
    """The reason, for a person to read."""


class WaitingMessage(Struct, rename="camel"):
    """A message that is sent when its files are ready. Only its author sees it."""

    thread_id: ThreadId
    client_message_id: str
    body: str
    attachments: list[NewAttachment]
    reply_to_message_id: MessageId | None
    metadata: dict[str, Any] | None
    created_at: str
    status: WaitingStatus
    """`waiting`; or `failed`, if it could not be sent. In events also `sent`, `canceled`, and
    `held` where it waits for a moderator."""
    problem: WaitingProblem | None
    """Why it could not be sent."""


class WaitingMessages(Struct, rename="camel"):
    """All messages that wait for their files or have failed, the oldest first."""

    waiting_messages: list[WaitingMessage]


async def all_waiting(messaging: Messaging, actor: Actor) -> WaitingMessages:
    found = await waiting_messages(messaging, actor)
    return WaitingMessages([waiting_shape(message) for message in found])


def waiting_shape(message: models.WaitingMessage) -> WaitingMessage:
    problem = None
    if message.problem:
        problem = WaitingProblem(f"/problems/{message.problem}", message.detail)
    return WaitingMessage(
        thread_id=message.thread,
        client_message_id=message.client_id,
        body=message.body,
        attachments=[NewAttachment(one.file, one.alt) for one in message.attachments],
        reply_to_message_id=message.reply_to,
        metadata=metadata.to_json(message.metadata),
        created_at=iso(message.created_ms),
        status=message.status,
        problem=problem,
    )

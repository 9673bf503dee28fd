"""Deletes a message. A tombstone keeps its seq, so that order and counts stay as they are.

The same transaction deletes its files.
"""

from functools import partial

from msgspec.structs import replace

from greenroom.files.models import SHOW
from greenroom.ids import MessageId, ThreadId
from greenroom.messaging import access
from greenroom.messaging.attachment_ops import delete_files_ops
from greenroom.messaging.change import change_message
from greenroom.messaging.context import Messaging
from greenroom.messaging.events import MessageDeleted
from greenroom.messaging.models import Message, MessageKind
from greenroom.messaging.problems import CardsStay, MessageNotFound, NotYours
from greenroom.messaging.roles import Operation, may
from greenroom.people.actor import Actor
from greenroom.store.base import Op


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
    if message.kind is MessageKind.CARD:
        raise CardsStay
    if message.deleted_ms is not None:
        return message
    return await change_message(
        messaging,
        view,
        message,
        lambda found, ms: tombstoned(found, ms, actor),
        MessageDeleted,
        version=version,
        also=partial(file_ops_of_tombstone, messaging),
    )


async def file_ops_of_tombstone(
    messaging: Messaging, before: Message, *, is_removal: bool = False
) -> tuple[Op, ...]:
    """Deletes the files of a message that is about to be deleted."""
    files = [one.file for one in before.attachments if one.file is not None]
    return await delete_files_ops(messaging, files, is_removal=is_removal) if files else ()


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
        attachments=(),
        band=SHOW,
        policy_tags=(),
        policy_hints=(),
        spam_score="0",
        moderation="clean",
        card=None,
        deleted_ms=now_ms,
        deleted_by=actor.user,
    )

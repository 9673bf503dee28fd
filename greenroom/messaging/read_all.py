"""Marks everything in a folder as read."""

from contextlib import suppress

from msgspec import Struct

from greenroom.messaging.context import Messaging
from greenroom.messaging.inbox import unread_rows
from greenroom.messaging.models import Folder
from greenroom.messaging.problems import InvalidReadPosition, ThreadNotFound
from greenroom.messaging.read import mark_read
from greenroom.people.actor import Actor

MOST_AT_ONCE = 100


class AllRead(Struct, frozen=True):
    marked: int
    more: bool
    """There are more threads than one call marks: call again."""


async def mark_all_read(messaging: Messaging, actor: Actor, folder: Folder = Folder.ALL) -> AllRead:
    """The newest first. Idempotent, apart from new messages."""
    rows, more = await unread_rows(messaging, actor, folder)
    for row in rows[:MOST_AT_ONCE]:
        with suppress(ThreadNotFound, InvalidReadPosition):  # has left since
            await mark_read(messaging, actor, row.thread.id, row.thread.last_seq)
    return AllRead(min(len(rows), MOST_AT_ONCE), more or len(rows) > MOST_AT_ONCE)

"""Reads a thread with its members, as one of its participants sees it."""

from msgspec import Struct

from greenroom.ids import MessageId, ThreadId
from greenroom.messaging import access
from greenroom.messaging.access import ThreadView
from greenroom.messaging.context import Messaging
from greenroom.messaging.history import members
from greenroom.messaging.manage import managed, managed_for_role
from greenroom.messaging.models import Member, Message, Role
from greenroom.messaging.thread_metadata import with_metadata
from greenroom.people.actor import Actor


class ThreadDetails(Struct, frozen=True):
    view: ThreadView
    members: tuple[Member, ...]


async def details(messaging: Messaging, actor: Actor, thread_id: ThreadId) -> ThreadDetails:
    view = await access.thread(messaging, actor, thread_id)
    return await _details(messaging, view)


async def managed_details(messaging: Messaging, actor: Actor, thread_id: ThreadId) -> ThreadDetails:
    """Also for a service outside of the thread."""
    return await _details(messaging, await managed(messaging, actor, thread_id))


async def details_with_role(
    messaging: Messaging, actor: Actor, thread_id: ThreadId, role: Role
) -> ThreadDetails:
    """For an actor who has just given that role."""
    return await _details(messaging, await managed_for_role(messaging, actor, thread_id, role))


async def _details(messaging: Messaging, view: ThreadView) -> ThreadDetails:
    [whole] = await with_metadata(messaging, [view])
    return ThreadDetails(whole, await members(messaging, view))


async def message(
    messaging: Messaging, actor: Actor, thread_id: ThreadId, message_id: MessageId
) -> tuple[Message, ThreadDetails]:
    """A message, and the thread's members, for who has seen it."""
    seen = await details(messaging, actor, thread_id)
    return await access.message(messaging, seen.view, message_id), seen

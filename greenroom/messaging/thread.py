"""A thread as one of its participants sees it: its head, their own side, and everybody in it."""

from msgspec import Struct

from greenroom.ids import MessageId, ThreadId
from greenroom.messaging import access
from greenroom.messaging.access import Side
from greenroom.messaging.context import Messaging
from greenroom.messaging.history import members
from greenroom.messaging.manage import managed, managed_for_role
from greenroom.messaging.models import Frame, Member, Role
from greenroom.messaging.thread_metadata import with_metadata
from greenroom.people.actor import Actor


class View(Struct, frozen=True):
    side: Side
    members: tuple[Member, ...]


async def view(messaging: Messaging, actor: Actor, thread_id: ThreadId) -> View:
    side = await access.thread(messaging, actor, thread_id)
    return await _view(messaging, side)


async def managed_view(messaging: Messaging, actor: Actor, thread_id: ThreadId) -> View:
    """Also for a service that takes no part in it."""
    return await _view(messaging, await managed(messaging, actor, thread_id))


async def view_with_role(
    messaging: Messaging, actor: Actor, thread_id: ThreadId, role: Role
) -> View:
    """For somebody who has just given that role."""
    return await _view(messaging, await managed_for_role(messaging, actor, thread_id, role))


async def _view(messaging: Messaging, side: Side) -> View:
    [whole] = await with_metadata(messaging, [side])
    return View(whole, await members(messaging, side))


async def message(
    messaging: Messaging, actor: Actor, thread_id: ThreadId, message_id: MessageId
) -> tuple[Frame, View]:
    """One message, with what is needed to say who has seen it."""
    seen = await view(messaging, actor, thread_id)
    return await access.message(messaging, seen.side, message_id), seen

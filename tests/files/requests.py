"""Conversations that their target has not accepted yet."""

from greenroom.ids import ThreadId
from greenroom.messaging import open as opening
from greenroom.messaging.models import Kind, Role
from greenroom.people.actor import Actor
from tests.files.world import FilesWorld


async def pending_request(world: FilesWorld, sender: Actor, target: Actor) -> ThreadId:
    invited = opening.Invited(target.user, Role.SELLER)
    wanted = opening.Opening(kind=Kind.INQUIRY, role=Role.BUYER, others=(invited,))
    thread = await opening.open_thread(world.messaging, sender, wanted)
    assert target.user in thread.gates
    return thread.id

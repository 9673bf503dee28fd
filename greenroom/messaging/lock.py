"""Locks a thread, so that only staff can write in it, and unlocks it."""

from msgspec.structs import replace

from greenroom.ids import ThreadId
from greenroom.messaging import access
from greenroom.messaging.context import Messaging
from greenroom.messaging.events import MessageCreated
from greenroom.messaging.models import BuiltInEvent, Status, Thread
from greenroom.messaging.new_message import message_op, system_message, with_message
from greenroom.messaging.plan import PlannedWrite
from greenroom.messaging.problems import RoleNotAllowed, ThreadNotFound
from greenroom.messaging.roles import Operation, account_parts, may
from greenroom.messaging.update_thread import update_thread
from greenroom.people.actor import Actor


async def lock(messaging: Messaging, actor: Actor, thread_id: ThreadId) -> Thread:
    return await _set(messaging, actor, thread_id, Status.LOCKED, "thread.locked")


async def unlock(messaging: Messaging, actor: Actor, thread_id: ThreadId) -> Thread:
    return await _set(messaging, actor, thread_id, Status.OPEN, "thread.unlocked")


async def _set(
    messaging: Messaging, actor: Actor, thread_id: ThreadId, status: Status, event: BuiltInEvent
) -> Thread:
    if not account_parts(actor):  # an outsider must not cause a read of the head
        await access.thread(messaging, actor, thread_id)
    head = await messaging.thread_cache.read(thread_id)
    if head is None:
        raise ThreadNotFound
    if (head.status is Status.LOCKED) == (status is Status.LOCKED):
        _check(head, actor)
        return head

    mine = None
    if actor.user in head.members:
        mine = (await access.thread(messaging, actor, thread_id)).mine

    def plan(found: Thread, ms: int) -> PlannedWrite:
        _check(found, actor)
        if (found.status is Status.LOCKED) == (status is Status.LOCKED):
            return PlannedWrite(found, (), silent=True)  # another request was first
        message = system_message(messaging, found, actor.user, ms, event)
        after = _with_lock(found, status)
        return PlannedWrite(
            with_message(after, message, mine), (message_op(message),), (MessageCreated(message),)
        )

    return await update_thread(messaging, thread_id, plan)


def _with_lock(head: Thread, status: Status) -> Thread:
    """Unlocked, it waits for nobody; a booking stays booked."""
    if status is Status.LOCKED:
        return replace(head, status=status, awaiting=(), locked_from=head.status)
    before = head.locked_from
    talk = before is None or before is Status.AWAITING_REPLY
    return replace(head, status=Status.OPEN if talk else before, awaiting=(), locked_from=None)


def _check(head: Thread, actor: Actor) -> None:
    """For moderators and staff of the thread; others do not find the thread."""
    if not may(head, actor, Operation.LOCK):
        raise RoleNotAllowed if actor.user in head.members else ThreadNotFound

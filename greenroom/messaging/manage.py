"""Loads a thread for somebody who manages it: a participant, or a service outside of it.

A moderator outside of the thread can only give somebody the role support or admin.
"""

from msgspec.structs import replace

from greenroom.ids import ThreadId
from greenroom.messaging import access, rules
from greenroom.messaging.access import ThreadView
from greenroom.messaging.context import Messaging
from greenroom.messaging.models import Member, Role, Thread
from greenroom.messaging.problems import AcceptFirst, RoleNotAllowed, ThreadNotFound
from greenroom.messaging.roles import Operation, may
from greenroom.people.actor import Actor, Scope


def is_bare_service(actor: Actor) -> bool:
    """A service that acts for no user: it is in no thread and has no inbox."""
    return actor.may(Scope.SERVICE) and not actor.may(Scope.USER)


async def managed(messaging: Messaging, actor: Actor, thread_id: ThreadId) -> ThreadView:
    if not is_bare_service(actor):
        return await access.thread(messaging, actor, thread_id)
    head = await messaging.thread_cache.read(thread_id)
    if head is None:
        raise ThreadNotFound
    return access.system_view(head)


async def managed_for_role(
    messaging: Messaging, actor: Actor, thread_id: ThreadId, role: Role
) -> ThreadView:
    """As `managed`; a moderator who gives a staff role need not be in the thread."""
    try:
        return await managed(messaging, actor, thread_id)
    except ThreadNotFound:
        if role not in rules.STAFF:
            raise
        return await as_moderator(messaging, actor, thread_id)


async def as_moderator(messaging: Messaging, actor: Actor, thread_id: ThreadId) -> ThreadView:
    """The thread without its messages: a moderator's role opens no inbox."""
    if not actor.may(Scope.MODERATOR):  # an outsider must not cause a read of the head
        raise ThreadNotFound
    head = await messaging.thread_cache.read(thread_id)
    if head is None or actor.user in head.members or not may(head, actor, Operation.GRANT_STAFF):
        raise ThreadNotFound
    silent = replace(head, preview="", preview_event="", last_sender=None)
    return ThreadView(silent, Member(thread=thread_id, user=actor.user, role=Role.MEMBER))


def check_may(thread: Thread, actor: Actor, operation: Operation) -> None:
    if not rules.has_accepted(thread, actor.user):
        raise AcceptFirst
    if not may(thread, actor, operation):
        raise RoleNotAllowed

"""Load a thread for somebody who manages it: a participant, or a service that takes no part."""

from greenroom.ids import ThreadId
from greenroom.messaging import access, rules
from greenroom.messaging.access import Side
from greenroom.messaging.context import Messaging
from greenroom.messaging.models import Member, Role, Thread
from greenroom.messaging.problems import AcceptFirst, NotYourPlace, ThreadNotFound
from greenroom.messaging.roles import Operation, may
from greenroom.people.actor import SYSTEM, Actor, Scope


def is_bare_service(actor: Actor) -> bool:
    """A service that acts for nobody: it is in no thread and has no inbox."""
    return actor.may(Scope.SERVICE) and not actor.may(Scope.USER)


async def managed(messaging: Messaging, actor: Actor, thread_id: ThreadId) -> Side:
    if not is_bare_service(actor):
        return await access.thread(messaging, actor, thread_id)
    head = await messaging.heads.read(thread_id)
    if head is None:
        raise ThreadNotFound
    return Side(head, Member(thread=thread_id, user=SYSTEM, role=Role.ADMIN))


def check_may(thread: Thread, actor: Actor, operation: Operation) -> None:
    if not rules.has_accepted(thread, actor.user):
        raise AcceptFirst
    if not may(thread, actor, operation):
        raise NotYourPlace

"""Loads threads and messages on behalf of an actor. Missing and forbidden look alike."""

from msgspec import Struct

from greenroom.ids import MessageId, ThreadId, UserId, time_of
from greenroom.messaging import items, rules
from greenroom.messaging.context import Messaging
from greenroom.messaging.models import Member, Message, Role, State, Thread
from greenroom.messaging.problems import MessageNotFound, ThreadNotFound
from greenroom.messaging.records import MESSAGING, member_key, message_key
from greenroom.people.actor import SYSTEM, Actor

_LONGEST_ID = 64


class ThreadView(Struct, frozen=True):
    """A thread as the actor may see it (only a part before they accept), and their own `Member`."""

    thread: Thread
    mine: Member
    metadata: str | None = None
    """The thread's, as JSON text, where it was loaded."""


async def thread(
    messaging: Messaging, actor: Actor, thread_id: ThreadId, *, keep: bool = False
) -> ThreadView:
    """Reads the actor's member first: for an outsider an existing thread must cost the same read as
    a missing one, or the response time would show the difference. With `keep` the head is cached
    for the write that follows."""
    if not 0 < len(thread_id) <= _LONGEST_ID:
        raise ThreadNotFound
    key = member_key(thread_id, actor.user)
    item = await messaging.store.get(MESSAGING, key, consistent=True)
    if item is None or (mine := items.member_of(item)).state is not State.ACTIVE:
        raise ThreadNotFound
    opened = await messaging.thread_cache.read(thread_id)
    if opened is None:
        raise ThreadNotFound
    if keep:
        messaging.thread_cache.put_if_newer(opened)
    check_member(opened, actor.user, messaging.clock.now_ms())
    return ThreadView(rules.as_shown(opened, actor.user), mine)


def check_member(head: Thread, user: UserId, now_ms: int) -> None:
    if not rules.has_access(head, user, now_ms):
        raise ThreadNotFound


def system_view(head: Thread) -> ThreadView:
    """For what the system does in a thread, on behalf of no member."""
    return ThreadView(head, Member(thread=head.id, user=SYSTEM, role=Role.ADMIN))


async def message(messaging: Messaging, view: ThreadView, message_id: MessageId) -> Message:
    """A message that the member may see: not from before they joined, nor, before they accept,
    beyond what a request shows. The system sees all of them."""
    found = await find_message(messaging, view.thread.id, message_id)
    if found is None:
        raise MessageNotFound
    user = view.mine.user
    if user != SYSTEM and not rules.shows(view.thread, user, found.seq):
        raise MessageNotFound
    return found


async def find_message(
    messaging: Messaging, thread_id: ThreadId, message_id: MessageId
) -> Message | None:
    """On nobody's behalf."""
    ms = time_of(message_id)
    if ms is None or not message_id.startswith("msg_"):
        return None
    key = message_key(thread_id, message_id, ms)
    item = await messaging.store.get(MESSAGING, key, consistent=True)
    return None if item is None else items.message_of(item)

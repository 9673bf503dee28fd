"""The only way to load something on behalf of an actor. Missing and forbidden look the same."""

from msgspec import Struct

from greenroom.ids import MessageId, ThreadId, UserId, time_of
from greenroom.messaging import items, rules
from greenroom.messaging.context import Messaging
from greenroom.messaging.models import Member, Message, State, Thread
from greenroom.messaging.problems import MessageNotFound, ThreadNotFound
from greenroom.messaging.records import MESSAGING, member_key, message_key
from greenroom.people.actor import Actor

_LONGEST_ID = 64


class ThreadView(Struct, frozen=True):
    """A thread as the actor may see it (before they accept, a part), and the actor's side of it."""

    thread: Thread
    mine: Member
    metadata: str | None = None
    """The thread's, as JSON text, where it was asked for."""


async def thread(
    messaging: Messaging, actor: Actor, thread_id: ThreadId, *, keep: bool = False
) -> ThreadView:
    """The actor's own side first: to an outsider a thread that exists must cost the same read as
    one that does not, or the time it takes would tell them apart. With `keep` the head is kept for
    the write that follows."""
    if not 0 < len(thread_id) <= _LONGEST_ID:
        raise ThreadNotFound
    key = member_key(thread_id, actor.user)
    view = await messaging.store.get(MESSAGING, key, consistent=True)
    if view is None or (mine := items.member_of(view)).state is not State.ACTIVE:
        raise ThreadNotFound
    opened = await messaging.thread_cache.read(thread_id)
    if opened is None:
        raise ThreadNotFound
    if keep:
        messaging.thread_cache.put_if_newer(opened)
    check_member(opened, actor.user, messaging.clock.now_ms())
    return ThreadView(rules.as_shown(opened, actor.user), mine)


def check_member(head: Thread, user: UserId, now_ms: int) -> None:
    if not rules.is_let_in(head, user, now_ms):
        raise ThreadNotFound


async def message(messaging: Messaging, view: ThreadView, message_id: MessageId) -> Message:
    """A message of the thread that the member may see: not from before their time, nor, before they
    accept, beyond what a request shows."""
    ms = time_of(message_id)
    if ms is None or not message_id.startswith("msg_"):
        raise MessageNotFound
    key = message_key(view.thread.id, message_id, ms)
    item = await messaging.store.get(MESSAGING, key, consistent=True)
    if item is None:
        raise MessageNotFound
    message = items.message_of(item)
    if not rules.shows(view.thread, view.mine.user, message.seq):
        raise MessageNotFound
    return message

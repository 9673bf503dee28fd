"""The only way to load something on behalf of an actor. Missing and forbidden look the same."""

from msgspec import Struct

from greenroom.ids import MessageId, ThreadId, UserId, time_of
from greenroom.messaging import items, rules
from greenroom.messaging.context import Messaging
from greenroom.messaging.models import Frame, Member, State, Thread
from greenroom.messaging.problems import MessageNotFound, ThreadNotFound
from greenroom.messaging.records import MESSAGING, head_key, member_key, message_key
from greenroom.people.actor import Actor

_LONGEST_ID = 64


class Side(Struct, frozen=True):
    """A thread as the actor may see it (before they accept, a part), and the actor's side of it."""

    thread: Thread
    mine: Member
    metadata: str | None = None
    """The thread's, as JSON text, where it was asked for."""


async def thread(messaging: Messaging, actor: Actor, thread_id: ThreadId) -> Side:
    if not 0 < len(thread_id) <= _LONGEST_ID:
        raise ThreadNotFound
    head, side = head_key(thread_id), member_key(thread_id, actor.user)
    found = await messaging.store.batch_get(MESSAGING, [head, side], consistent=True)
    if head not in found or side not in found:
        raise ThreadNotFound
    opened, mine = items.thread_of(found[head]), items.member_of(found[side])
    check_member(opened, actor.user, messaging.clock.now_ms())
    if mine.state is not State.ACTIVE:
        raise ThreadNotFound
    return Side(rules.as_shown(opened, actor.user), mine)


def check_member(head: Thread, user: UserId, now_ms: int) -> None:
    if not rules.is_let_in(head, user, now_ms):
        raise ThreadNotFound


async def message(messaging: Messaging, side: Side, message_id: MessageId) -> Frame:
    """A frame of the thread that the member may see: not from before their time, nor, before they
    accept, beyond what a request shows."""
    ms = time_of(message_id)
    if ms is None or not message_id.startswith("msg_"):
        raise MessageNotFound
    key = message_key(side.thread.id, message_id, ms)
    item = await messaging.store.get(MESSAGING, key, consistent=True)
    if item is None:
        raise MessageNotFound
    frame = items.frame_of(item)
    if not side.mine.joined_seq < frame.seq <= side.thread.last_seq:
        raise MessageNotFound
    return frame

"""React to a message, and take it back. Twice is as good as once."""

from msgspec.structs import replace

from greenroom.ids import MessageId, ThreadId, UserId
from greenroom.messaging import access, text
from greenroom.messaging.change import change_frame
from greenroom.messaging.context import Messaging
from greenroom.messaging.events import ReactionChanged
from greenroom.messaging.models import Frame, FrameKind
from greenroom.messaging.problems import InvalidReaction, MessageNotFound
from greenroom.messaging.send import check_is_open
from greenroom.people.actor import Actor
from greenroom.safety.limits import Limit

MAX_KINDS = 20


async def react(
    messaging: Messaging, actor: Actor, thread_id: ThreadId, message_id: MessageId, emoji: str
) -> Frame:
    return await _change(messaging, actor, thread_id, message_id, emoji, there=True)


async def take_back(
    messaging: Messaging, actor: Actor, thread_id: ThreadId, message_id: MessageId, emoji: str
) -> Frame:
    return await _change(messaging, actor, thread_id, message_id, emoji, there=False)


async def _change(
    messaging: Messaging,
    actor: Actor,
    thread_id: ThreadId,
    message_id: MessageId,
    emoji: str,
    *,
    there: bool,
) -> Frame:
    checked = text.emoji(emoji)
    side = await access.thread(messaging, actor, thread_id)
    frame = await access.message(messaging, side, message_id)
    check_is_open(side.thread, actor.user, messaging.clock.now_ms())
    await messaging.safety.limits.spend(actor.user, Limit.REACTIONS)
    return await change_frame(
        messaging,
        side,
        frame,
        lambda found, _: reacted(found, actor.user, checked, there),
        ReactionChanged,
    )


def reacted(frame: Frame, user: UserId, emoji: str, there: bool) -> Frame:
    if frame.deleted_ms is not None or frame.kind is FrameKind.SYSTEM:
        raise MessageNotFound
    users = frame.reactions.get(emoji, ())
    if (user in users) == there:
        return frame
    if there and emoji not in frame.reactions and len(frame.reactions) >= MAX_KINDS:
        raise InvalidReaction(f"a message can have at most {MAX_KINDS} different reactions")
    left = tuple(sorted({*users, user} if there else {*users} - {user}))
    reactions = {**frame.reactions, emoji: left}
    return replace(frame, reactions={kind: who for kind, who in reactions.items() if who})

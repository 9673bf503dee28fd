"""Adds a reaction to a message, and removes it. Idempotent."""

from msgspec.structs import replace

from greenroom.ids import MessageId, ThreadId, UserId
from greenroom.messaging import access, text
from greenroom.messaging.change import change_message
from greenroom.messaging.context import Messaging
from greenroom.messaging.events import ReactionChanged
from greenroom.messaging.models import Message, MessageKind
from greenroom.messaging.policy import REACTIONS
from greenroom.messaging.problems import InvalidReaction, MessageNotFound
from greenroom.messaging.send_checks import check_is_open
from greenroom.people.actor import Actor

MAX_KINDS = 20


async def react(
    messaging: Messaging, actor: Actor, thread_id: ThreadId, message_id: MessageId, emoji: str
) -> Message:
    return await _change(messaging, actor, thread_id, message_id, emoji, there=True)


async def remove_reaction(
    messaging: Messaging, actor: Actor, thread_id: ThreadId, message_id: MessageId, emoji: str
) -> Message:
    return await _change(messaging, actor, thread_id, message_id, emoji, there=False)


async def _change(
    messaging: Messaging,
    actor: Actor,
    thread_id: ThreadId,
    message_id: MessageId,
    emoji: str,
    *,
    there: bool,
) -> Message:
    checked = text.emoji(emoji)
    view = await access.thread(messaging, actor, thread_id)
    message = await access.message(messaging, view, message_id)
    check_is_open(view.thread, actor.user, messaging.clock.now_ms())
    await messaging.safety.limits.spend(actor.user, REACTIONS)
    return await change_message(
        messaging,
        view,
        message,
        lambda found, _: reacted(found, actor.user, checked, there),
        ReactionChanged,
    )


def reacted(message: Message, user: UserId, emoji: str, there: bool) -> Message:
    if message.deleted_ms is not None or message.kind is MessageKind.SYSTEM:
        raise MessageNotFound
    users = message.reactions.get(emoji, ())
    if (user in users) == there:
        return message
    if there and emoji not in message.reactions and len(message.reactions) >= MAX_KINDS:
        raise InvalidReaction(f"a message can have at most {MAX_KINDS} different reactions")
    left = tuple(sorted({*users, user} if there else {*users} - {user}))
    reactions = {**message.reactions, emoji: left}
    return replace(message, reactions={kind: who for kind, who in reactions.items() if who})

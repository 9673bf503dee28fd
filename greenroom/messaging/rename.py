"""Name a thread. With an etag: only if nobody has named or changed it since."""

from msgspec.structs import replace

from greenroom.ids import ThreadId
from greenroom.messaging import access, rules, text
from greenroom.messaging.append import append, frame_op, said, system_frame
from greenroom.messaging.context import Messaging
from greenroom.messaging.events import MessageCreated
from greenroom.messaging.models import Kind, Thread
from greenroom.messaging.problems import NotYourPlace, ThreadChanged
from greenroom.messaging.seats import check_manages
from greenroom.messaging.send import are_apart, check_may_send
from greenroom.messaging.turns import Planned
from greenroom.messaging.weigh import check_name
from greenroom.people.actor import Actor
from greenroom.safety.limits import Limit


async def rename(
    messaging: Messaging,
    actor: Actor,
    thread_id: ThreadId,
    subject: str,
    *,
    settings_version: str | None = None,
) -> Thread:
    named = text.subject(subject)
    side = await access.thread(messaging, actor, thread_id)
    if side.thread.subject == named:
        return side.thread
    check_manages(side.thread, actor.user)
    await messaging.safety.limits.spend(actor.user, Limit.MESSAGES, Limit.BURST)
    if named is not None:
        await check_name(messaging, actor, side.thread, named)
    apart = await are_apart(messaging, side.thread)

    def plan(head: Thread, ms: int) -> Planned:
        check_manages(head, actor.user)
        if head.kind is Kind.DIRECT:
            raise NotYourPlace
        check_may_send(head, actor.user, named or "", messaging.clock.now_ms(), apart=apart)
        if settings_version is not None and settings_version != rules.settings_version(head):
            raise ThreadChanged
        if head.subject == named:
            return Planned(head, (), quiet=True)  # somebody else was first
        frame = system_frame(messaging, head, actor.user, ms, "subject.changed", named or "")
        after = said(replace(head, subject=named), frame)
        return Planned(after, (frame_op(frame),), (MessageCreated(frame),))

    return await append(messaging, thread_id, plan)

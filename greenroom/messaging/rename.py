"""Name a thread. With an etag: only if nobody has named or changed it since."""

from msgspec.structs import replace

from greenroom.ids import ThreadId
from greenroom.messaging import rules, text
from greenroom.messaging.access import Side
from greenroom.messaging.append import append, frame_op, said, system_frame
from greenroom.messaging.context import Messaging
from greenroom.messaging.events import MessageCreated
from greenroom.messaging.manage import check_may, is_bare_service, managed
from greenroom.messaging.models import Thread
from greenroom.messaging.problems import ThreadChanged
from greenroom.messaging.roles import Operation
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
    side = await managed(messaging, actor, thread_id)
    if side.thread.subject == named:
        return side.thread
    check_may(side.thread, actor, Operation.RENAME)
    if is_bare_service(actor):
        return await _write(messaging, actor, side, named, settings_version)
    await messaging.safety.limits.spend(actor.user, Limit.MESSAGES, Limit.BURST)
    if named is not None:
        await check_name(messaging, actor, side.thread, named)
    return await _write(messaging, actor, side, named, settings_version)


async def _write(
    messaging: Messaging,
    actor: Actor,
    side: Side,
    named: str | None,
    settings_version: str | None,
) -> Thread:
    by = side.mine.user
    apart = await are_apart(messaging, side.thread)

    def plan(head: Thread, ms: int) -> Planned:
        check_may(head, actor, Operation.RENAME)
        if by == actor.user:
            check_may_send(head, by, named or "", messaging.clock.now_ms(), apart=apart)
        if settings_version is not None and settings_version != rules.settings_version(head):
            raise ThreadChanged
        if head.subject == named:
            return Planned(head, (), quiet=True)  # somebody else was first
        frame = system_frame(messaging, head, by, ms, "subject.changed", named or "")
        after = said(replace(head, subject=named), frame, side.mine)
        return Planned(after, (frame_op(frame),), (MessageCreated(frame),))

    return await append(messaging, side.thread.id, plan)

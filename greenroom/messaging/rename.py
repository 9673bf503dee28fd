"""Names a thread. With an etag: only if its settings have not changed since.

A name that would be held if it were sent waits for a moderator; the old one stays until then.
"""

from msgspec.structs import replace

from greenroom.ids import ThreadId, UserId
from greenroom.messaging import access, rules, text
from greenroom.messaging.access import ThreadView
from greenroom.messaging.context import Messaging
from greenroom.messaging.events import MessageCreated
from greenroom.messaging.hold_change import HeldChange, hold_name
from greenroom.messaging.manage import check_may, is_bare_service, managed
from greenroom.messaging.models import Member, Thread
from greenroom.messaging.moderate import moderate_name
from greenroom.messaging.new_message import message_op, system_message, with_message
from greenroom.messaging.plan import PlannedWrite
from greenroom.messaging.policy import BURST, MESSAGES
from greenroom.messaging.problems import ThreadChanged
from greenroom.messaging.roles import Operation
from greenroom.messaging.send_checks import check_may_send
from greenroom.messaging.update_thread import update_thread
from greenroom.people.actor import Actor
from greenroom.safety.verdict import Hold


async def rename(
    messaging: Messaging,
    actor: Actor,
    thread_id: ThreadId,
    subject: str,
    *,
    settings_version: str | None = None,
) -> Thread | HeldChange:
    text.check_length(subject, text.MAX_SUBJECT)
    view = await managed(messaging, actor, thread_id)
    check_may(view.thread, actor, Operation.RENAME)
    named = await checked_name(messaging, actor, view, subject, settings_version)
    if isinstance(named, HeldChange):
        return named
    if view.thread.subject == named:
        return view.thread

    def plan(head: Thread, ms: int) -> PlannedWrite:
        check_renaming(messaging, actor, view, head, named)
        check_settings(head, settings_version)
        if head.subject == named:
            return PlannedWrite(head, (), silent=True)  # another request was first
        return named_plan(messaging, view.mine.user, head, named, ms, view.mine)

    return await update_thread(messaging, thread_id, plan)


async def checked_name(
    messaging: Messaging, actor: Actor, view: ThreadView, subject: str, settings_version: str | None
) -> str | HeldChange | None:
    """The cleaned name (None for none), or that it is held. Check its length before."""
    if is_bare_service(actor):
        return text.subject(subject)
    await messaging.safety.limits.spend(actor.user, MESSAGES, BURST)
    named = text.subject(subject)
    if named is None or named == view.thread.subject:
        return named
    verdict = await moderate_name(messaging, actor, view.thread, named)
    if not isinstance(verdict, Hold):
        return named
    check_may_name(messaging, actor, view.thread, named)
    check_settings(view.thread, settings_version)
    return await hold_name(messaging, actor.user, view.thread, named, verdict)


def check_renaming(
    messaging: Messaging, actor: Actor, view: ThreadView, head: Thread, named: str | None
) -> None:
    if view.mine.user == actor.user:
        check_may_name(messaging, actor, head, named)
    else:
        check_may(head, actor, Operation.RENAME)


def check_settings(head: Thread, version: str | None) -> None:
    if version is not None and version != rules.settings_version(head):
        raise ThreadChanged


def check_may_name(messaging: Messaging, actor: Actor, head: Thread, named: str | None) -> None:
    """A participant's new name is checked like a message."""
    now_ms = messaging.clock.now_ms()
    access.check_member(head, actor.user, now_ms)
    check_may(head, actor, Operation.RENAME)
    check_may_send(head, actor.user, named or "", now_ms)


def named_plan(
    messaging: Messaging,
    by: UserId,
    head: Thread,
    named: str | None,
    ms: int,
    mine: Member | None = None,
) -> PlannedWrite:
    message = system_message(messaging, head, by, ms, "subject.changed", named or "")
    after = with_message(replace(head, subject=named), message, mine)
    return PlannedWrite(after, (message_op(message),), (MessageCreated(message),))

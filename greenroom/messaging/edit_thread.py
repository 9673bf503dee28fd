"""Changes a thread's name together with its status, booking or metadata: all of it or nothing.

A name that is held for a moderator does not delay the rest, which changes at once.
"""

from msgspec import UNSET, UnsetType

from greenroom.ids import RequestId, ThreadId
from greenroom.messaging import text
from greenroom.messaging.context import Messaging
from greenroom.messaging.hold_change import HeldChange
from greenroom.messaging.manage import check_may, managed
from greenroom.messaging.models import Thread
from greenroom.messaging.plan import PlannedWrite
from greenroom.messaging.rename import (
    check_renaming,
    check_settings,
    checked_name,
    named_plan,
    rename,
)
from greenroom.messaging.roles import Operation
from greenroom.messaging.set_status import (
    ThreadChange,
    change_plan,
    check_change,
    operations_of,
    set_status,
    write_change,
)
from greenroom.people.actor import Actor


async def edit_thread(
    messaging: Messaging,
    actor: Actor,
    thread_id: ThreadId,
    change: ThreadChange,
    subject: str | UnsetType = UNSET,
    *,
    settings_version: str | None = None,
) -> Thread | HeldChange | None:
    """None where there is nothing to change."""
    if not isinstance(subject, UnsetType):
        if change == ThreadChange():
            return await rename(
                messaging, actor, thread_id, subject, settings_version=settings_version
            )
        return await _both(messaging, actor, thread_id, change, subject, settings_version)
    if change == ThreadChange():
        return None
    return await set_status(messaging, actor, thread_id, change, settings_version=settings_version)


async def _both(
    messaging: Messaging,
    actor: Actor,
    thread_id: ThreadId,
    change: ThreadChange,
    subject: str,
    version: str | None,
) -> Thread | HeldChange:
    check_change(change)
    text.check_length(subject, text.MAX_SUBJECT)
    view = await managed(messaging, actor, thread_id)
    for operation in (*operations_of(change), Operation.RENAME):
        check_may(view.thread, actor, operation)
    named = await checked_name(messaging, actor, view, subject, version)
    if isinstance(named, HeldChange):
        await set_status(messaging, actor, thread_id, change, settings_version=version)
        return named
    written = set[RequestId]()

    def plan(head: Thread, ms: int) -> PlannedWrite:
        check_renaming(messaging, actor, view, head, named)
        first = change_plan(messaging, head, change, ms, written, version)
        if head.subject == named:
            return first
        check_settings(head, version)
        later_ms = ms + len(first.events)
        second = named_plan(messaging, view.mine.user, first.thread, named, later_ms, view.mine)
        return PlannedWrite(second.thread, first.ops + second.ops, first.events + second.events)

    return await write_change(messaging, thread_id, plan, written)

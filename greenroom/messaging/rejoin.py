"""Returns to the direct thread of two people.

Somebody who had left, or has lifted a block, finds their history again (`silent_leave.py`).
Somebody who had closed a request, or let it expire, starts anew. The other person is not brought
back by this: where they have left, the next message asks them.
"""

from msgspec.structs import replace

from greenroom.ids import UserId
from greenroom.messaging import rules
from greenroom.messaging.contact import (
    ContactCheck,
    check_contacts,
    check_no_pending_request,
    new_gates,
    pending_request_ops,
)
from greenroom.messaging.context import Messaging
from greenroom.messaging.events import Event, InboxChanged
from greenroom.messaging.first_message import NO_FIRST_MESSAGE, FirstMessage, without_active_rows
from greenroom.messaging.models import GateStatus, MemberSummary, Role, Thread
from greenroom.messaging.new_participant import contact_ops, new_participant_ops
from greenroom.messaging.plan import PlannedWrite
from greenroom.messaging.policy import REQUESTS, THREAD_STARTS
from greenroom.messaging.problems import AlreadyAsked
from greenroom.messaging.silent_leave import with_returned
from greenroom.messaging.update_thread import update_thread
from greenroom.people.actor import Actor
from greenroom.store.base import Op
from greenroom.store.problems import ConditionFailed


async def rejoin(
    messaging: Messaging, actor: Actor, other: UserId, head: Thread, first_message: FirstMessage
) -> Thread:
    missing = absent_members(head, actor.user, other, messaging.clock.now_ms())
    contact_check = await _check_contact(messaging, actor, other, missing)

    def plan(found: Thread, ms: int, first_message: FirstMessage = first_message) -> PlannedWrite:
        return _plan_rejoin(messaging, actor.user, other, found, ms, first_message, contact_check)

    await first_message.check(plan(head, head.last_ms + 1, NO_FIRST_MESSAGE).thread)
    if contact_check.strangers and other in missing:
        await messaging.safety.limits.spend(actor.user, REQUESTS)
    try:
        return await update_thread(messaging, head.id, plan)
    except ConditionFailed:
        await check_no_pending_request(
            messaging, actor.user, contact_check.strangers, consistent=True
        )
        raise


async def _check_contact(
    messaging: Messaging, actor: Actor, other: UserId, missing: list[UserId]
) -> ContactCheck:
    try:
        return await check_contacts(messaging, actor, [other], THREAD_STARTS)
    except AlreadyAsked:
        if other in missing:
            raise
    # Somebody who left while their own request waits returns to it unchanged.
    await messaging.safety.limits.spend(actor.user, THREAD_STARTS)
    return ContactCheck({other: GateStatus.PENDING}, frozenset())


def _plan_rejoin(
    messaging: Messaging,
    user: UserId,
    other: UserId,
    found: Thread,
    ms: int,
    first_message: FirstMessage,
    contact_check: ContactCheck,
) -> PlannedWrite:
    missing = absent_members(found, user, other, messaging.clock.now_ms())
    before, ops = found, list[Op]()
    events: tuple[Event, ...] = ()
    gate = found.gates.get(user)
    if user in missing and gate is not None and gate.away is not None:
        missing.remove(user)
        found, back = with_returned(found, user, ms)
        ops += back
        events = (InboxChanged(user),)
    newcomer = MemberSummary(role=Role.MEMBER, row_active_ms=ms, joined=found.last_seq)
    members = found.members | dict.fromkeys(missing, newcomer)
    gates = {one: kept for one, kept in found.gates.items() if one not in missing}
    if other in missing:
        gates |= new_gates(messaging, user, contact_check, ms, found)
    planned = first_message.plan(replace(found, members=members, gates=gates), ms)
    after = planned.thread if planned.shows else without_active_rows(planned.thread, missing)
    ops += [op for one in missing for op in new_participant_ops(after, one, ms, before=before)]
    if other in missing:
        ops += pending_request_ops(messaging, after, [other])
    ops += contact_ops(user, after.id, [other])
    silent = not planned.shows or (not missing and not planned.events)
    return PlannedWrite(after, (*ops, *planned.ops), (*events, *planned.events), silent=silent)


def absent_members(head: Thread, user: UserId, other: UserId, now_ms: int) -> list[UserId]:
    """The members of a pair who have to return or get a new request: the user, if they have left,
    closed the request or let it expire; the other, once the user's request to them has expired.
    Until then the user must not learn its outcome."""
    gone = [] if rules.has_access(head, user, now_ms) else [user]
    gate = head.gates.get(other)
    has_expired = (
        gate is not None
        and gate.away is None
        and gate.sender == user
        and rules.gate_as_sender_sees(gate, now_ms) is not GateStatus.PENDING
    )
    return [*gone, other] if has_expired else gone

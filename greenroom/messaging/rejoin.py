"""Come back to the direct thread of two people.

Somebody who had left, or has lifted a block, finds their history again (`away.py`). Somebody who
had turned a request away, or let it run out, starts afresh. The other person is never brought back
by this: where they have left, the next message asks them.
"""

from msgspec.structs import replace

from greenroom.ids import UserId
from greenroom.messaging import rules
from greenroom.messaging.contact import (
    ContactCheck,
    check_no_pending_request,
    new_gates,
    pending_request_ops,
    strangers_among,
)
from greenroom.messaging.context import Messaging
from greenroom.messaging.events import Event, InboxChanged
from greenroom.messaging.first_message import NO_FIRST_MESSAGE, FirstMessage, without_active_rows
from greenroom.messaging.models import GateStatus, MemberSummary, Role, Thread
from greenroom.messaging.new_participant import contact_ops, new_participant_ops
from greenroom.messaging.plan import PlannedWrite
from greenroom.messaging.problems import AlreadyAsked
from greenroom.messaging.silent_leave import with_returned
from greenroom.messaging.update_thread import update_thread
from greenroom.people.actor import Actor
from greenroom.safety.limits import Limit
from greenroom.store.base import Op
from greenroom.store.problems import ConditionFailed


async def rejoin(
    messaging: Messaging, actor: Actor, other: UserId, head: Thread, first_message: FirstMessage
) -> Thread:
    missing = absent(head, actor.user, other, messaging.clock.now_ms())
    contact_check = await _asking(messaging, actor, other, missing)

    def plan(found: Thread, ms: int, first_message: FirstMessage = first_message) -> PlannedWrite:
        return _rejoined(messaging, actor.user, other, found, ms, first_message, contact_check)

    await first_message.check(plan(head, head.last_ms + 1, NO_FIRST_MESSAGE).thread)
    if contact_check.strangers and other in missing:
        await messaging.safety.limits.spend(actor.user, Limit.REQUESTS)
    try:
        return await update_thread(messaging, head.id, plan)
    except ConditionFailed:
        await check_no_pending_request(
            messaging, actor.user, contact_check.strangers, consistent=True
        )
        raise


async def _asking(
    messaging: Messaging, actor: Actor, other: UserId, missing: list[UserId]
) -> ContactCheck:
    try:
        return await strangers_among(messaging, actor, [other], Limit.THREAD_STARTS)
    except AlreadyAsked:
        if other in missing:
            raise
    # Whoever has left while their own request waits comes back to it as it is.
    await messaging.safety.limits.spend(actor.user, Limit.THREAD_STARTS)
    return ContactCheck({other: GateStatus.PENDING}, frozenset())


def _rejoined(
    messaging: Messaging,
    user: UserId,
    other: UserId,
    found: Thread,
    ms: int,
    first_message: FirstMessage,
    contact_check: ContactCheck,
) -> PlannedWrite:
    missing = absent(found, user, other, messaging.clock.now_ms())
    before, ops = found, list[Op]()
    events: tuple[Event, ...] = ()
    gate = found.gates.get(user)
    if user in missing and gate is not None and gate.away is not None:
        missing.remove(user)
        found, back = with_returned(found, user, ms)
        ops += back
        events = (InboxChanged(user),)
    fresh = MemberSummary(role=Role.MEMBER, row_active_ms=ms, joined=found.last_seq)
    members = found.members | dict.fromkeys(missing, fresh)
    gates = {one: kept for one, kept in found.gates.items() if one not in missing}
    if other in missing:
        gates |= new_gates(messaging, user, contact_check, ms, found)
    begun = first_message.plan(replace(found, members=members, gates=gates), ms)
    after = begun.thread if begun.shows else without_active_rows(begun.thread, missing)
    ops += [op for one in missing for op in new_participant_ops(after, one, ms, before=before)]
    if other in missing:
        ops += pending_request_ops(messaging, after, [other])
    ops += contact_ops(user, after.id, [other])
    silent = not begun.shows or (not missing and not begun.events)
    return PlannedWrite(after, (*ops, *begun.ops), (*events, *begun.events), silent=silent)


def absent(head: Thread, user: UserId, other: UserId, now_ms: int) -> list[UserId]:
    """Those of a pair who have to come back or be asked: the user, if they have left, turned the
    request away or let it run out; the other, once the user's request to them has run out. Until
    then the user is not to know what became of it."""
    gone = [] if rules.is_let_in(head, user, now_ms) else [user]
    gate = head.gates.get(other)
    has_run_out = (
        gate is not None
        and gate.away is None
        and gate.sender == user
        and rules.gate_as_sender_sees(gate, now_ms) is not GateStatus.PENDING
    )
    return [*gone, other] if has_run_out else gone

"""Withdraws a request that the actor has sent, without revealing whether it was declined.

In a thread for two the request ends and its target's row goes. From a larger thread its target is
removed. Either way, the sender cannot ask the same person again until the request's expiry time.
"""

from msgspec.structs import replace

from greenroom.ids import RequestId, ThreadId, UserId
from greenroom.messaging import access, items, rules
from greenroom.messaging.contact import request_item
from greenroom.messaging.context import Messaging
from greenroom.messaging.events import InboxChanged
from greenroom.messaging.inbox_rows import remove_row
from greenroom.messaging.models import Gate, GateStatus, Member, Thread
from greenroom.messaging.participants import plan_removal
from greenroom.messaging.plan import PlannedWrite
from greenroom.messaging.problems import RequestNotFound, ThreadNotFound
from greenroom.messaging.records import MESSAGING, request_key
from greenroom.messaging.requests import waits
from greenroom.messaging.update_thread import update_thread
from greenroom.people.actor import Actor
from greenroom.store.base import Check, Op, Put
from greenroom.store.expressions import F
from greenroom.store.problems import ConditionFailed

_LONGEST_ID = 64


async def withdraw_request(messaging: Messaging, actor: Actor, request_id: RequestId) -> None:
    """Idempotent."""
    if not 0 < len(request_id) <= _LONGEST_ID:
        raise RequestNotFound
    item = await messaging.store.get(MESSAGING, request_key(request_id), consistent=True)
    if item is None or item.get("sender") != actor.user:
        raise RequestNotFound
    thread_id, target = ThreadId(str(item["threadId"])), UserId(str(item["targetUser"]))
    if items.gate_of(item).status is GateStatus.WITHDRAWN:
        return
    try:
        view = await access.thread(messaging, actor, thread_id)
    except ThreadNotFound:
        raise RequestNotFound from None

    def plan(head: Thread, ms: int) -> PlannedWrite:
        gate = rules.known_gates(head).get(target)
        waiting = waits(head, actor.user, target, messaging.clock.now_ms())
        if gate is None or gate.id != request_id or not waiting:
            return PlannedWrite(head, (_is_withdrawn(request_id),), silent=True)
        return _withdrawn(messaging, view.mine, target, head, gate, ms)

    try:
        await update_thread(messaging, thread_id, plan)
    except ConditionFailed:
        raise RequestNotFound from None


def _is_withdrawn(request_id: RequestId) -> Check:
    """By a concurrent call of the same sender; otherwise it was accepted or has expired."""
    status = F("status").equals(GateStatus.WITHDRAWN.value)
    return Check(MESSAGING, request_key(request_id), status)


def _withdrawn(
    messaging: Messaging, by: Member, target: UserId, head: Thread, gate: Gate, ms: int
) -> PlannedWrite:
    gate = replace(gate, status=GateStatus.WITHDRAWN)
    record = Put(MESSAGING, request_item(head.id, target, gate) | {"decidedAt": ms})
    if head.pair is None:
        planned = plan_removal(messaging, by, target, head, ms, "participant.removed")
        return replace(planned, ops=(*planned.ops, record))
    after = replace(head, gates={**head.gates, target: gate})
    ops: tuple[Op, ...] = (record,)
    if rules.has_access(head, target, ms):
        ops += remove_row(head.id, target, ms, messaging.sync_log_ms, F("changedAt").set(ms))
    return PlannedWrite(after, ops, (InboxChanged(by.user),))

"""Expires the requests of a thread whose time is over, and tells both sides.

The row leaves the inbox of somebody who has not answered. For the sender a request that was
declined, or that a block has closed, expires in the same way: the same write, the same event.
Everybody else notices nothing. Requests are expired for every reader from their time on
(`rules.gate_status`), whenever this runs.
"""

from collections.abc import Sequence
from functools import partial

from msgspec.structs import replace

from greenroom.background.models import Timer
from greenroom.ids import ThreadId, UserId
from greenroom.messaging import inbox_rows, request_timers, rules
from greenroom.messaging.contact import request_item
from greenroom.messaging.context import Messaging
from greenroom.messaging.models import Gate, GateStatus, Thread
from greenroom.messaging.plan import PlannedWrite
from greenroom.messaging.records import MESSAGING
from greenroom.messaging.update_thread import update_thread
from greenroom.store.base import Op, Put
from greenroom.store.expressions import F

MAX_AT_ONCE = 20
"""Requests in one transaction. Each of them writes three items at most."""


async def expire_requests(messaging: Messaging, timer: Timer) -> Sequence[Op]:
    """The handler of `request_timers.KIND`. The transaction that expires the last of the requests
    also removes the timer, so they expire once."""
    thread_id = request_timers.thread_of(timer)
    head = await messaging.thread_cache.read(thread_id)
    while head is not None and _expired(head, timer.due_ms):
        plan = partial(_plan, messaging, timer.due_ms)
        head = await update_thread(messaging, thread_id, plan)
    return ()


def _expired(head: Thread, due_ms: int) -> dict[UserId, Gate]:
    """The gates that this timer is for, by their target."""
    waiting = {
        target: gate
        for target, gate in sorted(head.gates.items())
        if rules.awaits_expiry(gate) and gate.expires_ms <= due_ms
    }
    return dict(list(waiting.items())[:MAX_AT_ONCE])


def _plan(messaging: Messaging, due_ms: int, head: Thread, ms: int) -> PlannedWrite:
    ops: list[Op] = []
    members, gates = dict(head.members), dict(head.gates)
    for target, gate in _expired(head, due_ms).items():
        gates[target] = replace(gate, status=GateStatus.EXPIRED)
        if gate.status is GateStatus.PENDING:
            ops += _target_ops(messaging, head.id, target, gates[target], ms)
    for sender in sorted(_senders(messaging, head, due_ms)):
        members[sender] = replace(members[sender], row_active_ms=ms)
        changed = F("changedAt").set(ms)
        ops.append(inbox_rows.activate(head.id, sender, head.gates.get(sender), ms, changed))
    return PlannedWrite(replace(head, members=members, gates=gates), tuple(ops), silent=True)


def _target_ops(
    messaging: Messaging, thread: ThreadId, target: UserId, gate: Gate, ms: int
) -> tuple[Op, ...]:
    record = Put(MESSAGING, request_item(thread, target, gate) | {"decidedAt": ms})
    changed = F("changedAt").set(ms)
    row = inbox_rows.remove_row(thread, target, ms, messaging.sync_log_ms, changed, gate=gate)
    return record, *row


def _senders(messaging: Messaging, head: Thread, due_ms: int) -> set[UserId]:
    """Senders who see their request expire."""
    now_ms = messaging.clock.now_ms()
    return {
        gate.sender
        for gate in _expired(head, due_ms).values()
        if gate.away is None and rules.has_access(head, gate.sender, now_ms)
    }

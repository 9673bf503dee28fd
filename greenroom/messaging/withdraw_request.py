"""Withdraw a request that one has sent. Whether it was declined before, the sender cannot tell.

In a thread for two the request is over and its target's row goes. From a larger one its target is
removed. Either way the same person is not asked again before the request would have run out.
"""

from msgspec.structs import replace

from greenroom.ids import RequestId, ThreadId, UserId
from greenroom.messaging import access, items, rules
from greenroom.messaging.append import append
from greenroom.messaging.ask import request_item
from greenroom.messaging.context import Messaging
from greenroom.messaging.events import InboxChanged
from greenroom.messaging.models import GateStatus, Thread
from greenroom.messaging.problems import RequestNotFound, ThreadNotFound
from greenroom.messaging.records import MESSAGING, request_key
from greenroom.messaging.requests import waits
from greenroom.messaging.seats import vacate
from greenroom.messaging.shelve import taken_down
from greenroom.messaging.turns import Planned
from greenroom.people.actor import Actor
from greenroom.store.base import Op, Put
from greenroom.store.expressions import F

_LONGEST_ID = 64


async def withdraw_request(messaging: Messaging, actor: Actor, request_id: RequestId) -> None:
    """Again changes nothing."""
    if not 0 < len(request_id) <= _LONGEST_ID:
        raise RequestNotFound
    item = await messaging.store.get(MESSAGING, request_key(request_id), consistent=True)
    if item is None or item.get("sender") != actor.user:
        raise RequestNotFound
    thread_id, target = ThreadId(str(item["threadId"])), UserId(str(item["targetUser"]))
    if items.gate_of(item).status is GateStatus.WITHDRAWN:
        return
    try:
        side = await access.thread(messaging, actor, thread_id)
    except ThreadNotFound:
        raise RequestNotFound from None
    _check(side.thread, actor, target, request_id, messaging.clock.now_ms())
    if side.thread.pair is None:
        await vacate(messaging, side.mine, target, thread_id, "participant.removed")
        return

    def plan(head: Thread, ms: int) -> Planned:
        _check(head, actor, target, request_id, messaging.clock.now_ms())
        gate = replace(head.gates[target], status=GateStatus.WITHDRAWN)
        after = replace(head, gates={**head.gates, target: gate})
        record = request_item(head.id, target, gate) | {"decidedAt": ms}
        ops: tuple[Op, ...] = (Put(MESSAGING, record),)
        if rules.is_let_in(head, target, ms):
            ops += taken_down(head.id, target, ms, F("changedAt").set(ms))
        return Planned(after, ops, (InboxChanged(actor.user),))

    await append(messaging, thread_id, plan)


def _check(head: Thread, actor: Actor, target: UserId, request: RequestId, now_ms: int) -> None:
    if not waits(head, actor.user, target, now_ms) or head.gates[target].id != request:
        raise RequestNotFound

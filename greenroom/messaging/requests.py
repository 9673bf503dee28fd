"""Lists the requests that a user has sent and that, to their knowledge, wait for an answer."""

from msgspec import Struct

from greenroom.ids import RequestId, ThreadId, UserId
from greenroom.messaging import items, rules
from greenroom.messaging.context import Messaging
from greenroom.messaging.models import Gate, GateStatus, Thread
from greenroom.messaging.records import MESSAGING, head_key, pending_partition
from greenroom.people.actor import Actor
from greenroom.store.ephemeral import EPHEMERAL
from greenroom.store.values import Item

PAGE = 50


class SentRequest(Struct, frozen=True):
    id: RequestId
    thread: ThreadId
    target: UserId


class SentRequests(Struct, frozen=True):
    requests: tuple[SentRequest, ...]
    next: str | None


async def sent_requests(
    messaging: Messaging, actor: Actor, *, cursor: str | None = None
) -> SentRequests:
    page = await messaging.store.query(
        EPHEMERAL, pending_partition(actor.user), limit=PAGE, cursor=cursor
    )
    heads = await _heads(messaging, page.items)
    now_ms = messaging.clock.now_ms()
    found = []
    for item in page.items:
        head, target = heads.get(ThreadId(str(item["threadId"]))), UserId(str(item["targetUser"]))
        if head is not None and waits(head, actor.user, target, now_ms):
            found.append(SentRequest(head.gates[target].id, head.id, target))
    return SentRequests(tuple(found), page.next)


def waits(head: Thread, sender: UserId, target: UserId, now_ms: int) -> bool:
    """To the sender's knowledge: a declined request still waits."""
    gate: Gate | None = rules.known_gates(head).get(target)
    if gate is None or gate.sender != sender or not rules.has_access(head, sender, now_ms):
        return False
    return rules.gate_as_sender_sees(gate, now_ms) is GateStatus.PENDING


async def _heads(messaging: Messaging, found: tuple[Item, ...]) -> dict[ThreadId, Thread]:
    keys = {head_key(ThreadId(str(item["threadId"]))) for item in found}
    heads = await messaging.store.batch_get(MESSAGING, list(keys)) if keys else {}
    threads = map(items.thread_of, heads.values())
    return {thread.id: thread for thread in threads}

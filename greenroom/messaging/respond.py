"""Responds to a request: accepts or declines it. Its sender learns only of an acceptance.

Idempotent; of two concurrent answers the first wins. An expired request is not found.
"""

from collections.abc import Callable
from typing import TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from greenroom.ids import RequestId, ThreadId, UserId
from greenroom.messaging import inbox_rows, items, rules
from greenroom.messaging.contact import request_item
from greenroom.messaging.context import Messaging
from greenroom.messaging.inbox_rows import remove_row
from greenroom.messaging.models import Gate, GateStatus, Thread
from greenroom.messaging.plan import PlannedWrite
from greenroom.messaging.problems import RequestNotFound
from greenroom.messaging.records import (
    MESSAGING,
    contact_key,
    request_key,
)
from greenroom.messaging.update_thread import update_thread
from greenroom.people.actor import Actor
from greenroom.store.base import Op, Put
from greenroom.store.expressions import F

_LONGEST_ID = 64
_Ops: TypeAlias = Callable[[Thread, Gate, int], tuple[Op, ...]]


class Request(Struct, frozen=True):
    thread: Thread
    gate: Gate


async def accept(messaging: Messaging, actor: Actor, request_id: RequestId) -> Thread:
    """Also takes the thread out of the archive and the spam folder."""
    request = await _request(messaging, actor, request_id)

    def ops(after: Thread, gate: Gate, ms: int) -> tuple[Op, ...]:
        wanted = (F("archivedSeq").remove(), F("hiddenSeq").remove(), F("spam").remove())
        since = (F("acceptedAt").set(ms), F("changedAt").set(ms))
        row = inbox_rows.activate(after.id, actor.user, None, ms, *since, *wanted)
        contact = items.at(contact_key(actor.user, gate.sender)) | {"threadId": after.id}
        return row, Put(MESSAGING, contact)

    return await _respond(messaging, actor, request, GateStatus.ACCEPTED, ops)


async def decline(messaging: Messaging, actor: Actor, request_id: RequestId) -> None:
    await close_request(messaging, actor, request_id, GateStatus.DECLINED)


async def sender_to_block(messaging: Messaging, actor: Actor, request_id: RequestId) -> UserId:
    """The sender of a request that waits, or has closed with a block already."""
    request = await _request(messaging, actor, request_id)
    _is_already(request.gate, GateStatus.BLOCKED, messaging.clock.now_ms())
    return request.gate.sender


async def close_request(
    messaging: Messaging, actor: Actor, request_id: RequestId, status: GateStatus
) -> None:
    """Takes the row out of the inbox. The member stays, so that the sender does not notice."""
    request = await _request(messaging, actor, request_id)

    def ops(after: Thread, gate: Gate, ms: int) -> tuple[Op, ...]:
        return remove_row(
            after.id, actor.user, ms, messaging.sync_log_ms, F("changedAt").set(ms), gate=gate
        )

    await _respond(messaging, actor, request, status, ops)


async def _request(messaging: Messaging, actor: Actor, request_id: RequestId) -> Request:
    """From its own item where it is accepted: then the head does not have it."""
    if not 0 < len(request_id) <= _LONGEST_ID:
        raise RequestNotFound
    for _ in range(2):  # it may be accepted between the two reads
        item = await messaging.store.get(MESSAGING, request_key(request_id), consistent=True)
        if item is None or item["targetUser"] != actor.user:
            break
        head = await messaging.thread_cache.read(ThreadId(str(item["threadId"])))
        if head is None:
            break
        kept = items.gate_of(item)
        gate = head.gates.get(actor.user)
        if gate is not None and gate.id == request_id:
            # Once it has expired for its sender, its own item still has the target's answer.
            is_over = gate.status is GateStatus.EXPIRED and rules.is_answered(kept)
            return Request(head, kept if is_over else gate)
        if kept.status is GateStatus.ACCEPTED:
            return Request(head, kept)
    raise RequestNotFound


async def _respond(
    messaging: Messaging,
    actor: Actor,
    request: Request,
    status: GateStatus,
    ops: _Ops,
) -> Thread:
    if _is_already(request.gate, status, messaging.clock.now_ms()):
        return request.thread

    def plan(head: Thread, ms: int) -> PlannedWrite:
        gate = head.gates.get(actor.user)
        if gate is None or gate.id != request.gate.id:
            raise RequestNotFound
        if rules.gate_status(gate, messaging.clock.now_ms()) is not GateStatus.PENDING:
            raise RequestNotFound
        answered = replace(gate, status=status)
        after = _answered(head, actor.user, answered, ms)
        record = request_item(head.id, actor.user, answered) | {"decidedAt": ms}
        written = (Put(MESSAGING, record), *ops(after, answered, ms))
        is_secret = status is not GateStatus.ACCEPTED or gate.away is not None
        return PlannedWrite(after, written, silent=is_secret)

    try:
        return await update_thread(messaging, request.thread.id, plan)
    except RequestNotFound:
        again = await _request(messaging, actor, request.gate.id)
        if not _is_already(again.gate, status, messaging.clock.now_ms()):
            raise
        return again.thread  # a concurrent call wrote the same answer


def _answered(head: Thread, target: UserId, gate: Gate, ms: int) -> Thread:
    """An accepted gate is removed: in a group the gates would be most of the head. Any other gate
    keeps its position, because a new order would reveal the answer."""
    if gate.status is not GateStatus.ACCEPTED:
        return replace(head, gates={**head.gates, target: gate})
    gates = {user: found for user, found in head.gates.items() if user != target}
    if gate.away is None:
        return replace(head, gates=gates)
    member = rules.with_missed(head.members[target], gate.away, gate.after_seq, gate.after_ms)
    members = {**head.members, target: replace(member, row_active_ms=ms)}
    return replace(head, members=members, gates=gates)


def _is_already(gate: Gate, answer: GateStatus, now_ms: int) -> bool:
    """Whether it already has this answer. Raises where it has another."""
    found = rules.gate_status(gate, now_ms)
    if found not in (GateStatus.PENDING, answer):
        raise RequestNotFound
    return found is answer

"""Sets a thread's status, its booking, leg and booking group, and its metadata: for services. Safe
mode is for those who may name the thread.

The bookings context uses the same use case. The participants of a confirmed booking become
contacts: pending requests are accepted, and nobody gets another. A request that was declined or
blocked gets a silent gate: it looks accepted to everybody else, and still delivers nothing to the
person who closed it (tests/privacy).

There are too many requests for one transaction, so each one's record and inbox row are written
before the head. After a crash in between, the request still waits and the same change can be made
again. A row in `away` without a silent gate stays invisible.
"""

import asyncio
from collections.abc import Mapping, Sequence, Set
from contextlib import suppress
from itertools import islice, permutations

from msgspec import UNSET, Struct, UnsetType
from msgspec.structs import replace

from greenroom import metadata
from greenroom.ids import RequestId, ThreadId, UserId
from greenroom.messaging import inbox_rows, items, rules, text
from greenroom.messaging.contact import request_item
from greenroom.messaging.context import Messaging
from greenroom.messaging.events import Event, MessageCreated, ThreadUpdated
from greenroom.messaging.manage import check_may, managed
from greenroom.messaging.models import Away, BuiltInEvent, Gate, GateStatus, Status, Thread
from greenroom.messaging.new_message import message_op, system_message, with_message
from greenroom.messaging.plan import Plan, PlannedWrite
from greenroom.messaging.problems import InvalidThreadChange
from greenroom.messaging.records import MESSAGING, contact_key, metadata_key
from greenroom.messaging.rename import check_settings
from greenroom.messaging.roles import Operation
from greenroom.messaging.update_thread import update_thread
from greenroom.people.actor import SYSTEM, Actor
from greenroom.store.base import Delete, Op, Put
from greenroom.store.expressions import F
from greenroom.store.problems import ConditionFailed, Conflict

_MOST_MET = 60
"""Pairs that become contacts through one booking; buyers and sellers first."""
_TRIES = 5
_AT_ONCE = 10
"""Requests whose records are written concurrently."""
_WAITING = frozenset({Status.AWAITING_REPLY, Status.PENDING_DECISION})


class ThreadChange(Struct, frozen=True, kw_only=True):
    """UNSET leaves a field as it is; None removes it."""

    status: Status | UnsetType = UNSET
    booking_id: str | UnsetType | None = UNSET
    leg_id: str | UnsetType | None = UNSET
    lbg_id: str | UnsetType | None = UNSET
    metadata: str | UnsetType | None = UNSET
    """JSON text, as `metadata.checked` gives it."""
    safe_mode: bool | UnsetType = UNSET


def operations_of(change: ThreadChange) -> tuple[Operation, ...]:
    """What an actor has to be allowed for it."""
    only_safe_mode = replace(change, safe_mode=UNSET) == ThreadChange()
    if isinstance(change.safe_mode, UnsetType):
        return (Operation.SET_STATUS,)
    return (Operation.RENAME,) if only_safe_mode else (Operation.SET_STATUS, Operation.RENAME)


async def set_status(
    messaging: Messaging,
    actor: Actor,
    thread_id: ThreadId,
    change: ThreadChange,
    *,
    settings_version: str | None = None,
) -> Thread:
    """Idempotent."""
    check_change(change)
    view = await managed(messaging, actor, thread_id)
    for operation in operations_of(change):
        check_may(view.thread, actor, operation)
    written = set[RequestId]()

    def plan(head: Thread, ms: int) -> PlannedWrite:
        return change_plan(messaging, head, change, ms, written, settings_version)

    return await write_change(messaging, thread_id, plan, written)


def change_plan(
    messaging: Messaging,
    head: Thread,
    change: ThreadChange,
    ms: int,
    written: Set[RequestId],
    settings_version: str | None = None,
    *,
    announces: bool = True,
) -> PlannedWrite:
    """Without `announces` something else tells of it."""
    after = changed(head, change)
    ops = _metadata_ops(head, change.metadata)
    if after == head and not ops:
        return PlannedWrite(head, (), silent=True)
    check_settings(head, settings_version)
    if rules.is_booked(after) and not rules.is_booked(head):
        now_ms = messaging.clock.now_ms()
        waiting, hidden = _waiting_requests(after, now_ms), _silenced(after, now_ms)
        if not {gate.id for gate in (*waiting.values(), *hidden.values())} <= written:
            raise _Unwritten(waiting, hidden)
        after, more = _with_all_contacts(after, now_ms, ms)
        ops += more
    events: tuple[Event, ...] = ()
    news = _system_messages(head, after) if announces else []
    for later, (event, *about) in enumerate(news):
        message = system_message(messaging, after, SYSTEM, ms + later, event, *about)
        after, ops = with_message(after, message), (*ops, message_op(message))
        events = (*events, MessageCreated(message))
    return PlannedWrite(after, ops, (*events, ThreadUpdated()))


async def write_change(
    messaging: Messaging, thread_id: ThreadId, plan: Plan, written: set[RequestId]
) -> Thread:
    """Writes the plan, after the records of requests that are not in `written` yet."""
    for _ in range(_TRIES):
        try:
            return await update_thread(messaging, thread_id, plan)
        except _Unwritten as found:
            await write_accepted(messaging, thread_id, found.waiting)
            await write_hidden(messaging, thread_id, found.hidden)
            written |= {gate.id for gate in (*found.waiting.values(), *found.hidden.values())}
    raise Conflict


class _Unwritten(Exception):
    """Records must be written first: of accepted requests, and of new silent gates."""

    def __init__(self, waiting: Mapping[UserId, Gate], hidden: Mapping[UserId, Gate]) -> None:
        super().__init__()
        self.waiting = waiting
        self.hidden = hidden


async def write_accepted(
    messaging: Messaging, thread_id: ThreadId, requests: Mapping[UserId, Gate]
) -> None:
    ms = messaging.clock.now_ms()
    writes = [_accepted_ops(thread_id, user, gate, ms) for user, gate in requests.items()]
    await _write_if_unchanged(messaging, writes)


async def write_hidden(
    messaging: Messaging, thread_id: ThreadId, gates: Mapping[UserId, Gate]
) -> None:
    """The rows of people who closed the request go to `away`."""
    ms = messaging.clock.now_ms()
    writes = [(inbox_rows.file_as_away(thread_id, user, gate, ms),) for user, gate in gates.items()]
    await _write_if_unchanged(messaging, writes)


async def _write_if_unchanged(messaging: Messaging, writes: Sequence[tuple[Op, ...]]) -> None:
    async def write(ops: tuple[Op, ...]) -> None:
        with suppress(ConditionFailed):
            await messaging.store.write(*ops)

    for start in range(0, len(writes), _AT_ONCE):
        await asyncio.gather(*map(write, writes[start : start + _AT_ONCE]))


def _accepted_ops(thread_id: ThreadId, user: UserId, gate: Gate, ms: int) -> tuple[Op, ...]:
    answered = replace(gate, status=GateStatus.ACCEPTED)
    record = request_item(thread_id, user, answered) | {"decidedAt": ms}
    since = (F("acceptedAt").set(ms), F("changedAt").set(ms))
    row = inbox_rows.activate(thread_id, user, None, ms, *since)
    return Put(MESSAGING, record, F("status").equals(GateStatus.PENDING.value)), row


def check_change(change: ThreadChange) -> None:
    if change.status is Status.LOCKED:
        raise InvalidThreadChange("only moderators can lock it, with POST …/lock")
    for value in (change.booking_id, change.leg_id, change.lbg_id):
        if isinstance(value, str) and not text.is_linked_id(value):
            raise InvalidThreadChange(
                f"the ids of booking, leg and booking group must have 1 to {text.MAX_OWN_ID} "
                "characters, no slash, and not dots alone"
            )


def changed(head: Thread, change: ThreadChange) -> Thread:
    """A locked thread stays locked, and gets the new status when it is unlocked."""
    named = {
        name: value
        for name in ("booking_id", "leg_id", "lbg_id", "safe_mode")
        if not isinstance(value := getattr(change, name), UnsetType)
    }
    after = replace(head, **named)
    if not isinstance(change.metadata, UnsetType):
        after = replace(after, metadata_digest=metadata.digest(change.metadata))
    if isinstance(change.status, UnsetType) or change.status is _status(head):
        return after
    if head.status is Status.LOCKED:
        return replace(after, locked_from=change.status)
    awaiting = head.awaiting if change.status in _WAITING else ()
    return replace(after, status=change.status, awaiting=awaiting)


def _status(head: Thread) -> Status:
    return head.locked_from or head.status


def _system_messages(before: Thread, after: Thread) -> list[tuple[BuiltInEvent, *tuple[str, ...]]]:
    """The system messages of the change; metadata has none."""
    news: list[tuple[BuiltInEvent, *tuple[str, ...]]] = []
    if _status(before) is not _status(after):
        news.append(("status.changed", _status(before).value, _status(after).value))
    ids = [(one.booking_id, one.leg_id, one.lbg_id) for one in (before, after)]
    if ids[0] != ids[1]:
        news.append(("booking.changed",))
    return news


def _metadata_ops(head: Thread, new: str | UnsetType | None) -> tuple[Op, ...]:
    if isinstance(new, UnsetType) or metadata.digest(new) == head.metadata_digest:
        return ()
    key = metadata_key(head.id)
    if new is None:
        return (Delete(MESSAGING, key),)
    return (Put(MESSAGING, items.at(key) | {"metadata": new}),)


def _waiting_requests(head: Thread, now_ms: int) -> dict[UserId, Gate]:
    """Without those of people who have left and are asked to return."""
    return {
        user: gate
        for user, gate in rules.known_gates(head).items()
        if rules.gate_status(gate, now_ms) is GateStatus.PENDING
    }


def _silenced(head: Thread, now_ms: int) -> dict[UserId, Gate]:
    waiting = _waiting_requests(head, now_ms)
    gates = {
        user: _silent_gate(gate, now_ms) for user, gate in head.gates.items() if user not in waiting
    }
    return {user: gate for user, gate in gates.items() if gate is not head.gates[user]}


def _with_all_contacts(head: Thread, now_ms: int, ms: int) -> tuple[Thread, tuple[Op, ...]]:
    """Everybody in it is a contact of everybody, as far as the others can see."""
    waiting = _waiting_requests(head, now_ms)
    gates = {user: gate for user, gate in head.gates.items() if user not in waiting}
    after = replace(head, gates=gates | _silenced(head, now_ms))
    pairs = islice(permutations(_traders(after), 2), _MOST_MET)
    contacts = (
        Put(MESSAGING, items.at(contact_key(*pair)) | {"threadId": head.id}) for pair in pairs
    )
    return after, tuple(contacts)


def _silent_gate(gate: Gate, now_ms: int) -> Gate:
    """A request that waits to its sender's knowledge looks accepted from now on."""
    if gate.away is not None or rules.gate_as_sender_sees(gate, now_ms) is not GateStatus.PENDING:
        return gate
    return replace(gate, away=Away(seq=gate.after_seq, ms=gate.after_ms, changed_ms=now_ms))


def _traders(head: Thread) -> list[UserId]:
    members, asked = rules.shown_members(head), rules.known_gates(head)
    there = [user for user in members if user not in asked]
    return sorted(there, key=lambda user: rules.is_trading_role(members[user].role), reverse=True)

"""Set a thread's status, its booking, leg and booking group, and its metadata: for services.

The bookings context uses the same use case. Whoever takes part in a confirmed booking counts as
known to the others: requests that wait are accepted, and nobody asks anybody again.
"""

from collections.abc import Mapping
from itertools import permutations

from msgspec import UNSET, Struct, UnsetType
from msgspec.structs import replace

from greenroom.ids import ThreadId, UserId
from greenroom.messaging import items, rules, shelve
from greenroom.messaging.append import append, frame_op, said, system_frame
from greenroom.messaging.ask import request_item
from greenroom.messaging.context import Messaging
from greenroom.messaging.events import Event, MessageCreated, ThreadUpdated
from greenroom.messaging.manage import check_may, managed
from greenroom.messaging.models import GateStatus, Status, Thread
from greenroom.messaging.problems import InvalidThreadChange
from greenroom.messaging.records import MESSAGING, met_key, metadata_key
from greenroom.messaging.roles import Operation
from greenroom.messaging.turns import Planned
from greenroom.people.actor import SYSTEM, Actor
from greenroom.store.base import Delete, Op, Put
from greenroom.store.expressions import F

_LONGEST = 64
_MOST_MET = 60
"""Pairs of people who meet through one booking; in a large group, those who trade come first."""
_WAITING = frozenset({Status.AWAITING_REPLY, Status.PENDING_DECISION})


class ThreadChange(Struct, frozen=True, kw_only=True):
    """What is unset stays as it is; None takes it away."""

    status: Status | UnsetType = UNSET
    booking_id: str | UnsetType | None = UNSET
    leg_id: str | UnsetType | None = UNSET
    lbg_id: str | UnsetType | None = UNSET
    metadata: str | UnsetType | None = UNSET
    """JSON text, as `metadata.checked` gives it."""


async def set_status(
    messaging: Messaging, actor: Actor, thread_id: ThreadId, change: ThreadChange
) -> Thread:
    """Again changes nothing."""
    check_change(change)
    side = await managed(messaging, actor, thread_id)
    check_may(side.thread, actor, Operation.SET_STATUS)

    def plan(head: Thread, ms: int) -> Planned:
        after = changed(head, change, ms)
        ops = _metadata_ops(head, change.metadata)
        if after == head and not ops:
            return Planned(head, (), quiet=True)
        if rules.is_booked(after) and not rules.is_booked(head):
            after, more = _met(after, ms)
            ops += more
        events: tuple[Event, ...] = ()
        for later, named in enumerate(_news(head, after)):
            frame = system_frame(messaging, after, SYSTEM, ms + later, *named)
            after, ops = said(after, frame), (*ops, frame_op(frame))
            events = (*events, MessageCreated(frame))
        return Planned(after, ops, (*events, ThreadUpdated()))

    return await append(messaging, thread_id, plan)


def check_change(change: ThreadChange) -> None:
    if change.status is Status.LOCKED:
        raise InvalidThreadChange("a lock is set by moderators, with POST …/lock")
    for value in (change.booking_id, change.leg_id, change.lbg_id):
        if isinstance(value, str) and not (0 < len(value) <= _LONGEST and value.isprintable()):
            raise InvalidThreadChange(
                f"booking, leg and booking group have 1 to {_LONGEST} characters"
            )


def changed(head: Thread, change: ThreadChange, ms: int) -> Thread:
    """A locked thread stays locked and has the new status once it is unlocked."""
    named = {
        name: value
        for name in ("booking_id", "leg_id", "lbg_id")
        if not isinstance(value := getattr(change, name), UnsetType)
    }
    after = replace(head, **named)
    if not isinstance(change.metadata, UnsetType):
        after = replace(after, metadata_ms=0 if change.metadata is None else ms)
    if isinstance(change.status, UnsetType) or change.status is _status(head):
        return after
    if head.status is Status.LOCKED:
        return replace(after, locked_from=change.status)
    awaiting = head.awaiting if change.status in _WAITING else ()
    return replace(after, status=change.status, awaiting=awaiting)


def _status(head: Thread) -> Status:
    return head.locked_from or head.status


def _news(before: Thread, after: Thread) -> list[tuple[str, ...]]:
    """The system messages that say so; a change of metadata has none."""
    news: list[tuple[str, ...]] = []
    if _status(before) is not _status(after):
        news.append(("status.changed", _status(before).value, _status(after).value))
    ids = [(one.booking_id, one.leg_id, one.lbg_id) for one in (before, after)]
    if ids[0] != ids[1]:
        news.append(("booking.changed",))
    return news


def _metadata_ops(head: Thread, metadata: str | UnsetType | None) -> tuple[Op, ...]:
    key = metadata_key(head.id)
    if isinstance(metadata, UnsetType):
        return ()
    if metadata is None:
        return (Delete(MESSAGING, key),) if head.metadata_ms else ()
    return (Put(MESSAGING, items.at(key) | {"metadata": metadata}),)


def _met(head: Thread, ms: int) -> tuple[Thread, tuple[Op, ...]]:
    """Everybody in it knows everybody; a request that was declined stays declined."""
    waiting = {
        user: gate
        for user, gate in head.gates.items()
        if rules.gate_status(gate, ms) is GateStatus.PENDING
    }
    ops: list[Op] = []
    for user, gate in waiting.items():
        answered = replace(gate, status=GateStatus.ACCEPTED)
        record = request_item(head.id, user, answered) | {"decidedAt": ms}
        since = (F("acceptedAt").set(ms), F("changedAt").set(ms))
        ops += [Put(MESSAGING, record), shelve.put_up(head.id, user, None, ms, *since)]
    gates = {user: gate for user, gate in head.gates.items() if user not in waiting}
    pairs = list(permutations(_traders(head, gates), 2))[: _MOST_MET - len(ops)]
    ops += [Put(MESSAGING, items.at(met_key(*pair)) | {"threadId": head.id}) for pair in pairs]
    return replace(head, gates=gates), tuple(ops)


def _traders(head: Thread, gates: Mapping[UserId, object]) -> list[UserId]:
    seats = head.seats
    there = [user for user in seats if user not in gates]
    return sorted(there, key=lambda user: rules.trades(seats[user].role), reverse=True)

"""Changes a thread: queues a plan, plans a batch on the head, writes, answers, publishes.

This is the one way in which a thread changes. `plan` gets the head and returns the new head and
what is written with it, or refuses (`plan.py`). One write at a time is under way for a thread;
plans that arrive meanwhile are made one on top of the other and written in one transaction, the
head once for all of them.
"""

import asyncio
import random
from collections.abc import Callable, Sequence
from functools import partial

from msgspec import Struct
from msgspec.structs import replace

from greenroom.errors import Problem
from greenroom.ids import ThreadId
from greenroom.messaging import inbox_rows, items, public_events
from greenroom.messaging.batcher import PendingWrite
from greenroom.messaging.context import Messaging
from greenroom.messaging.events import Event, MessageCreated, MessageEvent, events_from_diff
from greenroom.messaging.models import Thread
from greenroom.messaging.plan import Plan, PlannedWrite
from greenroom.messaging.problems import ThreadNotFound
from greenroom.messaging.records import MESSAGING, head_key
from greenroom.messaging.request_timers import expiry_ops
from greenroom.store.base import ItemAddress, Op, Put, address_at, address_of
from greenroom.store.expressions import F
from greenroom.store.limits import MAX_OPS
from greenroom.store.problems import (
    ConditionFailed,
    Conflict,
    InvalidItem,
    InvalidTransaction,
    ItemTooLarge,
    OutcomeUnknown,
)

_TRIES = 12
TIMER_ROOM = 4
"""Ops of a batch that are kept free for timers. The cancellation of a timer may still be left out:
then it runs, and finds nothing to do."""


async def update_thread(
    messaging: Messaging, thread: ThreadId, plan: Plan, queued: Callable[[], None] | None = None
) -> Thread:
    """Returns the new head. A failed condition of the plan's own ops is raised to the caller.
    Calls `queued` once the plan is in the queue: plans that are queued later are written later."""
    write_batch = partial(_write_batch, messaging, thread)
    answer = messaging.batcher.submit(thread, plan, write_batch)
    if queued is not None:
        queued()
    return await answer


async def _write_batch(
    messaging: Messaging, thread: ThreadId, pending: Sequence[PendingWrite]
) -> None:
    """Answers each of them, in as few transactions as they fit in. Called by the batcher."""
    left = list(pending)
    for attempt in range(_TRIES):
        while left:
            before = len(left)
            left = await _write_once(messaging, thread, left)
            if len(left) == before:
                break  # another node was first
        if not left:
            return
        if attempt:
            await asyncio.sleep(random.uniform(0, 0.002 * 2**attempt))
    for one in left:
        one.reject(Conflict())


async def _write_once(
    messaging: Messaging, thread: ThreadId, pending: list[PendingWrite]
) -> list[PendingWrite]:
    """One transaction. Returns those that have to be tried again."""
    head, is_current = await messaging.thread_cache.load(thread)
    if head is None:
        for one in pending:
            one.reject(ThreadNotFound())
        return []
    now_ms = messaging.clock.now_ms()
    batch = _plan_together(head, pending, now_ms, is_current=is_current)
    if batch is None:
        messaging.thread_cache.drop(thread)
        return pending
    if not batch.planned:
        return batch.left
    after = replace(batch.thread, version=head.version + 1)
    try:
        if not batch.silent:
            after, moves = inbox_rows.with_active_rows(replace(after, changed_ms=now_ms), now_ms)
            if moves:
                await _move_rows(messaging, moves)
        public = public_events.of_write(head, after, batch.events, now_ms)
        timers = expiry_ops(head, after, MAX_OPS - 1 - len(batch.ops))
        await messaging.store.write(head_op(after, public), *batch.ops, *timers)
    except ConditionFailed as refusal:
        messaging.thread_cache.drop(thread)
        return _reject_failed(thread, batch, refusal, is_current=is_current)
    except (InvalidItem, InvalidTransaction, ItemTooLarge) as error:
        # One of them is too large, or all of them together.
        for one, _ in batch.planned:
            if len(batch.planned) > 1:
                await _write_batch(messaging, thread, [one])
            else:
                one.reject(error)
        return batch.left
    except Exception as error:
        messaging.thread_cache.drop(thread)
        if isinstance(error, OutcomeUnknown):
            _keep_events(messaging, (*batch.events, *events_from_diff(head, after)))
        for one, _ in batch.planned:
            one.reject(error)
        return batch.left
    messaging.thread_cache.put(after)
    # Answers first: their tasks run before sockets are flushed, so a sender's ack and event leave
    # together.
    for one, _ in batch.planned:
        one.resolve(after)
    for event in (*batch.events, *events_from_diff(head, after)):
        messaging.publish(after, event)
    return batch.left


class _Batch(Struct):
    """The writes of one transaction."""

    thread: Thread
    ops: list[Op] = []
    events: list[Event] = []
    silent: bool = True
    planned: list[tuple[PendingWrite, PlannedWrite]] = []
    left: list[PendingWrite] = []
    """Those that do not fit into it."""


def _plan_together(
    head: Thread, pending: Sequence[PendingWrite], now_ms: int, *, is_current: bool
) -> _Batch | None:
    """None where a plan is refused on a head that may be stale."""
    batch, taken = _Batch(head), set[ItemAddress]()
    for position, one in enumerate(pending):
        if one.is_done:
            continue
        try:
            planned = one.plan(batch.thread, max(now_ms, batch.thread.last_ms + 1))
        except Problem as problem:
            if not is_current:
                return None
            one.reject(problem)
            continue
        except Exception as bug:
            one.reject(bug)
            continue
        if len(pending) > 1:
            addresses = {address_of(op) for op in planned.ops}
            if batch.planned and (
                len(batch.ops) + len(planned.ops) >= MAX_OPS - TIMER_ROOM
                or not taken.isdisjoint(addresses)
            ):
                batch.left = list(pending[position:])
                break
            taken |= addresses
        batch.thread = planned.thread
        batch.ops += planned.ops
        batch.events += planned.events
        batch.silent = batch.silent and planned.silent
        batch.planned.append((one, planned))
    return batch


async def _move_rows(messaging: Messaging, moves: tuple[Op, ...]) -> None:
    for move in await asyncio.gather(
        *(messaging.store.write(move) for move in moves), return_exceptions=True
    ):
        # A member who has just left has no row to move; the head's version will show it.
        if isinstance(move, BaseException) and not isinstance(move, ConditionFailed):
            raise move


def head_op(after: Thread, public: bytes | None = None) -> Put:
    """`public` are the public events of the write."""
    condition = F("version").equals(after.version - 1)
    return Put(MESSAGING, items.head_item(after, public), condition)


def _reject_failed(
    thread: ThreadId, batch: _Batch, refusal: ConditionFailed, *, is_current: bool
) -> list[PendingWrite]:
    """Rejects the writes whose own conditions failed; the others are tried again, on a head that is
    read anew. On a stale head a condition may have failed for that reason alone."""
    failed = {address_of(failure.op): failure for failure in refusal.failed}
    is_stale = address_at(MESSAGING, head_key(thread)) in failed and not is_current
    again: list[PendingWrite] = []
    for one, planned in batch.planned:
        own = tuple(failed[address] for op in planned.ops if (address := address_of(op)) in failed)
        if own and not is_stale:
            one.reject(ConditionFailed(own))
        else:
            again.append(one)
    return again + batch.left


def _keep_events(messaging: Messaging, events: Sequence[Event]) -> None:
    """The store's answer was lost: a retry of the sender finds out, and publishes them."""
    messages = [event.message.id for event in events if isinstance(event, MessageCreated)]
    others: list[Event] = [event for event in events if not isinstance(event, MessageEvent)]
    messaging.unconfirmed.add_events(messages, others)


async def touch(messaging: Messaging, thread: Thread, *ops: Op) -> None:
    """Writes something that shows in the thread but not in its head. Where a row is inactive, also
    writes the head, which activates the row."""
    _, moves = inbox_rows.with_active_rows(thread, messaging.clock.now_ms())
    if moves:
        await update_thread(messaging, thread.id, lambda head, _: PlannedWrite(head, ops))
    else:
        await messaging.store.write(*ops)

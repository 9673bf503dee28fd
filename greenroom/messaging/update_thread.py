"""Write on top of a thread's head: the one way in which a thread changes.

`plan` looks at the head and says what the head becomes and what else is written with it, or
refuses. One write at a time is under way for a thread; what is asked for meanwhile is planned one
on top of the other and written together, in one transaction, the head once for all of them. What
one would get wrong: a plan may be asked more than once, when somebody else wrote first, when a
refusal rested on a head that may have been stale, and when another plan of the same transaction was
refused.
"""

import asyncio
import random
from collections.abc import Callable, Sequence
from functools import partial

from msgspec import Struct
from msgspec.structs import replace

from greenroom.errors import Problem
from greenroom.ids import ThreadId, UserId
from greenroom.messaging import inbox_rows, items, rules
from greenroom.messaging.batcher import PendingWrite, Plan, PlannedWrite
from greenroom.messaging.context import Messaging
from greenroom.messaging.events import Event, MessageCreated, MessageEvent, events_from_diff
from greenroom.messaging.models import BuiltInEvent, Member, Message, MessageKind, Thread
from greenroom.messaging.problems import ThreadNotFound
from greenroom.messaging.records import MESSAGING, head_key
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
_PREVIEW_BYTES = 120
MAX_PREVIEW = _PREVIEW_BYTES + 1  # with the ellipsis
IS_NEW = F("pk").absent()


async def update_thread(
    messaging: Messaging, thread: ThreadId, plan: Plan, queued: Callable[[], None] | None = None
) -> Thread:
    """The head as it has become. A failed condition of the plan's own ops is the caller's. Calls
    `queued` once the plan has its place: what is asked for later is written later."""

    work = partial(_write, messaging, thread)
    answer = messaging.thread_cache.turns.ask(thread, plan, work)
    if queued is not None:
        queued()
    return await answer


async def _write(messaging: Messaging, thread: ThreadId, asked: Sequence[PendingWrite]) -> None:
    """Each of them is answered, in as few transactions as they fit in."""
    left = list(asked)
    for attempt in range(_TRIES):
        while left:
            before = len(left)
            left = await _attempt(messaging, thread, left)
            if len(left) == before:
                break  # somebody else was first
        if not left:
            return
        if attempt:
            await asyncio.sleep(random.uniform(0, 0.002 * 2**attempt))
    for one in left:
        one.refuse(Conflict())


async def _attempt(
    messaging: Messaging, thread: ThreadId, asked: list[PendingWrite]
) -> list[PendingWrite]:
    """Those that have to go again."""
    head, certain = await messaging.thread_cache.load(thread)
    if head is None:
        for one in asked:
            one.refuse(ThreadNotFound())
        return []
    now_ms = messaging.clock.now_ms()
    batch = _plan_together(head, asked, now_ms, certain=certain)
    if batch is None:
        messaging.thread_cache.drop(thread)
        return asked
    if not batch.planned:
        return batch.left
    after = replace(batch.thread, version=head.version + 1)
    try:
        if batch.stirs:
            after, moves = inbox_rows.with_active_rows(replace(after, changed_ms=now_ms), now_ms)
            if moves:
                await _move(messaging, moves)
        await messaging.store.write(head_op(after), *batch.ops)
    except ConditionFailed as refusal:
        messaging.thread_cache.drop(thread)
        return _refused(thread, batch, refusal, certain=certain)
    except (InvalidItem, InvalidTransaction, ItemTooLarge) as error:
        # One of them is too large, or all of them together.
        for one, _ in batch.planned:
            if len(batch.planned) > 1:
                await _write(messaging, thread, [one])
            else:
                one.refuse(error)
        return batch.left
    except Exception as error:
        messaging.thread_cache.drop(thread)
        if isinstance(error, OutcomeUnknown):
            _doubt(messaging, (*batch.events, *events_from_diff(head, after)))
        for one, _ in batch.planned:
            one.refuse(error)
        return batch.left
    messaging.thread_cache.keep(after)
    # Answers first: their tasks run before sockets are flushed, so a sender's ack and event leave
    # together.
    for one, _ in batch.planned:
        one.answer_with(after)
    for event in (*batch.events, *events_from_diff(head, after)):
        messaging.publish(after, event)
    return batch.left


def _doubt(messaging: Messaging, events: Sequence[Event]) -> None:
    """A sender who tries again learns whether it was written, and the others are told then."""
    messages = [event.message.id for event in events if isinstance(event, MessageCreated)]
    others: list[Event] = [event for event in events if not isinstance(event, MessageEvent)]
    messaging.thread_cache.doubt(messages, others)


class _Batch(Struct):
    """What is written in one transaction, and whom it is for."""

    thread: Thread
    ops: list[Op] = []
    events: list[Event] = []
    stirs: bool = False
    planned: list[tuple[PendingWrite, PlannedWrite]] = []
    left: list[PendingWrite] = []
    """Those that do not fit into it."""


def _plan_together(
    head: Thread, asked: Sequence[PendingWrite], now_ms: int, *, certain: bool
) -> _Batch | None:
    """None where somebody would be refused by a head that may be stale."""
    batch, taken = _Batch(head), set[ItemAddress]()
    for position, one in enumerate(asked):
        if one.is_gone:
            continue
        try:
            planned = one.plan(batch.thread, max(now_ms, batch.thread.last_ms + 1))
        except Problem as problem:
            if not certain:
                return None
            one.refuse(problem)
            continue
        except Exception as bug:
            one.refuse(bug)
            continue
        if len(asked) > 1:
            places = {address_of(op) for op in planned.ops}
            if batch.planned and (
                len(batch.ops) + len(planned.ops) >= MAX_OPS or not taken.isdisjoint(places)
            ):
                batch.left = list(asked[position:])
                break
            taken |= places
        batch.thread = planned.thread
        batch.ops += planned.ops
        batch.events += planned.events
        batch.stirs = batch.stirs or not planned.silent
        batch.planned.append((one, planned))
    return batch


def _refused(
    thread: ThreadId, batch: _Batch, refusal: ConditionFailed, *, certain: bool
) -> list[PendingWrite]:
    """Whoever's own conditions failed is told so; the rest goes again, on a head that is read anew.
    What was refused with a head that was stale may have been refused for that alone."""
    failed = {address_of(failure.op): failure for failure in refusal.failed}
    is_stale = address_at(MESSAGING, head_key(thread)) in failed and not certain
    again: list[PendingWrite] = []
    for one, planned in batch.planned:
        own = tuple(failed[place] for op in planned.ops if (place := address_of(op)) in failed)
        if own and not is_stale:
            one.refuse(ConditionFailed(own))
        else:
            again.append(one)
    return again + batch.left


async def touch(messaging: Messaging, thread: Thread, *ops: Op) -> None:
    """Write something that shows in the thread but not in its head. Only where a row has settled
    is the head written too, to bring it back to the fresh shelf."""
    _, moves = inbox_rows.with_active_rows(thread, messaging.clock.now_ms())
    if moves:
        await update_thread(messaging, thread.id, lambda head, _: PlannedWrite(head, ops))
    else:
        await messaging.store.write(*ops)


def head_op(after: Thread) -> Put:
    condition = F("version").equals(after.version - 1)
    return Put(MESSAGING, items.head_item(after), condition)


async def _move(messaging: Messaging, moves: tuple[Op, ...]) -> None:
    for move in await asyncio.gather(
        *(messaging.store.write(move) for move in moves), return_exceptions=True
    ):
        # Whoever has just left has no row to move; the head's version will tell.
        if isinstance(move, BaseException) and not isinstance(move, ConditionFailed):
            raise move


def with_message(thread: Thread, message: Message, author: Member | None = None) -> Thread:
    """The head once the message is in its log. A message reads what is before it; a system message
    only where its author (`author`) has read everything already."""
    status, awaiting = thread.status, thread.awaiting
    reads = True
    if message.kind is MessageKind.SYSTEM:
        reads = author is not None and rules.unread_of(thread, author) == 0
    else:
        status, awaiting = rules.after_message(thread, message.author)
    members = dict(thread.members)
    if reads and message.author in members:
        members[message.author] = replace(members[message.author], sent=message.seq)
    return replace(
        thread,
        members=members,
        gates=rules.keep_shown(thread) if thread.gates else thread.gates,
        status=status,
        awaiting=awaiting,
        last_seq=message.seq,
        last_ms=message.ms,
        shown_ms=message.shown_ms,
        last_sender=message.author,
        preview=preview_of(message),
        preview_event=(message.event or "") if message.kind is MessageKind.SYSTEM else "",
    )


def preview_of(message: Message) -> str:
    body = message.body
    if len(body) <= _PREVIEW_BYTES and body.isascii() and body.isprintable() and "  " not in body:
        return body.strip()
    flat = " ".join(body.split())
    raw = flat.encode()
    if len(raw) <= _PREVIEW_BYTES:
        return flat
    # By bytes, for they are what the head may not have more of: it fits into 1 KB.
    return raw[:_PREVIEW_BYTES].decode(errors="ignore").rstrip() + "…"


def system_message(
    messaging: Messaging, thread: Thread, actor: UserId, ms: int, event: BuiltInEvent, *about: str
) -> Message:
    return Message(
        thread=thread.id,
        id=messaging.ids.message(ms),
        seq=thread.last_seq + 1,
        ms=ms,
        shown_ms=shown_ms(messaging, ms),
        kind=MessageKind.SYSTEM,
        author=actor,
        event=event,
        about=about,
    )


def shown_ms(messaging: Messaging, ms: int) -> int:
    """Now, where a message's own time lies in the future; else 0. So it is after the clock was set
    back: times within a thread only go up."""
    now_ms = messaging.clock.now_ms()
    return now_ms if ms > now_ms + rules.AHEAD_MS else 0


def message_op(message: Message) -> Put:
    return Put(MESSAGING, items.message_item(message), IS_NEW)

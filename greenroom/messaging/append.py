"""Write on top of a thread's head: the one way in which a thread changes.

`plan` looks at the head and says what the head becomes and what else is written with it, or
refuses. It may be asked more than once: when somebody else wrote first, and when a refusal rested
on a head that may have been stale.
"""

import asyncio
import random
from collections.abc import Callable, Iterable
from typing import TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from greenroom.errors import Problem
from greenroom.ids import ThreadId, UserId
from greenroom.messaging import items, rules, shelve
from greenroom.messaging.context import Messaging
from greenroom.messaging.events import Event, between
from greenroom.messaging.models import Frame, FrameKind, Thread
from greenroom.messaging.problems import ThreadNotFound
from greenroom.messaging.records import MESSAGING, head_key, thread_partition
from greenroom.store.base import Delete, Key, Op, Put, key_of
from greenroom.store.evaluate import holds
from greenroom.store.expressions import F
from greenroom.store.problems import ConditionFailed, Conflict, Failure

_TRIES = 12
_PREVIEW_BYTES = 120


class Planned(Struct, frozen=True):
    thread: Thread
    """The head as it becomes; its version is raised here, not by the plan."""
    ops: tuple[Op, ...]
    """What is written with it."""
    events: tuple[Event, ...] = ()
    """What is told once it is written, beside what the heads themselves tell (`events.between`)."""
    quiet: bool = False
    """Nobody is to notice: no row moves, and nothing of it shows as changed."""


Plan: TypeAlias = Callable[[Thread, int], Planned]
"""From the head and the moment: now, or just after the thread's last frame if that is later."""


async def append(messaging: Messaging, thread: ThreadId, plan: Plan) -> Thread:
    """The head as it has become. A failed condition of the plan's own ops is the caller's."""
    if messaging.store.in_order:
        return await _append_in_line(messaging, thread, plan)
    for attempt in range(_TRIES):
        async with messaging.heads.turn(thread):
            after = await _attempt(messaging, thread, plan)
        if after is not None:
            return after
        await _pause(attempt)
    raise Conflict


async def _append_in_line(messaging: Messaging, thread: ThreadId, plan: Plan) -> Thread:
    """Without waiting for what is under way, as long as nothing of it is refused."""
    lines = messaging.heads.lines
    place = await lines.enter(thread)
    for attempt in range(_TRIES):
        try:
            after = await _attempt(messaging, thread, plan, looks_first=attempt > 0)
            if after is None:
                await _pause(attempt)
        except asyncio.CancelledError:
            lines.leave_after(thread, _whatever_is_under_way(messaging, thread))
            raise
        except BaseException:
            lines.leave(thread)
            raise
        if after is not None:
            lines.leave(thread)
            return after
        await lines.go_again(thread, place)
    lines.leave(thread)
    raise Conflict


async def _pause(attempt: int) -> None:
    if attempt:
        await asyncio.sleep(random.uniform(0, 0.002 * 2**attempt))


async def _whatever_is_under_way(messaging: Messaging, thread: ThreadId) -> None:
    """Whoever is cancelled may leave a write behind. What is written next, and be it nothing, is
    answered after that."""
    await messaging.store.write(Delete(MESSAGING, Key(thread_partition(thread), "NOTHING")))


async def _attempt(
    messaging: Messaging, thread: ThreadId, plan: Plan, *, looks_first: bool = False
) -> Thread | None:
    """None where another try may help."""
    head, certain = await messaging.heads.load(thread)
    if head is None:
        raise ThreadNotFound
    if certain and messaging.heads.lines.is_shared(thread):
        return None  # what they are about to write is not in it
    now_ms = messaging.clock.now_ms()
    try:
        planned = plan(head, max(now_ms, head.last_ms + 1))
    except Problem:
        if certain:
            raise
        messaging.heads.drop(thread)
        return None
    if looks_first:
        await _look(messaging, planned.ops)
    after = replace(planned.thread, version=head.version + 1)
    moves: tuple[Op, ...] = ()
    if not planned.quiet:
        after, moves = shelve.stirred(replace(after, changed_ms=now_ms), now_ms)
    messaging.heads.keep(after)
    try:
        if moves:
            await _move(messaging, moves)
        await messaging.store.write(head_op(after), *planned.ops)
    except ConditionFailed as refusal:
        messaging.heads.refuse(thread)
        failed = {key_of(failure.op) for failure in refusal.failed}
        # What else was refused with a head that was stale may have been refused for that alone.
        if failed == {head_key(thread)} or (head_key(thread) in failed and not certain):
            return None
        raise
    except BaseException:
        messaging.heads.refuse(thread)
        raise
    for event in (*planned.events, *between(head, after)):
        messaging.tell(after, event)
    return after


async def _look(messaging: Messaging, ops: Iterable[Op]) -> None:
    """Whoever was refused once may be the one whom the others were refused for, and is not to be it
    again: a retry of a message, say, among many."""
    for op in ops:
        if op.condition is not None:
            item = await messaging.store.get(op.table, key_of(op), consistent=True)
            if not holds(op.condition, item):
                raise ConditionFailed((Failure(op, item),))


async def stir(messaging: Messaging, thread: Thread, *ops: Op) -> None:
    """Write something that shows in the thread but not in its head. Only where a row has settled
    is the head written too, to bring it back to the fresh shelf."""
    _, moves = shelve.stirred(thread, messaging.clock.now_ms())
    if moves:
        await append(messaging, thread.id, lambda head, _: Planned(head, ops))
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


def said(thread: Thread, frame: Frame) -> Thread:
    """The head once the frame is in its log."""
    seats = dict(thread.seats)
    if frame.author in seats:
        seats[frame.author] = replace(seats[frame.author], sent=frame.seq)
    after = replace(
        thread,
        seats=seats,
        last_seq=frame.seq,
        last_ms=frame.ms,
        last_sender=frame.author,
        preview=preview_of(frame),
    )
    if frame.kind is FrameKind.SYSTEM:
        return after
    status, awaiting = rules.after_message(after, frame.author)
    return replace(after, status=status, awaiting=awaiting)


def preview_of(frame: Frame) -> str:
    if frame.kind is FrameKind.SYSTEM:
        return frame.event or ""
    flat = " ".join(frame.body.split())
    if len(flat.encode()) <= _PREVIEW_BYTES:
        return flat
    # By bytes, for they are what the head may not have more of: it fits into 1 KB.
    return flat.encode()[:_PREVIEW_BYTES].decode(errors="ignore").rstrip() + "…"


def system_frame(
    messaging: Messaging, thread: Thread, actor: UserId, ms: int, event: str, *about: str
) -> Frame:
    return Frame(
        thread=thread.id,
        id=messaging.ids.message(ms),
        seq=thread.last_seq + 1,
        ms=ms,
        kind=FrameKind.SYSTEM,
        author=actor,
        event=event,
        about=about,
    )


def frame_op(frame: Frame) -> Put:
    return Put(MESSAGING, items.frame_item(frame), F("pk").absent())

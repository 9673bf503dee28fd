"""Takes a person out of a thread for two, and back in, without the other person noticing.

A person who leaves or blocks stays a member. A silent gate (`Gate.away`) hides the thread from
them, and keeps showing the other person what they knew of them. Nothing is added to the log and
nothing is marked as changed. Messages sent meanwhile are missed for good, except those of a request
that is accepted later: the next message to somebody who *left* asks them to return, and so does
adding them again, also after others have joined the thread. Only contacts can ask, and nobody while
the person has blocked a member of the thread.
Careful: the silent gate must change nothing that its sender can see (tests/privacy).
"""

from functools import partial

from msgspec.structs import replace

from greenroom.ids import ThreadId, UserId
from greenroom.messaging import inbox_rows, items, rules
from greenroom.messaging.contact import new_gate, request_item, silent_gate, strangers_among
from greenroom.messaging.context import Messaging
from greenroom.messaging.events import InboxChanged
from greenroom.messaging.models import Away, GateStatus, Member, State, Status, Thread
from greenroom.messaging.plan import PlannedWrite
from greenroom.messaging.problems import ThreadNotFound
from greenroom.messaging.records import MESSAGING, member_key
from greenroom.messaging.update_thread import update_thread
from greenroom.people.actor import Actor
from greenroom.safety.blocks import blocked_among, has_blocked, is_blocked_pair
from greenroom.store.base import Op, Put, Update, key_of
from greenroom.store.expressions import Condition, F
from greenroom.store.problems import ConditionFailed, Conflict

_TRIES = 8


async def leave_silently(
    messaging: Messaging, user: UserId, thread_id: ThreadId, state: State
) -> None:
    for _ in range(_TRIES):
        mine = await _member(messaging, user, thread_id)
        try:
            await update_thread(messaging, thread_id, partial(_plan_leave, messaging, mine, state))
        except ConditionFailed as refusal:
            if member_key(thread_id, user) not in {key_of(one.op) for one in refusal.failed}:
                raise
            continue  # a receipt moved at the same moment
        return
    raise Conflict


async def _member(messaging: Messaging, user: UserId, thread_id: ThreadId) -> Member:
    item = await messaging.store.get(MESSAGING, member_key(thread_id, user), consistent=True)
    if item is None:
        raise ThreadNotFound
    return items.member_of(item)


def _plan_leave(
    messaging: Messaging, mine: Member, state: State, head: Thread, ms: int
) -> PlannedWrite:
    user = mine.user
    if mine.state is not State.ACTIVE or user not in head.members or user in head.gates:
        raise ThreadNotFound
    shown = rules.as_shown(head, user)
    away = Away(
        seq=shown.last_seq,
        ms=shown.last_ms,
        sender=shown.last_sender,
        preview=shown.preview,
        preview_event=shown.preview_event,
        read_seq=mine.read_seq,
        read_ms=mine.read_ms,
        delivered_seq=mine.delivered_seq,
        changed_ms=mine.changed_ms,
    )
    status = GateStatus.BLOCKED if state is State.BLOCKED else GateStatus.DECLINED
    gate = silent_gate(messaging, other_of(head, user), status, away, after_seq=head.last_seq)
    row, log = inbox_rows.remove_row(
        head.id, user, ms, messaging.sync_log_ms, F("state").set(state.value), gate=gate
    )
    assert isinstance(row, Update)
    row = replace(row, condition=_unmoved(mine))
    after = replace(head, gates={**head.gates, user: gate})
    return PlannedWrite(after, (row, log), (InboxChanged(user, gone=True),), silent=True)


def _unmoved(mine: Member) -> Condition:
    """Their receipts have not moved since they were read."""
    condition: Condition = F("state").equals(mine.state.value)
    for name, value in (
        ("changedAt", mine.changed_ms),
        ("readSeq", mine.read_seq),
        ("deliveredSeq", mine.delivered_seq),
    ):
        condition &= F(name).equals(value) if value else F(name).absent()
    return condition


def other_of(head: Thread, user: UserId) -> UserId:
    assert head.pair is not None
    return head.pair[1] if head.pair[0] == user else head.pair[0]


def with_returned(head: Thread, user: UserId, ms: int) -> tuple[Thread, tuple[Op, ...]]:
    """The head with the user back in it, their row in the inbox, and their history."""
    gate = head.gates[user]
    assert gate.away is not None
    member = rules.with_missed(head.members[user], gate.away, head.last_seq, head.last_ms)
    after = replace(
        head,
        members={**head.members, user: replace(member, row_active_ms=ms)},
        gates={other: kept for other, kept in head.gates.items() if other != user},
    )
    return after, (_return_op(head.id, user, ms),)


def _return_op(thread: ThreadId, user: UserId, ms: int) -> Update:
    actions = (
        *inbox_rows.activate_actions(thread, user, None, ms),
        F("state").set(State.ACTIVE.value),
        F("acceptedAt").set(ms),
        F("changedAt").set(ms),
    )
    return Update(MESSAGING, member_key(thread, user), actions)


async def return_silently(messaging: Messaging, user: UserId, thread_id: ThreadId) -> None:
    """Undoes the effect of a block on the user's membership, if there was any."""
    mine = await _member(messaging, user, thread_id)
    if mine.state is not State.BLOCKED:
        return

    def plan(head: Thread, ms: int) -> PlannedWrite:
        gate = head.gates.get(user)
        if gate is None or gate.away is None:
            return PlannedWrite(head, (), silent=True)
        after, ops = with_returned(head, user, ms)
        return PlannedWrite(after, ops, (InboxChanged(user),), silent=True)

    await update_thread(messaging, thread_id, plan)


def ask_to_return(
    messaging: Messaging, head: Thread, sender: UserId, ms: int, *, blocked: bool
) -> tuple[Thread, tuple[Op, ...]]:
    """Asks the other member of a pair, who has left, to return, with the message that is about to
    be written. Not while one of them blocks the other, and not more often than a stranger could
    ask. The sender does not notice."""
    if not head.gates or head.pair is None or blocked:
        return head, ()
    other = other_of(head, sender)
    gate = head.gates.get(other)
    now_ms = messaging.clock.now_ms()
    if gate is None or gate.away is None or now_ms < gate.expires_ms or other not in head.members:
        return head, ()
    if gate.status is GateStatus.BLOCKED:  # which this node may not know yet
        return head, ()
    return _asked(messaging, head, sender, other, ms, after=(head.last_seq, head.last_ms))


async def request_return(messaging: Messaging, head: Thread, actor: Actor, other: UserId) -> None:
    """Asks somebody who is away to return. The request shows the actor's last message if nothing
    came after it, and otherwise waits for the next message. The actor does not notice whether
    anybody was asked."""
    if not _can_be_asked(messaging, head, other) or await strangers_among(
        messaging, actor, [other]
    ):
        return
    if await blocked_among(messaging.safety, other, head.members):
        return

    def plan(head: Thread, ms: int) -> PlannedWrite:
        if not _can_be_asked(messaging, head, other):
            return PlannedWrite(head, (), silent=True)
        after = (head.last_seq, head.last_ms)
        is_new = head.last_seq > head.gates[other].after_seq
        if is_new and head.last_sender == actor.user:  # times within a thread only go up
            after = (head.last_seq - 1, head.last_ms - 1)
        asked, ops = _asked(messaging, head, actor.user, other, ms, after=after)
        return PlannedWrite(asked, ops, silent=True)

    await update_thread(messaging, head.id, plan)


def _can_be_asked(messaging: Messaging, head: Thread, other: UserId) -> bool:
    """Nobody who has blocked, and nobody more often than a stranger could ask."""
    gate = head.gates.get(other)
    if gate is None or gate.away is None or other not in head.members:
        return False
    if gate.status is GateStatus.BLOCKED or head.status is Status.LOCKED:
        return False
    return messaging.clock.now_ms() >= gate.expires_ms


def _asked(
    messaging: Messaging,
    head: Thread,
    sender: UserId,
    other: UserId,
    ms: int,
    *,
    after: tuple[int, int],
) -> tuple[Thread, tuple[Op, ...]]:
    """The head with a request to somebody who is away, and their row in the requests. `after` is
    the seq and the time of the last message that the request does not show."""
    seq, after_ms = after
    now_ms = messaging.clock.now_ms()
    asked = replace(
        new_gate(messaging, sender, GateStatus.PENDING, now_ms, after_seq=seq),
        after_ms=after_ms,
        away=head.gates[other].away,
    )
    members = {**head.members, other: replace(head.members[other], row_active_ms=ms)}
    changed = replace(head, members=members, gates={**head.gates, other: asked})
    row = Update(
        MESSAGING,
        member_key(head.id, other),
        (
            *inbox_rows.activate_actions(head.id, other, asked, ms),
            F("state").set(State.ACTIVE.value),
            F("changedAt").set(ms),
        ),
    )
    return changed, (row, Put(MESSAGING, request_item(head.id, other, asked)))


async def is_blocked_thread(messaging: Messaging, head: Thread, sender: UserId) -> bool:
    """Whether one of a pair has blocked the other. Groups are not affected. A block, or the end of
    one, that a crash kept from this thread takes effect now."""
    if head.pair is None:
        return False
    if not await is_blocked_pair(messaging.safety, *head.pair):
        await _complete_unblock(messaging, head, other_of(head, sender))
        return False
    for user, other in (head.pair, head.pair[::-1]):
        if rules.has_accepted(head, user) and await has_blocked(messaging.safety, user, other):
            await _complete_block(messaging, user, head.id)
            if user == sender:
                raise ThreadNotFound
    return True


async def _complete_unblock(messaging: Messaging, head: Thread, user: UserId) -> None:
    gate = head.gates.get(user)
    if gate is None or gate.away is None or gate.status is not GateStatus.BLOCKED:
        return
    if not await has_blocked(messaging.safety, user, other_of(head, user)):
        await return_silently(messaging, user, head.id)


async def _complete_block(messaging: Messaging, user: UserId, thread_id: ThreadId) -> None:
    try:
        await leave_silently(messaging, user, thread_id, State.BLOCKED)
    except ThreadNotFound:
        messaging.thread_cache.drop(thread_id)  # it was done already; this node's head was stale

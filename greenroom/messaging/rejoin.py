"""Come back to the direct thread of two people.

Somebody who had left, or has lifted a block, finds their history again (`away.py`). Somebody who
had turned a request away, or let it run out, starts afresh. The other person is never brought back
by this: where they have left, the next message asks them.
"""

from msgspec.structs import replace

from greenroom.ids import UserId
from greenroom.messaging import rules
from greenroom.messaging.admit import admitted_ops, met_ops
from greenroom.messaging.append import append
from greenroom.messaging.ask import Asking, asked_ops, check_unasked, gates_to, whom_to_ask
from greenroom.messaging.away import returned
from greenroom.messaging.context import Messaging
from greenroom.messaging.events import Event, InboxChanged
from greenroom.messaging.models import GateStatus, Role, Seat, Thread
from greenroom.messaging.problems import AlreadyAsked
from greenroom.messaging.turns import Planned
from greenroom.messaging.words import NO_WORDS, Words, unshown
from greenroom.people.actor import Actor
from greenroom.safety.limits import Limit
from greenroom.store.base import Op
from greenroom.store.problems import ConditionFailed


async def rejoin(
    messaging: Messaging, actor: Actor, other: UserId, head: Thread, words: Words
) -> Thread:
    missing = absent(head, actor.user, other, messaging.clock.now_ms())
    asking = await _asking(messaging, actor, other, missing)

    def plan(found: Thread, ms: int, words: Words = words) -> Planned:
        return _rejoined(messaging, actor.user, other, found, ms, words, asking)

    await words.weigh(plan(head, head.last_ms + 1, NO_WORDS).thread)
    if asking.strangers and other in missing:
        await messaging.safety.limits.spend(actor.user, Limit.REQUESTS)
    try:
        return await append(messaging, head.id, plan)
    except ConditionFailed:
        await check_unasked(messaging, actor.user, asking.strangers, consistent=True)
        raise


async def _asking(
    messaging: Messaging, actor: Actor, other: UserId, missing: list[UserId]
) -> Asking:
    try:
        return await whom_to_ask(messaging, actor, [other], Limit.THREAD_STARTS)
    except AlreadyAsked:
        if other in missing:
            raise
    # Whoever has left while their own request waits comes back to it as it is.
    await messaging.safety.limits.spend(actor.user, Limit.THREAD_STARTS)
    return Asking({other: GateStatus.PENDING}, frozenset())


def _rejoined(
    messaging: Messaging,
    user: UserId,
    other: UserId,
    found: Thread,
    ms: int,
    words: Words,
    asking: Asking,
) -> Planned:
    missing = absent(found, user, other, messaging.clock.now_ms())
    before, ops = found, list[Op]()
    events: tuple[Event, ...] = ()
    gate = found.gates.get(user)
    if user in missing and gate is not None and gate.away is not None:
        missing.remove(user)
        found, back = returned(found, user, ms)
        ops += back
        events = (InboxChanged(user),)
    fresh = Seat(role=Role.MEMBER, fresh_ms=ms, joined=found.last_seq)
    seats = found.seats | dict.fromkeys(missing, fresh)
    gates = {one: kept for one, kept in found.gates.items() if one not in missing}
    if other in missing:
        gates |= gates_to(messaging, user, asking, ms, found)
    begun = words.begin(replace(found, seats=seats, gates=gates), ms)
    after = begun.thread if begun.shows else unshown(begun.thread, missing)
    ops += [op for one in missing for op in admitted_ops(after, one, ms, before=before)]
    if other in missing:
        ops += asked_ops(messaging, after, [other])
    ops += met_ops(user, after.id, [other])
    quiet = not begun.shows or (not missing and not begun.events)
    return Planned(after, (*ops, *begun.ops), (*events, *begun.events), quiet=quiet)


def absent(head: Thread, user: UserId, other: UserId, now_ms: int) -> list[UserId]:
    """Those of a pair who have to come back or be asked: the user, if they have left, turned the
    request away or let it run out; the other, once the user's request to them has run out. Until
    then the user is not to know what became of it."""
    gone = [] if rules.is_let_in(head, user, now_ms) else [user]
    gate = head.gates.get(other)
    has_run_out = (
        gate is not None
        and gate.away is None
        and gate.sender == user
        and rules.gate_as_sender_sees(gate, now_ms) is not GateStatus.PENDING
    )
    return [*gone, other] if has_run_out else gone

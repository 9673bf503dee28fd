"""Come back to the one thread of two people, where one of them, or both, were gone: they start
afresh, and see nothing of what was said before."""

from msgspec.structs import replace

from greenroom.ids import UserId
from greenroom.messaging import rules
from greenroom.messaging.admit import admitted_ops, met_ops
from greenroom.messaging.append import append
from greenroom.messaging.ask import asked_ops, check_unasked, new_gate, whom_to_ask
from greenroom.messaging.context import Messaging
from greenroom.messaging.models import GateStatus, Role, Seat, Thread
from greenroom.messaging.problems import AlreadyAsked
from greenroom.messaging.turns import Planned
from greenroom.messaging.words import NO_WORDS, Words, unshown
from greenroom.people.actor import Actor
from greenroom.safety.limits import Limit
from greenroom.store.problems import ConditionFailed


async def rejoin(
    messaging: Messaging, actor: Actor, other: UserId, head: Thread, words: Words
) -> Thread:
    missing = absent(head, actor.user, other, messaging.clock.now_ms())
    gate = await _must_ask(messaging, actor, other, missing)

    def plan(found: Thread, ms: int, words: Words = words) -> Planned:
        return _rejoined(messaging, actor.user, other, found, ms, words, gate=gate)

    await words.weigh(plan(head, head.last_ms + 1, NO_WORDS).thread)
    if gate is not None and other in missing:
        await messaging.safety.limits.spend(actor.user, Limit.REQUESTS)
    try:
        return await append(messaging, head.id, plan)
    except ConditionFailed:
        await check_unasked(messaging, actor.user, [] if gate is None else [other], consistent=True)
        raise


async def _must_ask(
    messaging: Messaging, actor: Actor, other: UserId, missing: list[UserId]
) -> GateStatus | None:
    """How the gate to the other begins; None where there is none."""
    try:
        asked = await whom_to_ask(messaging, actor, [other], Limit.THREAD_STARTS)
        return asked.get(other)
    except AlreadyAsked:
        if other in missing:
            raise
    # Whoever has left while their own request waits comes back to it as it is.
    await messaging.safety.limits.spend(actor.user, Limit.THREAD_STARTS)
    return GateStatus.PENDING


def _rejoined(
    messaging: Messaging,
    user: UserId,
    other: UserId,
    found: Thread,
    ms: int,
    words: Words,
    *,
    gate: GateStatus | None,
) -> Planned:
    missing = absent(found, user, other, messaging.clock.now_ms())
    fresh = Seat(role=Role.MEMBER, fresh_ms=ms, joined=found.last_seq)
    seats = found.seats | dict.fromkeys(missing, fresh)
    gates = {one: kept for one, kept in found.gates.items() if one not in missing}
    if gate is not None and other in missing:
        gates[other] = new_gate(messaging, user, gate, ms, after_seq=found.last_seq)
    withdrawn = {one: seat for one, seat in found.withdrawn.items() if one not in missing}
    begun = words.begin(replace(found, seats=seats, gates=gates, withdrawn=withdrawn), ms)
    after = begun.thread if begun.shows else unshown(begun.thread, missing)
    ops = [op for one in missing for op in admitted_ops(after, one, ms, before=found)]
    if other in missing:
        ops += asked_ops(messaging, after, [other])
    ops += met_ops(user, after.id, [other])
    return Planned(after, (*ops, *begun.ops), begun.events, quiet=not begun.shows)


def absent(head: Thread, user: UserId, other: UserId, now_ms: int) -> list[UserId]:
    """Those of a pair who are gone: who have left or blocked; the user, if they turned the request
    away or let it run out; the other, once the user's request to them has run out. Until then the
    user is not to know what became of it."""
    gone = [] if rules.is_let_in(head, user, now_ms) else [user]
    gate = head.gates.get(other)
    has_run_out = (
        gate is not None
        and gate.sender == user
        and rules.gate_as_sender_sees(gate, now_ms) is GateStatus.EXPIRED
    )
    return [*gone, other] if other not in head.seats or has_run_out else gone

"""Decides a transition of a card: a pure function of the booking, the card and the request.

    propose(...)  nothing -> proposed          (or what accepting leads to, if it needs no answer)
    move(...)     any open state -> the next   (by somebody, a deadline or a payment)

Both return a `Move`: the card after it, its step, what has to be paid before it takes effect, and
what it does. Nothing is written here. A dry run calls the same functions.
"""

from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from greenroom.bookings.card_policy import Rules
from greenroom.bookings.cards.declaration import (
    By,
    Declaration,
    Facts,
    ToPay,
    Transition,
    WaitsOn,
)
from greenroom.bookings.cards.effects import Effect
from greenroom.bookings.cards.payloads import Input, LegTerms, Noted, Nothing, Offer, Payload
from greenroom.bookings.cards.permissions import (
    check_goes_on,
    check_in_time,
    check_input,
    check_leg,
    check_may,
    check_may_propose,
    check_room,
    leg_allows,
    may,
    not_open,
)
from greenroom.bookings.cards.problems import (
    CardChanged,
)
from greenroom.bookings.cards.transitions import (
    APPLY,
    FAIL,
    FAILING,
    charging,
    deadline_of,
    declared_transitions,
)
from greenroom.bookings.cards.types import DECLARATIONS
from greenroom.bookings.models import (
    Booking,
    Caller,
    Card,
    CardState,
    CardType,
    Due,
    Leg,
    Side,
    Step,
)
from greenroom.errors import Problem
from greenroom.ids import CardId, ThreadId, UserId

HOUR_MS = 3_600_000
ENDED_WITHOUT_EFFECT = frozenset(
    {CardState.DECLINED, CardState.WITHDRAWN, CardState.EXPIRED, CardState.FAILED}
)
"""What a card can always come to, whatever has become of its booking."""
_BOOKING_CHANGED = "The booking has changed, so that this is no longer possible."
_UNPAID = "The payment was not completed in time."


class Move(Struct, frozen=True, kw_only=True):
    card: Card
    step: Step
    to_pay: tuple[ToPay, ...] = ()
    """Before it takes effect; the card is `accepted` until then."""
    to_pay_later: tuple[ToPay, ...] = ()
    """What the buyer, who proposes this, pays when the other side accepts it."""
    effects: tuple[Effect, ...] = ()


class Proposal(Struct, frozen=True, kw_only=True):
    card: CardId
    thread: ThreadId
    type: CardType
    leg: Leg | None
    payload: Payload


class Request(Struct, frozen=True, kw_only=True):
    transition: str
    input: Input = Nothing()
    version: int
    """The version that it acts on."""


def propose(
    booking: Booking, proposal: Proposal, caller: Caller, now_ms: int, rules: Rules
) -> Move:
    declared = DECLARATIONS[proposal.type]
    facts = Facts(
        booking=booking,
        leg=proposal.leg,
        caller=caller,
        now_ms=now_ms,
        rules=rules,
        payload=proposal.payload,
    )
    check_may_propose(declared, caller)
    check_leg(declared, proposal.leg)
    check_room(declared, facts)
    declared.check(facts)
    card = Card(
        id=proposal.card,
        thread=proposal.thread,
        leg=None if proposal.leg is None else proposal.leg.id,
        type=proposal.type,
        state=CardState.PROPOSED,
        version=0,
        proposer=caller.user,
        side=caller.side,
        payload=proposal.payload,
        created_ms=now_ms,
        changed_ms=now_ms,
    )
    if declared.needs_answer(facts):
        return _made(declared, declared.initial, card, facts, before=None)
    accept = declared.transition("accept", CardState.PROPOSED)
    assert accept is not None, "a type that needs no answer declares `accept`"
    return _made(declared, accept, card, facts, before=None)


def move(
    booking: Booking, card: Card, request: Request, caller: Caller, now_ms: int, rules: Rules
) -> Move:
    declared = DECLARATIONS[card.type]
    if card.version != request.version:
        raise CardChanged(card.state.value, card.version)
    transition = _transition(declared, card, request, caller)
    check_may(transition, card, caller)
    check_in_time(card, caller, now_ms)
    check_goes_on(card, transition, caller)
    check_input(transition, request.input)
    leg = booking.leg(card.leg)
    if caller.side is Side.SYSTEM and not leg_allows(declared, leg):
        if transition.name == APPLY:
            transition = FAILING
        elif transition.to not in ENDED_WITHOUT_EFFECT:
            return moot(card, _BOOKING_CHANGED, now_ms)
    if transition.to not in ENDED_WITHOUT_EFFECT:
        check_leg(declared, leg, goes_on=True)
    facts = Facts(
        booking=booking,
        leg=leg,
        caller=caller,
        now_ms=now_ms,
        rules=rules,
        card=card,
        payload=card.payload,
        input=request.input,
    )
    if transition.revise is not None:
        facts = replace(facts, payload=transition.revise(card.payload, request.input, facts))
    if caller.side is not Side.SYSTEM and transition.to not in ENDED_WITHOUT_EFFECT:
        declared.check(facts)
    if _accepts_in_silence(transition) and not _still_fits(declared, facts):
        return moot(card, _BOOKING_CHANGED, now_ms)
    return _made(declared, transition, card, facts, before=card.state)


def possible(booking: Booking, card: Card, caller: Caller) -> tuple[Transition, ...]:
    """What this caller can do with the card now."""
    declared = DECLARATIONS[card.type]
    is_on = leg_allows(declared, booking.leg(card.leg))
    return tuple(
        one
        for one in declared_transitions(declared)
        if card.state in one.sources
        and may(one, card, caller)
        and (is_on or one.to in ENDED_WITHOUT_EFFECT)
    )


def settled(card: Card, *, failed: str | None = None) -> Request:
    """The request of a payment that has ended, well or with a reason."""
    if failed is None:
        return Request(transition=APPLY, version=card.version)
    return Request(transition=FAIL, input=Noted(note=failed), version=card.version)


def moot(card: Card, reason: str, now_ms: int) -> Move:
    """Closes an open card whose booking no longer allows it."""
    after = replace(
        card,
        state=CardState.EXPIRED,
        version=card.version + 1,
        waits_on=(),
        waits_on_staff=False,
        due=None,
        note=reason,
        changed_ms=now_ms,
    )
    caller = Caller(UserId("usr_system"), Side.SYSTEM)
    return Move(card=after, step=_step("close", card.state, after, caller, now_ms, payload=None))


def is_moot(card: Card, leg: Leg | None) -> bool:
    """Whether the leg's status leaves nothing that this open card could lead to."""
    declared = DECLARATIONS[card.type]
    if leg is None or declared.leg_in is None or not card.is_open:
        return False
    if leg.status in declared.leg_in | declared.goes_on_in:
        return False
    return leg.disputed_from not in declared.leg_in


def _transition(declared: Declaration, card: Card, request: Request, caller: Caller) -> Transition:
    found = [one for one in declared_transitions(declared) if card.state in one.sources]
    for one in found:
        if one.name == request.transition:
            return one
    choices = tuple(one.name for one in found if may(one, card, caller))
    raise not_open(card, request.transition, choices)


def _accepts_in_silence(transition: Transition) -> bool:
    return By.DEADLINE in transition.by and transition.to is CardState.APPLIED


def _still_fits(declared: Declaration, facts: Facts) -> bool:
    """Silence accepts nothing while there is a dispute, nor what could not be accepted aloud."""
    try:
        check_leg(declared, facts.leg)
        declared.check(facts)
    except Problem:
        return False
    return True


def _made(
    declared: Declaration,
    transition: Transition,
    card: Card,
    facts: Facts,
    *,
    before: CardState | None,
) -> Move:
    left = tuple(one for one in card.waits_on if one != facts.caller.user)
    if transition.of_all and left and before is not None:
        return _still_waits(transition, card, facts, left)
    to_pay = transition.charges(facts) if facts.rules.takes_payments else ()
    state = CardState.ACCEPTED if to_pay else transition.to
    proposes = transition.proposes or before is None
    after = replace(
        card,
        state=state,
        version=card.version + 1,
        proposer=facts.caller.user if proposes else card.proposer,
        side=facts.caller.side if proposes else card.side,
        payload=facts.payload,
        note=_UNPAID if transition is FAILING and not _note(facts.input) else _note(facts.input),
        changed_ms=facts.now_ms,
    )
    waits_on = WaitsOn.NOBODY if to_pay else transition.waits_on
    after = replace(
        after,
        waits_on=_waits_on(waits_on, after, facts),
        waits_on_staff=waits_on is WaitsOn.STAFF,
        due=_due(declared, state, facts),
    )
    changed = facts.payload if before is None or facts.payload != card.payload else None
    name = declared.initial.name if before is None else transition.name
    step = _step(name, before, after, facts.caller, facts.now_ms, payload=changed)
    effects = () if to_pay else _effects(declared, transition, facts)
    later = _to_pay_later(declared, after, facts)
    return Move(card=after, step=step, to_pay=to_pay, to_pay_later=later, effects=effects)


def _to_pay_later(declared: Declaration, after: Card, facts: Facts) -> tuple[ToPay, ...]:
    accept = declared.transition("accept", after.state)
    if accept is None or facts.caller.side is not Side.BUYER or not facts.rules.takes_payments:
        return ()
    return accept.charges(replace(facts, card=after))


def _effects(declared: Declaration, transition: Transition, facts: Facts) -> tuple[Effect, ...]:
    if transition.name == APPLY:
        paid = charging(declared)
        assert paid is not None, "only a payment applies a card"
        return paid.effects(facts)
    return transition.effects(facts)


def effects_when_accepted(
    booking: Booking, made: Move, now_ms: int, rules: Rules
) -> tuple[Effect, ...]:
    """What a card does whose payments are still to be made: for a dry run."""
    if made.card.state is not CardState.ACCEPTED:
        return ()
    system = Caller(UserId("usr_system"), Side.SYSTEM)
    return move(booking, made.card, settled(made.card), system, now_ms, rules).effects


def _still_waits(
    transition: Transition, card: Card, facts: Facts, left: tuple[UserId, ...]
) -> Move:
    """Somebody has accepted what others still have to accept."""
    due = card.due
    if due is not None and due.remind_ms <= facts.now_ms:
        due = replace(due, remind_ms=0)  # they have been reminded
    after = replace(card, version=card.version + 1, waits_on=left, due=due, changed_ms=facts.now_ms)
    step = _step(transition.name, card.state, after, facts.caller, facts.now_ms, payload=None)
    return Move(card=after, step=step)


def _waits_on(whom: WaitsOn, card: Card, facts: Facts) -> tuple[UserId, ...]:
    match whom:
        case WaitsOn.NOBODY | WaitsOn.STAFF:
            return ()
        case WaitsOn.PROPOSER:
            return (card.proposer,)
        case WaitsOn.OTHER_SIDE:
            return _other_side(card, facts)


def _other_side(card: Card, facts: Facts) -> tuple[UserId, ...]:
    if facts.caller.side is Side.SELLER:
        return (facts.booking.buyer,)
    if facts.leg is not None:
        return (facts.leg.provider,)
    legs: tuple[LegTerms, ...] = card.payload.legs if isinstance(card.payload, Offer) else ()
    return tuple(dict.fromkeys(leg.provider for leg in legs))


def _due(declared: Declaration, state: CardState, facts: Facts) -> Due | None:
    deadline = deadline_of(declared, state)
    if deadline is None:
        return None
    at_ms = max(deadline.at_ms(facts), facts.now_ms + 1)
    before_ms = facts.rules.cards.remind_hours * HOUR_MS
    reminds = deadline.reminds and before_ms and at_ms - before_ms > facts.now_ms
    return Due(
        transition=deadline.transition,
        at_ms=at_ms,
        remind_ms=at_ms - before_ms if reminds else 0,
    )


def _note(given: Any) -> str:
    note: str = getattr(given, "note", "")
    return note


def _step(
    name: str,
    before: CardState | None,
    after: Card,
    caller: Caller,
    now_ms: int,
    *,
    payload: Payload | None,
) -> Step:
    return Step(
        card=after.id,
        version=after.version,
        transition=name,
        before=before,
        after=after.state,
        actor=caller.user,
        side=caller.side,
        at_ms=now_ms,
        note=after.note,
        payload=payload,
    )

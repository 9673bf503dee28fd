"""Who is in a thread: add, leave, remove. Each is told to the others by a system frame; but nobody
is told when one of two leaves."""

from collections.abc import Mapping
from typing import TypeVar

from msgspec import Struct
from msgspec.structs import replace

from greenroom.ids import ThreadId, UserId
from greenroom.messaging import access, rules
from greenroom.messaging.access import Side
from greenroom.messaging.admit import admitted_ops, met_ops
from greenroom.messaging.answer import decline
from greenroom.messaging.append import append, frame_op, said, system_frame
from greenroom.messaging.ask import Asking, asked_ops, check_unasked, gates_to, whom_to_ask
from greenroom.messaging.away import ask_back, withdraw
from greenroom.messaging.context import Messaging
from greenroom.messaging.events import MessageCreated
from greenroom.messaging.manage import check_may, is_bare_service, managed_for_role
from greenroom.messaging.models import BuiltInEvent, Member, Role, Seat, State, Thread
from greenroom.messaging.open import Invited
from greenroom.messaging.problems import (
    AlreadyAsked,
    AlreadyThere,
    ParticipantNotFound,
    ThreadNotFound,
    TooManyParticipants,
)
from greenroom.messaging.roles import Operation, removal_of
from greenroom.messaging.send import check_is_open
from greenroom.messaging.shelve import taken_down
from greenroom.messaging.turns import Planned
from greenroom.people.actor import Actor
from greenroom.safety.limits import Limit
from greenroom.store.expressions import F
from greenroom.store.problems import ConditionFailed

_T = TypeVar("_T")


class Added(Struct, frozen=True):
    thread: Thread
    made: bool = False
    """Just now; else they were there."""


async def add(messaging: Messaging, actor: Actor, thread_id: ThreadId, invited: Invited) -> Thread:
    return (await find_or_add(messaging, actor, thread_id, invited)).thread


async def find_or_add(
    messaging: Messaging, actor: Actor, thread_id: ThreadId, invited: Invited
) -> Added:
    """A new participant sees what is said from then on. Again changes nothing that the actor can
    see; a person who has left in secret is asked to come back."""
    side = await _side(messaging, actor, thread_id, invited)
    _check_may_add(side.thread, actor, invited)
    seat = rules.shown_seats(side.thread).get(invited.user)
    if seat is not None:
        _check_same(seat, invited)
        await ask_back(messaging, side.thread, actor, invited.user)
        return Added(side.thread)
    try:
        return Added(await _add(messaging, actor, side, invited), made=True)
    except AlreadyAsked:
        head = await messaging.heads.read(thread_id)
        if head is None or invited.user not in head.seats:
            raise
        return Added(head)  # added at the same moment, by the same hand


async def _side(messaging: Messaging, actor: Actor, thread_id: ThreadId, invited: Invited) -> Side:
    if invited.role in rules.STAFF and not is_bare_service(actor):
        return await managed_for_role(messaging, actor, thread_id, invited.role)
    return await access.thread(messaging, actor, thread_id)


def _check_may_add(head: Thread, actor: Actor, invited: Invited) -> None:
    gives_staff = invited.role in rules.STAFF
    check_may(head, actor, Operation.GRANT_STAFF if gives_staff else Operation.ADD)


def _check_same(seat: Seat, invited: Invited) -> None:
    """Without a role, any will do."""
    if invited.role not in (Role.MEMBER, seat.role):
        raise AlreadyThere


async def _add(messaging: Messaging, actor: Actor, side: Side, invited: Invited) -> Thread:
    thread = side.thread
    asking = await whom_to_ask(messaging, actor, [invited.user], Limit.PARTICIPANTS)
    await messaging.safety.limits.spend(actor.user, *[Limit.REQUESTS] * len(asking.strangers))

    def plan(head: Thread, ms: int) -> Planned:
        _check_may_add(head, actor, invited)
        if actor.user in head.seats:
            check_is_open(head, actor.user, messaging.clock.now_ms())
        if invited.user in head.seats:
            return Planned(head, (), quiet=True)
        if len(head.seats) >= rules.MAX_PARTICIPANTS:
            raise TooManyParticipants(rules.MAX_PARTICIPANTS)
        return _grown(messaging, side.mine, head, invited, ms, asking)

    try:
        return await append(messaging, thread.id, plan)
    except ConditionFailed:
        await check_unasked(messaging, actor.user, asking.strangers, consistent=True)
        raise


def _grown(
    messaging: Messaging,
    by: Member,
    head: Thread,
    invited: Invited,
    ms: int,
    asking: Asking,
) -> Planned:
    """With a gate for whoever has to be asked."""
    seat = Seat(
        role=invited.role,
        service_role=invited.service_role,
        fresh_ms=ms,
        joined=head.last_seq,
    )
    actor = by.user
    gates = _without(head.gates, invited.user) | gates_to(messaging, actor, asking, ms, head)
    grown = replace(head, seats={**head.seats, invited.user: seat}, gates=gates, pair=None)
    frame = system_frame(messaging, head, actor, ms, "participant.added", invited.user)
    ops = admitted_ops(grown, invited.user, ms, before=head)
    ops += asked_ops(messaging, grown, [invited.user])
    ops += met_ops(actor, head.id, [invited.user])
    return Planned(said(grown, frame, by), (frame_op(frame), *ops), (MessageCreated(frame),))


async def leave(messaging: Messaging, actor: Actor, thread_id: ThreadId) -> None:
    """Whoever leaves before having accepted declines, and nobody is told. Nor is anybody told when
    one of two leaves: else the other could tell it from being blocked."""
    side = await access.thread(messaging, actor, thread_id)
    if not rules.has_accepted(side.thread, actor.user):
        await decline(messaging, actor, side.thread.gates[actor.user].id)
        return
    if side.thread.pair is not None:
        await withdraw(messaging, actor.user, thread_id, State.LEFT)
        return
    await vacate(messaging, side.mine, actor.user, thread_id, "participant.left")


async def remove(messaging: Messaging, actor: Actor, thread_id: ThreadId, user: UserId) -> None:
    if user == actor.user:
        await leave(messaging, actor, thread_id)
        return
    side = await access.thread(messaging, actor, thread_id)
    if user not in rules.shown_seats(side.thread):
        raise ParticipantNotFound
    check_may(side.thread, actor, removal_of(side.thread, user))
    await messaging.safety.limits.spend(actor.user, Limit.PARTICIPANTS)
    await vacate(messaging, side.mine, user, thread_id, "participant.removed")


async def vacate(
    messaging: Messaging, by: Member, user: UserId, thread_id: ThreadId, event: BuiltInEvent
) -> None:
    def plan(head: Thread, ms: int) -> Planned:
        if user not in rules.shown_seats(head):
            raise ThreadNotFound if by.user == user else ParticipantNotFound
        return vacated(messaging, by, user, head, ms, event)

    await append(messaging, thread_id, plan)


def vacated(
    messaging: Messaging, by: Member, user: UserId, head: Thread, ms: int, event: BuiltInEvent
) -> Planned:
    """The thread without the user, who is in it."""
    rest = replace(
        head,
        seats=_without(head.seats, user),
        gates=_without(head.gates, user),
        awaiting=tuple(other for other in head.awaiting if other != user),
    )
    about = () if by.user == user else (user,)
    frame = system_frame(messaging, head, by.user, ms, event, *about)
    gone = taken_down(head.id, user, ms, F("state").set("left"), F("changedAt").set(ms))
    return Planned(said(rest, frame, by), (frame_op(frame), *gone), (MessageCreated(frame),))


def _without(users: Mapping[UserId, _T], user: UserId) -> dict[UserId, _T]:
    return {other: value for other, value in users.items() if other != user}

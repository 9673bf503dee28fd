"""Open a thread. First contact waits at a gate; a direct thread is found or made by its pair.

Whoever has asked somebody and opens the same again is given the thread that waits, and is refused
another one (`ask.py`).
"""

from collections.abc import Iterable
from hashlib import blake2b

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from greenroom.ids import ThreadId, UserId
from greenroom.messaging import items, rules, shelve, text
from greenroom.messaging.append import Planned, append
from greenroom.messaging.ask import (
    asked_ops,
    check_unasked,
    is_staff,
    new_gate,
    request_item,
    whom_to_ask,
)
from greenroom.messaging.context import Messaging
from greenroom.messaging.events import ThreadUpdated
from greenroom.messaging.models import (
    GateStatus,
    Kind,
    Member,
    Role,
    Seat,
    ServiceRole,
    Status,
    Thread,
)
from greenroom.messaging.problems import (
    AlreadyAsked,
    InvalidThread,
    NotPlain,
    OpeningKeyReused,
    TextRefused,
)
from greenroom.messaging.records import (
    MESSAGING,
    activity,
    met_key,
    opened_key,
    shelf_key,
)
from greenroom.people.actor import Actor
from greenroom.safety.judge import has_link, judge
from greenroom.safety.limits import Limit
from greenroom.safety.verdict import Hold, Refuse
from greenroom.store.base import Key, Op, Put
from greenroom.store.expressions import F
from greenroom.store.limits import MAX_OPS
from greenroom.store.problems import ConditionFailed

_ID = 26
_ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"
_LONGEST = 64


class Invited(Struct, frozen=True):
    user: UserId
    role: Role = Role.SELLER
    service_role: ServiceRole | None = None


class Opening(Struct, frozen=True, kw_only=True):
    kind: Kind
    others: tuple[Invited, ...]
    role: Role = Role.BUYER
    """The opener's own."""
    service_role: ServiceRole | None = None
    subject: str | None = None
    booking_id: str | None = None
    leg_id: str | None = None
    lbg_id: str | None = None
    city: str | None = None


class _Claim(Struct, frozen=True):
    """What makes opening happen once: the key, and what was asked under it."""

    key: Key
    digest: bytes


async def open_thread(
    messaging: Messaging, actor: Actor, opening: Opening, *, key: str | None = None
) -> Thread:
    """The same key opens the same thread, however often."""
    if opening.kind is Kind.DIRECT:
        return await open_direct(messaging, actor, _only(opening))
    check_opening(actor, opening)
    claim = None if key is None else _Claim(opened_key(actor.user, key), _digest(opening))
    if claim is not None and (found := await _opened(messaging, claim)) is not None:
        return found
    try:
        return await _make(messaging, actor, opening, messaging.ids.thread(), claim)
    except AlreadyAsked as asked:
        found = await _waiting(messaging, actor, opening, asked)
        return found if claim is None else await _claimed(messaging, claim, found)


async def open_direct(messaging: Messaging, actor: Actor, other: UserId) -> Thread:
    """The one thread of two people, whichever of them opens it, whenever."""
    if other == actor.user:
        raise InvalidThread("a conversation takes two")
    thread_id = direct_id(actor.user, other)
    opening = Opening(kind=Kind.DIRECT, others=(Invited(other, Role.BUYER),), role=Role.BUYER)
    head = await messaging.heads.read(thread_id)
    try:
        if head is None:
            return await _make(messaging, actor, opening, thread_id, None)
        if not _absent(head, actor.user, other, messaging.clock.now_ms()):
            return head
        return await _rejoin(messaging, actor, other, head)
    except AlreadyAsked as asked:
        return await _waiting(messaging, actor, opening, asked)


async def _make(
    messaging: Messaging,
    actor: Actor,
    opening: Opening,
    thread_id: ThreadId,
    claim: _Claim | None,
) -> Thread:
    others = [invited.user for invited in opening.others]
    strangers = await whom_to_ask(messaging, actor, others, Limit.THREAD_STARTS)
    thread = await _drawn(messaging, actor, opening, thread_id, strangers)
    return await _write(messaging, actor, thread, claim)


async def _waiting(
    messaging: Messaging, actor: Actor, opening: Opening, asked: AlreadyAsked
) -> Thread:
    """The conversation in which a request waits, if it is the very one that is wanted."""
    head = await messaging.heads.read(asked.thread_id)
    if head is None or not _is_wanted(head, actor.user, opening, messaging.clock.now_ms()):
        raise asked
    return head


def _is_wanted(head: Thread, user: UserId, opening: Opening, now_ms: int) -> bool:
    """The same people, about the same; and as far as the user knows the request still waits."""
    waits = any(
        gate.sender == user and rules.gate_as_sender_sees(gate, now_ms) is GateStatus.PENDING
        for gate in head.gates.values()
    )
    people = {user, *(invited.user for invited in opening.others)}
    there = rules.is_let_in(head, user, now_ms) and set(rules.shown_seats(head)) == people
    subject = None if opening.subject is None else text.subject(opening.subject)
    wanted = (opening.kind, subject, opening.booking_id, opening.leg_id, opening.lbg_id)
    found = (head.kind, head.subject, head.booking_id, head.leg_id, head.lbg_id)
    return waits and there and wanted == found and opening.city == head.city


def direct_id(one: UserId, other: UserId) -> ThreadId:
    pair = "\n".join(sorted((one, other)))
    number = int.from_bytes(blake2b(pair.encode(), digest_size=17).digest(), "big")
    return ThreadId("thr_" + "".join(_ALPHABET[(number >> 5 * place) & 31] for place in range(_ID)))


def check_opening(actor: Actor, opening: Opening) -> None:
    users = [actor.user, *(invited.user for invited in opening.others)]
    if len(users) < 2:
        raise InvalidThread("a conversation takes two")
    if len(users) > rules.MAX_PARTICIPANTS:
        raise InvalidThread(f"it has at most {rules.MAX_PARTICIPANTS} participants")
    if len(set(users)) != len(users):
        raise InvalidThread("somebody is named twice")
    staff = is_staff(actor)
    if opening.kind is Kind.SYSTEM and not staff:
        raise InvalidThread("only staff open a system conversation")
    roles = [opening.role, *(invited.role for invited in opening.others)]
    if not staff and any(role in rules.STAFF for role in roles):
        raise InvalidThread("only staff give a staff role")
    for value in (opening.booking_id, opening.leg_id, opening.lbg_id, opening.city):
        if value is not None and not (0 < len(value) <= _LONGEST and value.isprintable()):
            raise InvalidThread(f"booking, leg, group and city have 1 to {_LONGEST} characters")


async def _drawn(
    messaging: Messaging,
    actor: Actor,
    opening: Opening,
    thread_id: ThreadId,
    strangers: tuple[UserId, ...],
) -> Thread:
    now_ms = messaging.clock.now_ms()
    subject = None if opening.subject is None else text.subject(opening.subject)
    gates = {target: new_gate(messaging, actor.user, now_ms) for target in strangers}
    await _check_subject(messaging, actor, subject, first_contact=bool(gates))
    await messaging.safety.limits.spend(actor.user, *[Limit.REQUESTS] * len(gates))
    me = Invited(actor.user, opening.role, opening.service_role)
    seats = {
        invited.user: Seat(role=invited.role, service_role=invited.service_role, fresh_ms=now_ms)
        for invited in (me, *opening.others)
    }
    return Thread(
        id=thread_id,
        kind=opening.kind,
        status=Status.CONFIRMED if opening.booking_id and is_staff(actor) else Status.OPEN,
        opened_by=actor.user,
        created_ms=now_ms,
        seats=seats,
        gates=gates,
        pair=(actor.user, opening.others[0].user) if len(opening.others) == 1 else None,
        subject=subject,
        booking_id=opening.booking_id,
        leg_id=opening.leg_id,
        lbg_id=opening.lbg_id,
        city=opening.city,
        changed_ms=now_ms,
    )


async def _check_subject(
    messaging: Messaging, actor: Actor, subject: str | None, *, first_contact: bool
) -> None:
    """A name is read like a message, and by those behind the gate before any message."""
    if subject is None:
        return
    if first_contact and has_link(subject):
        raise NotPlain
    await check_name(messaging, actor, subject, booked=False, first_contact=first_contact)


async def check_name(
    messaging: Messaging, actor: Actor, subject: str, *, booked: bool, first_contact: bool
) -> None:
    """What would have to wait for a moderator cannot be a name."""
    verdict = await judge(
        messaging.safety,
        actor,
        subject,
        booked=booked,
        first_contact=first_contact,
        is_name=True,
    )
    if isinstance(verdict, Refuse | Hold):
        raise TextRefused(", ".join(verdict.policy_hints) or verdict.reason)


async def _write(
    messaging: Messaging, actor: Actor, thread: Thread, claim: _Claim | None
) -> Thread:
    """The head last: until it is there, nothing else of the thread has any effect; and with it, who
    has been asked, for that has an effect on other threads."""
    first = [op for user in thread.seats for op in seated_ops(thread, user, thread.created_ms)]
    first += met_ops(actor.user, thread.id, thread.seats)
    last: list[Op] = [Put(MESSAGING, items.head_item(thread), F("pk").absent())]
    last += asked_ops(messaging, thread, thread.gates)
    if claim is not None:
        last.append(_claim_op(claim, thread.id))
    room = MAX_OPS - len(last)
    if room < 0:
        raise InvalidThread("fewer strangers can be asked at once")
    while len(first) > room:
        await messaging.store.write(*first[:MAX_OPS])
        first = first[MAX_OPS:]
    try:
        await messaging.store.write(*last, *first)
    except ConditionFailed:
        found = None if claim is None else await _opened(messaging, claim)
        found = found or await messaging.heads.read(thread.id)
        if found is None:
            await check_unasked(messaging, actor.user, thread.gates, consistent=True)
            raise
        return found
    messaging.heads.keep(thread)
    messaging.tell(thread, ThreadUpdated())
    return thread


def seated_ops(thread: Thread, user: UserId, now_ms: int, *, joined_seq: int = 0) -> list[Op]:
    """A participant's side and, where there is one, the request that waits for them."""
    seat, gate = thread.seats[user], thread.gates.get(user)
    member = Member(
        thread=thread.id,
        user=user,
        role=seat.role,
        service_role=seat.service_role,
        joined_seq=joined_seq,
        joined_ms=thread.last_ms + 1 if joined_seq else 0,
        changed_ms=now_ms,
    )
    shelf = shelf_key(user, shelve.shelf_of(gate))
    ops: list[Op] = [Put(MESSAGING, items.member_item(member, shelf, activity(now_ms, thread.id)))]
    if gate is not None:
        ops.append(Put(MESSAGING, request_item(thread.id, user, gate)))
    return ops


def met_ops(user: UserId, thread: ThreadId, others: Iterable[UserId]) -> list[Op]:
    """Whoever writes to somebody may be written to by them."""
    return [
        Put(MESSAGING, items.at(met_key(user, other)) | {"threadId": thread})
        for other in others
        if other != user
    ]


async def _opened(messaging: Messaging, claim: _Claim) -> Thread | None:
    item = await messaging.store.get(MESSAGING, claim.key, consistent=True)
    if item is None:
        return None
    if item["digest"] != claim.digest:
        raise OpeningKeyReused
    return await messaging.heads.read(ThreadId(str(item["threadId"])))


async def _claimed(messaging: Messaging, claim: _Claim, found: Thread) -> Thread:
    """From now on the key leads there, whatever becomes of the request."""
    try:
        await messaging.store.write(_claim_op(claim, found.id))
    except ConditionFailed:
        return await _opened(messaging, claim) or found
    return found


def _claim_op(claim: _Claim, thread: ThreadId) -> Put:
    item = items.at(claim.key) | {"threadId": thread, "digest": claim.digest}
    return Put(MESSAGING, item, F("pk").absent())


def _digest(opening: Opening) -> bytes:
    return blake2b(msgspec.msgpack.encode(opening), digest_size=16).digest()


def _only(opening: Opening) -> UserId:
    if len(opening.others) != 1:
        raise InvalidThread("a direct conversation is between two")
    return opening.others[0].user


async def _rejoin(messaging: Messaging, actor: Actor, other: UserId, head: Thread) -> Thread:
    """The pair's thread, where one of them, or both, were gone from it: they start afresh."""
    missing = _absent(head, actor.user, other, messaging.clock.now_ms())
    try:
        gated = bool(await whom_to_ask(messaging, actor, [other], Limit.THREAD_STARTS))
    except AlreadyAsked:
        if other in missing:
            raise
        # Whoever has left while their own request waits comes back to it as it is.
        await messaging.safety.limits.spend(actor.user, Limit.THREAD_STARTS)
        gated = True
    if gated and other in missing:
        await messaging.safety.limits.spend(actor.user, Limit.REQUESTS)

    def plan(found: Thread, ms: int) -> Planned:
        return _rejoined(messaging, actor.user, other, found, ms, gated=gated)

    try:
        return await append(messaging, head.id, plan)
    except ConditionFailed:
        await check_unasked(messaging, actor.user, [other], consistent=True)
        raise


def _rejoined(
    messaging: Messaging, user: UserId, other: UserId, found: Thread, ms: int, *, gated: bool
) -> Planned:
    missing = _absent(found, user, other, messaging.clock.now_ms())
    seats = found.seats | {one: Seat(role=Role.BUYER, fresh_ms=ms) for one in missing}
    gates = {one: gate for one, gate in found.gates.items() if one not in missing}
    if gated and other in missing:
        gates[other] = new_gate(messaging, user, ms, after_seq=found.last_seq)
    withdrawn = {one: seat for one, seat in found.withdrawn.items() if one not in missing}
    after = replace(found, seats=seats, gates=gates, withdrawn=withdrawn)
    ops = [op for one in missing for op in seated_ops(after, one, ms, joined_seq=found.last_seq)]
    if other in missing:
        ops += asked_ops(messaging, after, [other])
    return Planned(after, (*ops, *met_ops(user, after.id, [other])))


def _absent(head: Thread, user: UserId, other: UserId, now_ms: int) -> list[UserId]:
    """Those of a pair who are gone: who have left or blocked; the user, if they turned the request
    away or let it run out; the other, once the user's request to them has run out. Until then the
    user is not to know what became of it."""
    absent = [] if rules.is_let_in(head, user, now_ms) else [user]
    gate = head.gates.get(other)
    has_run_out = (
        gate is not None
        and gate.sender == user
        and rules.gate_as_sender_sees(gate, now_ms) is GateStatus.EXPIRED
    )
    return [*absent, other] if other not in head.seats or has_run_out else absent

"""Open a thread. First contact waits at a gate; a direct thread is found or made by its pair."""

import asyncio
from collections.abc import Iterable
from hashlib import blake2b
from typing import Any

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from greenroom.ids import ThreadId, UserId
from greenroom.messaging import items, rules, shelve, text
from greenroom.messaging.append import Planned, append
from greenroom.messaging.context import Messaging
from greenroom.messaging.models import (
    Gate,
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
    BlockedByYou,
    InvalidThread,
    NotPlain,
    OpeningKeyReused,
    TextRefused,
    Unreachable,
)
from greenroom.messaging.records import (
    MESSAGING,
    activity,
    met_key,
    opened_key,
    pending_partition,
    request_key,
    shelf_key,
)
from greenroom.people import directory
from greenroom.people.actor import Actor, Scope
from greenroom.safety.blocks import apart_from, has_blocked
from greenroom.safety.judge import has_link, judge
from greenroom.safety.limits import Limit
from greenroom.safety.records import EPHEMERAL, EPHEMERAL_TTL
from greenroom.safety.verdict import Hold, Refuse
from greenroom.store.base import Key, Op, Put
from greenroom.store.expressions import F
from greenroom.store.limits import MAX_OPS
from greenroom.store.problems import ConditionFailed
from greenroom.store.values import Item

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
    await messaging.safety.limits.spend(actor.user, Limit.THREAD_STARTS)
    await check_reachable(messaging, actor, [invited.user for invited in opening.others])
    thread = await _drawn(messaging, actor, opening, messaging.ids.thread())
    return await _write(messaging, actor, thread, claim)


async def open_direct(messaging: Messaging, actor: Actor, other: UserId) -> Thread:
    """The one thread of two people, whichever of them opens it, whenever."""
    if other == actor.user:
        raise InvalidThread("a conversation takes two")
    thread_id = direct_id(actor.user, other)
    head = await messaging.heads.read(thread_id)
    if head is not None and not _absent(head, actor.user, other, messaging.clock.now_ms()):
        return head
    await messaging.safety.limits.spend(actor.user, Limit.THREAD_STARTS)
    await check_reachable(messaging, actor, [other])
    if head is not None:
        return await rejoin(messaging, actor, other, head)
    opening = Opening(kind=Kind.DIRECT, others=(Invited(other, Role.BUYER),), role=Role.BUYER)
    thread = await _drawn(messaging, actor, opening, thread_id)
    return await _write(messaging, actor, thread, None)


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
    staff = _is_staff(actor)
    if opening.kind is Kind.SYSTEM and not staff:
        raise InvalidThread("only staff open a system conversation")
    roles = [opening.role, *(invited.role for invited in opening.others)]
    if not staff and any(role in rules.STAFF for role in roles):
        raise InvalidThread("only staff give a staff role")
    for value in (opening.booking_id, opening.leg_id, opening.lbg_id, opening.city):
        if value is not None and not (0 < len(value) <= _LONGEST and value.isprintable()):
            raise InvalidThread(f"booking, leg, group and city have 1 to {_LONGEST} characters")


def _is_staff(actor: Actor) -> bool:
    """The marketplace itself, or one of its people: what they say of a booking is so."""
    return actor.may(Scope.MODERATOR) or actor.may(Scope.SERVICE)


async def check_reachable(messaging: Messaging, actor: Actor, others: list[UserId]) -> None:
    """They exist, and nothing keeps them from the actor. Why not, is not the actor's to know."""
    accounts = await asyncio.gather(*(directory.by_id(messaging.people, other) for other in others))
    if any(account.is_suspended(messaging.clock.now_ms()) for account in accounts):
        raise Unreachable
    apart = await apart_from(messaging.safety, actor.user, others)
    for other in apart:
        if await has_blocked(messaging.safety, actor.user, other):
            raise BlockedByYou
    if apart:
        raise Unreachable


async def strangers_to(
    messaging: Messaging, actor: Actor, targets: Iterable[UserId]
) -> tuple[UserId, ...]:
    """Those who have neither written to the actor, nor accepted, followed or booked them."""
    if _is_staff(actor):
        return ()
    asked = list(targets)
    keys = {met_key(target, actor.user): target for target in asked}
    met: set[UserId] = set()
    for start in range(0, len(keys), 100):
        chunk = list(keys)[start : start + 100]
        found = await messaging.store.batch_get(MESSAGING, chunk, consistent=True)
        met |= {keys[key] for key in found}
    rest = [target for target in asked if target not in met]
    tied = {target for target in rest if await messaging.ties.knows(target, actor.user)}
    return tuple(target for target in rest if target not in tied)


async def _drawn(
    messaging: Messaging, actor: Actor, opening: Opening, thread_id: ThreadId
) -> Thread:
    now_ms = messaging.clock.now_ms()
    targets = [invited.user for invited in opening.others]
    subject = None if opening.subject is None else text.subject(opening.subject)
    gates = {
        target: new_gate(messaging, actor.user, now_ms)
        for target in await strangers_to(messaging, actor, targets)
    }
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
        status=Status.CONFIRMED if opening.booking_id and _is_staff(actor) else Status.OPEN,
        opened_by=actor.user,
        created_ms=now_ms,
        seats=seats,
        gates=gates,
        pair=(actor.user, targets[0]) if len(targets) == 1 else None,
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


def new_gate(messaging: Messaging, sender: UserId, now_ms: int, *, after_seq: int = 0) -> Gate:
    return Gate(
        id=messaging.ids.request(),
        sender=sender,
        status=GateStatus.PENDING,
        expires_ms=now_ms + rules.GATE_MS,
        after_seq=after_seq,
    )


async def _write(
    messaging: Messaging, actor: Actor, thread: Thread, claim: _Claim | None
) -> Thread:
    """The head last: until it is there, nothing else of the thread has any effect."""
    first = [op for user in thread.seats for op in seated_ops(thread, user, thread.created_ms)]
    first += met_ops(actor.user, thread.id, thread.seats)
    last: list[Op] = [Put(MESSAGING, items.head_item(thread), F("pk").absent())]
    if claim is not None:
        item = items.at(claim.key) | {"threadId": thread.id, "digest": claim.digest}
        last.append(Put(MESSAGING, item, F("pk").absent()))
    room = MAX_OPS - len(last)
    while len(first) > room:
        await messaging.store.write(*first[:MAX_OPS])
        first = first[MAX_OPS:]
    try:
        await messaging.store.write(*last, *first)
    except ConditionFailed:
        found = None if claim is None else await _opened(messaging, claim)
        found = found or await messaging.heads.read(thread.id)
        if found is None:
            raise
        return found
    messaging.heads.keep(thread)
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
        ops.append(Put(EPHEMERAL, _pending_item(thread.id, user, gate)))
    return ops


def _pending_item(thread: ThreadId, target: UserId, gate: Gate) -> Item:
    """What the sender has waiting, and where, for as long as it may wait."""
    return {
        "pk": pending_partition(gate.sender),
        "sk": f"{target}#{gate.id}",
        "targetUser": target,
        "threadId": thread,
        "gateId": gate.id,
        EPHEMERAL_TTL: gate.expires_ms // 1000,
    }


def request_item(thread: ThreadId, target: UserId, gate: Gate) -> dict[str, Any]:
    found = {"threadId": thread, "targetUser": target} | items.gate_item(gate)
    return items.at(request_key(gate.id)) | found


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


def _digest(opening: Opening) -> bytes:
    return blake2b(msgspec.msgpack.encode(opening), digest_size=16).digest()


def _only(opening: Opening) -> UserId:
    if len(opening.others) != 1:
        raise InvalidThread("a direct conversation is between two")
    return opening.others[0].user


async def rejoin(messaging: Messaging, actor: Actor, other: UserId, head: Thread) -> Thread:
    """The pair's thread, where one of them, or both, were gone from it: they start afresh."""
    gated = other in await strangers_to(messaging, actor, [other])
    if gated:
        await messaging.safety.limits.spend(actor.user, Limit.REQUESTS)

    def plan(found: Thread, ms: int) -> Planned:
        missing = _absent(found, actor.user, other, messaging.clock.now_ms())
        seats = dict(found.seats)
        gates = {user: gate for user, gate in found.gates.items() if user not in missing}
        for user in missing:
            seats[user] = Seat(role=Role.BUYER, fresh_ms=ms)
        if gated and other in missing:
            gates[other] = new_gate(messaging, actor.user, ms, after_seq=found.last_seq)
        withdrawn = {user: seat for user, seat in found.withdrawn.items() if user not in missing}
        after = replace(found, seats=seats, gates=gates, withdrawn=withdrawn)
        ops = [
            op for user in missing for op in seated_ops(after, user, ms, joined_seq=found.last_seq)
        ]
        return Planned(after, (*ops, *met_ops(actor.user, after.id, [other])))

    return await append(messaging, head.id, plan)


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

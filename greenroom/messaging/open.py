"""Opens a thread. First contact waits at a gate; a direct thread is found or created by its pair.

A user who opens the same thread again while their request waits gets the waiting thread; any other
thread with the same person is refused (`contact.py`).
"""

from hashlib import blake2b

import msgspec
from msgspec import Struct

from greenroom import metadata as own_json
from greenroom.ids import ThreadId, UserId
from greenroom.messaging import items, rules, text
from greenroom.messaging.contact import (
    ContactCheck,
    check_contacts,
    check_no_pending_request,
    is_staff,
    new_gates,
    pending_request_ops,
)
from greenroom.messaging.context import Messaging
from greenroom.messaging.events import ThreadUpdated, events_from_diff
from greenroom.messaging.first_message import NO_FIRST_MESSAGE, FirstMessage, without_active_rows
from greenroom.messaging.manage import is_bare_service
from greenroom.messaging.models import (
    Kind,
    MemberSummary,
    Role,
    ServiceRole,
    Status,
    Thread,
)
from greenroom.messaging.moderate import check_name
from greenroom.messaging.new_participant import contact_ops, new_participant_ops
from greenroom.messaging.pairs import direct_id
from greenroom.messaging.policy import REQUESTS, THREAD_STARTS
from greenroom.messaging.problems import AlreadyAsked, InvalidThread, OpeningKeyReused
from greenroom.messaging.public_events import of_opening
from greenroom.messaging.records import MESSAGING, metadata_key, opened_key, pair_key
from greenroom.messaging.rejoin import absent_members, rejoin
from greenroom.messaging.request_timers import expiry_ops
from greenroom.messaging.roles import STAFF_KINDS, may_open
from greenroom.people.actor import SYSTEM, Actor
from greenroom.store.base import Key, Op, Put
from greenroom.store.expressions import F
from greenroom.store.limits import MAX_OPS
from greenroom.store.problems import ConditionFailed

_LONGEST = 64


class Invited(Struct, frozen=True):
    user: UserId
    role: Role = Role.MEMBER
    service_role: ServiceRole | None = None


class Opening(Struct, frozen=True, kw_only=True):
    kind: Kind
    others: tuple[Invited, ...]
    role: Role = Role.MEMBER
    """The opener's own."""
    service_role: ServiceRole | None = None
    subject: str | None = None
    booking_id: str | None = None
    leg_id: str | None = None
    lbg_id: str | None = None
    city: str | None = None
    metadata: str | None = None
    """JSON text, as `metadata.checked` gives it."""


class _Claim(Struct, frozen=True):
    """Makes opening idempotent: the key, and a digest of what was opened under it."""

    key: Key
    digest: bytes


class Opened(Struct, frozen=True):
    thread: Thread
    created: bool = False
    """Whether it is new."""
    used_first_message: bool = False
    """Whether the first message was used: not where the thread existed for both."""


async def open_thread(
    messaging: Messaging, actor: Actor, opening: Opening, *, key: str | None = None
) -> Thread:
    """Idempotent with a key."""
    return (await find_or_open(messaging, actor, opening, key=key)).thread


async def open_direct(messaging: Messaging, actor: Actor, other: UserId) -> Thread:
    """The one direct thread of two people."""
    direct = Opening(kind=Kind.DIRECT, others=(Invited(other),))
    return (await find_or_open(messaging, actor, direct)).thread


async def find_or_open(
    messaging: Messaging,
    actor: Actor,
    opening: Opening,
    first_message: FirstMessage = NO_FIRST_MESSAGE,
    *,
    key: str | None = None,
    first: bytes = b"",
) -> Opened:
    """A new thread gets the first message; an existing one is left as it is. `first` is the digest
    of the first message: the same key with another one is refused."""
    claim = None if key is None else _Claim(opened_key(actor.user, key), _digest(opening, first))
    if opening.kind is Kind.DIRECT:
        if is_bare_service(actor):
            raise InvalidThread("one of the two people must open a direct conversation")
        between = _between_two(actor, opening)
        return await _direct_once(messaging, actor, between, first_message, claim)
    check_opening(actor, opening)
    if claim is not None and (found := await _opened(messaging, claim)) is not None:
        return Opened(found)
    try:
        return await _create(
            messaging, actor, opening, messaging.ids.thread(), first_message, claim
        )
    except AlreadyAsked as asked:
        waiting = await _waiting(messaging, actor, opening, asked)
        found = waiting if claim is None else await _claimed(messaging, claim, waiting)
        return Opened(found)


async def _direct_once(
    messaging: Messaging,
    actor: Actor,
    opening: Opening,
    first_message: FirstMessage,
    claim: _Claim | None,
) -> Opened:
    """The pair identifies the thread; the key is only checked for reuse."""
    if claim is None:
        return await _direct(messaging, actor, opening, first_message)
    known = await _opened(messaging, claim)
    opened = await _direct(messaging, actor, opening, first_message)
    if known is None:
        await _claimed(messaging, claim, opened.thread)
    return opened


async def _direct(
    messaging: Messaging, actor: Actor, opening: Opening, first_message: FirstMessage
) -> Opened:
    other = opening.others[0].user
    thread_id = await direct_id(messaging, actor.user, other)
    head = await messaging.thread_cache.read(thread_id)
    try:
        if head is None:
            return await _create(messaging, actor, opening, thread_id, first_message, None)
        if not absent_members(head, actor.user, other, messaging.clock.now_ms()):
            return Opened(head)
        return Opened(
            await rejoin(messaging, actor, other, head, first_message), used_first_message=True
        )
    except AlreadyAsked as asked:
        return Opened(await _waiting(messaging, actor, opening, asked))


async def _create(
    messaging: Messaging,
    actor: Actor,
    opening: Opening,
    thread_id: ThreadId,
    first_message: FirstMessage,
    claim: _Claim | None,
) -> Opened:
    others = [invited.user for invited in opening.others]
    contact_check = await check_contacts(messaging, actor, others, THREAD_STARTS)
    most = messaging.safety.limits.most_at_once(REQUESTS)
    if len(contact_check.strangers) > most:
        raise InvalidThread(f"you can ask at most {most} people who do not know you at once")
    thread = _new_thread(messaging, actor, opening, thread_id, contact_check)
    if thread.subject is not None and not is_bare_service(actor):
        await check_name(messaging, actor, thread, thread.subject)
    await first_message.check(thread)
    return await _write(messaging, actor, thread, first_message, claim, opening.metadata)


async def _waiting(
    messaging: Messaging, actor: Actor, opening: Opening, asked: AlreadyAsked
) -> Thread:
    """The thread in which the request waits, if it is the one to be opened."""
    head = await messaging.thread_cache.read(asked.thread_id)
    if head is None or not _is_wanted(head, actor.user, opening, messaging.clock.now_ms()):
        raise asked
    return head


def _is_wanted(head: Thread, user: UserId, opening: Opening, now_ms: int) -> bool:
    """The same people and subject, and to the user's knowledge the request still waits."""
    waits = rules.waits_for_answer(head, user, now_ms)
    people = {user, *(invited.user for invited in opening.others)}
    there = rules.has_access(head, user, now_ms) and set(rules.shown_members(head)) == people
    subject = None if opening.subject is None else text.subject(opening.subject)
    wanted = (opening.kind, subject, opening.booking_id, opening.leg_id, opening.lbg_id)
    found = (head.kind, head.subject, head.booking_id, head.leg_id, head.lbg_id)
    return waits and there and wanted == found and opening.city == head.city


def check_opening(actor: Actor, opening: Opening) -> None:
    users = [invited.user for invited in (*_opener(actor, opening), *opening.others)]
    if len(set(users)) < (1 if opening.kind in STAFF_KINDS else 2):
        raise InvalidThread("it needs at least one other person")
    if len(users) > rules.MAX_PARTICIPANTS:
        raise InvalidThread(f"it can have at most {rules.MAX_PARTICIPANTS} participants")
    if len(set(users)) != len(users):
        raise InvalidThread("each person must be named only once")
    if opening.subject is not None:
        text.check_length(opening.subject, text.MAX_SUBJECT)
    staff = is_staff(actor)
    bound = bool(opening.booking_id or opening.leg_id or opening.lbg_id)
    if not may_open(actor, opening.kind, bound=bound):
        raise InvalidThread(
            "only staff and services can open support, dispute and system conversations, "
            "or link one to a booking, leg or booking group"
        )
    roles = [opening.role, *(invited.role for invited in opening.others)]
    if not staff and any(role in rules.STAFF for role in roles):
        raise InvalidThread("only staff and services can give the role support or admin")
    for value in (opening.booking_id, opening.leg_id, opening.lbg_id):
        if value is not None and not text.is_linked_id(value):
            raise InvalidThread(
                f"the ids of booking, leg and booking group must have 1 to {text.MAX_OWN_ID} "
                "characters, no slash, and not dots alone"
            )
    city = opening.city
    if city is not None and not (0 < len(city) <= _LONGEST and city.isprintable()):
        raise InvalidThread(f"the city must have 1 to {_LONGEST} characters")


def _opener(actor: Actor, opening: Opening) -> tuple[Invited, ...]:
    """Nobody where a service acts for no user: it takes no part in the thread."""
    if is_bare_service(actor):
        return ()
    return (Invited(actor.user, opening.role, opening.service_role),)


def _new_thread(
    messaging: Messaging,
    actor: Actor,
    opening: Opening,
    thread_id: ThreadId,
    contact_check: ContactCheck,
) -> Thread:
    now_ms = messaging.clock.now_ms()
    subject = None if opening.subject is None else text.subject(opening.subject)
    gates = new_gates(messaging, actor.user, contact_check, now_ms)
    members = {
        invited.user: MemberSummary(
            role=invited.role, service_role=invited.service_role, row_active_ms=now_ms
        )
        for invited in (*_opener(actor, opening), *opening.others)
    }
    one, *others = members
    return Thread(
        id=thread_id,
        kind=opening.kind,
        status=Status.CONFIRMED if opening.booking_id and is_staff(actor) else Status.OPEN,
        opened_by=SYSTEM if is_bare_service(actor) else actor.user,
        created_ms=now_ms,
        members=members,
        gates=gates,
        pair=(one, others[0]) if len(others) == 1 else None,
        subject=subject,
        booking_id=opening.booking_id,
        leg_id=opening.leg_id,
        lbg_id=opening.lbg_id,
        city=opening.city,
        metadata_digest=own_json.digest(opening.metadata),
        changed_ms=now_ms,
    )


async def _write(
    messaging: Messaging,
    actor: Actor,
    new_thread: Thread,
    first_message: FirstMessage,
    claim: _Claim | None,
    metadata: str | None,
) -> Opened:
    """Writes the head last: without it nothing else of the thread has any effect. The pending
    requests go with it, because they affect other threads."""
    planned = first_message.plan(new_thread, new_thread.created_ms)
    thread = (
        planned.thread
        if planned.shows
        else without_active_rows(planned.thread, list(new_thread.members))
    )
    first = [
        *expiry_ops(None, thread),
        *(
            op
            for user in thread.members
            for op in new_participant_ops(thread, user, thread.created_ms)
        ),
    ]
    if actor.user in thread.members:
        first += contact_ops(actor.user, thread.id, thread.members)
    if thread.pair is not None:
        first.append(Put(MESSAGING, items.at(pair_key(*thread.pair, thread.id))))
    head = items.head_item(thread, of_opening(thread, planned.events))
    last: list[Op] = [Put(MESSAGING, head, F("pk").absent()), *planned.ops]
    last += pending_request_ops(messaging, thread, thread.gates)
    last += [] if claim is None else [_claim_op(claim, thread.id)]
    if metadata is not None:
        last.append(Put(MESSAGING, items.at(metadata_key(thread.id)) | {"metadata": metadata}))
    room = MAX_OPS - len(last)
    if room < 0:
        raise InvalidThread("you cannot ask so many people who do not know you at once")
    strangers = len(rules.known_gates(thread))
    await messaging.safety.limits.spend_many(actor.user, REQUESTS, strangers)
    while len(first) > room:
        await messaging.store.write(*first[:MAX_OPS])
        first = first[MAX_OPS:]
    try:
        await messaging.store.write(*last, *first)
    except ConditionFailed:
        found = None if claim is None else await _opened(messaging, claim)
        found = found or await messaging.thread_cache.read(thread.id)
        if found is None:
            asked = rules.known_gates(thread)
            await check_no_pending_request(messaging, actor.user, asked, consistent=True)
            raise
        return Opened(found)
    messaging.thread_cache.put_if_absent(thread)
    if planned.shows:
        for event in (ThreadUpdated(), *planned.events, *events_from_diff(new_thread, thread)):
            messaging.publish(thread, event)
    return Opened(thread, created=True, used_first_message=True)


async def _opened(messaging: Messaging, claim: _Claim) -> Thread | None:
    item = await messaging.store.get(MESSAGING, claim.key, consistent=True)
    if item is None:
        return None
    if item["digest"] != claim.digest:
        raise OpeningKeyReused
    return await messaging.thread_cache.read(ThreadId(str(item["threadId"])))


async def _claimed(messaging: Messaging, claim: _Claim, found: Thread) -> Thread:
    """From now on the key leads to this thread."""
    try:
        await messaging.store.write(_claim_op(claim, found.id))
    except ConditionFailed:
        return await _opened(messaging, claim) or found
    return found


def _claim_op(claim: _Claim, thread: ThreadId) -> Put:
    item = items.at(claim.key) | {"threadId": thread, "digest": claim.digest}
    return Put(MESSAGING, item, F("pk").absent())


def _digest(opening: Opening, first: bytes) -> bytes:
    return blake2b(msgspec.msgpack.encode((opening, first)), digest_size=16).digest()


def _between_two(actor: Actor, opening: Opening) -> Opening:
    if len(opening.others) != 1:
        raise InvalidThread("a direct conversation must have exactly one other person")
    if opening.others[0].user == actor.user:
        raise InvalidThread("it needs at least one other person")
    other = Invited(opening.others[0].user)
    return Opening(kind=Kind.DIRECT, others=(other,), metadata=opening.metadata)

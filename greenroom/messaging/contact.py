"""Decides who can be contacted directly and who gets a request first: one request for each pair.

    Ephemeral
    └─ PENDING#{senderId}
       └─ {targetUserId}    the pending request, its thread, and when the sender may ask again

Someone who has blocked a stranger gets a request as well, so that the stranger does not find out;
but its gate is closed from the start, and nobody sees it. Someone whom the sender knows, and who
has blocked the sender, gets a silent gate, which the sender does not see (`silent_leave.py`).
Whether a person is suspended changes nothing.

Careful: an answer does not touch the pending item. It stays for the same time whether the request
waits, was declined or has expired, because a time that begins with the answer would reveal it.
People who accept, open or write become contacts of the sender, and get no requests.
"""

import asyncio
from collections.abc import Iterable, Sequence
from typing import Any

from msgspec import Struct

from greenroom.clock import iso
from greenroom.ids import RequestId, ThreadId, UserId
from greenroom.messaging import items
from greenroom.messaging.context import Messaging
from greenroom.messaging.models import Away, Gate, GateStatus, Thread
from greenroom.messaging.problems import AlreadyAsked, BlockedByYou, RequestWithdrawn
from greenroom.messaging.records import MESSAGING, contact_key, pending_key, request_key
from greenroom.people import directory
from greenroom.people.actor import Actor, Scope
from greenroom.policy import Limit
from greenroom.safety.blocks import blocked_among, has_blocked
from greenroom.store.base import Op, Put
from greenroom.store.ephemeral import EPHEMERAL, EPHEMERAL_TTL
from greenroom.store.expressions import F
from greenroom.store.values import Item

_AGAIN = "againAt"
"""When the pair's next request may be made, to the millisecond; the TTL knows only seconds."""
NO_REQUEST = RequestId("")
_SKEW_MS = 3_600_000
"""More than the clocks of two nodes can differ."""


class ContactCheck(Struct, frozen=True):
    """The gates that people who are contacted get."""

    strangers: dict[UserId, GateStatus]
    """Who gets a request, and the first status of its gate."""
    refusing: frozenset[UserId]
    """Contacts who have blocked the sender: each gets a silent gate."""


async def check_contacts(
    messaging: Messaging, actor: Actor, others: Sequence[UserId], *limits: Limit
) -> ContactCheck:
    """Checks that they all exist. People who have blocked the actor look like any others."""
    await asyncio.gather(*(directory.by_id(messaging.people, other) for other in others))
    blocked = await blocked_among(messaging.safety, actor.user, others)
    for other in blocked:
        if await has_blocked(messaging.safety, actor.user, other):
            raise BlockedByYou
    strangers = await strangers_among(messaging, actor, others)
    await check_no_pending_request(messaging, actor.user, strangers)
    if actor.may(Scope.USER):  # a service that acts for no user has no limits
        await messaging.safety.limits.spend(actor.user, *limits)
    gates = {
        stranger: GateStatus.BLOCKED if stranger in blocked else GateStatus.PENDING
        for stranger in strangers
    }
    return ContactCheck(gates, blocked - set(strangers))


def is_staff(actor: Actor) -> bool:
    """The marketplace itself, or one of its staff: they may link bookings."""
    return actor.may(Scope.MODERATOR) or actor.may(Scope.SERVICE)


async def strangers_among(
    messaging: Messaging, actor: Actor, targets: Sequence[UserId]
) -> tuple[UserId, ...]:
    """The targets who have neither written to the actor nor accepted a request of theirs."""
    if is_staff(actor):
        return ()
    keys = {target: contact_key(target, actor.user) for target in targets}
    known = await messaging.store.batch_get(MESSAGING, list(keys.values()), consistent=True)
    return tuple(target for target in targets if keys[target] not in known)


async def check_no_pending_request(
    messaging: Messaging, sender: UserId, targets: Iterable[UserId], *, consistent: bool = False
) -> None:
    """An early check, which may be stale: the ops of `pending_request_ops` have the condition."""
    keys = [pending_key(sender, target) for target in targets]
    found = await messaging.store.batch_get(EPHEMERAL, keys, consistent=consistent) if keys else {}
    now_ms = messaging.clock.now_ms()
    for key in keys:
        left_ms = int(str(found[key][_AGAIN])) - now_ms if key in found else 0
        if 0 < left_ms <= _longest(messaging) + _SKEW_MS:
            raise await _already_asked(messaging, found[key])


async def _already_asked(messaging: Messaging, pending: Item) -> AlreadyAsked:
    """Depends only on what the sender did: the target's answer must not show."""
    key = request_key(RequestId(str(pending["gateId"])))
    request = await messaging.store.get(MESSAGING, key, consistent=True)
    is_withdrawn = request is not None and request["status"] == GateStatus.WITHDRAWN.value
    problem = RequestWithdrawn if is_withdrawn else AlreadyAsked
    return problem(ThreadId(str(pending["threadId"])), iso(int(str(pending[_AGAIN]))))


async def request_of(messaging: Messaging, sender: UserId, target: UserId) -> RequestId | None:
    """The sender's last request to this person, whatever became of it."""
    key = pending_key(sender, target)
    item = await messaging.store.get(EPHEMERAL, key, consistent=True)
    return None if item is None else RequestId(str(item["gateId"]))


def new_gate(
    messaging: Messaging, sender: UserId, status: GateStatus, now_ms: int, *, after_seq: int = 0
) -> Gate:
    return Gate(
        id=messaging.ids.request(),
        sender=sender,
        status=status,
        expires_ms=now_ms + messaging.request_ms,
        after_seq=after_seq,
        size=messaging.request_messages,
        characters=messaging.request_characters,
    )


def silent_gate(
    messaging: Messaging, sender: UserId, status: GateStatus, away: Away, *, after_seq: int
) -> Gate:
    """Has no id and does not wait: `ask_to_return` may replace it at any time."""
    return Gate(
        id=NO_REQUEST,
        sender=sender,
        status=status,
        expires_ms=0,
        after_seq=after_seq,
        size=messaging.request_messages,
        characters=messaging.request_characters,
        away=away,
    )


def new_gates(
    messaging: Messaging,
    sender: UserId,
    contact_check: ContactCheck,
    now_ms: int,
    head: Thread | None = None,
) -> dict[UserId, Gate]:
    """The gates of a new thread or, with its head, of an existing one."""
    seq, ms = (0, 0) if head is None else (head.last_seq, head.last_ms)
    gates = {
        target: new_gate(messaging, sender, status, now_ms, after_seq=seq)
        for target, status in contact_check.strangers.items()
    }
    away = Away(seq=seq, ms=ms)
    return gates | {
        target: silent_gate(messaging, sender, GateStatus.BLOCKED, away, after_seq=seq)
        for target in contact_check.refusing
    }


def pending_request_ops(
    messaging: Messaging, thread: Thread, targets: Iterable[UserId]
) -> list[Op]:
    """Records the requests; of two at once one is refused. They belong in the transaction that
    writes the gates."""
    return [
        _asked(messaging, thread.id, target, thread.gates[target])
        for target in targets
        if target in thread.gates and thread.gates[target].away is None
    ]


def _asked(messaging: Messaging, thread: ThreadId, target: UserId, gate: Gate) -> Put:
    now_ms = messaging.clock.now_ms()
    again_ms = now_ms + _longest(messaging)
    key = pending_key(gate.sender, target)
    item = items.at(key) | {
        "targetUser": target,
        "threadId": thread,
        "gateId": gate.id,
        _AGAIN: again_ms,
        EPHEMERAL_TTL: -(-again_ms // 1000),
    }
    over = F(_AGAIN).at_most(now_ms) | F(_AGAIN).more_than(again_ms + _SKEW_MS)
    return Put(EPHEMERAL, item, F("pk").absent() | over)


def _longest(messaging: Messaging) -> int:
    """An item that claims to last much longer comes from a wrong clock, and is ignored."""
    return max(messaging.request_ms, messaging.ask_again_ms)


def request_item(thread: ThreadId, target: UserId, gate: Gate) -> dict[str, Any]:
    found = {"threadId": thread, "targetUser": target} | items.gate_item(gate)
    return items.at(request_key(gate.id)) | found

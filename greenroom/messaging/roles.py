"""The table of who may do what in a thread, by part, thread kind and operation. Pure.

A *part* is what somebody is to a thread: their role in it, whether they opened it, and whether they
act for the marketplace (a moderator's or a service's token). Somebody has several parts at once and
may do what any of them may. docs/reference/roles.md is generated from this table.

Careful: the table says who may; `rules.py` and the use cases say when (locked, gated, blocked).
"""

from collections.abc import Mapping
from enum import StrEnum

from greenroom.ids import UserId
from greenroom.messaging.models import Kind, Role, Thread
from greenroom.people.actor import Actor, Scope


class Part(StrEnum):
    OPENER = "opener"
    BUYER = "buyer"
    SELLER = "seller"
    HOST = "host"
    MEMBER = "member"
    SUPPORT = "support"
    ADMIN = "admin"
    MODERATOR = "moderator"
    """A moderator or admin of the marketplace, in the thread or not."""
    SERVICE = "service"
    """The operator's own systems, in the thread or not."""


class Operation(StrEnum):
    SEND = "send"
    SEND_LOCKED = "send while locked"
    REACT = "react"
    RENAME = "rename"
    ADD = "add people"
    REMOVE = "remove people"
    REMOVE_OPENER = "remove the opener"
    REMOVE_STAFF = "remove support or admin"
    CHANGE_ROLE = "change roles"
    GRANT_STAFF = "give the role support or admin"
    DELETE_OTHERS = "delete another's message"
    LOCK = "lock and unlock"
    LEAVE = "leave"
    SET_STATUS = "set status, booking and metadata"
    POST_SYSTEM = "post system messages"


class Creation(StrEnum):
    """What a new thread can be, beside what everybody may open."""

    KIND = "open this kind"
    BOUND = "bind it to a booking, leg or booking group"


_PARTIES = frozenset({Part.OPENER, Part.BUYER, Part.SELLER, Part.HOST, Part.MEMBER})
_STAFF = frozenset({Part.SUPPORT, Part.ADMIN})
_MANAGERS = frozenset({Part.OPENER, Part.HOST}) | _STAFF
_OFFICE = frozenset({Part.MODERATOR, Part.SERVICE})
_SERVICES = frozenset({Part.SERVICE})
_NOBODY: frozenset[Part] = frozenset()

STAFF_KINDS = frozenset({Kind.DISPUTE, Kind.SUPPORT, Kind.SYSTEM})
"""The marketplace opens and manages these."""
_ROLES_MEAN_MONEY = frozenset({Kind.INQUIRY, Kind.INVITE, Kind.BOOKING})
"""Buyer and seller have agreed on their roles there; neither can change them alone."""


def _send(kind: Kind) -> frozenset[Part]:
    return _STAFF if kind is Kind.SYSTEM else _PARTIES | _STAFF


def _manage(kind: Kind) -> frozenset[Part]:
    if kind is Kind.DIRECT:
        return _NOBODY
    return _STAFF if kind in STAFF_KINDS else _MANAGERS


def _rename(kind: Kind) -> frozenset[Part]:
    return _NOBODY if kind is Kind.DIRECT else _manage(kind) | _SERVICES


def _change_role(kind: Kind) -> frozenset[Part]:
    if kind is Kind.DIRECT:
        return _NOBODY
    staff = _STAFF | _SERVICES
    return staff if kind in STAFF_KINDS | _ROLES_MEAN_MONEY else staff | _MANAGERS


def _cell(operation: Operation, kind: Kind) -> frozenset[Part]:
    if kind is Kind.DIRECT and operation in (Operation.REMOVE_OPENER, Operation.REMOVE_STAFF):
        return _NOBODY
    match operation:
        case Operation.SEND:
            return _send(kind)
        case Operation.REACT | Operation.LEAVE:
            return _PARTIES | _STAFF
        case Operation.SEND_LOCKED | Operation.DELETE_OTHERS | Operation.REMOVE_OPENER:
            return _STAFF
        case Operation.RENAME:
            return _rename(kind)
        case Operation.ADD | Operation.REMOVE:
            return _manage(kind)
        case Operation.CHANGE_ROLE:
            return _change_role(kind)
        case Operation.REMOVE_STAFF:
            return frozenset({Part.ADMIN})
        case Operation.GRANT_STAFF:
            return _NOBODY if kind is Kind.DIRECT else _OFFICE
        case Operation.LOCK:
            return _STAFF | {Part.MODERATOR}
        case Operation.SET_STATUS | Operation.POST_SYSTEM:
            return _SERVICES


TABLE: Mapping[Operation, Mapping[Kind, frozenset[Part]]] = {
    operation: {kind: _cell(operation, kind) for kind in Kind} for operation in Operation
}


def parts_of(thread: Thread, actor: Actor) -> frozenset[Part]:
    member = thread.members.get(actor.user)
    if member is None:
        return account_parts(actor)
    parts = {Part(member.role.value)}
    if actor.user == thread.opened_by and member.role not in (Role.SUPPORT, Role.ADMIN):
        parts.add(Part.OPENER)
    return account_parts(actor) | parts


def account_parts(actor: Actor) -> frozenset[Part]:
    parts: set[Part] = set()
    if actor.may(Scope.MODERATOR):
        parts.add(Part.MODERATOR)
    if actor.may(Scope.SERVICE):
        parts.add(Part.SERVICE)
    return frozenset(parts)


def may(thread: Thread, actor: Actor, operation: Operation) -> bool:
    return not TABLE[operation][thread.kind].isdisjoint(parts_of(thread, actor))


def may_as_member(thread: Thread, user: UserId, operation: Operation) -> bool:
    """For a user who acts only as a member of the thread."""
    return may(thread, Actor(user), operation)


def removal_of(thread: Thread, user: UserId) -> Operation:
    """The operation of removing this person."""
    member = thread.members.get(user)
    if member is not None and member.role in (Role.SUPPORT, Role.ADMIN):
        return Operation.REMOVE_STAFF
    return Operation.REMOVE_OPENER if user == thread.opened_by else Operation.REMOVE


CREATION: Mapping[Creation, Mapping[Kind, bool]] = {
    Creation.KIND: {kind: kind not in STAFF_KINDS for kind in Kind},
    Creation.BOUND: dict.fromkeys(Kind, False),
}
"""Whether every user may; moderators and services always may."""


def may_open(actor: Actor, kind: Kind, *, bound: bool) -> bool:
    if account_parts(actor):
        return True
    return CREATION[Creation.KIND][kind] and (not bound or CREATION[Creation.BOUND][kind])

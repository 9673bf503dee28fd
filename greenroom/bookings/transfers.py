"""A transfer: money that goes from one account of a leg to another. It is never changed.

What was wrong is corrected by a transfer back, which names the one that it corrects.
"""

from enum import StrEnum

import msgspec
from msgspec import Struct

from greenroom.bookings.chart import ROUTES, Account, Code
from greenroom.bookings.money import Money
from greenroom.ids import CardId, LegId, TransferId


class Kind(StrEnum):
    POSTED = "posted"
    PENDING = "pending"
    """Reserves the money until it is posted or voided, once."""
    POST_PENDING = "post_pending"
    """Moves all or a part of a pending transfer, and restores the rest."""
    VOID_PENDING = "void_pending"
    """Restores all of a pending transfer."""


class Cause(Struct, frozen=True):
    """The version of a card that moves the money, and when."""

    card: CardId
    version: int
    ms: int


class Transfer(Struct, frozen=True):
    id: TransferId
    leg: LegId
    debit: Account
    credit: Account
    money: Money
    """Above zero."""
    kind: Kind
    code: Code
    cause: Cause
    pending_id: TransferId | None = None
    """The pending transfer that is posted or voided."""
    correction_of: TransferId | None = None


def posted(id: TransferId, leg: LegId, code: Code, money: Money, cause: Cause) -> Transfer:
    route = ROUTES[code]
    return Transfer(id, leg, route.debit, route.credit, money, Kind.POSTED, code, cause)


def pending(id: TransferId, leg: LegId, code: Code, money: Money, cause: Cause) -> Transfer:
    made = posted(id, leg, code, money, cause)
    return msgspec.structs.replace(made, kind=Kind.PENDING)


def post_of(hold: Transfer, id: TransferId, money: Money, cause: Cause) -> Transfer:
    """Moves so much of a pending transfer."""
    return msgspec.structs.replace(
        hold, id=id, kind=Kind.POST_PENDING, money=money, cause=cause, pending_id=hold.id
    )


def void_of(hold: Transfer, id: TransferId, cause: Cause) -> Transfer:
    return msgspec.structs.replace(
        hold, id=id, kind=Kind.VOID_PENDING, cause=cause, pending_id=hold.id
    )


def correction_of(wrong: Transfer, id: TransferId, money: Money, cause: Cause) -> Transfer:
    """Moves so much of a transfer back."""
    return Transfer(
        id,
        wrong.leg,
        wrong.credit,
        wrong.debit,
        money,
        Kind.POSTED,
        wrong.code,
        cause,
        correction_of=wrong.id,
    )

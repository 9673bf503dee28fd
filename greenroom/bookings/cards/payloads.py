"""The contents of cards: what each type says, as clients send it and as it is kept.

Careful: a stored card is decoded with these types, so a field may be added with a default, and none
may be removed or narrowed.
"""

from datetime import datetime
from typing import Annotated, TypeAlias

from msgspec import Meta, Struct

from greenroom.bookings.money import Money
from greenroom.ids import FileId, UserId

Title: TypeAlias = Annotated[str, Meta(min_length=1, max_length=120)]
Note: TypeAlias = Annotated[str, Meta(max_length=2000)]
Reason: TypeAlias = Annotated[str, Meta(min_length=1, max_length=2000)]
Short: TypeAlias = Annotated[str, Meta(max_length=80)]
Instant: TypeAlias = Annotated[datetime, Meta(tz=True)]
Evidence: TypeAlias = Annotated[tuple[FileId, ...], Meta(max_length=10)]


class _Part(Struct, frozen=True, kw_only=True, rename="camel", forbid_unknown_fields=True):
    """A part of a card's content."""


class _Content(_Part, frozen=True, kw_only=True, tag_field="type"):
    """The content of a card. Its `type` is the card's."""


class LegTerms(_Part, frozen=True, kw_only=True):
    """One provider's job: who, what, where, when, for how much."""

    provider: UserId
    title: Title
    service: Short = ""
    place: Annotated[str, Meta(max_length=200)] = ""
    city: Short = ""
    category: Short = ""
    starts_at: Instant
    ends_at: Instant
    time_zone: Annotated[str, Meta(min_length=1, max_length=40)] = "UTC"
    price: Money
    deposit: Money | None = None


class Offer(_Content, frozen=True, kw_only=True, tag="offer"):
    legs: Annotated[tuple[LegTerms, ...], Meta(min_length=1, max_length=10)]
    note: Note = ""


class Reschedule(_Content, frozen=True, kw_only=True, tag="reschedule"):
    starts_at: Instant
    ends_at: Instant
    note: Note = ""


class Extra(_Part, frozen=True, kw_only=True):
    title: Title
    price: Money


class Extras(_Content, frozen=True, kw_only=True, tag="extras"):
    items: Annotated[tuple[Extra, ...], Meta(min_length=1, max_length=20)]
    note: Note = ""


class Overtime(_Content, frozen=True, kw_only=True, tag="overtime"):
    minutes: Annotated[int, Meta(ge=1, le=1440)]
    price: Money
    note: Note = ""


class Proofs(_Content, frozen=True, kw_only=True, tag="proofs"):
    title: Title
    files: Annotated[tuple[str, ...], Meta(max_length=50)] = ()
    """Files of the thread and manifests of deliverables."""
    note: Note = ""
    round: Annotated[int, Meta(ge=1)] = 1
    """Given by the server."""


class Expense(_Content, frozen=True, kw_only=True, tag="expense"):
    title: Title
    price: Money
    receipt: FileId | None = None
    note: Note = ""


class Cancel(_Content, frozen=True, kw_only=True, tag="cancel"):
    reason: Reason
    refund: Money | None = None
    """What the buyer gets back, where the two agree on it; without it the policy decides."""


class DepositClaim(_Content, frozen=True, kw_only=True, tag="deposit_claim"):
    amount: Money
    reason: Reason
    evidence: Evidence = ()


class Complete(_Content, frozen=True, kw_only=True, tag="complete"):
    note: Note = ""


class Dispute(_Content, frozen=True, kw_only=True, tag="dispute"):
    reason: Reason
    refund: Money | None = None
    """What the opener asks to be paid back."""
    claim: Money | None = None
    """What the opener asks for from the deposit."""
    evidence: Evidence = ()
    answer: Note = ""
    """The other side's account."""
    answer_evidence: Evidence = ()


class Safety(_Content, frozen=True, kw_only=True, tag="safety"):
    measures: Annotated[
        tuple[Annotated[str, Meta(min_length=1, max_length=300)], ...],
        Meta(min_length=1, max_length=10),
    ]
    note: Note = ""


Payload: TypeAlias = (
    Offer
    | Reschedule
    | Extras
    | Overtime
    | Proofs
    | Expense
    | Cancel
    | DepositClaim
    | Complete
    | Dispute
    | Safety
)


class Nothing(_Part, frozen=True, kw_only=True):
    """Of a transition that needs no more than its name."""


class Noted(_Part, frozen=True, kw_only=True):
    note: Note = ""


class Reasoned(_Part, frozen=True, kw_only=True):
    note: Reason


class Answer(_Part, frozen=True, kw_only=True):
    """The other side's account of a dispute."""

    answer: Reason
    evidence: Evidence = ()


class Ruling(_Part, frozen=True, kw_only=True):
    """A decision of staff: how the money that is held is divided."""

    refund: Money | None = None
    claim: Money | None = None
    note: Reason


Input: TypeAlias = Payload | Nothing | Noted | Reasoned | Answer | Ruling


def type_of(payload: Payload) -> str:
    return str(payload.__struct_config__.tag)

"""What operators can change about bookings: deadlines of cards, the fee, the rates of use."""

from typing import Annotated, ClassVar, TypeAlias

from msgspec import Meta, Struct

from greenroom.bookings.policy import RefundRules
from greenroom.policy import HOUR, MINUTE, Allowance, Limit, Section

_Hours: TypeAlias = Annotated[int, Meta(ge=1, le=24 * 90)]


class Cards(Section, frozen=True):
    """Action cards: how long each waits, and how much a thread may have."""

    section: ClassVar = "cards"
    offer_hours: Annotated[
        _Hours,
        Meta(
            description="Hours until an offer expires; it also expires when its first leg begins."
        ),
    ] = 72
    change_hours: Annotated[
        _Hours,
        Meta(
            description="Hours until a proposed change expires: reschedule, extras, overtime, "
            "cancel with an agreed refund, safety."
        ),
    ] = 48
    expense_hours: Annotated[_Hours, Meta(description="Hours until an expense expires.")] = 72
    proofs_hours: Annotated[
        _Hours, Meta(description="Hours after which proofs without an answer count as accepted.")
    ] = 168
    changes_hours: Annotated[
        _Hours, Meta(description="Hours that the provider has to deliver proofs again.")
    ] = 336
    complete_hours: Annotated[
        _Hours, Meta(description="Hours after which a completion without an answer takes effect.")
    ] = 72
    claim_hours: Annotated[
        _Hours, Meta(description="Hours until an unanswered deposit claim expires.")
    ] = 72
    dispute_hours: Annotated[
        _Hours, Meta(description="Hours that the other side of a dispute has to give its account.")
    ] = 72
    ruling_hours: Annotated[
        _Hours,
        Meta(description="Hours that staff have to decide a dispute, before it closes undecided."),
    ] = 720
    payment_minutes: Annotated[
        int,
        Meta(ge=1, le=10_080, description="Minutes that a payment may take before its card fails."),
    ] = 60
    remind_hours: Annotated[
        int,
        Meta(
            ge=0,
            le=240,
            description="Hours before a deadline at which those who have to answer are reminded; "
            "0 for never.",
        ),
    ] = 12
    open_cards: Annotated[
        int, Meta(ge=1, le=50, description="Cards of a booking that may be open at once.")
    ] = 20
    most_cards: Annotated[
        int, Meta(ge=10, le=500, description="Cards that a booking may have altogether.")
    ] = 200


class BookingRules(Section, frozen=True):
    """Bookings: the marketplace's fee, and deposits."""

    section: ClassVar = "bookings"
    seller_fee_basis_points: Annotated[
        int,
        Meta(
            ge=0,
            le=5000,
            description="The marketplace's fee in hundredths of a percent, taken from what the "
            "provider is paid.",
        ),
    ] = 0
    buyer_fee_basis_points: Annotated[
        int,
        Meta(
            ge=0,
            le=5000,
            description="The marketplace's service fee in hundredths of a percent of the price, "
            "paid by the buyer on top of it.",
        ),
    ] = 0
    complete_hours: Annotated[
        int,
        Meta(
            ge=1,
            le=24 * 365,
            description="Hours after the end of a leg at which it completes by itself, if nobody "
            "has completed, cancelled or disputed it and no card of it is open.",
        ),
    ] = 336
    deposit_hold_hours: Annotated[
        int,
        Meta(ge=1, le=160, description="Hours before a leg begins at which its deposit is held."),
    ] = 48
    deposit_claim_hours: Annotated[
        int,
        Meta(
            ge=1,
            le=24 * 60,
            description="Hours after a leg is completed until its deposit is released.",
        ),
    ] = 72
    most_days_ahead: Annotated[
        int, Meta(ge=1, le=3660, description="Days ahead for which a leg may be booked.")
    ] = 730


class DocumentRules(Section, frozen=True):
    """Contracts: what the parties of a booking sign."""

    section: ClassVar = "documents"
    contracts: Annotated[
        bool, Meta(description="Whether each booked leg has a contract that its two sides sign.")
    ] = True
    terms: Annotated[
        str,
        Meta(
            max_length=10_000,
            description="The marketplace's own terms, which every contract contains.",
        ),
    ] = ""
    consent: Annotated[
        str,
        Meta(
            min_length=1,
            max_length=1000,
            description="What a signer agrees to. The words are recorded with each signature.",
        ),
    ] = (
        "I have read this contract and agree to it. I sign it electronically, and know that this "
        "binds me like my signature on paper."
    )


CARDS = Limit("cards", Allowance(120, HOUR), "Proposing and answering action cards.")
DRY_RUNS = Limit("card_dry_runs", Allowance(600, HOUR), "Dry runs of action cards.")
SIGNING = Limit("signing", Allowance(60, HOUR), "Signing documents.")
DOCUMENT_FILES = Limit(
    "document_files",
    Allowance(120, HOUR),
    "Downloading documents, cards and receipts as PDF.",
)
VERIFYING = Limit(
    "verifying", Allowance(60, MINUTE), "Verifying a PDF, for each address: there is no user."
)
LIMITS = (CARDS, DRY_RUNS, SIGNING, DOCUMENT_FILES, VERIFYING)


class Rules(Struct, frozen=True):
    """The policy that decisions look at."""

    cards: Cards = Cards()
    bookings: BookingRules = BookingRules()
    refunds: RefundRules = RefundRules()
    takes_payments: bool = True
    """Whether there is a payment provider. Without one prices are what the two have agreed, and
    are settled elsewhere."""
    documents: DocumentRules = DocumentRules()

"""All card types, by name."""

from collections.abc import Mapping

from greenroom.bookings.cards.declaration import Declaration
from greenroom.bookings.cards.types.cancel import CANCEL
from greenroom.bookings.cards.types.complete import COMPLETE
from greenroom.bookings.cards.types.deposit_claim import DEPOSIT_CLAIM
from greenroom.bookings.cards.types.dispute import DISPUTE
from greenroom.bookings.cards.types.expense import EXPENSE
from greenroom.bookings.cards.types.extras import EXTRAS
from greenroom.bookings.cards.types.offer import OFFER
from greenroom.bookings.cards.types.overtime import OVERTIME
from greenroom.bookings.cards.types.proofs import PROOFS
from greenroom.bookings.cards.types.reschedule import RESCHEDULE
from greenroom.bookings.cards.types.safety import SAFETY
from greenroom.bookings.models import CardType

DECLARATIONS: Mapping[CardType, Declaration] = {
    one.kind: one
    for one in (
        OFFER,
        RESCHEDULE,
        EXTRAS,
        OVERTIME,
        PROOFS,
        EXPENSE,
        CANCEL,
        DEPOSIT_CLAIM,
        COMPLETE,
        DISPUTE,
        SAFETY,
    )
}

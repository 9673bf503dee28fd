"""Says what the PDF of a booking's receipts prints: what somebody paid, got back or was paid. Pure.

The entries are movements between the reader and the marketplace; those inside it are left out.
"""

from greenroom.bookings.chart import Account
from greenroom.bookings.models import Side
from greenroom.bookings.pdf.documents import Amount, Entry, Receipt
from greenroom.bookings.receipts import SeenBooking
from greenroom.bookings.transfers import Kind, Transfer

_MOST = 400
_MOVED = (Kind.POSTED, Kind.POST_PENDING)


def receipt_page_of(seen: SeenBooking, reader: str, now_ms: int) -> Receipt:
    """Amounts are the reader's: what they paid is positive for a buyer, what they got for a
    provider. Staff see what the buyer sees."""
    is_provider = seen.side is Side.SELLER
    own = Account.SELLER if is_provider else Account.BUYER
    moved = [one for one in seen.entries if one.transfer.kind in _MOVED]
    shown = [one for one in moved if own in (one.transfer.debit, one.transfer.credit)]
    return Receipt(
        booking_id=seen.booking.id,
        title=", ".join(dict.fromkeys(leg.title for leg in seen.legs))[:200],
        reader=reader,
        issued_ms=now_ms,
        zone=seen.legs[0].time_zone if seen.legs else "UTC",
        entries=tuple(
            Entry(
                entry_id=one.transfer.id,
                at_ms=one.transfer.cause.ms,
                text=one.title,
                amount=_amount(one.transfer, own, is_provider=is_provider),
            )
            for one in shown[-_MOST:]
        ),
    )


def _amount(transfer: Transfer, own: Account, *, is_provider: bool) -> Amount:
    positive = (transfer.credit is own) if is_provider else (transfer.debit is own)
    minor = transfer.money.minor
    return Amount(minor if positive else -minor, transfer.money.currency)

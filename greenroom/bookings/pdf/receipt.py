"""Says what a receipt prints: the transfers of one booking, and their sums. Pure."""

from greenroom.bookings.pdf.amounts import totals, written
from greenroom.bookings.pdf.canonical import Json
from greenroom.bookings.pdf.documents import Receipt
from greenroom.bookings.pdf.moments import day, moment


def receipt_page(receipt: Receipt, marketplace: str) -> dict[str, Json]:
    return {
        "kind": "Receipt",
        "marketplace": marketplace,
        "title": receipt.title,
        "reader": receipt.reader,
        "id": receipt.booking_id,
        "issued": day(receipt.issued_ms, receipt.zone),
        "entries": [
            {
                "id": one.entry_id,
                "at": moment(one.at_ms, receipt.zone),
                "text": one.text,
                "amount": written(one.amount, receipt.locale),
            }
            for one in receipt.entries
        ],
        "totals": [
            written(one, receipt.locale) for one in totals(one.amount for one in receipt.entries)
        ],
    }

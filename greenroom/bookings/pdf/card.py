"""Says what the page of an action card prints: its facts, and each step of its timeline. Pure."""

from greenroom.bookings.pdf.canonical import Json
from greenroom.bookings.pdf.documents import Card
from greenroom.bookings.pdf.moments import day, moment


def card_page(card: Card, marketplace: str) -> dict[str, Json]:
    return {
        "kind": card.kind,
        "marketplace": marketplace,
        "title": card.title,
        "state": card.state,
        "id": card.card_id,
        "version": str(card.version),
        "booking": card.booking_id,
        "issued": day(card.issued_ms, card.zone),
        "facts": [{"label": one.label, "value": one.value} for one in card.facts],
        "steps": [
            {
                "at": moment(one.at_ms, card.zone),
                "by": one.by,
                "action": one.action,
                "note": one.note,
            }
            for one in card.steps
        ],
    }

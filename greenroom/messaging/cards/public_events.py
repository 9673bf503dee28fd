"""The public events of cards, deposits, legs and documents, as their messages tell them."""

import msgspec
from msgspec import Struct

from greenroom.background.public_events import Event, EventKind
from greenroom.ids import CardId
from greenroom.messaging.models import Message, MessageKind

_CARD = ("cardId", "type", "state")
_LEG = ("legId",)
_DOCUMENT = ("documentId",)
KINDS = (
    EventKind("card.proposed", "A card was proposed.", ("cardId", "type")),
    EventKind("card.countered", "A card was answered with something else.", _CARD),
    EventKind(
        "card.accepted",
        "Somebody accepted a card. Its `state` is `accepted` while a payment is under way.",
        _CARD,
    ),
    EventKind("card.accepted_in_silence", "Nobody answered in time, which accepts it.", _CARD),
    EventKind("card.applied", "A card has been paid for, and took effect.", _CARD),
    EventKind("card.declined", "A card was declined.", _CARD),
    EventKind("card.withdrawn", "Its proposer withdrew a card.", _CARD),
    EventKind("card.expired", "Nobody answered a card in time.", _CARD),
    EventKind("card.failed", "A payment failed, so that a card changed nothing.", _CARD),
    EventKind("card.changes_asked", "The buyer asked for changes of proofs.", _CARD),
    EventKind("card.delivered", "The provider delivered proofs again.", _CARD),
    EventKind("card.answered", "The other side of a dispute gave its account.", _CARD),
    EventKind("card.escalated", "A dispute was passed to staff.", _CARD),
    EventKind("card.decided", "Staff decided a dispute.", _CARD),
    EventKind("card.closed", "A card ended, because its booking has changed.", _CARD),
    EventKind("card.reminded", "Those who have to answer a card were reminded.", _CARD),
    EventKind("deposit.held", "The deposit of a leg is held on the buyer's card.", _LEG),
    EventKind("deposit.captured", "It was charged, because the hold could not last.", _LEG),
    EventKind("deposit.failed", "The buyer's bank refused to hold it.", _LEG),
    EventKind("leg.completed", "A leg that nobody completed or disputed completed itself.", _LEG),
    EventKind("leg.closed", "The provider of a leg was paid, and its deposit released.", _LEG),
    EventKind("document.issued", "A document is ready to be signed.", _DOCUMENT),
    EventKind("document.signed", "Somebody signed a document.", _DOCUMENT),
    EventKind("document.voided", "A document no longer holds.", _DOCUMENT),
)
_FIELDS = {kind.name: len(kind.fields) for kind in KINDS}


class _Proposed(Struct):
    card_id: CardId = msgspec.field(name="cardId")
    type: str


_decode = msgspec.json.Decoder(_Proposed).decode


def proposed(message: Message) -> list[Event]:
    """The event of a card's first message; nothing for other messages."""
    if message.kind is not MessageKind.CARD or message.card is None:
        return []
    card = _decode(message.card)
    return [Event("card.proposed", message.sent_ms, message.author, (card.card_id, card.type))]


def told_by(message: Message) -> tuple[str, ...] | None:
    """What a system message says of a card, without whom it is for; None for other messages."""
    fields = _FIELDS.get(message.event or "")
    return None if fields is None else message.about[:fields]

"""The ids of the legs that an offer makes. Payments name them before the legs exist."""

from hashlib import blake2b

from greenroom.ids import CardId, LegId, as_letters


def leg_id_of(card: CardId, number: int) -> LegId:
    digest = blake2b(f"{card}/{number}".encode(), digest_size=16).digest()
    return LegId("leg_" + as_letters(digest))

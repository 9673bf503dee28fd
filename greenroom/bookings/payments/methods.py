"""Payment methods are opaque tokens of a provider. Card numbers are refused, so none is stored."""

import re
from typing import NewType

from msgspec import Struct

from greenroom.bookings.problems import InvalidPaymentMethod
from greenroom.ids import UserId

PaymentMethod = NewType("PaymentMethod", str)
"""Made by the provider's own form in the browser. It is of no use elsewhere."""

_TOKEN = re.compile(r"[A-Za-z0-9][A-Za-z0-9_:.-]{0,199}", re.ASCII)
_DIGITS = re.compile(r"(?<!\d)[2-6](?:[-.:_]?\d){11,18}(?!\d)")
"""As long as the number of a card, and with the first digit of one."""


class Payer(Struct, frozen=True):
    """Who pays, and with what."""

    user: UserId
    method: PaymentMethod


def payment_method(text: str) -> PaymentMethod:
    """Refuses what is no token, and above all what could be the number of a card."""
    if not _TOKEN.fullmatch(text) or any(map(_is_card_number, _DIGITS.findall(text))):
        raise InvalidPaymentMethod
    return PaymentMethod(text)


def _is_card_number(text: str) -> bool:
    """Whether the check digit is right (Luhn)."""
    digits = [int(one) for one in reversed(text) if one.isdigit()]
    doubled = (sum(divmod(2 * one, 10)) for one in digits[1::2])
    return (sum(digits[::2]) + sum(doubled)) % 10 == 0

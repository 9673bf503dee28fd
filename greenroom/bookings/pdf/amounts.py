"""Writes money for a reader, from whole minor units: `1,250.00 EUR`, `1.250,00 EUR`. Pure.

The currency is its ISO 4217 code, never a sign: "$" is the money of twenty countries.
"""

import re
from collections.abc import Iterable
from typing import Final, TypeVar

from greenroom.bookings.pdf.documents import Amount

V = TypeVar("V")


def _each(names: str, value: V) -> dict[str, V]:
    return dict.fromkeys(names.split(), value)


_NARROW: Final = "\u202f"
_BLANK: Final = "\u00a0"
_EXPONENTS: Final = {
    **_each("BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF", 0),
    **_each("BHD IQD JOD KWD LYD OMR TND", 3),
    **_each("CLF UYW", 4),
}
"""ISO 4217; all others have two decimals."""
_MARKS: Final = {
    **_each("en he hi ja ko th zh", (",", ".")),
    **_each("da de el es hr id it nl pt ro sl sr tr vi", (".", ",")),
    **_each("bg cs et fi fr hu lt lv nb no pl ru sk sv uk", (_NARROW, ",")),
    **dict.fromkeys(("de-ch", "de-li", "it-ch"), ("\u2019", ".")),
    **dict.fromkeys(("de-at", "fr-ch", "pt-pt"), (_NARROW, ",")),
    **dict.fromkeys(("es-mx", "es-us", "es-pr"), (",", ".")),
    "en-za": (_NARROW, ","),
}
"""Between thousands, and before the decimals."""
_NEITHER: Final = (_NARROW, ".")
"""Of ISO 80000: what is read the same everywhere."""
_CODE: Final = re.compile(r"[A-Z]{3}")


def decimals(currency: str) -> int:
    if _CODE.fullmatch(currency) is None:
        raise ValueError(f"not an ISO 4217 code: {currency!r}")
    return _EXPONENTS.get(currency, 2)


def written(amount: Amount, locale: str = "en") -> str:
    thousands, point = marks(locale)
    places = decimals(amount.currency)
    whole, rest = divmod(abs(amount.minor), 10**places)
    number = f"{whole:,}".replace(",", thousands)
    if places:
        number += f"{point}{rest:0{places}}"
    sign = "\u2212" if amount.minor < 0 else ""
    return f"{sign}{number}{_BLANK}{amount.currency}"


def marks(locale: str) -> tuple[str, str]:
    """Of the language with its country, else of the language."""
    name = locale.replace("_", "-").lower()
    return _MARKS.get(name) or _MARKS.get(name.partition("-")[0], _NEITHER)


def totals(amounts: Iterable[Amount]) -> tuple[Amount, ...]:
    """One for each currency, in the order in which they appear."""
    sums: dict[str, int] = {}
    for amount in amounts:
        sums[amount.currency] = sums.get(amount.currency, 0) + amount.minor
    return tuple(Amount(minor, currency) for currency, minor in sums.items())

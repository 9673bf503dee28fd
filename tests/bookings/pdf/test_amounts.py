"""Tests of how money is written."""

import pytest
from hypothesis import given, strategies as st

from greenroom.bookings.pdf.amounts import decimals, marks, totals, written
from greenroom.bookings.pdf.documents import Amount


@pytest.mark.parametrize(
    ("minor", "currency", "locale", "text"),
    [
        (125_000, "EUR", "en", "1,250.00 EUR"),
        (125_000, "EUR", "de", "1.250,00 EUR"),
        (125_000, "EUR", "fr-FR", "1\u202f250,00 EUR"),
        (125_000, "CHF", "de_CH", "1\u2019250.00 CHF"),
        (1_234_567, "JPY", "ja", "1,234,567 JPY"),
        (1_234_567, "KWD", "en", "1,234.567 KWD"),
        (5, "EUR", "en", "0.05 EUR"),
        (0, "JPY", "en", "0 JPY"),
        (-5, "USD", "en", "\u22120.05 USD"),
        (10**18, "EUR", "xx", "10\u202f000\u202f000\u202f000\u202f000\u202f000.00 EUR"),
    ],
)
def test_amounts_are_written_as_the_reader_expects(
    minor: int, currency: str, locale: str, text: str
) -> None:
    assert written(Amount(minor, currency), locale) == text.replace(" ", "\u00a0")


@pytest.mark.parametrize("currency", ["", "eur", "EURO", "E\u0421R", "EUR\n"])
def test_what_is_no_currency_is_refused(currency: str) -> None:
    with pytest.raises(ValueError, match="ISO 4217"):
        decimals(currency)


@given(
    st.integers(-(10**18), 10**18),
    st.sampled_from(["JPY", "EUR", "KWD", "CLF"]),
    st.sampled_from(["en", "de", "fr", "de-CH", "pl", "xx", ""]),
)
def test_no_amount_is_written_as_another(minor: int, currency: str, locale: str) -> None:
    thousands, point = marks(locale)
    number, code = written(Amount(minor, currency), locale).split("\u00a0")
    digits = number.replace(thousands, "").replace(point, "").replace("\u2212", "-")
    assert (int(digits), code) == (minor, currency)


def test_totals_never_add_two_currencies() -> None:
    amounts = (Amount(5, "EUR"), Amount(7, "JPY"), Amount(-2, "EUR"))
    assert totals(amounts) == (Amount(3, "EUR"), Amount(7, "JPY"))

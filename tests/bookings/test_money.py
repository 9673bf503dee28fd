"""Amounts: what is refused, how they round, and that no minor unit is lost."""

import re
from collections.abc import Callable
from fractions import Fraction
from typing import Any, cast

import msgspec
import pytest
from hypothesis import given, strategies as st

from greenroom.bookings.currencies import DECIMALS
from greenroom.bookings.money import MOST_MINOR, Money, total, zero
from greenroom.bookings.problems import CurrencyMismatch, InvalidMoney, UnknownCurrency

EUR, YEN = Money(1250, "EUR"), Money(1250, "JPY")
amounts = st.builds(Money, st.integers(0, MOST_MINOR), st.just("EUR"))


@pytest.mark.parametrize("minor", [-1, MOST_MINOR + 1, 1.0, True, "5", None])
def test_only_whole_amounts_in_bounds_are_money(minor: Any) -> None:
    with pytest.raises(InvalidMoney, match="from 0 to 1000000000000"):
        Money(minor, "EUR")


@pytest.mark.parametrize("currency", ["", "eur", "EURO", "XXX", "XAU", "BGN", "ANG", "€"])
def test_a_currency_that_is_not_in_use_is_refused(currency: str) -> None:
    with pytest.raises(UnknownCurrency, match="ISO 4217"):
        Money(1, currency)


@pytest.mark.parametrize(
    "content", ['{"minor":-1,"currency":"EUR"}', '{"minor":1.5,"currency":"EUR"}']
)
def test_a_request_with_an_invalid_amount_is_refused(content: str) -> None:
    with pytest.raises(msgspec.ValidationError):
        msgspec.json.decode(content, type=Money)


def test_a_request_with_an_unknown_currency_is_refused() -> None:
    with pytest.raises(UnknownCurrency):
        msgspec.json.decode('{"minor":1,"currency":"ABC"}', type=Money)
    assert msgspec.json.decode('{"minor":1,"currency":"EUR"}', type=Money) == Money(1, "EUR")


@pytest.mark.parametrize(
    "combine",
    [
        lambda one, other: one + other,
        lambda one, other: one - other,
        lambda one, other: one < other,
        lambda one, other: one <= other,
        lambda one, other: one > other,
        lambda one, other: one >= other,
        lambda one, other: total([one, other], one.currency),
    ],
)
def test_currencies_are_never_mixed(combine: Callable[[Money, Money], object]) -> None:
    combine(EUR, EUR)
    with pytest.raises(CurrencyMismatch, match="JPY cannot be combined with one in EUR"):
        combine(EUR, YEN)
    assert EUR != YEN


@pytest.mark.parametrize(
    "make",
    [
        lambda: EUR - Money(1251, "EUR"),
        lambda: Money(MOST_MINOR, "EUR") + Money(1, "EUR"),
        lambda: EUR * MOST_MINOR,
        lambda: EUR * -1,
        lambda: EUR * cast(Any, 1.5),
        lambda: EUR.percent(-1),
        lambda: EUR.percent(100_001),
        lambda: EUR.percent(True),
        lambda: EUR.split(),
        lambda: EUR.split(0, 0),
        lambda: EUR.split(1, -1),
        lambda: EUR.split(*[1] * 1001),
    ],
)
def test_arithmetic_never_leaves_the_bounds(make: Callable[[], object]) -> None:
    with pytest.raises(InvalidMoney):
        make()


@pytest.mark.parametrize(
    ("minor", "basis_points", "rounded"),
    [(21, 5000, 11), (23, 5000, 12), (1, 4999, 0), (1, 5000, 1), (333, 3333, 111), (7, 10_000, 7)],
)
def test_a_percentage_rounds_half_up(minor: int, basis_points: int, rounded: int) -> None:
    assert Money(minor, "EUR").percent(basis_points) == Money(rounded, "EUR")


@given(amounts, st.integers(0, 10_000))
def test_a_percentage_is_off_by_half_a_minor_unit_at_most(money: Money, share: int) -> None:
    exact = Fraction(money.minor * share, 10_000)
    assert -Fraction(1, 2) < money.percent(share).minor - exact <= Fraction(1, 2)
    assert money.percent(share) <= money


@given(amounts, st.lists(st.integers(0, 10**6), min_size=1, max_size=20).filter(any))
def test_a_split_loses_nothing_and_is_fair(money: Money, weights: list[int]) -> None:
    parts = money.split(*weights)
    assert total(parts, "EUR") == money
    for part, weight in zip(parts, weights, strict=True):
        assert abs(part.minor - Fraction(money.minor * weight, sum(weights))) < 1


def test_what_does_not_divide_goes_to_the_first_parts() -> None:
    assert [part.minor for part in Money(1000, "EUR").split(1, 1, 1)] == [334, 333, 333]
    assert [part.minor for part in Money(2, "EUR").split(1, 1, 1)] == [1, 1, 0]
    assert [part.minor for part in Money(3, "EUR").split(0, 5)] == [0, 3]


def test_amounts_in_words_have_the_decimals_of_their_currency() -> None:
    assert str(EUR) == "12.50 EUR"
    assert str(YEN) == "1250 JPY"
    assert str(Money(5, "KWD")) == "0.005 KWD"


def test_every_currency_has_its_decimals() -> None:
    assert all(re.fullmatch("[A-Z]{3}", code) for code in DECIMALS)
    assert [DECIMALS[code] for code in ("EUR", "JPY", "KWD")] == [2, 0, 3]
    assert not zero("JPY")

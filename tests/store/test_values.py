"""Sizes of values, and refused values, without an engine.

Sizes follow DynamoDB: text and bytes by length, a number by its pairs of digits, 3 for a list or
map and 1 for each element, names as text.
"""

from collections.abc import Mapping
from decimal import Decimal
from enum import StrEnum
from types import MappingProxyType

import pytest

from greenroom.store.problems import InvalidItem
from greenroom.store.values import Value, canonical, item_size, number, value_size
from tests.contracts.tables import exact, label


@pytest.mark.parametrize(
    ("value", "weight"),
    [
        ("", 0),
        ("abc", 3),
        ("é", 2),
        ("😀", 4),
        (b"abc", 3),
        (True, 1),
        (False, 1),
        (None, 1),
        (0, 1),
        (1, 2),
        (12, 2),
        (123, 3),
        (-1, 3),
        (100, 2),
        (1000, 2),
        (10**37, 2),
        (10**38 - 1, 20),
        (Decimal("0.1"), 2),
        (Decimal("1.5"), 3),
        (Decimal("3.1415926535897932384626433832795028841"), 21),
        (Decimal("0.0"), 1),
        ([], 3),
        ({}, 3),
        (["a", "b"], 3 + 2 * (1 + 1)),
        ({"key": "value"}, 3 + 1 + 3 + 5),
        ([[[]]], 3 + 1 + 3 + 1 + 3),
        (frozenset({"ab", "c"}), 3),
        (frozenset({1, 22}), 4),
    ],
    ids=label,
)
def test_the_size_of_a_value_follows_dynamodbs_rules(value: Value, weight: int) -> None:
    assert value_size("v", value) == weight


def test_the_size_of_an_item_includes_names_and_values() -> None:
    assert item_size({"pk": "abc", "sk": "d", "ü": True}) == 2 + 3 + 2 + 1 + 2 + 1


@pytest.mark.parametrize(
    "same",
    [(1, Decimal("1.0")), (10**20, Decimal("1E20")), (Decimal("1.5"), Decimal("1.500"))],
)
def test_equal_numbers_have_equal_sizes(same: tuple[Value, Value]) -> None:
    assert value_size("v", same[0]) == value_size("v", same[1])


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (Decimal("1.0"), 1),
        (Decimal("1E+30"), 10**30),
        (Decimal("-0.0"), 0),
        (Decimal("2.50"), Decimal("2.5")),
        (
            Decimal("1.2345678901234567890123456789012345678"),
            Decimal("1.2345678901234567890123456789012345678"),
        ),
        (Decimal("1E-130"), Decimal("1E-130")),
    ],
)
def test_a_number_has_one_form_and_loses_no_digit(given: Decimal, expected: int | Decimal) -> None:
    assert exact(number(given)) == exact(expected)


class Colour(StrEnum):
    RED = "red"


class Named(str):
    __slots__ = ()


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (Colour.RED, "red"),
        (Named("x"), "x"),
        ((1, (2,)), [1, [2]]),
        ({"a"}, frozenset({"a"})),
        (MappingProxyType({"a": {1}}), {"a": frozenset({1})}),
    ],
    ids=label,
)
def test_a_value_has_one_form(given: Value, expected: Value) -> None:
    found = canonical(given)
    assert exact(found) == exact(expected)
    assert type(found) is type(expected)


@pytest.mark.parametrize("value", [1.0, float("inf"), [1.0], {"a": [{"b": 1.0}]}], ids=label)
def test_a_float_is_refused_by_name_wherever_it_is(value: Value) -> None:
    with pytest.raises(InvalidItem) as refusal:
        item_size({"pk": "p", "price": value})
    assert str(refusal.value) == (
        "Attribute 'price' cannot be stored: a float cannot be stored exactly; use int or Decimal."
    )
    assert refusal.value.code == "invalid-item"


def test_the_item_that_was_given_is_not_kept() -> None:
    inner: dict[str, Value] = {"list": [1]}
    found = canonical(inner)
    inner["list"] = "changed"
    assert isinstance(found, Mapping)
    assert found == {"list": [1]}

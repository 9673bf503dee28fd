"""Conditions and updates evaluated in memory, without an engine.

The contract tests compare them with DynamoDB. Here: they do not change their input, and they name
what does not fit.
"""

from decimal import Decimal

import pytest

from greenroom.store.evaluate import apply_actions, holds, same
from greenroom.store.expressions import Action, And, F, Or
from greenroom.store.problems import InvalidUpdate
from greenroom.store.values import Item, Value
from tests.contracts.tables import exact, label


def test_an_update_leaves_the_old_item_as_it_was() -> None:
    old: Item = {"n": 1, "list": [1], "words": frozenset({"a"}), "map": {"k": {"n": 1}}, "x": 1}
    before = repr(old)
    new = apply_actions(
        (
            F("n").add(1),
            F("list").append(2),
            F("words").add({"b"}),
            F("map", "k", "n").set(2),
            F("x").remove(),
        ),
        old,
    )
    assert repr(old) == before
    assert new == {
        "n": 2,
        "list": [1, 2],
        "words": {"a", "b"},
        "map": {"k": {"n": 2}},
    }


@pytest.mark.parametrize(
    ("action", "reason"),
    [
        (F("map", "k", "n", "x").set(1), "map.k.n.x leads through n, which is not a map"),
        (F("text").add(1), "text is not a number"),
        (F("text").append(1), "text is not a list"),
        (F("n").discard({1}), "n is not a set of the type that is discarded"),
        (F("words").add({1}), "words is not a set of the type that is added"),
    ],
    ids=label,
)
def test_an_action_that_does_not_fit_says_why(action: Action, reason: str) -> None:
    item: Item = {"n": 1, "text": "t", "words": frozenset({"a"}), "map": {"k": {"n": 1}}}
    with pytest.raises(InvalidUpdate) as refusal:
        apply_actions((action,), item)
    assert str(refusal.value) == f"The update does not fit the current item: {reason}."


@pytest.mark.parametrize(
    ("one", "other", "equal"),
    [
        (1, Decimal("1.0"), True),
        (1, True, False),
        (0, False, False),
        ("1", 1, False),
        ("a", b"a", False),
        ([1, True], [1, True], True),
        ([1, 1], [1, True], False),
        ({"a": 1}, {"a": True}, False),
        ({"a": 1}, {"a": 1, "b": 2}, False),
        (frozenset({1, 2}), {Decimal("2.0"), 1}, True),
        (frozenset({"a"}), ["a"], False),
        ((1, 2), [1, 2], True),
        (None, False, False),
        (None, None, True),
    ],
    ids=label,
)
def test_values_are_the_same_when_their_types_are(one: Value, other: Value, equal: bool) -> None:
    assert same(one, other) is equal
    assert same(other, one) is equal


def test_a_condition_on_no_item_is_a_condition_on_an_empty_one() -> None:
    for condition in (F("a").absent(), F("a").differs(1), ~F("a").exists(), ~F("a").equals(1)):
        assert holds(condition, None)
        assert holds(condition, {})


def test_an_empty_all_holds_and_an_empty_any_does_not() -> None:
    assert holds(And(()), None)
    assert not holds(Or(()), None)


def test_sums_are_exact_where_a_float_would_not_be() -> None:
    item: Item = {"n": Decimal("0.1")}
    assert exact(apply_actions((F("n").add(Decimal("0.2")),), item)) == exact({"n": Decimal("0.3")})
    big: Item = {"n": 10**37}
    assert exact(apply_actions((F("n").add(Decimal("-0.9")),), big)) == exact(
        {"n": Decimal("9999999999999999999999999999999999999.1")}
    )

"""Unusual input: enums as values, expressions of megabytes, names that are not text.

Both engines accept it alike, or refuse it alike before anything is written.
"""

from collections.abc import Callable
from decimal import Decimal
from enum import Enum, StrEnum
from functools import reduce
from operator import and_

import pytest

from greenroom.store.base import Key, Put, Store, Update
from greenroom.store.expressions import Action, And, Condition, F, Not, Or
from greenroom.store.problems import (
    InvalidExpression,
    InvalidItem,
    InvalidTransaction,
    ItemTooLarge,
)
from greenroom.store.values import Value
from tests.contracts.tables import NOTES, at, exact, note

MEGABYTES = 3_000_000


class Colour(StrEnum):
    RED = "red"


class Count(int, Enum):
    FIVE = 5


async def test_enums_are_stored_as_their_values(store: Store) -> None:
    await store.write(Put(NOTES, note(colour=Colour.RED, n=Count.FIVE, all=[Count.FIVE])))
    found = await store.get(NOTES, at(), consistent=True)
    assert exact(found) == exact(note(colour="red", n=5, all=[5]))


@pytest.mark.parametrize(
    "condition",
    [
        F("text").contains(Colour.RED),
        F("text").begins_with(Colour.RED),
        F("words").contains(Colour.RED),
        F("n").equals(Count.FIVE),
        F("n").at_most(Count.FIVE),
        F("numbers").contains(Count.FIVE),
    ],
    ids=["contains", "begins with", "member", "equals", "at most", "number"],
)
async def test_an_enum_in_a_condition_is_its_value(store: Store, condition: Condition) -> None:
    item = note(text="reddish", words=["red"], n=5, numbers={5})
    await store.write(Put(NOTES, item))
    await store.write(Put(NOTES, item, condition))


@pytest.mark.parametrize("size", [500_000, 1_500_000, MEGABYTES, 20_000_000])
async def test_an_update_that_brings_too_much_is_refused(store: Store, size: int) -> None:
    update = Update(NOTES, at(), (F("body").set("x" * size),))
    with pytest.raises(ItemTooLarge):
        await store.write(update)
    with pytest.raises(ItemTooLarge):
        await store.write(update, Put(NOTES, note(sk="other")))
    assert (await store.query(NOTES, "p", limit=1, consistent=True)).items == ()


async def test_the_updates_of_a_transaction_bring_at_most_4_mb(store: Store) -> None:
    ops = [Update(NOTES, at(sk=f"{n:02}"), (F("body").set("x" * 390_000),)) for n in range(12)]
    with pytest.raises(InvalidTransaction, match="bytes"):
        await store.write(*ops)
    assert (await store.query(NOTES, "p", limit=1, consistent=True)).items == ()
    await store.write(*ops[:10])


def _negated(times: int) -> Condition:
    condition: Condition = F("no").absent()
    for _ in range(times):
        condition = Not(condition)
    return condition


@pytest.mark.parametrize(
    "make",
    [
        lambda: F("body").differs("x" * MEGABYTES),
        lambda: F("body").is_in(*("x" * 100_000 for _ in range(30))),
        lambda: _negated(2000),
        lambda: _negated(400),
        lambda: Or((And(()),) * 400),
        lambda: reduce(and_, [F("no").absent()] * 2000),
    ],
    ids=["value", "values", "not 2000 times", "not 400 times", "nothing 400 times", "a long chain"],
)
async def test_a_condition_without_measure_is_refused(
    store: Store, make: Callable[[], Condition]
) -> None:
    with pytest.raises(InvalidExpression):
        await store.write(Put(NOTES, note(), make()))
    assert await store.get(NOTES, at(), consistent=True) is None


async def test_values_at_the_limits_are_accepted(store: Store) -> None:
    body = "x" * 390_000
    condition = _negated(200) & F("body").differs(body) & Or((And(()),) * 10)
    await store.write(Update(NOTES, at(), (F("body").set(body),), condition))
    assert (await store.get(NOTES, at(), consistent=True) or {})["body"] == body


@pytest.mark.parametrize("name", ["x" * 256, "é" * 128, "x" * 70_000, "\ud800"])
async def test_a_name_that_no_attribute_has_is_refused_in_a_path(store: Store, name: str) -> None:
    await store.write(Put(NOTES, note(map={"a": 1})))
    actions: list[Action] = [F(name).set(1), F(name).remove(), F("map", name).set(1)]
    for action in actions:
        with pytest.raises(InvalidItem):
            await store.write(Update(NOTES, at(), (action,)))
    with pytest.raises(InvalidItem):
        await store.write(Put(NOTES, note(), F(name).absent()))
    assert await store.get(NOTES, at(), consistent=True) == note(map={"a": 1})


async def test_a_token_that_is_not_valid_unicode_is_refused(store: Store) -> None:
    with pytest.raises(InvalidTransaction, match="Unicode"):
        await store.write(Put(NOTES, note()), token="\ud800")
    assert await store.get(NOTES, Key("p", "s"), consistent=True) is None


async def test_a_repeat_may_have_another_form(store: Store, token: str) -> None:
    first: Value = {"a": Decimal("1.0"), "b": [1, {"c", "d"}]}
    other: Value = {"b": (1, frozenset({"d", "c"})), "a": 1}
    for value in (first, other):
        await store.write(
            Put(NOTES, note(value=value)),
            Update(NOTES, at(sk="u"), (F("n").add(1), F("value").set(value))),
            token=token,
        )
    assert (await store.get(NOTES, at(sk="u"), consistent=True) or {})["n"] == 1

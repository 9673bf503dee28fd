"""Every condition, on values of every type and on missing attributes, on both engines.

Most rows follow one rule: a comparison with a missing attribute or one of another type does not
hold, and neither does its opposite; only `<>` and Not hold.
"""

from decimal import Decimal

import pytest

from greenroom.store.base import Check, Delete, Key, Put, Store, Update
from greenroom.store.expressions import And, Condition, F, Not, Or
from greenroom.store.problems import ConditionFailed, InvalidExpression, InvalidItem
from greenroom.store.values import Value
from tests.contracts.tables import NOTES, at, exact, label, note

ITEM = note(
    text="beta",
    n=5,
    d=Decimal("2.5"),
    yes=True,
    nothing=None,
    raw=b"\x01\x02",
    list=["a", 1, True, None],
    map={"inner": {"n": 7}, "text": "deep"},
    words={"a", "b"},
    numbers={1, 2},
    blobs={b"a"},
    empty="",
    wide="é😀",
)

HOLDS: list[Condition] = [
    F("text").exists(),
    F("nothing").exists(),
    F("map", "inner", "n").exists(),
    F("no").absent(),
    F("map", "no").absent(),
    F("no", "deeper").absent(),
    F("text", "deeper").absent(),
    F("list", "deeper").absent(),
    F("text").equals("beta"),
    F("n").equals(5),
    F("n").equals(Decimal("5.00")),
    F("yes").equals(True),
    F("nothing").equals(None),
    F("raw").equals(b"\x01\x02"),
    F("list").equals(["a", 1, True, None]),
    F("map").equals({"text": "deep", "inner": {"n": Decimal(7)}}),
    F("words").equals({"b", "a"}),
    F("numbers").equals({Decimal("2.0"), 1}),
    F("empty").equals(""),
    F("text").differs("alpha"),
    F("no").differs("anything"),
    F("n").differs("5"),
    F("yes").differs(1),
    F("text").less_than("betb"),
    F("text").less_than("é"),
    F("text").at_most("beta"),
    F("text").more_than("bet"),
    F("text").at_least("beta"),
    F("n").less_than(Decimal("5.1")),
    F("n").more_than(-6),
    F("n").less_than(10),
    F("d").at_most(Decimal("2.5")),
    F("raw").more_than(b"\x01"),
    F("raw").less_than(b"\xff"),
    F("text").between("beta", "beta"),
    F("n").between(5, Decimal("5.5")),
    F("raw").between(b"", b"\x02"),
    F("text").begins_with("be"),
    F("text").begins_with(""),
    F("raw").begins_with(b"\x01"),
    F("text").contains("et"),
    F("raw").contains(b"\x02"),
    F("list").contains(1),
    F("list").contains("a"),
    F("words").contains("b"),
    F("numbers").contains(Decimal("2.0")),
    F("blobs").contains(b"a"),
    F("text").is_in("alpha", "beta"),
    F("n").is_in("5", True, Decimal("5")),
    F("map", "text").is_in("deep"),
    F("text").size().equals(4),
    F("raw").size().less_than(3),
    F("list").size().at_least(4),
    F("map").size().equals(2),
    F("words").size().more_than(1),
    F("empty").size().equals(0),
    F("wide").size().equals(3),
    F("text").size().differs(5),
    F("text").size().between(4, 6),
    F("list").size().between(0, 9),
    F("text").size().is_in(1, 4),
    F("no").size().differs(4),
    F("n").size().differs(4),
    F("map", "inner", "n").at_least(7),
    F("text").equals("beta") & F("n").equals(5),
    F("text").equals("no") | F("n").equals(5),
    ~F("text").equals("no"),
    ~F("no").equals("x"),
    ~F("no").less_than(1),
    ~(F("text").exists() & F("no").exists()),
    And((F("text").exists(), F("n").exists(), F("d").exists())),
    Or((F("no").exists(), F("nope").exists(), F("d").exists())),
    Not(Not(F("text").exists())),
    And((F("text").exists(),)),
    Or((F("text").exists(),)),
    F("text").equals("no") | (F("n").equals(5) & ~F("d").equals(5)),
]

FAILS: list[Condition] = [
    F("no").exists(),
    F("map", "no").exists(),
    F("text", "deeper").exists(),
    F("text").absent(),
    F("nothing").absent(),
    F("no").equals("x"),
    F("no").equals(None),
    F("n").equals("5"),
    F("n").equals(True),
    F("yes").equals(1),
    F("yes").equals("true"),
    F("text").equals(b"beta"),
    F("list").equals(["a", 1, True]),
    F("list").equals([1, "a", True, None]),
    F("list").equals(["a", 1, 1, None]),
    F("map").equals({"text": "deep"}),
    F("words").equals(["a", "b"]),
    F("numbers").equals({"1", "2"}),
    F("text").differs("beta"),
    F("n").differs(Decimal("5.0")),
    F("text").less_than("beta"),
    F("text").more_than(5),
    F("text").less_than(5),
    F("n").less_than("9"),
    F("n").more_than("1"),
    F("yes").less_than(2),
    F("no").less_than(1),
    F("no").at_least(1),
    F("n").between(6, 7),
    F("n").between("1", "9"),
    F("no").between(1, 2),
    F("text").begins_with("eta"),
    F("text").begins_with(b"be"),
    F("n").begins_with("5"),
    F("words").begins_with("a"),
    F("no").begins_with(""),
    F("text").contains("ab"),
    F("n").contains(5),
    F("list").contains("b"),
    F("words").contains(1),
    F("numbers").contains("1"),
    F("map").contains("text"),
    F("no").contains("x"),
    F("text").is_in("alpha"),
    F("no").is_in("alpha"),
    F("text").size().equals(5),
    F("no").size().less_than(9),
    F("text").size().differs(4),
    F("text").size().between(5, 6),
    F("no").size().between(0, 6),
    F("n").size().between(0, 6),
    F("text").size().is_in(1, 5),
    F("no").size().is_in(0),
    F("n").size().less_than(9),
    F("yes").size().less_than(9),
    F("text").exists() & F("no").exists(),
    F("no").exists() | F("text").equals("x"),
    ~F("text").exists(),
]


@pytest.mark.parametrize("condition", HOLDS, ids=label)
async def test_a_condition_that_holds_lets_the_write_through(
    store: Store, condition: Condition
) -> None:
    await store.write(Put(NOTES, ITEM))
    await store.write(Update(NOTES, at(), (F("mark").set(1),), condition))
    assert await store.get(NOTES, at(), consistent=True) == {**ITEM, "mark": 1}


@pytest.mark.parametrize("condition", FAILS, ids=label)
async def test_a_condition_that_does_not_hold_refuses_the_write(
    store: Store, condition: Condition
) -> None:
    await store.write(Put(NOTES, ITEM))
    op = Update(NOTES, at(), (F("mark").set(1),), condition)
    with pytest.raises(ConditionFailed) as refusal:
        await store.write(op)
    assert refusal.value.op is op
    assert exact(refusal.value.item) == exact(ITEM)
    assert await store.get(NOTES, at(), consistent=True) == ITEM


@pytest.mark.parametrize(
    "condition",
    [F("pk").absent(), ~F("pk").exists(), F("n").differs(1), F("a").absent() & F("b").absent()],
    ids=label,
)
async def test_an_absent_item_has_no_attributes(store: Store, condition: Condition) -> None:
    await store.write(Put(NOTES, note(n=1), condition))
    with pytest.raises(ConditionFailed):
        await store.write(Put(NOTES, note(n=1), condition & F("pk").absent()))


async def test_a_refusal_without_an_item_has_none(store: Store) -> None:
    for op in (
        Put(NOTES, note(), F("n").equals(1)),
        Update(NOTES, at(), (F("n").set(1),), F("pk").exists()),
        Delete(NOTES, at(), F("pk").exists()),
    ):
        with pytest.raises(ConditionFailed) as refusal:
            await store.write(op)
        assert refusal.value.op is op
        assert refusal.value.item is None
    assert await store.get(NOTES, at(), consistent=True) is None


async def test_the_refusal_names_the_op_and_its_item(store: Store) -> None:
    await store.write(Put(NOTES, note()))
    with pytest.raises(ConditionFailed, match=r"Put into Notes of p / s was refused"):
        await store.write(Put(NOTES, note(), F("pk").absent()))


async def test_the_conditions_of_put_and_delete_see_the_previous_item(store: Store) -> None:
    await store.write(Put(NOTES, note(v=1)))
    await store.write(Put(NOTES, note(v=2), F("v").equals(1)))
    with pytest.raises(ConditionFailed) as refusal:
        await store.write(Delete(NOTES, at(), F("v").equals(1)))
    assert refusal.value.item == note(v=2)
    await store.write(Delete(NOTES, at(), F("v").equals(2)))
    assert await store.get(NOTES, at(), consistent=True) is None


BAD_EXPRESSIONS: list[Condition] = [
    F("a").less_than(True),
    F("a").at_least(None),
    F("a").more_than([1]),
    F("a").between(1, "x"),
    F("a").between(2, 1),
    F("a").between("b", "a"),
    F("a").between(None, None),
    F("a").begins_with(5),  # type: ignore[arg-type]
    F("a").contains([1]),
    F("a").contains(None),
    F("a").is_in(),
    F("a").is_in(*range(100)),
    F("a").size().is_in(*range(100)),
    F("a").size().between(2, 1),
    F("pk", "inside").exists(),
    F("owner", "inside").equals(1),
    ~F("tag", "inside").size().equals(1),
    F().exists(),
    F("a", "").exists(),
    F("a", *["b"] * 32).exists(),
    ~F("a").less_than(False) & F("b").exists(),
]


@pytest.mark.parametrize("condition", BAD_EXPRESSIONS, ids=label)
async def test_an_expression_that_means_nothing_is_refused(
    store: Store, condition: Condition
) -> None:
    with pytest.raises(InvalidExpression):
        await store.write(Put(NOTES, note(), condition))
    with pytest.raises(InvalidExpression):
        await store.write(Put(NOTES, note(sk="t")), Check(NOTES, at(), condition))
    assert (await store.query(NOTES, "p", limit=1, consistent=True)).items == ()


@pytest.mark.parametrize("value", [1.5, set(), {1, "a"}, {"a": 0.1}, "\ud800"], ids=label)
async def test_a_value_that_is_never_stored_is_refused_in_a_condition(
    store: Store, value: Value
) -> None:
    with pytest.raises(InvalidItem):
        await store.write(Put(NOTES, note(), F("a").equals(value)))


async def test_ninety_nine_values_may_be_listed(store: Store) -> None:
    await store.write(Put(NOTES, note(n=98)))
    await store.write(Put(NOTES, note(n=0), F("n").is_in(*range(99))))
    await store.write(Put(NOTES, note(n=0), F("pk").size().is_in(*range(99))))


async def test_a_deep_condition_is_worked_out_in_full(store: Store) -> None:
    await store.write(Put(NOTES, note(n=3)))
    condition: Condition = F("n").equals(3)
    for _ in range(20):
        condition = ~(~condition & F("n").exists())
    await store.write(Update(NOTES, at(), (F("n").add(1),), condition))
    with pytest.raises(ConditionFailed):
        await store.write(Update(NOTES, at(), (F("n").add(1),), condition))


@pytest.mark.parametrize("name", ["name", "a.b", "a b", "#x", ":v", "é", "0", "size", "a[0]", "-"])
async def test_an_attribute_may_have_any_name(store: Store, name: str) -> None:
    await store.write(Put(NOTES, {**note(), name: 1}))
    await store.write(
        Update(NOTES, at(), (F(name).add(1), F("m").set({name: 1})), F(name).equals(1))
    )
    await store.write(
        Update(NOTES, at(), (F("m", name).set(5),), F(name).equals(2) & F("m", name).equals(1))
    )
    assert await store.get(NOTES, at(), consistent=True) == {
        **note(),
        name: 2,
        "m": {name: 5},
    }


async def test_a_condition_that_is_too_long_is_refused_before_anything_is_written(
    store: Store,
) -> None:
    long = Or(tuple(F(f"name{n}").equals(n) for n in range(200)))
    with pytest.raises(InvalidExpression):
        await store.write(Put(NOTES, {"pk": "long", "sk": "1"}, long))
    assert await store.get(NOTES, Key("long", "1")) is None


async def test_a_long_condition_still_fits(store: Store) -> None:
    fits = Or(tuple(F(f"name{n}").absent() for n in range(60)))
    await store.write(Put(NOTES, {"pk": "long", "sk": "2"}, fits))
    assert await store.get(NOTES, Key("long", "2"), consistent=True) is not None

"""Every action of an Update, alone and combined, on existing and missing attributes."""

from decimal import Decimal

import pytest

from greenroom.store.base import Put, Store, Update
from greenroom.store.expressions import Action, F
from greenroom.store.problems import (
    ConditionFailed,
    InvalidExpression,
    InvalidItem,
    InvalidTransaction,
    InvalidUpdate,
    ItemTooLarge,
)
from greenroom.store.values import Value
from tests.contracts.tables import NOTES, at, exact, label, note

ITEM = note(
    n=5, text="beta", list=["a"], words={"a", "b"}, numbers={1, 2}, map={"k": {"n": 1}}, z=None
)

CHANGES: list[tuple[Action, str, Value]] = [
    (F("n").set(6), "n", 6),
    (F("n").set("other type"), "n", "other type"),
    (F("new").set({"a": [1, {"b": None}]}), "new", {"a": [1, {"b": None}]}),
    (F("map", "k", "n").set(2), "map", {"k": {"n": 2}}),
    (F("map", "new").set("x"), "map", {"k": {"n": 1}, "new": "x"}),
    (F("map", "k").set(1), "map", {"k": 1}),
    (F("new").set_if_absent(1), "new", 1),
    (F("n").set_if_absent(1), "n", 5),
    (F("z").set_if_absent(1), "z", None),
    (F("map", "k", "m").set_if_absent(3), "map", {"k": {"n": 1, "m": 3}}),
    (F("list").append("b", 2), "list", ["a", "b", 2]),
    (F("new").append("b"), "new", ["b"]),
    (F("new").append(), "new", []),
    (F("map", "list").append(1), "map", {"k": {"n": 1}, "list": [1]}),
    (F("n").add(2), "n", 7),
    (F("n").add(-6), "n", -1),
    (F("n").add(Decimal("0.5")), "n", Decimal("5.5")),
    (F("n").add(Decimal("1.00")), "n", 6),
    (F("new").add(3), "new", 3),
    (F("map", "k", "n").add(9), "map", {"k": {"n": 10}}),
    (F("map", "count").add(1), "map", {"k": {"n": 1}, "count": 1}),
    (F("words").add({"b", "c"}), "words", {"a", "b", "c"}),
    (F("numbers").add({Decimal("2.0"), 3}), "numbers", {1, 2, 3}),
    (F("new").add({b"x"}), "new", {b"x"}),
    (F("words").discard({"a", "zzz"}), "words", {"b"}),
    (F("map", "words").add({"a"}), "map", {"k": {"n": 1}, "words": {"a"}}),
]


@pytest.mark.parametrize(("action", "name", "value"), CHANGES, ids=label)
async def test_an_action_changes_its_attribute_and_nothing_else(
    store: Store, action: Action, name: str, value: Value
) -> None:
    await store.write(Put(NOTES, ITEM))
    answer = await store.write(Update(NOTES, at(), (action,)))
    assert exact(answer) == exact({**ITEM, name: value})
    assert exact(await store.get(NOTES, at(), consistent=True)) == exact(answer)


@pytest.mark.parametrize(
    ("action", "name"),
    [
        (F("n").remove(), "n"),
        (F("no").remove(), ""),
        (F("words").discard({"a", "b"}), "words"),
        (F("no").discard({"a"}), ""),
    ],
    ids=label,
)
async def test_an_action_takes_its_attribute_away(store: Store, action: Action, name: str) -> None:
    await store.write(Put(NOTES, ITEM))
    answer = await store.write(Update(NOTES, at(), (action,)))
    assert exact(answer) == exact({key: ITEM[key] for key in ITEM if key != name})


async def test_something_inside_a_map_can_be_removed(store: Store) -> None:
    await store.write(Put(NOTES, note(map={"a": {"b": 1, "c": 2}})))
    await store.write(Update(NOTES, at(), (F("map", "a", "b").remove(),)))
    await store.write(Update(NOTES, at(), (F("map", "a", "gone").remove(),)))
    assert await store.get(NOTES, at(), consistent=True) == note(map={"a": {"c": 2}})


@pytest.mark.parametrize(
    ("action", "rest"),
    [
        (F("a").set(1), {"a": 1}),
        (F("a").set_if_absent(1), {"a": 1}),
        (F("a").append(1), {"a": [1]}),
        (F("a").add(1), {"a": 1}),
        (F("a").add({1}), {"a": {1}}),
    ],
    ids=label,
)
async def test_an_update_creates_a_missing_item(
    store: Store, action: Action, rest: dict[str, Value]
) -> None:
    answer = await store.write(Update(NOTES, at(), (action,)))
    assert exact(answer) == exact({**note(), **rest})
    assert exact(await store.get(NOTES, at(), consistent=True)) == exact(answer)


@pytest.mark.parametrize(
    "action",
    [
        F("no", "deeper").set(1),
        F("text", "deeper").set(1),
        F("list", "deeper").set(1),
        F("no", "deeper").set_if_absent(1),
        F("no", "deeper").append(1),
        F("no", "deeper").add(1),
        F("no", "deeper").remove(),
        F("text", "deeper").remove(),
        F("no", "deeper").discard({1}),
        F("text").add(1),
        F("z").add(1),
        F("n").add({1}),
        F("words").add(1),
        F("words").add({1}),
        F("list").add({"a"}),
        F("text").append(1),
        F("words").append("c"),
        F("n").discard({1}),
        F("words").discard({1}),
        F("list").discard({"a"}),
    ],
    ids=label,
)
async def test_an_action_that_does_not_fit_the_item_is_refused(
    store: Store, action: Action
) -> None:
    await store.write(Put(NOTES, ITEM))
    with pytest.raises(InvalidUpdate):
        await store.write(Update(NOTES, at(), (F("mark").set(1), action)))
    with pytest.raises(InvalidUpdate):
        await store.write(Put(NOTES, note(sk="t")), Update(NOTES, at(), (action,)))
    assert exact(await store.get(NOTES, at(), consistent=True)) == exact(ITEM)
    assert await store.get(NOTES, at(sk="t"), consistent=True) is None


async def test_several_actions_all_see_the_item_as_it_stood(store: Store) -> None:
    await store.write(Put(NOTES, note(n=1, gone="x", words={"a"})))
    answer = await store.write(
        Update(
            NOTES,
            at(),
            (
                F("n").add(1),
                F("gone").remove(),
                F("words").add({"b"}),
                F("list").append("first"),
                F("title").set("T"),
                F("seq").set_if_absent(1),
            ),
        )
    )
    assert answer == note(n=2, words={"a", "b"}, list=["first"], title="T", seq=1)


@pytest.mark.parametrize(
    "actions",
    [
        (F("pk").set("q"),),
        (F("sk").remove(),),
        (F("a").set(1), F("a").add(1)),
        (F("a").set({}), F("a", "b").set(1)),
        (F("a", "b").remove(), F("a").remove()),
        (F("pk", "inside").set(1),),
        (F("owner", "inside").set(1),),
        (F("a").add("text"),),
        (F("a").add(True),),
        (F("a").discard("text"),),
        (F().set(1),),
        (F("a", "").set(1),),
    ],
    ids=label,
)
async def test_an_update_that_means_nothing_is_refused(
    store: Store, actions: tuple[Action, ...]
) -> None:
    with pytest.raises(InvalidExpression):
        await store.write(Update(NOTES, at(), actions))
    assert await store.get(NOTES, at(), consistent=True) is None


async def test_an_update_without_actions_is_refused(store: Store) -> None:
    with pytest.raises(InvalidTransaction, match="at least one action"):
        await store.write(Update(NOTES, at(), ()))


@pytest.mark.parametrize("value", [0.5, set(), {1, "a"}, "\udfff", object()], ids=label)
async def test_a_value_that_cannot_be_stored_is_refused_in_an_update(
    store: Store, value: Value
) -> None:
    for action in (F("a").set(value), F("a").set_if_absent(value), F("a").append(value)):
        with pytest.raises(InvalidItem):
            await store.write(Update(NOTES, at(), (action,)))
    assert await store.get(NOTES, at(), consistent=True) is None


async def test_an_update_that_outgrows_400_kb_is_refused(store: Store) -> None:
    await store.write(Put(NOTES, note(a="x" * 390_000)))
    with pytest.raises(ItemTooLarge, match="409600"):
        await store.write(Update(NOTES, at(), (F("b").set("y" * 20_000),)))
    with pytest.raises(ItemTooLarge):
        await store.write(
            Put(NOTES, note(sk="t")), Update(NOTES, at(), (F("b").set("y" * 20_000),))
        )
    assert await store.get(NOTES, at(), consistent=True) == note(a="x" * 390_000)
    assert await store.get(NOTES, at(sk="t"), consistent=True) is None
    await store.write(Update(NOTES, at(), (F("b").set("y" * 19_000),)))


@pytest.mark.parametrize("value", ["", 5, None, ["ada"]], ids=label)
async def test_an_update_that_spoils_an_index_key_is_refused(store: Store, value: Value) -> None:
    item = note(owner="ada", at="1")
    await store.write(Put(NOTES, item))
    with pytest.raises(InvalidItem, match="ByOwner"):
        await store.write(Update(NOTES, at(), (F("owner").set(value),)))
    with pytest.raises(InvalidItem, match="ByOwner"):
        await store.write(Put(NOTES, note(sk="t")), Update(NOTES, at(), (F("at").set(value),)))
    assert await store.get(NOTES, at(), consistent=True) == item
    assert await store.get(NOTES, at(sk="t"), consistent=True) is None


async def test_an_add_to_an_index_key_that_is_not_there_is_refused(store: Store) -> None:
    with pytest.raises(InvalidItem, match="ByOwner"):
        await store.write(Update(NOTES, at(), (F("owner").add(1),)))


async def test_a_sum_that_needs_more_than_38_digits_is_refused(store: Store) -> None:
    await store.write(Put(NOTES, note(n=10**37)))
    with pytest.raises(InvalidItem, match="38 significant digits"):
        await store.write(Update(NOTES, at(), (F("n").add(Decimal("0.1")),)))
    with pytest.raises(InvalidItem):
        await store.write(
            Put(NOTES, note(sk="t")), Update(NOTES, at(), (F("n").add(Decimal("0.1")),))
        )
    assert await store.get(NOTES, at(), consistent=True) == note(n=10**37)


async def test_a_sum_is_exact_to_38_digits(store: Store) -> None:
    await store.write(Put(NOTES, note(n=10**37)))
    answer = await store.write(Update(NOTES, at(), (F("n").add(-1),)))
    assert exact(answer) == exact(note(n=10**37 - 1))
    await store.write(Put(NOTES, note(n=Decimal("0.1"))))
    answer = await store.write(Update(NOTES, at(), (F("n").add(Decimal("0.2")),)))
    assert exact(answer) == exact(note(n=Decimal("0.3")))


async def test_an_update_nests_maps_no_deeper_than_31(store: Store) -> None:
    deep: Value = "bottom"
    for _ in range(30):
        deep = {"m": deep}
    await store.write(Put(NOTES, note(top=deep)))
    bottom = F("top", *["m"] * 30)
    await store.write(Update(NOTES, at(), (bottom.set({"one": 1}),)))
    too_deep: list[Value] = [{"one": {}}, {"one": []}, {"one": {"two": 2}}]
    for deeper in too_deep:
        with pytest.raises(InvalidItem, match="31 deep"):
            await store.write(Update(NOTES, at(), (bottom.set(deeper),)))
    await store.write(Update(NOTES, at(), (bottom.set({"one": {"a set is no level"}}),)))


async def test_an_op_that_does_not_fit_comes_before_failed_conditions(store: Store) -> None:
    await store.write(Put(NOTES, note(text="t")))
    failing = Put(NOTES, note(sk="t"), F("pk").exists())
    misfit = Update(NOTES, at(), (F("text").add(1),))
    for ops in ((failing, misfit), (misfit, failing)):
        with pytest.raises(InvalidUpdate):
            await store.write(*ops)
    refused = Update(NOTES, at(), (F("text").add(1),), F("pk").absent())
    with pytest.raises(ConditionFailed):
        await store.write(refused)
    with pytest.raises(ConditionFailed):
        await store.write(refused, Put(NOTES, note(sk="t")))

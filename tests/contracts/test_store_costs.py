"""The cost of calls by DynamoDB's published rules, on both engines.

test_engines_agree compares the engines op by op; here are examples that can be checked by hand.
"""

import asyncio
from typing import Any

import pytest

from greenroom.store.base import Check, Delete, Key, Put, Store, Update
from greenroom.store.capacity import Cost
from greenroom.store.expressions import F
from greenroom.store.problems import ConditionFailed
from greenroom.store.values import Item, item_size
from tests.contracts.tables import ACCOUNTS, BY_OWNER, BY_STATE, BY_TAG, NOTES, at, note

KB = 1024


def sized(size: int, sk: str = "s", **rest: Any) -> Item:
    """A note of this many bytes."""
    item = note(sk=sk, body="x" * (size - item_size(note(sk=sk, body="", **rest))), **rest)
    assert item_size(item) == size
    return item


def bill(cost: Cost) -> dict[str, tuple[float, float]]:
    return {
        source: (units.read, units.write)
        for source, units in cost.by_source.items()
        if units.read or units.write
    }


@pytest.mark.parametrize(
    ("size", "consistent", "units"),
    [
        (100, False, 0.5),
        (100, True, 1),
        (4 * KB, True, 1),
        (4 * KB + 1, True, 2),
        (4 * KB + 1, False, 1),
        (40 * KB, False, 5),
    ],
)
async def test_a_get_costs_a_unit_for_4_kb_and_half_of_it_when_not_consistent(
    store: Store, size: int, consistent: bool, units: float
) -> None:
    await store.write(Put(NOTES, sized(size)))
    with store.counting() as cost:
        await store.get(NOTES, at(), consistent=consistent)
    assert bill(cost) == {"Notes": (units, 0)}
    assert (cost.read_units, cost.write_units) == (units, 0)


async def test_a_get_of_nothing_costs_as_much_as_the_smallest_item(store: Store) -> None:
    with store.counting() as cost:
        await store.get(NOTES, at())
        await store.get(NOTES, at(), consistent=True)
    assert bill(cost) == {"Notes": (1.5, 0)}


async def test_a_batch_costs_as_much_as_single_reads(store: Store) -> None:
    await store.write(Put(NOTES, sized(100, "a")), Put(NOTES, sized(5 * KB, "b")))
    with store.counting() as cost:
        await store.batch_get(NOTES, [at(sk="a"), at(sk="b")], consistent=True)
    assert bill(cost) == {"Notes": (3, 0)}


async def test_a_query_costs_the_sum_of_its_items(store: Store) -> None:
    for n in range(8):
        await store.write(Put(NOTES, sized(KB, f"{n}", owner="ada", at=f"{n}")))
    with store.counting() as cost:
        await store.query(NOTES, "p", limit=100, consistent=True)
    assert bill(cost) == {"Notes": (2, 0)}
    with store.counting() as cost:
        await store.query(NOTES, "ada", index=BY_OWNER, limit=100)
    assert bill(cost) == {"Notes/ByOwner": (1, 0)}


@pytest.mark.parametrize(("size", "units"), [(50, 1), (KB, 1), (KB + 1, 2), (10 * KB, 10)])
async def test_a_put_costs_a_unit_for_1_kb(store: Store, size: int, units: float) -> None:
    with store.counting() as cost:
        await store.write(Put(NOTES, sized(size)))
    assert bill(cost) == {"Notes": (0, units)}


async def test_a_write_costs_the_larger_of_the_item_before_and_after(store: Store) -> None:
    await store.write(Put(NOTES, sized(3 * KB)))
    with store.counting() as cost:
        await store.write(Put(NOTES, sized(100)))
    assert cost.write_units == 3
    with store.counting() as cost:
        await store.write(Update(NOTES, at(), (F("more").set("x" * 2 * KB),)))
    assert cost.write_units == 3
    with store.counting() as cost:
        await store.write(Delete(NOTES, at()))
    assert cost.write_units == 3
    with store.counting() as cost:
        await store.write(Delete(NOTES, at()))
    assert cost.write_units == 1


async def test_an_index_costs_only_when_its_entry_changes(store: Store) -> None:
    key = {"owner": "ada", "at": "1"}
    with store.counting() as cost:
        await store.write(Put(NOTES, sized(1500, state="open", **key)))
    assert bill(cost) == {"Notes": (0, 2), "Notes/ByOwner": (0, 2), "Notes/ByState": (0, 1)}
    with store.counting() as cost:
        await store.write(Update(NOTES, at(), (F("seq").set(1),)))
    assert bill(cost) == {"Notes": (0, 2), "Notes/ByOwner": (0, 2)}, "ByState has only the keys"
    with store.counting() as cost:
        await store.write(Update(NOTES, at(), (F("at").set("2"),)))
    assert bill(cost) == {"Notes": (0, 2), "Notes/ByOwner": (0, 4)}, "one out, one in"
    with store.counting() as cost:
        await store.write(Update(NOTES, at(), (F("at").remove(),)))
    assert bill(cost) == {"Notes": (0, 2), "Notes/ByOwner": (0, 2)}
    with store.counting() as cost:
        await store.write(Update(NOTES, at(), (F("seq").set(2),)))
    assert bill(cost) == {"Notes": (0, 2)}


async def test_an_index_that_includes_some_attributes_costs_when_one_of_them_changes(
    store: Store,
) -> None:
    await store.write(Put(NOTES, note(tag="red", title="T", body="b")))
    with store.counting() as cost:
        await store.write(Update(NOTES, at(), (F("body").set("c"),)))
    assert bill(cost) == {"Notes": (0, 1)}
    with store.counting() as cost:
        await store.write(Update(NOTES, at(), (F("title").set("U"),)))
    assert bill(cost) == {"Notes": (0, 1), "Notes/ByTag": (0, 1)}


async def test_the_cost_of_each_index_is_counted_separately(store: Store) -> None:
    await store.write(Put(NOTES, note(owner="a", at="1", state="s", tag="t")))
    with store.counting() as cost:
        await store.query(NOTES, "a", index=BY_OWNER, limit=9)
        await store.query(NOTES, "s", index=BY_STATE, limit=9)
        await store.query(NOTES, "t", index=BY_TAG, limit=9)
        await store.query(NOTES, "p", limit=9)
    assert bill(cost) == {
        "Notes/ByOwner": (0.5, 0),
        "Notes/ByState": (0.5, 0),
        "Notes/ByTag": (0.5, 0),
        "Notes": (0.5, 0),
    }


async def test_a_transaction_costs_twice(store: Store) -> None:
    with store.counting() as cost:
        await store.write(
            Put(NOTES, sized(1500, owner="ada", at="1")),
            Update(ACCOUNTS, Key("ada"), (F("n").add(1),)),
        )
    assert bill(cost) == {"Notes": (0, 4), "Notes/ByOwner": (0, 4), "Accounts": (0, 2)}


async def test_a_check_costs_as_much_as_a_write(store: Store) -> None:
    await store.write(Put(ACCOUNTS, {"name": "ada"}))
    with store.counting() as cost:
        await store.write(Put(NOTES, note()), Check(ACCOUNTS, Key("ada"), F("name").exists()))
    assert bill(cost) == {"Notes": (0, 2), "Accounts": (0, 2)}


async def test_a_refused_condition_is_not_counted(store: Store) -> None:
    await store.write(Put(NOTES, note()))
    with store.counting() as cost:
        with pytest.raises(ConditionFailed):
            await store.write(Put(NOTES, note(), F("pk").absent()))
        with pytest.raises(ConditionFailed):
            await store.write(Put(NOTES, note(), F("pk").absent()), Put(NOTES, note(sk="t")))
    assert bill(cost) == {}


async def test_blocks_of_counting_may_be_nested(store: Store) -> None:
    with store.counting() as outer:
        await store.write(Put(NOTES, note()))
        with store.counting() as inner:
            await store.write(Put(NOTES, note()))
        await store.write(Put(NOTES, note()))
    await store.write(Put(NOTES, note()))
    assert inner.write_units == 1
    assert outer.write_units == 3


async def test_tasks_started_inside_are_counted_and_others_are_not(store: Store) -> None:
    inside = asyncio.Event()

    async def write_when_told() -> None:
        await inside.wait()
        await store.write(Put(NOTES, note(sk="outside")))

    outsider = asyncio.create_task(write_when_told())
    await asyncio.sleep(0)
    with store.counting() as cost:
        inside.set()
        tasks = [asyncio.create_task(store.write(Put(NOTES, note(sk=f"{n}")))) for n in range(5)]
        await asyncio.gather(outsider, *tasks)
    assert cost.write_units == 5


async def test_nothing_is_counted_outside_of_a_block(store: Store) -> None:
    with store.counting() as cost:
        pass
    await store.write(Put(NOTES, note()))
    assert bill(cost) == {}

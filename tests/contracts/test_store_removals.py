"""Updates of a missing item that only remove: nothing is created, returned or logged.

Only DynamoDB Local creates an item of the keys; the last test checks that, so that the list of its
differences stays correct. tests/store/test_dynamo_minimal_responses.py has AWS's response.
"""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from greenroom.clock import ManualClock
from greenroom.store.base import Check, Delete, Key, Put, Store, Update
from greenroom.store.expressions import Action, F
from greenroom.store.problems import ConditionFailed, InvalidUpdate
from greenroom.store.tables import Table
from tests.contracts.tables import ACCOUNTS, BY_PLACE, NOTES, TABLES, VISITS, at, label, note
from tests.stores import SQLITE, fresh_store, fresh_tables

REMOVALS: list[tuple[Action, ...]] = [
    (F("a").remove(),),
    (F("a").remove(), F("owner").remove()),
    (F("words").discard({"x"}),),
    (F("a").remove(), F("words").discard({1})),
]
MAKING: list[tuple[Action, ...]] = [
    (F("a").remove(), F("b").set_if_absent(1)),
    (F("a").remove(), F("b").add(0)),
    (F("a").remove(), F("b").append()),
]


@pytest.fixture
async def as_aws(tmp_path: Path, clock: ManualClock) -> AsyncIterator[Store]:
    """The SQLite engine, which behaves as AWS."""
    async with fresh_store(f"{SQLITE}{tmp_path}/removals.db", TABLES, clock) as opened:
        yield opened


async def changes_of(store: Store, table: Table) -> int:
    return len([change async for change in store.changes(table, follow=False)])


@pytest.mark.parametrize("actions", REMOVALS, ids=label)
async def test_a_removal_creates_no_item(as_aws: Store, actions: tuple[Action, ...]) -> None:
    with as_aws.counting() as cost:
        assert await as_aws.write(Update(NOTES, at(), actions)) is None
    assert (cost.read_units, cost.write_units) == (0, 1)
    assert await as_aws.get(NOTES, at(), consistent=True) is None
    assert await changes_of(as_aws, NOTES) == 0
    assert await as_aws.write(Update(ACCOUNTS, Key("ada"), actions)) is None
    assert await as_aws.get(ACCOUNTS, Key("ada")) is None


async def test_a_removal_whose_condition_holds_for_an_absent_item_creates_none(
    as_aws: Store,
) -> None:
    update = Update(NOTES, at(), (F("a").remove(),), F("pk").absent())
    assert await as_aws.write(update) is None
    assert await as_aws.write(update) is None, "it would fail if the first had made an item"


async def test_a_removal_in_a_transaction_creates_no_item(as_aws: Store, token: str) -> None:
    ops = (Update(NOTES, at(), (F("a").remove(),)), Put(NOTES, note(sk="other")))
    with as_aws.counting() as cost:
        await as_aws.write(*ops)
    assert cost.write_units == 4, "twice what two lone writes cost"
    await as_aws.write(Check(NOTES, at(), F("pk").absent()), ops[1])
    assert await as_aws.write(ops[0], token=token) is None
    assert await as_aws.write(ops[0], token=token) is None
    assert await as_aws.get(NOTES, at()) is None
    assert await changes_of(as_aws, NOTES) == 1


async def test_a_removal_on_an_expired_item_creates_none(as_aws: Store, clock: ManualClock) -> None:
    end = clock.now_ms() // 1000 + 5
    await as_aws.write(Put(VISITS, note(place="here", at="1", expiresAt=end)))
    clock.advance(seconds=5)
    assert await as_aws.write(Update(VISITS, at(), (F("a").remove(),))) is None
    clock.advance(seconds=-5)
    assert await as_aws.get(VISITS, at()) is None, "and what had expired is gone for good"
    assert (await as_aws.query(VISITS, "here", index=BY_PLACE, limit=9)).items == ()
    changes = [change async for change in as_aws.changes(VISITS, follow=False)]
    assert [change.new for change in changes][-1] is None


async def test_a_row_removed_earlier_in_the_group_stays_removed(as_aws: Store) -> None:
    await as_aws.write(Put(NOTES, note(a=1)))
    await as_aws.write(Delete(NOTES, at()))
    assert await as_aws.write(Update(NOTES, at(), (F("a").remove(),))) is None
    await as_aws.write(Put(NOTES, note(a=2), F("pk").absent()))


@pytest.mark.parametrize("actions", MAKING, ids=label)
async def test_an_update_that_also_sets_something_creates_the_item(
    store: Store, actions: tuple[Action, ...]
) -> None:
    answer = await store.write(Update(NOTES, at(), actions))
    assert answer is not None
    assert answer["b"] in (0, 1, [])
    assert await store.get(NOTES, at(), consistent=True) == answer


async def test_an_item_of_which_everything_is_removed_is_still_there(store: Store) -> None:
    await store.write(Put(NOTES, note(a=1)))
    assert await store.write(Update(NOTES, at(), (F("a").remove(),))) == note()
    assert await store.get(NOTES, at(), consistent=True) == note()


async def test_a_removal_inside_of_nothing_does_not_fit(store: Store) -> None:
    with pytest.raises(InvalidUpdate):
        await store.write(Update(NOTES, at(), (F("map", "k").remove(),)))


async def test_a_condition_that_does_not_hold_of_nothing_refuses_it(store: Store) -> None:
    with pytest.raises(ConditionFailed) as refused:
        await store.write(Update(NOTES, at(), (F("a").remove(),), F("pk").exists()))
    assert refused.value.item is None


async def test_only_dynamodb_local_creates_an_item_of_only_keys(
    dynamodb_url: str, clock: ManualClock
) -> None:
    """If this fails, DynamoDB Local now behaves as AWS: remove it from the list and from
    lockstep.py."""
    async with fresh_tables(dynamodb_url, TABLES, clock) as local:
        assert await local.write(Update(NOTES, at(), (F("a").remove(),))) == note()

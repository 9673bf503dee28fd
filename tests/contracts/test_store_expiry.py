"""An expired item does not exist, whether or not it has been removed, on both engines."""

from typing import Any

import pytest

from greenroom.clock import ManualClock
from greenroom.store.base import Check, Delete, Put, Store, Update
from greenroom.store.expressions import F
from greenroom.store.problems import ConditionFailed, InvalidUpdate
from greenroom.store.values import Item, Value
from tests.contracts.tables import (
    BY_HOST,
    BY_PLACE,
    NOTES,
    VISITS,
    at,
    exact,
    label,
    note,
    sort_keys,
    walk,
)


def visit(clock: ManualClock, seconds: int, sk: str = "s", **rest: Any) -> Item:
    """A visit that expires in so many seconds."""
    return note(sk=sk, expiresAt=clock.now_ms() // 1000 + seconds, **rest)


async def test_an_item_exists_until_it_expires(store: Store, clock: ManualClock) -> None:
    item = visit(clock, 10)
    await store.write(Put(VISITS, item))
    clock.advance(ms=9_999)
    assert await store.get(VISITS, at(), consistent=True) == item
    clock.advance(ms=1)
    assert await store.get(VISITS, at(), consistent=True) is None


async def test_a_write_sees_an_item_until_it_expires(store: Store, clock: ManualClock) -> None:
    await store.write(Put(VISITS, visit(clock, 10, n=1)))
    clock.advance(ms=9_999)
    assert (await store.write(Update(VISITS, at(), (F("n").add(1),))) or {})["n"] == 2
    clock.advance(ms=1)
    await store.write(Put(VISITS, visit(clock, 10), F("pk").absent()))


async def test_every_kind_of_read_leaves_out_expired_items(
    store: Store, clock: ManualClock
) -> None:
    for n in range(6):
        await store.write(Put(VISITS, visit(clock, 100 * (n % 2) + 10, f"{n}", place="x", at="1")))
    assert await sort_keys(store, VISITS, "p") == ["0", "1", "2", "3", "4", "5"]
    clock.advance(seconds=60)
    assert await store.get(VISITS, at(sk="0"), consistent=True) is None
    found = await store.batch_get(VISITS, [at(sk=f"{n}") for n in range(6)], consistent=True)
    assert sorted(str(key.sort) for key in found) == ["1", "3", "5"]
    assert await sort_keys(store, VISITS, "p") == ["1", "3", "5"]
    assert await sort_keys(store, VISITS, "p", backward=True) == ["5", "3", "1"]
    assert sorted(await sort_keys(store, VISITS, "x", index=BY_PLACE)) == ["1", "3", "5"]


async def test_a_page_is_full_even_when_items_on_its_way_have_expired(
    store: Store, clock: ManualClock
) -> None:
    for n in range(12):
        alive = n % 4 == 3
        await store.write(Put(VISITS, visit(clock, 100 if alive else 10, f"{n:02}")))
    clock.advance(seconds=60)
    pages = await walk(store, VISITS, "p", limit=2)
    assert [[item["sk"] for item in page] for page in pages] == [["03", "07"], ["11"]]
    assert (await store.query(VISITS, "p", limit=3)).next is None


async def test_a_condition_treats_an_expired_item_as_absent(
    store: Store, clock: ManualClock
) -> None:
    await store.write(Put(VISITS, visit(clock, 10, v=1)))
    clock.advance(seconds=60)
    for op in (
        Put(VISITS, visit(clock, 10, v=2), F("pk").exists()),
        Update(VISITS, at(), (F("v").add(1),), F("v").equals(1)),
        Delete(VISITS, at(), F("pk").exists()),
    ):
        with pytest.raises(ConditionFailed) as refusal:
            await store.write(op)
        assert refusal.value.item is None, "what has expired is not shown in a refusal either"
    with pytest.raises(ConditionFailed) as refused:
        await store.write(Put(NOTES, note()), Check(VISITS, at(), F("v").equals(1)))
    assert refused.value.item is None
    await store.write(Put(NOTES, note()), Check(VISITS, at(), F("pk").absent()))


@pytest.mark.parametrize("together", [False, True], ids=["alone", "in a transaction"])
async def test_an_expired_item_can_be_put_again(
    store: Store, clock: ManualClock, together: bool
) -> None:
    await store.write(Put(VISITS, visit(clock, 10, v=1, place="x", at="1")))
    clock.advance(seconds=60)
    replacement = Put(VISITS, visit(clock, 10, v=2), F("pk").absent())
    if together:
        await store.write(Put(NOTES, note()), replacement)
    else:
        await store.write(replacement)
    assert await store.get(VISITS, at(), consistent=True) == replacement.item
    assert await sort_keys(store, VISITS, "x", index=BY_PLACE) == []
    with pytest.raises(ConditionFailed):
        await store.write(replacement)


@pytest.mark.parametrize("together", [False, True], ids=["alone", "in a transaction"])
async def test_an_update_of_an_expired_item_starts_from_an_empty_one(
    store: Store, clock: ManualClock, together: bool
) -> None:
    await store.write(Put(VISITS, visit(clock, 10, n=5, left="over", place="x", at="1")))
    clock.advance(seconds=60)
    later = clock.now_ms() // 1000 + 10
    update = Update(VISITS, at(), (F("n").add(1), F("expiresAt").set(later)))
    if together:
        await store.write(Put(NOTES, note()), update)
    else:
        assert await store.write(update) == note(n=1, expiresAt=later)
    assert await store.get(VISITS, at(), consistent=True) == note(n=1, expiresAt=later)
    assert await sort_keys(store, VISITS, "x", index=BY_PLACE) == []


async def test_an_update_that_does_not_fit_a_missing_item_comes_before_failed_conditions(
    store: Store, clock: ManualClock
) -> None:
    await store.write(Put(VISITS, visit(clock, 10, map={"n": 1})))
    clock.advance(seconds=60)
    with pytest.raises(InvalidUpdate):
        await store.write(
            Check(NOTES, at(), F("pk").exists()),
            Update(VISITS, at(), (F("map", "n").add(1),)),
        )


async def test_an_expired_item_can_be_deleted(store: Store, clock: ManualClock) -> None:
    await store.write(Put(VISITS, visit(clock, 10)))
    clock.advance(seconds=60)
    await store.write(Delete(VISITS, at()))
    assert await store.get(VISITS, at(), consistent=True) is None


async def test_an_item_can_be_given_more_time(store: Store, clock: ManualClock) -> None:
    await store.write(Put(VISITS, visit(clock, 10)))
    clock.advance(seconds=5)
    longer = clock.now_ms() // 1000 + 100
    await store.write(Update(VISITS, at(), (F("expiresAt").set(longer),), F("pk").exists()))
    clock.advance(seconds=50)
    assert await store.get(VISITS, at(), consistent=True) == note(expiresAt=longer)


async def test_an_item_that_is_put_already_expired_is_never_seen(
    store: Store, clock: ManualClock
) -> None:
    await store.write(Put(VISITS, visit(clock, -10)))
    assert await store.get(VISITS, at(), consistent=True) is None
    assert await sort_keys(store, VISITS, "p") == []


@pytest.mark.parametrize("value", ["1", None, True, [1], "absent"], ids=label)
async def test_an_item_without_a_number_for_its_end_stays(
    store: Store, clock: ManualClock, value: Value
) -> None:
    item = note() if value == "absent" else note(expiresAt=value)
    await store.write(Put(VISITS, item))
    clock.advance(days=3650)
    assert exact(await store.get(VISITS, at(), consistent=True)) == exact(item)


async def test_a_table_without_ttl_keeps_everything(store: Store, clock: ManualClock) -> None:
    item = visit(clock, 10)
    await store.write(Put(NOTES, item))
    clock.advance(days=3650)
    assert await store.get(NOTES, at(), consistent=True) == item


async def test_a_keys_only_index_leaves_out_expired_items(store: Store, clock: ManualClock) -> None:
    now = clock.now_ms() // 1000
    guest: Item = {"pk": "p", "sk": "s", "host": "ana", "expiresAt": now + 10}
    await store.write(Put(VISITS, guest))
    page = await store.query(VISITS, "ana", index=BY_HOST, limit=5)
    assert [dict(item) for item in page.items] == [guest]
    clock.advance(seconds=11)
    assert (await store.query(VISITS, "ana", index=BY_HOST, limit=5)).items == ()


async def test_an_update_under_a_token_returns_no_item_that_has_expired(
    store: Store, clock: ManualClock, token: str
) -> None:
    now = clock.now_ms() // 1000
    expired = Update(VISITS, at("late"), (F("expiresAt").set(now),))
    assert await store.write(expired, token=token) is None
    assert await store.write(expired, token=token) is None
    lasting = Update(VISITS, at("early"), (F("expiresAt").set(now + 1),))
    assert (await store.write(lasting, token=f"{token}2") or {})["expiresAt"] == now + 1

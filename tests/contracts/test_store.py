"""Reading and writing single items, on both engines.

The rest is in test_store_queries, _conditions, _updates, _transactions, _values, _expiry, _changes
and _costs.
"""

import asyncio

import pytest

from greenroom.store.base import Check, Delete, Key, Put, Store, Update
from greenroom.store.expressions import F
from greenroom.store.problems import (
    ConditionFailed,
    InvalidKey,
    InvalidQuery,
    InvalidTransaction,
    NoSuchTable,
)
from greenroom.store.tables import Table
from greenroom.store.values import Item
from tests.contracts.tables import ACCOUNTS, NOTES, at, exact, label, note


async def test_a_put_item_is_read_back(store: Store) -> None:
    item = note(title="Hello", seq=1)
    assert await store.write(Put(NOTES, item)) is None
    assert exact(await store.get(NOTES, at(), consistent=True)) == exact(item)
    assert exact(await store.get(NOTES, at())) == exact(item)


async def test_an_item_that_was_never_put_is_none(store: Store) -> None:
    assert await store.get(NOTES, at("nobody", "nothing"), consistent=True) is None


async def test_a_table_without_a_sort_key_keeps_one_item_per_partition(store: Store) -> None:
    await store.write(Put(ACCOUNTS, {"name": "ada", "v": 1}))
    await store.write(Put(ACCOUNTS, {"name": "ada", "v": 2}))
    await store.write(Put(ACCOUNTS, {"name": "bob", "v": 3}))
    assert await store.get(ACCOUNTS, Key("ada"), consistent=True) == {"name": "ada", "v": 2}
    assert await store.get(ACCOUNTS, Key("bob"), consistent=True) == {"name": "bob", "v": 3}


async def test_a_put_replaces_the_whole_item(store: Store) -> None:
    await store.write(Put(NOTES, note(title="old", gone=True)))
    await store.write(Put(NOTES, note(title="new")))
    assert await store.get(NOTES, at(), consistent=True) == note(title="new")


async def test_items_that_share_half_of_the_key_are_distinct(store: Store) -> None:
    for pk, sk in (("a", "x"), ("a", "y"), ("b", "x"), ("ax", "x"), ("a", "xx")):
        await store.write(Put(NOTES, note(pk, sk, me=pk + "/" + sk)))
    for pk, sk in (("a", "x"), ("a", "y"), ("b", "x"), ("ax", "x"), ("a", "xx")):
        assert await store.get(NOTES, at(pk, sk), consistent=True) == note(pk, sk, me=f"{pk}/{sk}")


async def test_the_same_key_in_two_tables_is_two_items(store: Store) -> None:
    other: Item = {"name": "p", "v": 1}
    await store.write(Put(NOTES, note()))
    await store.write(Put(ACCOUNTS, other))
    await store.write(Delete(NOTES, at()))
    assert await store.get(NOTES, at(), consistent=True) is None
    assert await store.get(ACCOUNTS, Key("p"), consistent=True) == other


async def test_a_deleted_item_is_gone_and_can_be_deleted_again(store: Store) -> None:
    await store.write(Put(NOTES, note()))
    assert await store.write(Delete(NOTES, at())) is None
    assert await store.get(NOTES, at(), consistent=True) is None
    assert await store.write(Delete(NOTES, at())) is None


async def test_later_changes_to_the_callers_item_have_no_effect(store: Store) -> None:
    members = [1]
    await store.write(Put(NOTES, note(list=members)))
    members.append(2)
    read = await store.get(NOTES, at(), consistent=True)
    assert read == note(list=[1])
    read["list"].append(3)  # type: ignore[union-attr]
    assert await store.get(NOTES, at(), consistent=True) == note(list=[1])


async def test_a_batch_returns_existing_items_by_key(store: Store) -> None:
    for sk in ("a", "b", "c"):
        await store.write(Put(NOTES, note(sk=sk, me=sk)))
    found = await store.batch_get(NOTES, [at(sk="c"), at(sk="no"), at(sk="a")], consistent=True)
    assert found == {at(sk="a"): note(sk="a", me="a"), at(sk="c"): note(sk="c", me="c")}


async def test_a_batch_of_nothing_is_empty(store: Store) -> None:
    assert await store.batch_get(NOTES, []) == {}


async def test_a_batch_may_name_an_item_twice(store: Store) -> None:
    await store.write(Put(NOTES, note()))
    assert await store.batch_get(NOTES, [at(), at()], consistent=True) == {at(): note()}


async def test_a_batch_reads_a_hundred_items_and_refuses_one_more(store: Store) -> None:
    keys = [at(sk=f"{n:03}") for n in range(101)]
    await store.write(*(Put(NOTES, note(sk=str(key.sort))) for key in keys[:100]))
    assert len(await store.batch_get(NOTES, keys[:100], consistent=True)) == 100
    with pytest.raises(InvalidQuery, match="at most 100"):
        await store.batch_get(NOTES, keys)


async def test_a_batch_of_large_items_is_complete(store: Store) -> None:
    """DynamoDB returns at most 16 MB and leaves the other keys unprocessed."""
    keys = [at(sk=f"{n:02}") for n in range(50)]
    body = "x" * 390_000
    for start in range(0, 50, 10):
        chunk = keys[start : start + 10]
        await store.write(*(Put(NOTES, note(sk=str(key.sort), body=body)) for key in chunk))
    assert set(await store.batch_get(NOTES, keys, consistent=True)) == set(keys)


@pytest.mark.parametrize(
    "key",
    [Key("", "s"), Key("p", ""), Key("p"), Key("p" * 2049, "s"), Key("p", "s" * 1025)],
    ids=["empty partition", "empty sort", "no sort", "long partition", "long sort"],
)
async def test_a_key_that_does_not_fit_is_refused_everywhere(store: Store, key: Key) -> None:
    with pytest.raises(InvalidKey):
        await store.get(NOTES, key)
    with pytest.raises(InvalidKey):
        await store.batch_get(NOTES, [at(), key])
    with pytest.raises(InvalidKey):
        await store.write(Delete(NOTES, key))
    with pytest.raises(InvalidKey):
        await store.write(Update(NOTES, key, (F("a").set(1),)))
    with pytest.raises(InvalidKey):
        await store.write(Put(NOTES, {"pk": key.partition, "sk": key.sort}))


async def test_keys_of_the_largest_size_are_fine(store: Store) -> None:
    key = Key("é" * 1024, "s" * 1024)
    await store.write(Put(NOTES, note(key.partition, str(key.sort))))
    assert await store.get(NOTES, key, consistent=True) is not None


@pytest.mark.parametrize("sk", [None, 7, True, b"s", ["s"]], ids=label)
async def test_a_key_that_is_not_text_is_refused(store: Store, sk: object) -> None:
    with pytest.raises(InvalidKey, match="sk must be text"):
        await store.write(Put(NOTES, {"pk": "p", "sk": sk}))  # type: ignore[dict-item]


async def test_a_sort_key_for_a_table_without_one_is_refused(store: Store) -> None:
    with pytest.raises(InvalidKey, match="no sort key"):
        await store.get(ACCOUNTS, Key("ada", "x"))


async def test_a_table_that_the_store_does_not_have_is_refused_by_every_call(store: Store) -> None:
    other = Table("Elsewhere", "Not of this store", stream=True)
    with pytest.raises(NoSuchTable, match="'Elsewhere'"):
        await store.get(other, at())
    with pytest.raises(NoSuchTable):
        await store.batch_get(other, [at()])
    with pytest.raises(NoSuchTable):
        await store.query(other, "p", limit=1)
    with pytest.raises(NoSuchTable):
        await store.write(Put(other, note()))
    with pytest.raises(NoSuchTable):
        await store.write(Put(NOTES, note()), Put(other, note()))
    with pytest.raises(NoSuchTable):
        async for _ in store.changes(other, follow=False):
            pass
    assert await store.get(NOTES, at(), consistent=True) is None


async def test_a_write_of_nothing_is_refused(store: Store) -> None:
    with pytest.raises(InvalidTransaction, match="at least one op"):
        await store.write()


async def test_a_lone_check_is_refused(store: Store) -> None:
    with pytest.raises(InvalidTransaction, match="lone Check"):
        await store.write(Check(NOTES, at(), F("pk").exists()))


async def test_concurrent_adds_sum_up(store: Store) -> None:
    async def add(amount: int) -> None:
        await store.write(Update(NOTES, at(), (F("n").add(amount),)))

    await asyncio.gather(*(add(n) for n in range(100)))
    assert await store.get(NOTES, at(), consistent=True) == note(n=sum(range(100)))


async def test_concurrent_conditional_puts_have_one_winner(store: Store) -> None:
    async def claim(who: int) -> bool:
        try:
            await store.write(Put(NOTES, note(who=who), F("pk").absent()))
        except ConditionFailed:
            return False
        return True

    won = await asyncio.gather(*(claim(who) for who in range(50)))
    assert won.count(True) == 1
    assert await store.get(NOTES, at(), consistent=True) == note(who=won.index(True))


async def test_a_read_after_a_write_sees_it_when_consistent(store: Store) -> None:
    for n in range(30):
        await store.write(Put(NOTES, note(n=n)))
        assert await store.get(NOTES, at(), consistent=True) == note(n=n)
        page = await store.query(NOTES, "p", limit=1, consistent=True)
        assert page.items == (note(n=n),)

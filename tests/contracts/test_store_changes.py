"""The change feed on both engines: every change once, in order for each item."""

import asyncio
from decimal import Decimal
from itertools import pairwise

import pytest

from greenroom.clock import ManualClock
from greenroom.store.base import Change, Check, Delete, Key, Put, Store, Update
from greenroom.store.expressions import F
from greenroom.store.problems import ConditionFailed, NotFollowed
from greenroom.store.tables import Table
from tests.contracts.tables import ACCOUNTS, COUNTERS, NOTES, VISITS, at, exact, note


async def changes(store: Store, table: Table = NOTES, after: str | None = None) -> list[Change]:
    return [change async for change in store.changes(table, after=after, follow=False)]


def seqs(found: list[Change]) -> list[object]:
    return [None if change.new is None else change.new["n"] for change in found]


async def test_a_table_that_was_never_written_has_no_changes(store: Store) -> None:
    assert await changes(store) == []


async def test_a_change_has_the_item_before_and_after(store: Store) -> None:
    await store.write(Put(NOTES, note(n=1, words={"a"})))
    await store.write(Update(NOTES, at(), (F("n").add(1),)))
    await store.write(Put(NOTES, note(n=3)))
    await store.write(Delete(NOTES, at()))
    found = await changes(store)
    assert [(change.table, change.key) for change in found] == [("Notes", at())] * 4
    assert [(exact(change.old), exact(change.new)) for change in found] == [
        (exact(None), exact(note(n=1, words={"a"}))),
        (exact(note(n=1, words={"a"})), exact(note(n=2, words={"a"}))),
        (exact(note(n=2, words={"a"})), exact(note(n=3))),
        (exact(note(n=3)), exact(None)),
    ]


async def test_a_change_has_its_time(store: Store) -> None:
    await store.write(Put(NOTES, note(n=1)))
    [change] = await changes(store)
    assert change.at_ms > 1_700_000_000_000


async def test_a_refused_write_is_not_a_change(store: Store, token: str) -> None:
    await store.write(Put(NOTES, note(n=1)))
    with pytest.raises(ConditionFailed):
        await store.write(Put(NOTES, note(n=2), F("pk").absent()))
    with pytest.raises(ConditionFailed):
        await store.write(
            Put(NOTES, note(sk="t", n=3)), Check(NOTES, at(), F("n").equals(7)), token=token
        )
    assert seqs(await changes(store)) == [1]


async def test_a_write_that_changes_nothing_is_not_a_change(store: Store) -> None:
    await store.write(Put(NOTES, note(n=1)))
    await store.write(Put(NOTES, note(n=1)))
    await store.write(Update(NOTES, at(), (F("n").set(1),)))
    await store.write(Delete(NOTES, at("never")))
    await store.write(Put(NOTES, note(n=1)), Put(NOTES, note(sk="t", n=2)))
    assert seqs(await changes(store)) == [1, 2]


async def test_the_feed_leaves_out_items_that_nothing_follows(store: Store) -> None:
    for sort in ("GUEST#1", "guest", "DRAFT#", "HOST#GUEST#"):
        await store.write(Put(VISITS, note(sk=sort, n=1)))
    await store.write(Put(VISITS, note(sk="GUEST#2", n=1)), Put(VISITS, note(sk="host", n=1)))
    await store.write(Delete(VISITS, at(sk="GUEST#1")))
    found = await changes(store, VISITS)
    assert [change.key.sort for change in found] == ["guest", "HOST#GUEST#", "host"]
    feed = store.changes(VISITS, follow=False, prefixes=("h", "GUEST#"))
    assert [change.key.sort async for change in feed] == ["host"]


async def test_a_table_without_old_images_tells_only_the_item_after(store: Store) -> None:
    await store.write(Put(COUNTERS, note(n=1)))
    await store.write(Put(COUNTERS, note(n=1)))
    await store.write(Update(COUNTERS, at(), (F("n").add(1),)))
    await store.write(Delete(COUNTERS, at()))
    found = await changes(store, COUNTERS)
    assert [change.old for change in found] == [None, None, None]
    assert seqs(found) == [1, 2, None]


async def test_a_checked_item_is_not_changed(store: Store) -> None:
    await store.write(Put(NOTES, note(n=1)))
    await store.write(Check(NOTES, at(), F("n").equals(1)), Put(NOTES, note(sk="t", n=2)))
    assert [change.key.sort for change in await changes(store)] == ["s", "t"]


async def test_the_changes_of_a_transaction_are_all_there(store: Store) -> None:
    await store.write(*(Put(NOTES, note(f"p{n}", n=n)) for n in range(50)))
    assert sorted(change.key.partition for change in await changes(store)) == sorted(
        f"p{n}" for n in range(50)
    )


async def test_a_repeated_transaction_changes_once(store: Store, token: str) -> None:
    for _ in range(3):
        await store.write(Put(NOTES, note(n=1)), Put(NOTES, note(sk="t", n=2)), token=token)
    assert len(await changes(store)) == 2


async def test_each_table_has_its_own_changes(store: Store) -> None:
    await store.write(Put(NOTES, note(n=1)), Put(VISITS, note(n=2)))
    assert seqs(await changes(store, NOTES)) == [1]
    assert seqs(await changes(store, VISITS)) == [2]


async def test_a_table_without_a_stream_is_not_followed(store: Store) -> None:
    await store.write(Put(ACCOUNTS, {"name": "ada"}))
    with pytest.raises(NotFollowed, match="'Accounts'"):
        await changes(store, ACCOUNTS)
    with pytest.raises(NotFollowed):
        async for _ in store.changes(ACCOUNTS):
            pass


async def test_items_change_in_order_however_many_write_at_once(store: Store) -> None:
    async def count(pk: str) -> None:
        for _ in range(10):
            await store.write(Update(NOTES, at(pk), (F("n").add(1),)))

    await asyncio.gather(*(count(f"p{n % 5}") for n in range(10)))
    found = await changes(store)
    assert len(found) == 100
    for n in range(5):
        assert seqs([c for c in found if c.key == at(f"p{n}")]) == list(range(1, 21))


@pytest.mark.parametrize("stop", [1, 2, 5, 9, 10])
async def test_a_follower_that_resumes_misses_and_repeats_nothing(store: Store, stop: int) -> None:
    for n in range(1, 11):
        await store.write(Put(NOTES, note(f"p{n % 3}", n=n)))
    first = (await changes(store))[:stop]
    rest = await changes(store, after=first[-1].checkpoint)
    assert sorted(seqs(first + rest), key=str) == sorted(range(1, 11), key=str)
    for n in range(3):
        mine = seqs([c for c in first + rest if c.key.partition == f"p{n}"])
        assert mine == sorted(mine, key=lambda seq: int(str(seq)))
    for n in range(11, 14):
        await store.write(Put(NOTES, note(f"p{n % 3}", n=n)))
    last = (first + rest)[-1].checkpoint
    assert sorted(seqs(await changes(store, after=last)), key=str) == [11, 12, 13]


async def test_a_follower_that_resumes_inside_a_transaction_gets_the_rest_of_it(
    store: Store,
) -> None:
    await store.write(*(Put(NOTES, note(f"p{n}", n=n)) for n in range(10)))
    found = await changes(store)
    rest = await changes(store, after=found[3].checkpoint)
    assert sorted(seqs(found[:4] + rest), key=str) == list(range(10))


async def test_a_follower_receives_later_changes(store: Store) -> None:
    await store.write(Put(NOTES, note(n=1)))
    seen: asyncio.Queue[object] = asyncio.Queue()

    async def follow() -> None:
        async for change in store.changes(NOTES):
            await seen.put(change.new and change.new["n"])

    follower = asyncio.create_task(follow())
    try:
        for n in range(1, 4):
            assert await asyncio.wait_for(seen.get(), 60) == n
            await asyncio.sleep(0.05)
            assert seen.empty()
            await store.write(Put(NOTES, note(n=n + 1)))
    finally:
        follower.cancel()
        await asyncio.gather(follower, return_exceptions=True)


async def test_two_followers_get_everything_each(store: Store) -> None:
    async def first_three() -> list[Change]:
        found: list[Change] = []
        async for change in store.changes(NOTES):
            found.append(change)
            if len(found) == 3:
                break
        return found

    followers = [asyncio.create_task(first_three()) for _ in range(2)]
    for n in range(3):
        await store.write(Put(NOTES, note(n=n)))
    for found in await asyncio.wait_for(asyncio.gather(*followers), 60):
        assert seqs(found) == [0, 1, 2]


async def test_a_put_over_an_expired_item_is_a_change_of_that_key(
    store: Store, clock: ManualClock
) -> None:
    ends = clock.now_ms() // 1000 + 10
    await store.write(Put(VISITS, note(n=1, expiresAt=ends)))
    clock.advance(seconds=60)
    await store.write(Put(VISITS, note(n=2, expiresAt=ends + 1000)))
    found = await changes(store, VISITS)
    assert [change.key for change in found] == [Key("p", "s")] * len(found)
    assert found[-1].new == note(n=2, expiresAt=ends + 1000)
    assert found[0].new == note(n=1, expiresAt=ends)
    for earlier, later in pairwise(found):
        assert later.old == earlier.new, "the changes of an item are a chain"


async def test_a_feed_gives_the_items_with_a_prefix_and_moves_past_the_others(store: Store) -> None:
    sorts = ("a#1", "b#1", "c#1", "a", "a#2", "a!", "d#1", "z")
    for n, sort in enumerate(sorts):
        await store.write(Put(NOTES, note(sk=sort, n=n)))
    moved: list[str] = []
    feed = store.changes(NOTES, follow=False, moved=moved.append, prefixes=("a#", "c#"))
    found = [change async for change in feed]
    assert [change.key.sort for change in found] == ["a#1", "c#1", "a#2"]
    assert seqs(await changes(store, after=moved[-1])) == []
    await store.write(Put(NOTES, note(sk="a#3", n=9)))
    assert seqs(await changes(store, after=moved[-1])) == [9]
    assert seqs(await changes(store, after=found[1].checkpoint)) == [3, 4, 5, 6, 7, 9]


async def test_a_feed_may_leave_out_the_items_before_a_change(store: Store) -> None:
    await store.write(Put(NOTES, note(n=1)))
    await store.write(Put(NOTES, note(n=2)))
    found = [c async for c in store.changes(NOTES, follow=False, with_old=False)]
    assert seqs(found) == [1, 2]
    assert [change.old for change in found] == [None, None]


async def test_a_feed_that_lingers_gives_everything(store: Store) -> None:
    found: list[Change] = []

    async def follow() -> None:
        async for change in store.changes(NOTES, linger=0.05):
            found.append(change)
            if len(found) == 40:
                break

    follower = asyncio.create_task(follow())
    for n in range(40):
        await store.write(Put(NOTES, note(n=n)))
        await asyncio.sleep(0.005)
    await asyncio.wait_for(follower, 60)
    assert seqs(found) == list(range(40))


async def test_changes_may_come_with_some_attributes_alone(store: Store) -> None:
    await store.write(Put(NOTES, note(n=1, tags=frozenset({"a"}), text="long " * 50)))
    await store.write(Put(NOTES, note(n=Decimal("1.5"), text="other")))
    wanted = ("n", "tags", "missing")
    feed = store.changes(NOTES, follow=False, attributes=wanted)
    first, second = [change async for change in feed]
    assert first.new == {"n": 1, "tags": frozenset({"a"})}
    assert (second.old, second.new) == (first.new, {"n": Decimal("1.5")})

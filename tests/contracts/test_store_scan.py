"""Scans and the checkpoint of now, on both engines: what a rebuild stands on."""

import asyncio

import pytest

from greenroom.clock import ManualClock
from greenroom.store.base import Delete, Put, Store, Update
from greenroom.store.expressions import F
from greenroom.store.problems import InvalidCursor, InvalidQuery, NotFollowed
from greenroom.store.tables import Table
from greenroom.store.values import Item
from tests.contracts.tables import ACCOUNTS, NOTES, VISITS, at, exact, note


async def scanned(store: Store, table: Table = NOTES, limit: int = 100) -> list[Item]:
    found: list[Item] = []
    cursor: str | None = None
    while True:
        page = await store.scan(table, limit=limit, cursor=cursor, consistent=True)
        assert len(page.items) <= limit
        found += page.items
        cursor = page.next
        if cursor is None:
            return found


def ordered(items: list[Item]) -> list[str]:
    return sorted(f"{item['pk']}/{item['sk']}" for item in items)


@pytest.mark.parametrize("limit", [1, 2, 7, 1000])
async def test_a_scan_gives_every_item_once(store: Store, limit: int) -> None:
    for n in range(7):
        await store.write(Put(NOTES, note(f"p{n % 3}", f"s{n}", n=n, words={"a"})))
    found = await scanned(store, limit=limit)
    assert ordered(found) == sorted(f"p{n % 3}/s{n}" for n in range(7))
    assert {str(item["sk"]): exact(item) for item in found}["s4"] == exact(
        note("p1", "s4", n=4, words={"a"})
    )


async def test_a_scan_of_an_empty_table_has_no_items(store: Store) -> None:
    page = await store.scan(NOTES, limit=10)
    assert (page.items, page.next) == ((), None)


async def test_a_table_without_a_sort_key_is_scanned(store: Store) -> None:
    for n in range(5):
        await store.write(Put(ACCOUNTS, {"name": f"a{n}"}))
    found = await scanned(store, ACCOUNTS, limit=2)
    assert sorted(str(item["name"]) for item in found) == [f"a{n}" for n in range(5)]


async def test_a_scan_leaves_out_what_has_expired(store: Store, clock: ManualClock) -> None:
    ends = clock.now_ms() // 1000 + 10
    for n in range(6):
        await store.write(Put(VISITS, note(sk=f"s{n}", expiresAt=ends + 1000 * (n % 2))))
    clock.advance(seconds=60)
    assert ordered(await scanned(store, VISITS, limit=2)) == ["p/s1", "p/s3", "p/s5"]


async def test_a_scan_sees_what_is_written_while_it_goes_on(store: Store) -> None:
    """Finds every item that exists during the whole scan, while others are written."""
    for n in range(40):
        await store.write(Put(NOTES, note(f"p{n}", n=0)))

    async def keep_writing() -> None:
        for n in range(0, 40, 2):
            await store.write(Delete(NOTES, at(f"p{n}")))
            await store.write(Update(NOTES, at(f"p{n + 1}"), (F("n").add(1),)))
            await store.write(Put(NOTES, note(f"q{n}", n=0)))

    writer = asyncio.create_task(keep_writing())
    found = ordered(await scanned(store, limit=3))
    await writer
    assert {f"p{n}/s" for n in range(1, 40, 2)} <= set(found)
    assert len(found) == len(set(found))


async def test_a_cursor_opens_only_the_scan_of_its_table(store: Store) -> None:
    for n in range(3):
        await store.write(Put(NOTES, note(sk=f"s{n}")), Put(VISITS, note(sk=f"s{n}")))
    cursor = (await store.scan(NOTES, limit=1)).next
    assert cursor is not None
    with pytest.raises(InvalidCursor):
        await store.scan(VISITS, limit=1, cursor=cursor)
    with pytest.raises(InvalidCursor):
        await store.query(NOTES, "p", limit=1, cursor=cursor)
    with pytest.raises(InvalidCursor):
        await store.scan(NOTES, limit=1, cursor=(await store.query(NOTES, "p", limit=1)).next)


@pytest.mark.parametrize("limit", [0, 1001])
async def test_a_page_of_a_scan_is_limited(store: Store, limit: int) -> None:
    with pytest.raises(InvalidQuery):
        await store.scan(NOTES, limit=limit)


async def test_a_scan_costs_what_it_reads(store: Store) -> None:
    for n in range(8):
        await store.write(Put(NOTES, note(sk=f"s{n}", body="x" * 1024)))
    with store.counting() as cost:
        await store.scan(NOTES, limit=100)
    assert cost.read_units == 1.5
    with store.counting() as cost:
        await store.scan(NOTES, limit=100, consistent=True)
    assert cost.read_units == 3


async def test_changes_after_a_checkpoint_follow_it(store: Store) -> None:
    checkpoint = await store.checkpoint(NOTES)
    for n in range(5):
        await store.write(Put(NOTES, note(f"p{n}", n=n)))
        later = await store.checkpoint(NOTES)
        found = [c async for c in store.changes(NOTES, after=checkpoint, follow=False)]
        assert found[-1].new == note(f"p{n}", n=n)
        checkpoint = later


async def test_a_table_without_a_stream_has_no_checkpoint(store: Store) -> None:
    with pytest.raises(NotFollowed):
        await store.checkpoint(ACCOUNTS)

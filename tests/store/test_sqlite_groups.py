"""Writes that share a commit are planned on top of each other, with the same result as alone.

Tests that wait for each write would not find errors here.
"""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from greenroom.clock import ManualClock
from greenroom.store.base import Delete, Put, Update
from greenroom.store.expressions import F
from greenroom.store.problems import ConditionFailed, StoreFull, TokenReused
from greenroom.store.sqlite import SqliteStore
from tests.contracts.lockstep import Outcome, outcome
from tests.contracts.sequences import OWNERS, PARTITIONS, Walk, Write, alone, together
from tests.contracts.tables import BY_OWNER, NOTES, TABLES, VISITS, at, exact, note
from tests.stores import IN_2100_MS

SECRET = b"secret"


async def opened(path: Path, clock: ManualClock | None = None, **rest: Any) -> SqliteStore:
    return await SqliteStore.open(
        path,
        TABLES,
        clock=clock or ManualClock(IN_2100_MS),
        cursor_secret=SECRET,
        **{"sweep_seconds": 1e6, **rest},
    )


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[SqliteStore]:
    async with await opened(tmp_path / "store.db") as found:
        yield found


def result(found: Outcome) -> Any:
    refusal = found.refusal
    if isinstance(refusal, ConditionFailed):
        return [exact(failure.item) for failure in refusal.failed]
    return (found.answer, type(refusal), found.units)


async def everything(store: SqliteStore) -> Any:
    found: list[Any] = []
    for table in TABLES:
        for index in (None, *table.indexes):
            for partition in PARTITIONS if index is None else OWNERS:
                step = Walk(table, partition, None, index, 100, False, False)
                found.append((await outcome(store, step)).answer)
        if table.stream:
            changes = store.changes(table, follow=False)
            found += [(c.key, exact(c.old), exact(c.new)) async for c in changes]
    return found


@pytest.mark.timeout(1200)
@settings(
    max_examples=100,
    deadline=None,
    database=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
@given(
    writes=st.lists(st.one_of(alone, together), min_size=2, max_size=12),
    waits=st.lists(st.booleans(), min_size=12, max_size=12),
)
def test_concurrent_writes_equal_sequential_writes(
    tmp_path_factory: pytest.TempPathFactory, writes: list[Write], waits: list[bool]
) -> None:
    async def run(folder: Path) -> None:
        async with (
            await opened(folder / "one.db") as one,
            await opened(folder / "other.db") as other,
        ):
            in_turn = [result(await outcome(one, write)) for write in writes]
            tasks = []
            for write, wait in zip(writes, waits, strict=False):
                tasks.append(asyncio.create_task(outcome(other, write)))
                if wait:  # so that some are planned while others are on their way to the disk
                    await asyncio.sleep(0)
            assert [result(await task) for task in tasks] == in_turn
            assert await everything(one) == await everything(other)

    asyncio.run(run(tmp_path_factory.mktemp("groups")))


async def test_a_row_that_many_writes_of_a_group_change_is_logged_each_time(
    store: SqliteStore,
) -> None:
    before = store.commits
    await asyncio.gather(
        store.write(Put(NOTES, note(owner="o", at="1", n=0))),
        *(store.write(Update(NOTES, at(), (F("n").add(1), F("at").set(f"{n}")))) for n in range(9)),
    )
    assert store.commits == before + 1
    assert [c.new["n"] async for c in store.changes(NOTES, follow=False) if c.new] == [*range(10)]
    page = await store.query(NOTES, "o", index=BY_OWNER, limit=5)
    assert [(item["n"], item["at"]) for item in page.items] == [(9, "8")]


async def test_a_row_created_and_deleted_in_one_group_leaves_no_trace(store: SqliteStore) -> None:
    await asyncio.gather(
        store.write(Put(NOTES, note(owner="o", at="1"))), store.write(Delete(NOTES, at()))
    )
    assert await store.get(NOTES, at()) is None
    assert not (await store.query(NOTES, "o", index=BY_OWNER, limit=5)).items
    assert len([c async for c in store.changes(NOTES, follow=False)]) == 2


async def test_an_item_is_stored_as_it_was_when_submitted(store: SqliteStore) -> None:
    item: dict[str, Any] = {**note(tags=["a"])}
    writing = asyncio.ensure_future(store.write(Put(NOTES, item)))
    await asyncio.sleep(0)
    item["tags"].append(1.5)
    item["late"] = True
    await writing
    assert await store.get(NOTES, at()) == note(tags=["a"])


async def test_a_token_is_known_before_its_commit(store: SqliteStore) -> None:
    ops = (Update(NOTES, at(), (F("n").add(1),)), Put(NOTES, note(sk="other")))
    for _ in range(3):
        await asyncio.gather(*(store.write(*ops, token="t") for _ in range(3)))
    found = await store.get(NOTES, at())
    assert found == note(n=1)
    answers = await asyncio.gather(
        store.write(*ops, token="u"), store.write(ops[0], token="u"), return_exceptions=True
    )
    assert [type(answer) for answer in answers] == [type(None), TokenReused]


async def test_a_write_is_billed_once_although_its_group_failed(store: SqliteStore) -> None:
    def full() -> None:
        raise StoreFull("no room")

    with store.counting() as cost:
        chore = store._writer.submit(full)
        await store.write(Put(NOTES, note()))
        with pytest.raises(StoreFull):
            await chore
    assert cost.write_units == 1
    assert await store.get(NOTES, at()) == note()


async def test_writes_planned_on_a_failed_group_are_planned_again(store: SqliteStore) -> None:
    """The disk is full for one commit: its writes are retried alone, and those planned meanwhile
    follow with numbers without a gap."""
    commit, failing = store._writer._commit, [True]

    def once_full() -> None:
        if failing.pop() if failing else False:
            store._connection.execute("PRAGMA max_page_count=1")
            store._connection.execute("INSERT INTO tokens VALUES('x', zeroblob(1000000), 0)")
        commit()

    store._writer._commit = once_full  # type: ignore[method-assign]
    first = [
        asyncio.ensure_future(store.write(Update(NOTES, at(), (F("n").add(1),)))) for _ in range(2)
    ]
    while not store._writer.is_open:  # noqa: ASYNC110
        await asyncio.sleep(0)
    second = asyncio.ensure_future(store.write(Update(NOTES, at(), (F("n").add(1),))))
    answers = await asyncio.gather(*first, second, return_exceptions=True)
    refused = [answer for answer in answers if isinstance(answer, StoreFull)]
    done = [answer for answer in answers if isinstance(answer, dict)]
    assert len(done) + len(refused) == 3
    store._connection.execute("PRAGMA max_page_count=1073741823")
    await store.write(Update(NOTES, at(), (F("n").add(1),)))
    assert await store.get(NOTES, at()) == note(n=len(done) + 1)
    counts = [c.new["n"] async for c in store.changes(NOTES, follow=False) if c.new]
    assert counts == [*range(1, len(done) + 2)]


async def test_a_removed_expired_item_can_be_written_again_at_once(tmp_path: Path) -> None:
    clock = ManualClock(IN_2100_MS)
    async with await opened(tmp_path / "store.db", clock) as store:
        await store.write(
            Put(VISITS, note(place="o", at="1", expiresAt=clock.now_ms() // 1000 + 1))
        )
        clock.advance(seconds=2)
        swept = store._writer.submit(lambda: store._flusher.remove_expired(VISITS, 10))
        while not store._writer.is_open:  # noqa: ASYNC110
            await asyncio.sleep(0)
        await store.write(Update(VISITS, at(), (F("n").add(1),), F("pk").absent()))
        assert await swept == 1
        assert await store.get(VISITS, at()) == note(n=1)


async def test_changes_from_a_clock_that_ran_ahead_do_not_hold_up_the_others(
    tmp_path: Path,
) -> None:
    clock = ManualClock(IN_2100_MS)
    async with await opened(tmp_path / "store.db", clock) as store:
        clock.advance(seconds=400 * 86_400)
        await store.write(Put(NOTES, note(n=1)))
        clock.advance(seconds=-400 * 86_400)
        await store.write(Put(NOTES, note(n=2)))
        await store.write(Put(NOTES, note(n=3)))
        clock.advance(seconds=2)
        assert await store._writer.submit(lambda: store._flusher.trim(NOTES, 1000, 50)) == 2


async def test_a_reader_sees_only_committed_data(store: SqliteStore) -> None:
    await store.write(Put(NOTES, note(n=1)))
    await store.write(Update(NOTES, at(), (F("n").add(1),)))
    assert await store.get(NOTES, at()) == note(n=2)
    first = asyncio.ensure_future(store.write(Update(NOTES, at(), (F("n").add(1),))))
    await asyncio.sleep(0)
    assert await store.get(NOTES, at()) == note(n=2), "planned"
    while not store._writer.is_open:  # noqa: ASYNC110
        await asyncio.sleep(0)
    second = asyncio.ensure_future(store.write(Delete(NOTES, at())))
    await asyncio.sleep(0)
    assert (await store.get(NOTES, at()) or {}).get("n") in (2, 3), "on its way"
    await first
    assert (await store.get(NOTES, at()) or {"n": 3})["n"] == 3
    await second
    assert await store.get(NOTES, at()) is None
    put = asyncio.ensure_future(store.write(Put(NOTES, note(sk="new"))))
    await asyncio.sleep(0)
    assert await store.get(NOTES, at(sk="new")) is None
    await put
    found = await store.get(NOTES, at(sk="new"))
    assert found == note(sk="new")
    found["pk"] = "changed"  # type: ignore[index]
    assert await store.get(NOTES, at(sk="new")) == note(sk="new"), "what is read is the reader's"


async def test_a_wrongly_assumed_new_row_is_refused_alone(store: SqliteStore) -> None:
    """A Put on condition that the item is absent is planned without reading the row; the insert
    fails."""
    await store.write(Put(NOTES, note(n=1)))
    new = F("pk").absent()
    before = store.commits
    answers = await asyncio.gather(
        store.write(Put(NOTES, note(sk="a"), new)),
        store.write(Put(NOTES, note(n=2), new)),
        store.write(Put(NOTES, note(sk="b"), new), Put(NOTES, note(n=3), new)),
        store.write(Update(NOTES, at("p", "a"), (F("n").add(1),))),
        store.write(Put(NOTES, note(sk="c"), new)),
        return_exceptions=True,
    )
    assert [type(one) for one in answers[1:3]] == [ConditionFailed, ConditionFailed]
    assert [one.failed[0].item for one in answers[1:3] if isinstance(one, ConditionFailed)] == [
        note(n=1),
        note(n=1),
    ]
    assert [isinstance(one, BaseException) for one in answers] == [False, True, True, False, False]
    assert store.commits == before + 1
    found = (await store.query(NOTES, "p", limit=10)).items
    assert {item["sk"]: item.get("n") for item in found} == {"a": 1, "c": None, at().sort: 1}
    assert len([c async for c in store.changes(NOTES, follow=False)]) == 4


async def test_an_assumed_new_row_does_not_hide_an_existing_one(store: SqliteStore) -> None:
    await store.write(Put(NOTES, note(n=1)))
    writing = asyncio.ensure_future(store.write(Put(NOTES, note(n=2), F("pk").absent())))
    await asyncio.sleep(0)
    assert await store.get(NOTES, at()) == note(n=1)
    with pytest.raises(ConditionFailed):
        await writing


async def test_an_expired_item_counts_as_absent(tmp_path: Path) -> None:
    clock = ManualClock(IN_2100_MS)
    async with await opened(tmp_path / "store.db", clock) as store:
        ends = clock.now_ms() // 1000 + 1
        await store.write(Put(VISITS, note(place="o", at="1", expiresAt=ends)))
        clock.advance(seconds=2)
        await store.write(Put(VISITS, note(n=1), F("pk").absent()))
        assert await store.get(VISITS, at()) == note(n=1)
        assert not (await store.query(VISITS, "o", index=VISITS.indexes[0], limit=5)).items


async def test_an_assumed_new_row_deleted_in_its_group_is_checked(store: SqliteStore) -> None:
    """No insert reaches the file, so nothing else would notice an existing row."""
    await store.write(Put(NOTES, note(n=1)))
    answers = await asyncio.gather(
        store.write(Put(NOTES, note(n=2), F("pk").absent())),
        store.write(Delete(NOTES, at())),
        return_exceptions=True,
    )
    assert [type(answer) for answer in answers] == [ConditionFailed, type(None)]
    assert await store.get(NOTES, at()) is None
    changes = [(c.old, c.new) async for c in store.changes(NOTES, follow=False)]
    assert changes == [(None, note(n=1)), (note(n=1), None)]


async def test_a_read_during_a_commit_sees_all_of_a_transaction_or_nothing(
    store: SqliteStore,
) -> None:
    for n in range(50):
        new, other = note(f"n{n}", "a"), note(f"n{n}", "b")
        write = asyncio.ensure_future(
            store.write(Put(NOTES, new, F("pk").absent()), Put(NOTES, other))
        )
        while not write.done():
            first = await store.get(NOTES, at(f"n{n}", "a"), consistent=True)
            second = await store.get(NOTES, at(f"n{n}", "b"), consistent=True)
            assert (first is None) == (second is None)
            await asyncio.sleep(0)
        await write

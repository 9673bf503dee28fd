"""The SQLite engine: its writer, sweeping and failures.

test_sqlite_file tests the file itself: refusals, backup, a full disk, changed declarations.
"""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from greenroom.clock import ManualClock
from greenroom.store.base import Change, Check, Key, Put, Store, Update
from greenroom.store.expressions import F
from greenroom.store.problems import (
    CheckpointTooOld,
    ConditionFailed,
    InvalidCursor,
    InvalidUpdate,
    StoreFull,
    StoreHeld,
    StoreUnavailable,
    TokenReused,
)
from greenroom.store.sqlite import SqliteStore
from tests.contracts.tables import (
    ACCOUNTS,
    BY_PLACE,
    NOTES,
    TABLES,
    VISITS,
    at,
    note,
)
from tests.stores import IN_2100_MS

SECRET = b"secret"
HOUR_MS = 3_600_000


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock(IN_2100_MS)


@pytest.fixture
async def store(tmp_path: Path, clock: ManualClock) -> AsyncIterator[SqliteStore]:
    opened = await SqliteStore.open(
        tmp_path / "store.db", TABLES, clock=clock, cursor_secret=SECRET, sweep_seconds=1e6
    )
    yield opened
    await opened.close()


@pytest.fixture
async def sweeping(tmp_path: Path, clock: ManualClock) -> AsyncIterator[SqliteStore]:
    """Sweeps fifty times a second and keeps changes for an hour."""
    opened = await SqliteStore.open(
        tmp_path / "store.db",
        TABLES,
        clock=clock,
        cursor_secret=SECRET,
        sweep_seconds=0.02,
        keep_changes_ms=HOUR_MS,
    )
    yield opened
    await opened.close()


async def changes(store: Store, after: str | None = None) -> list[Change]:
    return [change async for change in store.changes(VISITS, after=after, follow=False)]


async def eventually(store: Store, count: int) -> list[Change]:
    for _ in range(3000):
        found = await changes(store)
        if len(found) == count:
            return found
        await asyncio.sleep(0.02)
    raise AssertionError(f"{count} changes were expected; there are {await changes(store)}")


async def test_writes_that_come_together_are_committed_together(store: SqliteStore) -> None:
    before = store.commits
    await asyncio.gather(*(store.write(Put(NOTES, note(sk=f"{n:03}"))) for n in range(500)))
    groups = store.commits - before
    assert groups <= 25, f"{groups} commits for 500 writes at once"
    assert len((await store.query(NOTES, "p", limit=1000)).items) == 500


async def test_a_refused_write_in_a_group_is_refused_alone(store: SqliteStore) -> None:
    await store.write(Put(NOTES, note(sk="taken", text="t")))
    taken = Put(NOTES, note(sk="taken"), F("pk").absent())
    before = store.commits
    answers = await asyncio.gather(
        store.write(Put(NOTES, note(sk="a"))),
        store.write(taken),
        store.write(Put(NOTES, note(sk="half")), taken),
        store.write(
            Put(NOTES, note(sk="half")), Update(NOTES, at(sk="taken"), (F("text").add(1),))
        ),
        store.write(Put(NOTES, note(sk="b")), Check(NOTES, at(sk="taken"), F("pk").exists())),
        return_exceptions=True,
    )
    assert store.commits - before == 1, "they were one group"
    assert [type(answer) for answer in answers] == [
        type(None),
        ConditionFailed,
        ConditionFailed,
        InvalidUpdate,
        type(None),
    ]
    page = await store.query(NOTES, "p", limit=9)
    assert [item["sk"] for item in page.items] == ["a", "b", "taken"]


async def test_the_writes_of_a_group_see_each_other_in_turn(store: SqliteStore) -> None:
    before = store.commits
    answers = await asyncio.gather(
        *(store.write(Update(NOTES, at(), (F("n").add(1),))) for _ in range(20))
    )
    assert store.commits - before == 1
    assert [answer and answer["n"] for answer in answers] == list(range(1, 21))


async def test_reads_go_on_while_a_commit_is_under_way(store: SqliteStore) -> None:
    await store.write(Put(NOTES, note(v=1)))
    body = "x" * 390_000
    big = [Put(NOTES, note("big", f"{n}", body=body)) for n in range(10)]
    writing = asyncio.create_task(store.write(*big))
    reads = 0
    while not writing.done():
        assert await store.get(NOTES, at()) == note(v=1)
        assert len((await store.query(NOTES, "big", limit=20)).items) in (0, 10)
        reads += 1
        await asyncio.sleep(0)
    await writing
    assert reads > 1
    assert len((await store.query(NOTES, "big", limit=20)).items) == 10


async def test_a_caller_that_gives_up_does_not_stop_the_writer(store: SqliteStore) -> None:
    impatient = asyncio.create_task(store.write(Put(NOTES, note(sk="a"))))
    others = [asyncio.create_task(store.write(Put(NOTES, note(sk=f"b{n}")))) for n in range(5)]
    await asyncio.sleep(0)
    impatient.cancel()
    await asyncio.gather(*others)
    await store.write(Put(NOTES, note(sk="c")))
    found = {item["sk"] for item in (await store.query(NOTES, "p", limit=20)).items}
    assert found - {"a"} == {"b0", "b1", "b2", "b3", "b4", "c"}


async def test_closing_lets_what_was_accepted_reach_the_disk(
    tmp_path: Path, clock: ManualClock
) -> None:
    path = tmp_path / "other.db"
    first = await SqliteStore.open(path, TABLES, clock=clock, cursor_secret=SECRET)
    writes = [asyncio.create_task(first.write(Put(NOTES, note(sk=f"{n:03}")))) for n in range(50)]
    await asyncio.sleep(0)
    await first.close()
    await asyncio.gather(*writes)
    with pytest.raises(StoreUnavailable, match="closed"):
        await first.write(Put(NOTES, note()))
    again = await SqliteStore.open(path, TABLES, clock=clock, cursor_secret=SECRET)
    assert len((await again.query(NOTES, "p", limit=100)).items) == 50
    await again.close()


async def test_expired_items_are_removed_and_the_removal_is_a_change(
    sweeping: SqliteStore, clock: ManualClock
) -> None:
    ends = clock.now_ms() // 1000 + 10
    stays = note(sk="stays", expiresAt=ends + 1000, place="x", at="1")
    goes = note(sk="goes", expiresAt=ends, place="x", at="2")
    await sweeping.write(Put(VISITS, stays), Put(VISITS, goes))
    clock.advance(seconds=60)
    found = await eventually(sweeping, 3)
    assert (found[2].key, found[2].old, found[2].new) == (at(sk="goes"), goes, None)
    page = await sweeping.query(VISITS, "x", index=BY_PLACE, limit=9)
    assert page.items == (stays,)
    clock.advance(ms=-60_000)
    assert await sweeping.get(VISITS, at(sk="goes")) is None, "it is not only hidden"
    assert await sweeping.get(VISITS, at(sk="stays")) == stays


async def test_a_replaced_item_is_not_removed_with_the_expired_one(
    sweeping: SqliteStore, clock: ManualClock
) -> None:
    ends = clock.now_ms() // 1000 + 10
    await sweeping.write(Put(VISITS, note(expiresAt=ends)))
    replacement = note(expiresAt=ends + 1000)
    clock.advance(seconds=60)
    await sweeping.write(Put(VISITS, replacement), Put(VISITS, note(sk="t", expiresAt=ends)))
    found = await eventually(sweeping, 4)
    assert found[-1].key == at(sk="t"), "a sweep has passed over both"
    assert await sweeping.get(VISITS, at()) == replacement


async def test_old_changes_are_removed_and_their_checkpoints_refused(
    sweeping: SqliteStore, clock: ManualClock
) -> None:
    for n in range(3):
        await sweeping.write(Put(VISITS, note(n=n)))
    first, *_ = await changes(sweeping)
    clock.advance(ms=HOUR_MS + 1)
    await sweeping.write(Put(VISITS, note(n=3)))
    found = await eventually(sweeping, 1)
    assert found[0].new == note(n=3)
    with pytest.raises(CheckpointTooOld, match="'Visits'"):
        await changes(sweeping, after=first.checkpoint)
    assert await changes(sweeping, after=found[0].checkpoint) == []


async def test_a_follower_that_is_up_to_date_stays_so_when_old_changes_go(
    sweeping: SqliteStore, clock: ManualClock
) -> None:
    for n in range(3):
        await sweeping.write(Put(VISITS, note(n=n)))
    last = (await changes(sweeping))[-1].checkpoint
    clock.advance(ms=HOUR_MS + 1)
    await eventually(sweeping, 1)
    assert await changes(sweeping, after=last) == []
    await sweeping.write(Put(VISITS, note(n=3)))
    assert [change.new for change in await changes(sweeping, after=last)] == [note(n=3)]


async def test_a_follower_overtaken_by_trimming_is_refused(
    sweeping: SqliteStore, clock: ManualClock
) -> None:
    """More changes are waiting than one page holds, and the rest is trimmed meanwhile."""
    await asyncio.gather(*(sweeping.write(Put(VISITS, note(sk=f"{n}"))) for n in range(600)))
    seen: list[Change] = []

    async def follow() -> None:
        async for change in sweeping.changes(VISITS, follow=False):
            if not seen:
                clock.advance(ms=HOUR_MS + 1)
                await eventually(sweeping, 1)
            seen.append(change)

    with pytest.raises(CheckpointTooOld, match="'Visits'"):
        await follow()
    assert 0 < len(seen) < 600


async def test_sweeping_continues_after_a_full_disk(tmp_path: Path, clock: ManualClock) -> None:
    path = tmp_path / "full.db"
    store = await SqliteStore.open(
        path, TABLES, clock=clock, cursor_secret=SECRET, sweep_seconds=0.01
    )
    refused, sweep = asyncio.Event(), store._flusher.forget_tokens

    def full() -> None:
        refused.set()
        raise StoreFull("no room")

    store._flusher.forget_tokens = full  # type: ignore[method-assign]
    await refused.wait()
    store._flusher.forget_tokens = sweep  # type: ignore[method-assign]
    await store.write(Put(VISITS, note(expiresAt=clock.now_ms() // 1000 - 1)))
    assert len(await eventually(store, 2)) == 2, "there, and swept"
    refused.clear()
    store._flusher.forget_tokens = full  # type: ignore[method-assign]
    await refused.wait()
    await store.close()
    again = await SqliteStore.open(path, TABLES, clock=clock, cursor_secret=SECRET)
    await again.close()


async def test_a_file_is_held_under_every_name_it_has(
    store: SqliteStore, tmp_path: Path, clock: ManualClock
) -> None:
    link = tmp_path / "link.db"
    link.symlink_to(tmp_path / "store.db")
    with pytest.raises(StoreHeld):
        await SqliteStore.open(link, TABLES, clock=clock, cursor_secret=SECRET)


@pytest.mark.parametrize(
    "checkpoint", ["", "x", "1", "-1", "a" * 16, f"{'a' * 16}-٣", f"{'a' * 16}-{'9' * 40}"]
)
async def test_a_checkpoint_that_was_never_given_is_refused(
    store: SqliteStore, checkpoint: str
) -> None:
    with pytest.raises(InvalidCursor):
        await changes(store, after=checkpoint)


async def test_a_checkpoint_from_the_future_is_refused(store: SqliteStore) -> None:
    await store.write(Put(VISITS, note(n=1)))
    [change] = await changes(store)
    with pytest.raises(CheckpointTooOld):
        await changes(store, after=f"{change.checkpoint}9")


async def test_a_token_is_remembered_for_ten_minutes(
    store: SqliteStore, clock: ManualClock
) -> None:
    add = Update(NOTES, at(), (F("n").add(1),))
    await store.write(add, token="t")
    clock.advance(seconds=599)
    await store.write(add, token="t")
    assert await store.get(NOTES, at()) == note(n=1)
    with pytest.raises(TokenReused):
        await store.write(Put(NOTES, note()), token="t")
    clock.advance(seconds=1)
    await store.write(add, token="t")
    assert await store.get(NOTES, at()) == note(n=2)


async def test_a_token_is_remembered_over_a_restart(tmp_path: Path, clock: ManualClock) -> None:
    path = tmp_path / "other.db"
    for _ in range(2):
        again = await SqliteStore.open(path, TABLES, clock=clock, cursor_secret=SECRET)
        await again.write(
            Update(NOTES, at(), (F("n").add(1), F("words").add({"a", "b", "c", "d"}))),
            token="t",
        )
        assert (await again.get(NOTES, at()) or {})["n"] == 1
        await again.close()


async def test_a_check_costs_twice_the_size_of_its_item(store: SqliteStore) -> None:
    await store.write(Put(ACCOUNTS, {"name": "ada", "body": "x" * 1500}))
    with store.counting() as cost:
        await store.write(Put(NOTES, note()), Check(ACCOUNTS, Key("ada"), F("name").exists()))
    assert cost.by_source["Accounts"].write == 4


async def test_every_op_of_a_transaction_is_counted(store: SqliteStore) -> None:
    with store.counting() as cost:
        await store.write(*(Put(NOTES, note(sk=f"{n}", tag="t")) for n in range(10)))
    assert cost.by_source["Notes"].write == 20
    assert cost.by_source["Notes/ByTag"].write == 20


async def test_a_bug_in_one_write_does_not_stop_the_writer(store: SqliteStore) -> None:
    bug = store._writer.submit(lambda: 1 // 0)
    others = [store.write(Put(NOTES, note(sk=f"{n}"))) for n in range(3)]
    answers = await asyncio.gather(bug, *others, return_exceptions=True)
    assert isinstance(answers[0], ZeroDivisionError)
    assert answers[1:] == [None, None, None]
    assert len((await store.query(NOTES, "p", limit=9)).items) == 3


async def test_a_closed_store_refuses_reads_and_followers(
    tmp_path: Path, clock: ManualClock
) -> None:
    path = tmp_path / "closed.db"
    store = await SqliteStore.open(path, TABLES, clock=clock, cursor_secret=SECRET)

    async def follow() -> None:
        async for _ in store.changes(NOTES):
            pass

    follower = asyncio.create_task(follow())
    await asyncio.sleep(0.05)
    await store.close()
    with pytest.raises(StoreUnavailable):
        await asyncio.wait_for(follower, 60)
    with pytest.raises(StoreUnavailable):
        await store.get(NOTES, at())
    with pytest.raises(StoreUnavailable):
        await store.write(Put(NOTES, note()))

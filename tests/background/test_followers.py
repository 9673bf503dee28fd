"""Followers on both engines: each change once and in order, whatever fails in between."""

import asyncio
import random
from collections.abc import Sequence

import pytest

from greenroom.background import followers, progress, records
from greenroom.background.follower import Follower
from greenroom.background.followers import FollowerRunner
from greenroom.background.models import FollowerState, Stage
from greenroom.background.progress import load_state
from greenroom.background.set_aside import drop_change, list_changes, replay_changes
from greenroom.clock import ManualClock
from greenroom.store.base import Change, Key, Op, Put, Store, Update
from greenroom.store.expressions import F
from greenroom.store.problems import CheckpointTooOld
from tests.background.fixtures import NOTES, Notes, entry, follower_runner, journal, note


async def write_notes(store: Store, *, notes: int = 3, first: int = 1, last: int = 4) -> None:
    for n in range(first, last + 1):
        for number in range(notes):
            await store.write(note(f"p{number}", n))


async def test_every_change_is_applied_once_and_in_order(store: Store, clock: ManualClock) -> None:
    notes = Notes("f")
    runner = follower_runner(store, clock, notes.follower())
    await write_notes(store)
    await runner.catch_up()
    assert await journal(store, "f") == {f"p{n}": [1, 2, 3, 4] for n in range(3)}
    await runner.catch_up()
    await write_notes(store, first=5, last=6)
    await follower_runner(store, clock, notes.follower()).catch_up()
    assert await journal(store, "f") == {f"p{n}": [1, 2, 3, 4, 5, 6] for n in range(3)}


async def test_changes_are_handled_in_batches(store: Store, clock: ManualClock) -> None:
    notes = Notes("f")
    await write_notes(store)
    await follower_runner(store, clock, notes.follower()).catch_up()
    assert max(map(len, notes.calls)) == 4
    assert len(notes.calls) <= 6


async def test_a_batch_too_large_for_a_transaction_is_divided(
    store: Store, clock: ManualClock
) -> None:
    async def handle(changes: Sequence[Change]) -> list[Op]:
        return [
            entry("f", f"{change.key.partition}-{n}", n) for change in changes for n in range(30)
        ]

    await store.write(*(note(f"p{n}", 1) for n in range(20)))
    await follower_runner(store, clock, Follower("f", NOTES, handle)).catch_up()
    found = await journal(store, "f")
    assert len(found) == 600
    assert all(done == [int(name.partition("-")[2])] for name, done in found.items())


async def test_a_poisoned_change_is_set_aside_with_the_later_ones_of_its_item(
    store: Store, clock: ManualClock
) -> None:
    notes = Notes("f")
    notes.poisoned = {("p1", 2)}
    await write_notes(store)
    runner = follower_runner(store, clock, notes.follower())
    await runner.catch_up()
    whole = [1, 2, 3, 4]
    assert await journal(store, "f") == {"p0": whole, "p1": [1], "p2": whole}
    asides = await list_changes(store, "f")
    assert [aside.error for aside in asides] == ["ValueError: p1 2 is poisoned", "", ""]
    assert [(aside.change.new or {})["n"] for aside in asides] == [2, 3, 4]
    assert runner.counts.set_aside == 1
    state = await load_state(store, "f")
    assert state is not None
    assert state.set_aside == 3

    again = await replay_changes(store, notes.follower())
    assert (again.replayed, again.error) == (0, "ValueError: p1 2 is poisoned")
    notes.poisoned.clear()
    await store.write(note("p1", 5))
    await runner.catch_up()
    assert (await journal(store, "f"))["p1"] == [1], "the order holds"
    assert (await replay_changes(store, notes.follower(), Key("p1", "note"))).replayed == 4
    await store.write(note("p1", 6))
    await runner.catch_up()
    assert (await journal(store, "f"))["p1"] == [1, 2, 3, 4, 5, 6]
    assert await list_changes(store, "f") == []


async def test_a_dropped_change_lets_those_behind_it_be_replayed(
    store: Store, clock: ManualClock
) -> None:
    notes = Notes("f")
    notes.poisoned = {("p1", 2)}
    await write_notes(store)
    await follower_runner(store, clock, notes.follower()).catch_up()
    first, *_ = await list_changes(store, "f")
    assert await drop_change(store, "f", first.number)
    assert not await drop_change(store, "f", first.number)
    assert (await replay_changes(store, notes.follower())).replayed == 2
    assert (await journal(store, "f"))["p1"] == [1, 3, 4]


async def test_replays_and_the_follower_do_not_get_in_each_others_way(
    store: Store, clock: ManualClock
) -> None:
    """A follower that goes on while its set-aside changes are replayed, by two at once."""
    notes = Notes("f")
    notes.poisoned = {(f"p{n}", 1) for n in range(3)}
    await write_notes(store)
    await follower_runner(store, clock, notes.follower()).catch_up()
    notes.poisoned.clear()
    follower = notes.follower()

    async def go_on() -> None:
        await write_notes(store, first=5, last=8)
        await follower_runner(store, clock, follower).catch_up()

    await asyncio.gather(replay_changes(store, follower), replay_changes(store, follower), go_on())
    await follower_runner(store, clock, follower).catch_up()
    await replay_changes(store, follower)
    assert await journal(store, "f") == {f"p{n}": list(range(1, 9)) for n in range(3)}


async def test_a_change_too_large_to_be_kept_is_read_again_when_replayed(
    store: Store, clock: ManualClock
) -> None:
    notes = Notes("f")
    notes.poisoned = {("p0", 2)}
    big = {"pk": "p0", "sk": "note", "body": "x" * 390_000}
    await store.write(Put(NOTES, {**big, "n": 1}))
    await store.write(Put(NOTES, {**big, "n": 2}))
    await follower_runner(store, clock, notes.follower()).catch_up()
    (aside,) = await list_changes(store, "f")
    assert aside.is_cut
    notes.poisoned.clear()
    assert (await replay_changes(store, notes.follower())).replayed == 1
    assert await journal(store, "f") == {"p0": [1, 2]}


async def test_an_outage_sets_nothing_aside(store: Store, clock: ManualClock) -> None:
    notes = Notes("f")
    notes.outages = 20
    await write_notes(store)
    runner = follower_runner(store, clock, notes.follower())
    running = asyncio.create_task(runner.run())
    try:
        async with asyncio.timeout(30):
            while runner.counts.applied < 12:  # noqa: ASYNC110
                await asyncio.sleep(0.01)
    finally:
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)
    assert await journal(store, "f") == {f"p{n}": [1, 2, 3, 4] for n in range(3)}
    assert await list_changes(store, "f") == []


async def test_ops_that_are_refused_are_worked_out_again(store: Store, clock: ManualClock) -> None:
    """Another writer gets in between what `handle` reads and what it writes."""
    tries = 0

    async def handle(changes: Sequence[Change]) -> list[Op]:
        nonlocal tries
        tries += 1
        update = entry("f", "p0", *(int(str((c.new or {})["n"])) for c in changes))
        wrong = F("done").size().equals(7)
        condition = F("pk").absent() if tries > 1 else wrong
        return [Update(update.table, update.key, update.actions, condition)]

    await store.write(note("p0", 1))
    await follower_runner(store, clock, Follower("f", NOTES, handle)).catch_up()
    assert tries == 2
    assert await journal(store, "f") == {"p0": [1]}


async def test_two_that_follow_at_once_apply_each_change_once(
    store: Store, clock: ManualClock
) -> None:
    """A node that does not know that another has taken over."""
    notes = Notes("f")
    await write_notes(store)
    runners = [follower_runner(store, clock, notes.follower()) for _ in range(3)]
    await asyncio.gather(*(runner.catch_up() for runner in runners))
    assert await journal(store, "f") == {f"p{n}": [1, 2, 3, 4] for n in range(3)}


async def test_without_the_version_a_node_that_was_replaced_repeats_changes(
    store: Store, clock: ManualClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The test above notices a bug: state that is written over any version."""
    put_state = records.put_state

    def unconditional(state: FollowerState, version: int) -> Put:
        put = put_state(state, version)
        return Put(put.table, put.item)

    monkeypatch.setattr(progress, "put_state", unconditional)
    with pytest.raises(AssertionError):
        await test_two_that_follow_at_once_apply_each_change_once(store, clock)


async def test_a_follower_goes_on_with_what_is_written_later(
    store: Store, clock: ManualClock
) -> None:
    notes = Notes("f")
    runner = FollowerRunner(store, clock, notes.follower(linger=0.0), chance=random.Random(1))
    running = asyncio.create_task(runner.run())
    try:
        for n in range(1, 4):
            await store.write(note("p", n))
            async with asyncio.timeout(30):
                while runner.counts.applied < n:  # noqa: ASYNC110
                    await asyncio.sleep(0.01)
        await asyncio.sleep(0.05)
        assert runner.counts.is_caught_up
        assert runner.lag_ms == 0
    finally:
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)
    assert await journal(store, "f") == {"p": [1, 2, 3]}


async def test_a_checkpoint_too_old_asks_for_a_rebuild(
    store: Store, clock: ManualClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    notes = Notes("f")
    await write_notes(store, last=1)
    await follower_runner(store, clock, notes.follower()).catch_up()

    async def trimmed(*args: object, **rest: object) -> object:
        raise CheckpointTooOld("Notes")
        yield

    with monkeypatch.context() as patch:
        patch.setattr(store, "changes", trimmed)
        runner = follower_runner(store, clock, notes.follower())
        await runner.catch_up()
    assert runner.counts.stage is Stage.NEEDS_REBUILD
    await write_notes(store, first=2, last=2)
    await runner.catch_up()
    assert await journal(store, "f") == {f"p{n}": [1] for n in range(3)}, "nothing is skipped"
    state = await load_state(store, "f")
    assert state is not None
    assert state.stage is Stage.NEEDS_REBUILD
    before_ms = runner.lag_ms
    clock.advance(days=1)
    assert runner.lag_ms == before_ms + 86_400_000, "it grows until somebody rebuilds"


async def test_the_log_names_what_is_set_aside_without_its_content(
    store: Store, clock: ManualClock, caplog: pytest.LogCaptureFixture
) -> None:
    notes = Notes("f")
    notes.poisoned = {("a", 1)}
    await store.write(Put(NOTES, {"pk": "a", "sk": "note", "n": 1, "text": "a secret"}))
    await follower_runner(store, clock, notes.follower()).catch_up()
    assert "f sets a change of Notes Key(partition='a', sort='note') aside" in caplog.text
    assert "a secret" not in caplog.text


async def test_a_follower_of_some_items_passes_over_the_others(
    store: Store, clock: ManualClock
) -> None:
    notes = Notes("f")
    runner = follower_runner(store, clock, notes.follower(prefixes=("note",)))
    await store.write(Put(NOTES, {"pk": "p0", "sk": "other", "n": 7}))
    await write_notes(store, last=2)
    await store.write(Put(NOTES, {"pk": "p0", "sk": "other", "n": 8}))
    await runner.catch_up()
    assert await journal(store, "f") == {f"p{n}": [1, 2] for n in range(3)}
    state = await load_state(store, "f")
    assert state is not None
    rest = store.changes(NOTES, after=state.checkpoint, follow=False)
    assert [change async for change in rest] == [], "the checkpoint is past the others"
    version = state.version
    await runner.catch_up()
    assert (await load_state(store, "f") or state).version == version, "nothing is written again"


async def test_a_checkpoint_that_only_moves_is_written_now_and_then(
    store: Store, clock: ManualClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not for each batch: a busy table costs little if few of its items are followed."""
    notes = Notes("f")
    follower = notes.follower(prefixes=("note",), linger=0.0)
    await follower_runner(store, clock, follower).catch_up()
    await store.write(note("p", 1))
    runner = FollowerRunner(store, clock, follower, chance=random.Random(1))
    running = asyncio.create_task(runner.run())
    try:
        async with asyncio.timeout(30):
            while runner.counts.applied < 1:  # noqa: ASYNC110
                await asyncio.sleep(0.01)
            before = await load_state(store, "f")
            for n in range(30):
                await store.write(Put(NOTES, {"pk": "p0", "sk": "other", "n": n}))
                await asyncio.sleep(0.01)
            assert await load_state(store, "f") == before
            monkeypatch.setattr(followers, "MOVED_SECONDS", 0.0)
            await store.write(Put(NOTES, {"pk": "p0", "sk": "other", "n": 30}))
            while await load_state(store, "f") == before:  # noqa: ASYNC110
                await asyncio.sleep(0.01)
    finally:
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)
    assert await journal(store, "f") == {"p": [1]}


async def test_a_batch_may_have_more_changes_than_a_transaction_has_ops(
    store: Store, clock: ManualClock
) -> None:
    notes = Notes("f")
    for first in range(1, 300, 3):
        await store.write(note("p", first))
        await asyncio.gather(*(store.write(note("p", first + n)) for n in (1, 2)))
    await follower_runner(store, clock, notes.follower(max_batch=1000)).catch_up()
    assert sum(map(len, notes.calls)) == 300
    assert max(map(len, notes.calls)) > 200
    assert len((await journal(store, "f"))["p"]) == 300

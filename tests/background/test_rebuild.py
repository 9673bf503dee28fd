"""Rebuilds on both engines: while people write, after a kill, with what cannot be rebuilt."""

import asyncio
import random

from greenroom.background.compare import compare
from greenroom.background.models import Stage
from greenroom.background.progress import load_state
from greenroom.background.rebuild import request_rebuild
from greenroom.background.set_aside import list_changes, replay_changes
from greenroom.clock import ManualClock
from greenroom.store.base import Delete, Key, Put, Store
from tests.background.fixtures import JOURNAL, NOTES, Copies, follower_runner, note


async def notes_in(store: Store) -> dict[str, int]:
    found: dict[str, int] = {}
    cursor: str | None = None
    while True:
        page = await store.scan(NOTES, limit=100, cursor=cursor, consistent=True)
        found |= {str(item["pk"]): int(str(item["n"])) for item in page.items}
        cursor = page.next
        if cursor is None:
            return found


async def test_a_new_follower_begins_with_what_is_there(store: Store, clock: ManualClock) -> None:
    for n in range(7):
        await store.write(note(f"p{n}", n))
    copies = Copies("c")
    await follower_runner(store, clock, copies.follower()).catch_up()
    assert await copies.result(store) == {f"p{n}": n for n in range(7)}


async def test_a_rebuild_that_races_with_writes_equals_its_source(
    store: Store, clock: ManualClock
) -> None:
    chance = random.Random(7)
    for n in range(40):
        await store.write(note(f"p{n}", 0))
    copies = Copies("c")
    follower = copies.follower()
    await follower_runner(store, clock, follower).catch_up()
    for n in range(40):  # the result is lost, and has something of its own
        await store.write(Delete(JOURNAL, Key("c", f"p{n}")))
    await store.write(Put(JOURNAL, {"pk": "c", "sk": "long gone", "n": 1}))

    async def keep_writing() -> None:
        for n in range(1, 80):
            pk = f"p{chance.randrange(45)}"
            if chance.random() < 0.3:
                await store.write(Delete(NOTES, Key(pk, "note")))
            else:
                await store.write(note(pk, n))
            await asyncio.sleep(0)

    await request_rebuild(store, follower)
    runner = follower_runner(store, clock, follower)
    await asyncio.gather(keep_writing(), runner.catch_up())
    await runner.catch_up()
    assert await copies.result(store) == await notes_in(store)
    state = await load_state(store, "c")
    assert state is not None
    assert state.stage is Stage.FOLLOWING


async def test_a_rebuild_sets_aside_what_it_cannot_handle(store: Store, clock: ManualClock) -> None:
    for n in range(7):
        await store.write(note(f"p{n}", n))
    copies = Copies("c")
    copies.poisoned = {"p3"}
    runner = follower_runner(store, clock, copies.follower())
    await runner.catch_up()
    await store.write(note("p3", 9))
    await runner.catch_up()
    assert (await copies.result(store)).keys() == {f"p{n}" for n in range(7)} - {"p3"}
    first, *_ = await list_changes(store, "c")
    assert (first.is_rebuild, first.error) == (True, "ValueError: p3 is poisoned")
    copies.poisoned.clear()
    await replay_changes(store, copies.follower())
    assert (await copies.result(store))["p3"] == 9


async def test_a_rebuild_drops_what_was_set_aside_before(store: Store, clock: ManualClock) -> None:
    copies = Copies("c")
    follower = copies.follower()
    runner = follower_runner(store, clock, follower)
    await runner.catch_up()
    copies.poisoned = {"p1"}
    for n in range(3):
        await store.write(note("p1", n))
    await runner.catch_up()
    assert await list_changes(store, "c")
    copies.poisoned.clear()
    await request_rebuild(store, follower)
    await runner.catch_up()
    assert await list_changes(store, "c") == []
    assert await copies.result(store) == {"p1": 2}
    await store.write(note("p1", 5))
    await runner.catch_up()
    assert await copies.result(store) == {"p1": 5}


async def test_a_follower_that_runs_notices_a_requested_rebuild(
    store: Store, clock: ManualClock
) -> None:
    copies = Copies("c")
    follower = copies.follower()
    runner = follower_runner(store, clock, follower)
    await store.write(note("p", 1))
    running = asyncio.create_task(runner.run())
    try:
        async with asyncio.timeout(30):
            while await copies.result(store) != {"p": 1}:  # noqa: ASYNC110
                await asyncio.sleep(0.02)
            await store.write(Delete(JOURNAL, Key("c", "p")))
            await request_rebuild(store, follower)
            await store.write(note("q", 2))
            while await copies.result(store) != {"p": 1, "q": 2}:  # noqa: ASYNC110
                await asyncio.sleep(0.02)
    finally:
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)


async def test_a_comparison_tells_the_differences(store: Store, clock: ManualClock) -> None:
    copies = Copies("c")

    async def differences(items: object) -> list[str]:
        result = await copies.result(store)
        source = await notes_in(store)
        return [pk for pk in source if result.get(pk) != source[pk]]

    follower = copies.follower(compare=differences)
    for n in range(3):
        await store.write(note(f"p{n}", n))
    await follower_runner(store, clock, follower).catch_up()
    assert (await compare(store, follower)).lines == []
    await store.write(Delete(JOURNAL, Key("c", "p1")))
    await store.write(Put(JOURNAL, {"pk": "c", "sk": "orphan", "n": 1}))
    found = await compare(store, follower)
    assert (found.compared, found.different, found.orphaned) == (3, 1, 1)

"""Nobody's files hold up the files of others, however many there are."""

import asyncio
from contextlib import suppress
from dataclasses import replace

import pytest

from greenroom.background.models import Timer
from greenroom.background.schedule import schedule
from greenroom.files import items
from greenroom.files.check_file import check_file
from greenroom.files.check_timer import CHECK, check_timer
from greenroom.files.check_turns import CheckTurns
from greenroom.files.decoder.slots import Slots
from greenroom.files.models import FileState
from greenroom.files.scanner import Clean, Content, ScanOutcome
from greenroom.ids import UserId
from tests.files.checks import CheckWorld

ANA, BEN = UserId("usr_ana"), UserId("usr_ben")


class Slow:
    """A scanner that answers when it is told to."""

    def __init__(self) -> None:
        self.scanning = asyncio.Semaphore(0)
        """Released once for each file."""
        self.may_end = asyncio.Event()

    async def scan(self, content: Content) -> ScanOutcome:
        self.scanning.release()
        await self.may_end.wait()
        async for _ in content():
            pass
        return Clean()

    async def version(self) -> str:
        return "1"


@pytest.fixture
def scanner(checks: CheckWorld) -> Slow:
    found = Slow()
    turns = CheckTurns({CHECK: 2})
    checks.change_files(scanner=found, pipeline=replace(checks.files.pipeline, turns=turns))
    return found


async def test_a_further_file_of_one_user_waits_and_leaves_the_slot_to_others(
    checks: CheckWorld, scanner: Slow
) -> None:
    found = [await checks.uploaded(b"file %d" % number) for number in range(4)]
    now_ms = checks.clock.now_ms()
    timers = [Timer(CHECK, file.id, now_ms) for file in found]
    running = [asyncio.create_task(check_file(checks.files, timer)) for timer in timers[:2]]
    for _ in running:
        await scanner.scanning.acquire()
    later = [await check_file(checks.files, timer) for timer in timers[2:]]
    assert later == [
        (schedule(Timer(CHECK, found[2].id, now_ms + 100)),),
        (schedule(Timer(CHECK, found[3].id, now_ms + 200)),),
    ]
    scanner.may_end.set()
    await asyncio.gather(*running)
    assert await check_file(checks.files, timers[2]) == ()
    assert (await checks.file(found[2].id)).state is FileState.READY


async def test_every_file_of_one_user_gets_its_turn(checks: CheckWorld, scanner: Slow) -> None:
    scanner.may_end.set()
    found = [await checks.uploaded(b"file %d" % number) for number in range(10)]
    for _ in range(10):
        await checks.run_timers()
        checks.clock.advance(seconds=1)
    assert {(await checks.file(file.id)).state for file in found} == {FileState.READY}


async def test_a_file_that_was_deleted_while_it_waited_needs_no_turn(
    checks: CheckWorld, scanner: Slow
) -> None:
    file = await checks.uploaded(b"notes")
    now_ms = checks.clock.now_ms()
    gone = items.deleted(file, now_ms)
    await checks.store.write(items.change_op(gone), check_timer(file, now_ms))
    assert await check_file(checks.files, Timer(CHECK, file.id, now_ms)) == ()


def test_the_turns_of_a_user_are_apart_and_independent_of_others() -> None:
    turns = CheckTurns({CHECK: 1})
    assert [turns.later_ms(CHECK, ANA, 1000) for _ in range(3)] == [1100, 1200, 1300]
    assert turns.later_ms(CHECK, BEN, 1000) == 1100
    assert turns.later_ms(CHECK, ANA, 5000) == 5100
    with turns.running(CHECK, ANA):
        assert not turns.has_room(CHECK, ANA)
        assert turns.has_room(CHECK, BEN)
    assert turns.has_room(CHECK, ANA)


async def _jobs(slots: Slots, *owners: str) -> tuple[list[str], list[asyncio.Task[None]]]:
    order = list[str]()

    async def job(owner: str) -> None:
        async with slots.slot(owner):
            order.append(owner)
            await asyncio.sleep(0)

    tasks = [asyncio.create_task(job(owner)) for owner in owners]
    await asyncio.sleep(0)
    return order, tasks


async def test_owners_get_slots_in_turns() -> None:
    order, tasks = await _jobs(Slots(1), "a", "a", "a", "a", "b", "c", "b")
    await asyncio.gather(*tasks)
    assert order == ["a", "a", "b", "c", "a", "b", "a"]


async def test_a_job_that_is_cancelled_takes_no_slot() -> None:
    slots = Slots(1)
    order, tasks = await _jobs(slots, "a", "b", "b", "c")
    tasks[1].cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    assert sorted(order) == ["a", "b", "c"]
    order, tasks = await _jobs(slots, "a", "b")
    await asyncio.sleep(0)  # the slot was given to "b", which is cancelled before it runs
    tasks[1].cancel()
    with suppress(asyncio.CancelledError):
        await tasks[1]
    order, tasks = await _jobs(slots, "d")
    async with asyncio.timeout(5):
        await asyncio.gather(*tasks)
    assert order == ["d"]

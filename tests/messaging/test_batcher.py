"""The batcher runs one batch at a time per thread; waiting writes form the next one, in order."""

import asyncio
from collections.abc import Sequence

import pytest

from greenroom.ids import ThreadId, UserId
from greenroom.messaging.batcher import MAX_BATCH_WRITES, PendingWrite, ThreadBatcher
from greenroom.messaging.models import Kind, Status, Thread
from greenroom.messaging.plan import PlannedWrite

ONE, OTHER = ThreadId("thr_one"), ThreadId("thr_other")
HEAD = Thread(
    id=ONE,
    kind=Kind.DIRECT,
    status=Status.OPEN,
    opened_by=UserId("usr_ana"),
    created_ms=0,
    members={},
    gates={},
)


def plan(head: Thread, _: int) -> PlannedWrite:
    return PlannedWrite(head, ())


class Work:
    """Collects what it is given, and waits to be released."""

    def __init__(self) -> None:
        self.rounds: list[int] = []
        self.gone: list[int] = []
        self.go = asyncio.Event()

    async def __call__(self, some: Sequence[PendingWrite]) -> None:
        await self.go.wait()
        there = [one for one in some if not one.is_done]
        self.rounds.append(len(there))
        self.gone.append(len(some) - len(there))
        for one in there:
            one.resolve(HEAD)


async def test_writes_that_come_meanwhile_form_one_batch() -> None:
    batcher, work = ThreadBatcher(), Work()
    first = batcher.submit(ONE, plan, work)
    await asyncio.sleep(0)
    rest = [batcher.submit(ONE, plan, work) for _ in range(MAX_BATCH_WRITES + 3)]
    elsewhere = batcher.submit(OTHER, plan, work)
    assert batcher.is_busy(ONE)
    work.go.set()
    assert await asyncio.gather(first, *rest, elsewhere) == [HEAD] * (MAX_BATCH_WRITES + 5)
    assert work.rounds == [1, 1, MAX_BATCH_WRITES, 3]
    await asyncio.sleep(0)
    assert not batcher.is_busy(ONE)
    assert not batcher.is_busy(OTHER)


async def test_a_write_cancelled_while_it_waits_is_not_run() -> None:
    batcher, work = ThreadBatcher(), Work()
    first = batcher.submit(ONE, plan, work)
    await asyncio.sleep(0)
    second, third = batcher.submit(ONE, plan, work), batcher.submit(ONE, plan, work)
    second.cancel()
    work.go.set()
    assert await first == await third == HEAD
    assert (work.rounds, work.gone) == ([1, 1], [0, 1])


async def test_a_bug_fails_its_own_batch_and_the_rest_goes_on() -> None:
    batcher, work = ThreadBatcher(), Work()

    async def broken(_: Sequence[PendingWrite]) -> None:
        await work.go.wait()
        work.go.clear()
        raise ZeroDivisionError

    first = batcher.submit(ONE, plan, broken)
    await asyncio.sleep(0)
    second = batcher.submit(ONE, plan, broken)
    for asked in (first, second):
        work.go.set()
        with pytest.raises(ZeroDivisionError):
            await asked


async def test_stopping_cancels_all_waiting_writes() -> None:
    batcher, work = ThreadBatcher(), Work()
    asked = [batcher.submit(ONE, plan, work) for _ in range(MAX_BATCH_WRITES + 1)]
    await asyncio.sleep(0)
    (task,) = batcher._tasks
    task.cancel()
    await asyncio.wait([task])
    assert all(one.cancelled() for one in asked)
    assert not batcher.is_busy(ONE)

"""One at a time for each thread; whoever comes meanwhile goes together, in the order of coming."""

import asyncio
from collections.abc import Sequence

import pytest

from greenroom.ids import ThreadId, UserId
from greenroom.messaging.batcher import MOST_TOGETHER, PendingWrite, PlannedWrite, ThreadBatcher
from greenroom.messaging.models import Kind, Status, Thread

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
    """Takes what it is given, and waits to be let go."""

    def __init__(self) -> None:
        self.rounds: list[int] = []
        self.gone: list[int] = []
        self.go = asyncio.Event()

    async def __call__(self, some: Sequence[PendingWrite]) -> None:
        await self.go.wait()
        there = [one for one in some if not one.is_gone]
        self.rounds.append(len(there))
        self.gone.append(len(some) - len(there))
        for one in there:
            one.answer_with(HEAD)


async def test_what_comes_meanwhile_goes_together() -> None:
    turns, work = ThreadBatcher(), Work()
    first = turns.ask(ONE, plan, work)
    await asyncio.sleep(0)
    rest = [turns.ask(ONE, plan, work) for _ in range(MOST_TOGETHER + 3)]
    elsewhere = turns.ask(OTHER, plan, work)
    assert turns.is_busy(ONE)
    work.go.set()
    assert await asyncio.gather(first, *rest, elsewhere) == [HEAD] * (MOST_TOGETHER + 5)
    assert work.rounds == [1, 1, MOST_TOGETHER, 3]
    await asyncio.sleep(0)
    assert not turns.is_busy(ONE)
    assert not turns.is_busy(OTHER)


async def test_whoever_is_cancelled_while_they_wait_has_asked_for_nothing() -> None:
    turns, work = ThreadBatcher(), Work()
    first = turns.ask(ONE, plan, work)
    await asyncio.sleep(0)
    second, third = turns.ask(ONE, plan, work), turns.ask(ONE, plan, work)
    second.cancel()
    work.go.set()
    assert await first == await third == HEAD
    assert (work.rounds, work.gone) == ([1, 1], [0, 1])


async def test_a_bug_is_told_to_those_whom_it_hit_and_the_rest_goes_on() -> None:
    turns, work = ThreadBatcher(), Work()

    async def broken(_: Sequence[PendingWrite]) -> None:
        await work.go.wait()
        work.go.clear()
        raise ZeroDivisionError

    first = turns.ask(ONE, plan, broken)
    await asyncio.sleep(0)
    second = turns.ask(ONE, plan, broken)
    for asked in (first, second):
        work.go.set()
        with pytest.raises(ZeroDivisionError):
            await asked


async def test_when_we_are_stopped_nobody_waits_for_ever() -> None:
    turns, work = ThreadBatcher(), Work()
    asked = [turns.ask(ONE, plan, work) for _ in range(MOST_TOGETHER + 1)]
    await asyncio.sleep(0)
    (task,) = turns._tasks
    task.cancel()
    await asyncio.wait([task])
    assert all(one.cancelled() for one in asked)
    assert not turns.is_busy(ONE)

"""Tasks with the same key start in order, whichever of them is cancelled."""

import asyncio
import itertools

import pytest

from greenroom.api.ws.ordered_tasks import OrderedTasks


class NumberedTasks:
    """Numbered tasks, and a log of what they did."""

    def __init__(self) -> None:
        self.lines = OrderedTasks()
        self.log: list[str] = []
        self.gates: dict[int, asyncio.Event] = {}

    def start(self, number: int) -> asyncio.Task[None]:
        self.gates[number] = asyncio.Event()
        task = self.lines.start("thread", self._work(number))
        task.add_done_callback(self.lines.leave)
        return task

    async def _work(self, number: int) -> None:
        self.log.append(f"begin {number}")
        await self.gates[number].wait()
        self.log.append(f"end {number}")


async def rounds() -> None:
    for _ in range(5):
        await asyncio.sleep(0)


async def test_the_next_task_starts_when_the_one_before_lets_it() -> None:
    numbered = NumberedTasks()
    tasks = [numbered.start(number) for number in range(3)]
    await rounds()
    assert numbered.log == ["begin 0"]
    numbered.lines.leave(tasks[0])
    await rounds()
    assert numbered.log == ["begin 0", "begin 1"]
    for gate in numbered.gates.values():
        gate.set()
    await asyncio.gather(*tasks)
    assert numbered.log.index("begin 2") > numbered.log.index("begin 1")


async def test_a_task_cancelled_while_waiting_keeps_the_order() -> None:
    numbered = NumberedTasks()
    tasks = [numbered.start(number) for number in range(3)]
    await rounds()
    tasks[1].cancel()
    await rounds()
    assert numbered.log == ["begin 0"]
    late = numbered.start(3)
    numbered.gates[0].set()
    numbered.gates[2].set()
    numbered.gates[3].set()
    await asyncio.gather(tasks[0], tasks[2], late)
    assert numbered.log == ["begin 0", "end 0", "begin 2", "end 2", "begin 3", "end 3"]


async def test_a_task_after_a_cancelled_one_waits_for_the_one_before() -> None:
    numbered = NumberedTasks()
    first, last = numbered.start(0), numbered.start(1)
    await rounds()
    last.cancel()
    await rounds()
    late = numbered.start(2)
    await rounds()
    assert numbered.log == ["begin 0"]
    numbered.gates[0].set()
    numbered.gates[2].set()
    await asyncio.gather(first, late)
    assert numbered.log == ["begin 0", "end 0", "begin 2", "end 2"]


@pytest.mark.parametrize("order", list(itertools.permutations(range(3))))
async def test_cancelled_in_any_order_nothing_is_left_behind(order: tuple[int, ...]) -> None:
    numbered = NumberedTasks()
    tasks = [numbered.start(number) for number in range(3)]
    await rounds()
    for number in order:
        tasks[number].cancel()
        await rounds()
    outcomes = await asyncio.gather(*tasks, return_exceptions=True)
    assert all(isinstance(outcome, asyncio.CancelledError) for outcome in outcomes)
    late = numbered.start(3)
    numbered.gates[3].set()
    await asyncio.wait_for(late, 5)
    await rounds()
    assert not numbered.lines._last
    assert not numbered.lines._queued

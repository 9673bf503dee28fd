"""Who on a node is told what, and when."""

import asyncio
from collections.abc import Iterable

import pytest

from greenroom.ids import UserId
from greenroom.realtime import hub as hubs
from greenroom.realtime.bus import BusMessage, Deliver, OnGap, Topic, user_topic
from greenroom.realtime.hub import Hub
from greenroom.realtime.memory_bus import MemoryBus
from tests.realtime.bus_client import until


class Shaky(MemoryBus):
    """A bus that a test can have lose something."""

    def __init__(self) -> None:
        super().__init__()
        self.lose: OnGap = lambda: None

    async def start(self, deliver: Deliver, on_gap: OnGap) -> None:
        await super().start(deliver, on_gap)
        self.lose = on_gap


class Ear:
    def __init__(self, name: str) -> None:
        self.user = UserId(name)
        self.heard: list[BusMessage] = []
        self.missed_some = 0

    def on_message(self, message: BusMessage) -> None:
        self.heard.append(message)

    def on_gap(self) -> None:
        self.missed_some += 1


async def listening(names: Iterable[str]) -> tuple[Shaky, list[Ear]]:
    bus = Shaky()
    hub = Hub(bus)
    await hub.start()
    ears = [Ear(name) for name in names]
    for ear in ears:
        hub.add(user_topic(ear.user), ear)
        hub.add(Topic("thread.one"), ear)
    return bus, ears


async def test_whoever_listens_for_two_topics_missed_something_once() -> None:
    bus, ears = await listening(["usr_ana", "usr_ben"])
    bus.lose()
    assert [ear.missed_some for ear in ears] == [1, 1]


async def test_many_are_not_told_all_at_once_that_they_missed_something() -> None:
    bus, ears = await listening(f"usr_{number}" for number in range(130))
    bus.lose()
    told = [ear.missed_some for ear in ears]
    assert told.count(1) == 50
    assert told == sorted(told, reverse=True)
    await until(lambda: all(ear.missed_some == 1 for ear in ears))
    await asyncio.sleep(0.3)
    assert {ear.missed_some for ear in ears} == {1}


async def test_a_great_many_are_told_within_the_time_that_cursors_bear() -> None:
    bus, ears = await listening(f"usr_{number}" for number in range(20_000))
    bus.lose()
    first = sum(ear.missed_some for ear in ears)
    assert first * hubs.SPREAD_SECONDS / 0.1 >= len(ears)


async def test_one_who_stumbles_is_nobody_elses_trouble(monkeypatch: pytest.MonkeyPatch) -> None:
    bus, ears = await listening(["usr_ana", "usr_ben"])

    def stumble(_: BusMessage) -> None:
        raise RuntimeError("for a test")

    monkeypatch.setattr(ears[0], "hear", stumble)
    bus.publish([Topic("thread.one")], BusMessage(b"hello"))
    assert ears[1].heard == [BusMessage(b"hello")]

"""The hub: who receives which message, and how gaps are announced."""

import asyncio
from collections.abc import Iterable

import pytest

from greenroom.ids import UserId
from greenroom.realtime import hub as hubs
from greenroom.realtime.bus import BusMessage, Deliver, OnGap, Topic, user_topic
from greenroom.realtime.hub import Hub
from greenroom.realtime.memory_bus import MemoryBus
from tests.realtime.bus_client import until


class LossyBus(MemoryBus):
    """A bus on which a test can trigger a gap."""

    def __init__(self) -> None:
        super().__init__()
        self.report_gap: OnGap = lambda: None

    async def start(self, deliver: Deliver, on_gap: OnGap) -> None:
        await super().start(deliver, on_gap)
        self.report_gap = on_gap


class RecordingSubscriber:
    def __init__(self, name: str) -> None:
        self.user = UserId(name)
        self.received: list[BusMessage] = []
        self.gaps = 0

    def on_message(self, message: BusMessage) -> None:
        self.received.append(message)

    def on_gap(self) -> None:
        self.gaps += 1


async def subscribed(names: Iterable[str]) -> tuple[LossyBus, list[RecordingSubscriber]]:
    bus = LossyBus()
    hub = Hub(bus)
    await hub.start()
    subscribers = [RecordingSubscriber(name) for name in names]
    for subscriber in subscribers:
        hub.add(user_topic(subscriber.user), subscriber)
        hub.add(Topic("thread.one"), subscriber)
    return bus, subscribers


async def test_a_subscriber_of_two_topics_gets_one_gap() -> None:
    bus, subscribers = await subscribed(["usr_ana", "usr_ben"])
    bus.report_gap()
    assert [subscriber.gaps for subscriber in subscribers] == [1, 1]


async def test_many_subscribers_are_told_of_a_gap_in_groups() -> None:
    bus, subscribers = await subscribed(f"usr_{number}" for number in range(130))
    bus.report_gap()
    told = [subscriber.gaps for subscriber in subscribers]
    assert told.count(1) == 50
    assert told == sorted(told, reverse=True)
    await until(lambda: all(subscriber.gaps == 1 for subscriber in subscribers))
    await asyncio.sleep(0.3)
    assert {subscriber.gaps for subscriber in subscribers} == {1}


async def test_all_subscribers_are_told_of_a_gap_within_the_cursors_slack() -> None:
    bus, subscribers = await subscribed(f"usr_{number}" for number in range(20_000))
    bus.report_gap()
    first = sum(subscriber.gaps for subscriber in subscribers)
    assert first * hubs.SPREAD_SECONDS / 0.1 >= len(subscribers)


async def test_a_failing_subscriber_does_not_affect_others(monkeypatch: pytest.MonkeyPatch) -> None:
    bus, subscribers = await subscribed(["usr_ana", "usr_ben"])

    def fail(_: BusMessage) -> None:
        raise RuntimeError("for a test")

    monkeypatch.setattr(subscribers[0], "on_message", fail)
    bus.publish([Topic("thread.one")], BusMessage("test", b"hello"))
    assert subscribers[1].received == [BusMessage("test", b"hello")]

"""One suite over the bus of a single node and the bus between nodes; then two nodes and more."""

import asyncio
from collections.abc import AsyncIterator

import pytest
from hypothesis import given, strategies as st

from greenroom.ids import MessageId, ThreadId, UserId
from greenroom.realtime.bus import (
    ALL_NODES,
    Bus,
    BusMessage,
    Topic,
    thread_topic,
    user_topic,
)
from greenroom.realtime.memory_bus import MemoryBus
from greenroom.realtime.nats import NatsBus
from greenroom.realtime.nats.subjects import subject_of, topic_of
from tests.realtime.bus_client import BusClient, a_topic, nodes, until

WHOLE = BusMessage(
    payload=bytes(range(256)),
    thread_id=ThreadId("thr_1"),
    head_version=7,
    message_id=MessageId("msg_1"),
    version=3,
    only=(UserId("usr_ana"), UserId("usr_ben")),
)


@pytest.fixture(params=["memory", "nats"])
async def bus(request: pytest.FixtureRequest) -> AsyncIterator[Bus]:
    made: Bus
    if request.param == "memory":
        made = MemoryBus()
    else:
        made = NatsBus(request.getfixturevalue("nats_url"))
    yield made
    await made.close()


@pytest.fixture
def node(bus: Bus) -> BusClient:
    return BusClient(bus)


async def test_who_listens_here_has_it_when_publish_returns(node: BusClient) -> None:
    topic = a_topic()
    await node.start(topic)
    node.bus.publish([topic], WHOLE)
    assert node.heard == [(topic, WHOLE)]
    assert node.heard[0][1] is WHOLE


async def test_who_listens_for_two_topics_of_a_notice_has_it_twice(node: BusClient) -> None:
    one, other, third = a_topic(), a_topic(), a_topic()
    await node.start(one, other)
    node.bus.publish(iter([one, third, other]), WHOLE)
    await settled(node)
    assert node.heard == [(one, WHOLE), (other, WHOLE)]


async def test_what_nobody_listens_for_is_told_nobody(node: BusClient) -> None:
    topic, other = a_topic(), a_topic()
    await node.start(topic)
    node.say(other, "unheard")
    await settled(node)
    assert node.heard == []


async def test_listening_twice_is_listening_once(node: BusClient) -> None:
    topic = a_topic()
    await node.start(topic, topic)
    await node.subscribe(topic)
    node.say(topic, "once")
    await settled(node)
    assert node.texts(topic) == ["once"]


async def test_who_no_longer_listens_hears_nothing(node: BusClient) -> None:
    topic, other = a_topic(), a_topic()
    await node.start(topic, other)
    for _ in range(2):
        node.bus.unsubscribe(topic)
        node.bus.unsubscribe(a_topic())
    node.bus.publish([topic, other], WHOLE)
    await settled(node)
    assert node.heard == [(other, WHOLE)]


async def test_who_listens_again_hears_again(node: BusClient) -> None:
    topic = a_topic()
    await node.start(topic)
    node.bus.unsubscribe(topic)
    await settled(node)
    node.say(topic, "while away")
    await node.subscribe(topic)
    node.say(topic, "again")
    assert node.texts(topic) == ["again"]


async def test_what_is_published_in_order_comes_in_order(node: BusClient) -> None:
    topic = a_topic()
    await node.start(topic)
    told = [str(number) for number in range(500)]
    for text in told:
        node.say(topic, text)
    await settled(node)
    assert node.texts(topic) == told


async def test_what_was_listened_for_before_the_start_is(node: BusClient) -> None:
    topic = a_topic()
    node.bus.subscribe(topic)
    node.say(topic, "too early")
    await node.start()
    await node.bus.ready()
    node.say(topic, "in time")
    assert node.texts(topic) == ["in time"]


async def test_what_every_node_has_to_forget_comes_to_it_as_well(node: BusClient) -> None:
    await node.start(ALL_NODES)
    text = a_topic()
    node.say(ALL_NODES, text)
    assert text in node.forgotten


async def test_a_bus_that_is_closed_says_nothing_and_does_not_mind(node: BusClient) -> None:
    topic = a_topic()
    await node.start(topic)
    await node.bus.close()
    node.say(topic, "too late")
    node.bus.unsubscribe(topic)
    node.bus.subscribe(topic)
    await node.bus.close()
    assert node.heard == []
    assert node.missed == 0


async def settled(node: BusClient) -> None:
    """Whatever would come a second time, or to the wrong one, has had its time to."""
    await node.subscribe(a_topic())
    await asyncio.sleep(0.02)


# Between nodes


async def test_a_notice_comes_whole_to_every_other_node_that_listens_and_once(
    nats_url: str,
) -> None:
    topic = a_topic()
    async with nodes(*[nats_url] * 3) as (first, second, third):
        for one in (first, second, third):
            await one.subscribe(topic)
        first.bus.publish([topic], WHOLE)
        await until(lambda: second.heard and third.heard)
        second.say(topic, "from the second")
        await until(lambda: len(first.heard) == len(third.heard) == 2)
        await settled(first)
        for one in (first, second, third):
            assert one.heard == [(topic, WHOLE), (topic, BusMessage(b"from the second"))]
            assert one.missed == 0


async def test_a_node_that_never_listened_hears_nothing(nats_url: str) -> None:
    topic, other = a_topic(), a_topic()
    async with nodes(*[nats_url] * 3) as (speaker, listener, stranger):
        await listener.subscribe(topic)
        await stranger.subscribe(other)
        speaker.say(topic, "for listeners")
        speaker.say(other, "for strangers")
        await until(lambda: listener.heard and stranger.heard)
        assert listener.texts(topic) == ["for listeners"]
        assert stranger.heard == [(other, BusMessage(b"for strangers"))]


async def test_a_node_that_no_longer_listens_is_not_even_sent_it(nats_url: str) -> None:
    topic, other = a_topic(), a_topic()
    async with nodes(nats_url, nats_url) as (speaker, listener):
        await listener.subscribe(topic)
        listener.bus.unsubscribe(topic)
        await listener.subscribe(other)
        speaker.say(topic, "unheard")
        speaker.say(other, "heard")
        await until(lambda: listener.heard)
        assert listener.heard == [(other, BusMessage(b"heard"))]


async def test_a_node_that_has_just_started_is_heard(nats_url: str) -> None:
    topic = a_topic()
    async with nodes(nats_url) as (listener,):
        await listener.subscribe(topic)
        for number in range(5):
            async with nodes(nats_url) as (speaker,):
                speaker.say(topic, str(number))
        await until(lambda: len(listener.heard) == 5)


async def test_every_speaker_is_heard_in_order(nats_url: str) -> None:
    topic = a_topic()
    told = 2000
    async with nodes(*[nats_url] * 3) as (listener, *speakers):
        await listener.subscribe(topic)
        for number in range(told):
            for name, speaker in zip("ab", speakers, strict=True):
                speaker.say(topic, f"{name}{number}")
            if number % 100 == 0:
                await asyncio.sleep(0)
        await until(lambda: len(listener.heard) == told * 2)
        for name in "ab":
            mine = [text for text in listener.texts(topic) if text.startswith(name)]
            assert mine == [f"{name}{number}" for number in range(told)]


async def test_every_node_hears_what_it_has_to_forget_without_asking(nats_url: str) -> None:
    async with nodes(nats_url, nats_url) as (speaker, listener):
        listener.bus.unsubscribe(ALL_NODES)
        await settled(listener)
        text = a_topic()
        speaker.say(ALL_NODES, text)
        await until(lambda: text in listener.forgotten)
        assert text in speaker.forgotten


async def test_what_was_said_just_before_the_end_is_still_heard(nats_url: str) -> None:
    topic = a_topic()
    async with nodes(nats_url, nats_url) as (speaker, listener):
        await listener.subscribe(topic)
        for number in range(1000):
            speaker.say(topic, str(number))
        await speaker.bus.close()
        await until(lambda: len(listener.heard) == 1000)


ODD_TOPICS = [
    user_topic(UserId("Ana.Lopez@example.com")),
    user_topic(UserId("auth0|5f7c8ec7c33c6c004bbafe82")),
    user_topic(UserId("")),
    user_topic(UserId("a b\tc\r\nPUB x 1\r\n")),
    user_topic(UserId("*")),
    user_topic(UserId(">")),
    user_topic(UserId("..x..y..")),
    user_topic(UserId("100%25")),
    user_topic(UserId("jürgen-张伟-🎬")),
    thread_topic(ThreadId("$lost")),
    Topic("presence.\x00\udc80"),
    Topic("$lost"),
    Topic(".all"),
    Topic("all."),
    Topic("x" * 900),
]


async def test_odd_topics_are_told_apart_and_come_as_they_were(nats_url: str) -> None:
    async with nodes(nats_url, nats_url) as (speaker, listener):
        await listener.subscribe(*ODD_TOPICS)
        for topic in ODD_TOPICS:
            speaker.say(topic, repr(topic))
        await until(lambda: len(listener.heard) >= len(ODD_TOPICS))
        assert listener.heard == [(t, BusMessage(repr(t).encode())) for t in ODD_TOPICS]
        assert listener.missed == 0


async def test_a_topic_that_no_server_takes_stays_here_and_harms_nobody(nats_url: str) -> None:
    topic = a_topic()
    async with nodes(nats_url, nats_url) as (speaker, listener):
        for too_long in (Topic("é" * 5000), Topic("")):
            for one in (speaker, listener):
                await one.subscribe(too_long, topic)
            speaker.say(too_long, "here only")
        speaker.say(topic, "everywhere")
        await until(lambda: listener.heard)
        assert listener.heard == [(topic, BusMessage(b"everywhere"))]
        assert len(speaker.heard) == 3


@given(st.text(min_size=1).map(Topic))
def test_a_subject_is_one_that_nats_takes_and_leads_back_to_its_topic(topic: Topic) -> None:
    subject = subject_of(topic)
    assert topic_of(subject) == topic
    assert subject.isascii()
    assert all(token and token.replace("%", "").isprintable() for token in subject.split("."))
    assert not set(subject) & set(" *>$\t\r\n")


def test_plain_topics_are_plain_subjects() -> None:
    assert subject_of(user_topic(UserId("usr_01h"))) == "greenroom.user.usr_01h"
    assert subject_of(ALL_NODES) == "greenroom.all"


async def test_five_thousand_topics_are_soon_listened_for_and_make_no_tasks(
    nats_url: str,
) -> None:
    topics = [a_topic() for _ in range(5000)]
    async with nodes(nats_url, nats_url) as (speaker, listener):
        before = len(asyncio.all_tasks())
        async with asyncio.timeout(30):
            await listener.subscribe(*topics)
        assert len(asyncio.all_tasks()) < before + 20
        for topic in topics:
            speaker.say(topic, topic)
        await until(lambda: len(listener.heard) == 5000)
        assert [topic for topic, _ in listener.heard] == topics
        for topic in topics:
            listener.bus.unsubscribe(topic)
        await listener.subscribe(last := a_topic())
        speaker.bus.publish([*topics, last], WHOLE)
        await until(lambda: listener.heard[-1] == (last, WHOLE))
        assert len(listener.heard) == 5001

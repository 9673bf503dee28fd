"""One suite for the in-memory bus and the NATS bus; then tests with several nodes."""

import asyncio
from collections.abc import AsyncIterator

import pytest
from hypothesis import given, strategies as st

from greenroom.ids import ThreadId, UserId
from greenroom.realtime.bus import (
    ALL_NODES,
    Bus,
    BusMessage,
    Invalidated,
    ItemVersion,
    Topic,
    thread_topic,
    user_topic,
)
from greenroom.realtime.memory_bus import MemoryBus
from greenroom.realtime.nats import NatsBus
from greenroom.realtime.nats.subjects import subject_of, topic_of
from tests.realtime.bus_client import BusClient, a_topic, nodes, until

WHOLE = BusMessage(
    kind="message.created",
    payload=bytes(range(256)),
    audience=(UserId("usr_ana"), UserId("usr_ben")),
    invalidates=(Invalidated("threads", "thr_1", 7), Invalidated("membership", "thr_1")),
    item=ItemVersion("msg_1", 3, "thr_1", 12),
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


async def test_a_local_subscriber_has_the_message_when_publish_returns(node: BusClient) -> None:
    topic = a_topic()
    await node.start(topic)
    node.bus.publish([topic], WHOLE)
    assert node.received == [(topic, WHOLE)]
    assert node.received[0][1] is WHOLE


async def test_a_subscriber_of_two_topics_gets_a_message_twice(node: BusClient) -> None:
    one, other, third = a_topic(), a_topic(), a_topic()
    await node.start(one, other)
    node.bus.publish(iter([one, third, other]), WHOLE)
    await settled(node)
    assert node.received == [(one, WHOLE), (other, WHOLE)]


async def test_a_message_without_subscribers_reaches_nobody(node: BusClient) -> None:
    topic, other = a_topic(), a_topic()
    await node.start(topic)
    node.publish(other, "unheard")
    await settled(node)
    assert node.received == []


async def test_subscribing_twice_is_subscribing_once(node: BusClient) -> None:
    topic = a_topic()
    await node.start(topic, topic)
    await node.subscribe(topic)
    node.publish(topic, "once")
    await settled(node)
    assert node.texts(topic) == ["once"]


async def test_after_unsubscribing_nothing_arrives(node: BusClient) -> None:
    topic, other = a_topic(), a_topic()
    await node.start(topic, other)
    for _ in range(2):
        node.bus.unsubscribe(topic)
        node.bus.unsubscribe(a_topic())
    node.bus.publish([topic, other], WHOLE)
    await settled(node)
    assert node.received == [(other, WHOLE)]


async def test_subscribing_again_works(node: BusClient) -> None:
    topic = a_topic()
    await node.start(topic)
    node.bus.unsubscribe(topic)
    await settled(node)
    node.publish(topic, "while away")
    await node.subscribe(topic)
    node.publish(topic, "again")
    assert node.texts(topic) == ["again"]


async def test_messages_arrive_in_the_order_of_publishing(node: BusClient) -> None:
    topic = a_topic()
    await node.start(topic)
    told = [str(number) for number in range(500)]
    for text in told:
        node.publish(topic, text)
    await settled(node)
    assert node.texts(topic) == told


async def test_subscriptions_made_before_the_start_are_active(node: BusClient) -> None:
    topic = a_topic()
    node.bus.subscribe(topic)
    node.publish(topic, "too early")
    await node.start()
    await node.bus.ready()
    node.publish(topic, "in time")
    assert node.texts(topic) == ["in time"]


async def test_messages_to_all_nodes_reach_the_publisher_too(node: BusClient) -> None:
    await node.start(ALL_NODES)
    text = a_topic()
    node.publish(ALL_NODES, text)
    assert text in node.to_all_nodes


async def test_publishing_on_a_closed_bus_does_nothing(node: BusClient) -> None:
    topic = a_topic()
    await node.start(topic)
    await node.bus.close()
    node.publish(topic, "too late")
    node.bus.unsubscribe(topic)
    node.bus.subscribe(topic)
    await node.bus.close()
    assert node.received == []
    assert node.gaps == 0


async def settled(node: BusClient) -> None:
    """Waits long enough for a duplicate or misrouted message to arrive."""
    await node.subscribe(a_topic())
    await asyncio.sleep(0.02)


# Several nodes


async def test_a_message_reaches_every_subscribed_node_once_and_complete(
    nats_url: str,
) -> None:
    topic = a_topic()
    async with nodes(*[nats_url] * 3) as (first, second, third):
        for one in (first, second, third):
            await one.subscribe(topic)
        first.bus.publish([topic], WHOLE)
        await until(lambda: second.received and third.received)
        second.publish(topic, "from the second")
        await until(lambda: len(first.received) == len(third.received) == 2)
        await settled(first)
        for one in (first, second, third):
            assert one.received == [(topic, WHOLE), (topic, BusMessage("test", b"from the second"))]
            assert one.gaps == 0


async def test_a_node_without_a_subscription_gets_nothing(nats_url: str) -> None:
    topic, other = a_topic(), a_topic()
    async with nodes(*[nats_url] * 3) as (publisher, subscriber, stranger):
        await subscriber.subscribe(topic)
        await stranger.subscribe(other)
        publisher.publish(topic, "for listeners")
        publisher.publish(other, "for strangers")
        await until(lambda: subscriber.received and stranger.received)
        assert subscriber.texts(topic) == ["for listeners"]
        assert stranger.received == [(other, BusMessage("test", b"for strangers"))]


async def test_an_unsubscribed_node_is_not_sent_the_message(nats_url: str) -> None:
    topic, other = a_topic(), a_topic()
    async with nodes(nats_url, nats_url) as (publisher, subscriber):
        await subscriber.subscribe(topic)
        subscriber.bus.unsubscribe(topic)
        await subscriber.subscribe(other)
        publisher.publish(topic, "unheard")
        publisher.publish(other, "heard")
        await until(lambda: subscriber.received)
        assert subscriber.received == [(other, BusMessage("test", b"heard"))]


async def test_a_node_that_has_just_started_can_publish(nats_url: str) -> None:
    topic = a_topic()
    async with nodes(nats_url) as (subscriber,):
        await subscriber.subscribe(topic)
        for number in range(5):
            async with nodes(nats_url) as (publisher,):
                publisher.publish(topic, str(number))
        await until(lambda: len(subscriber.received) == 5)


async def test_messages_of_every_publisher_arrive_in_order(nats_url: str) -> None:
    topic = a_topic()
    told = 2000
    async with nodes(*[nats_url] * 3) as (subscriber, *speakers):
        await subscriber.subscribe(topic)
        for number in range(told):
            for name, publisher in zip("ab", speakers, strict=True):
                publisher.publish(topic, f"{name}{number}")
            if number % 100 == 0:
                await asyncio.sleep(0)
        await until(lambda: len(subscriber.received) == told * 2)
        for name in "ab":
            mine = [text for text in subscriber.texts(topic) if text.startswith(name)]
            assert mine == [f"{name}{number}" for number in range(told)]


async def test_every_node_gets_messages_to_all_nodes_without_subscribing(nats_url: str) -> None:
    async with nodes(nats_url, nats_url) as (publisher, subscriber):
        subscriber.bus.unsubscribe(ALL_NODES)
        await settled(subscriber)
        text = a_topic()
        publisher.publish(ALL_NODES, text)
        await until(lambda: text in subscriber.to_all_nodes)
        assert text in publisher.to_all_nodes


async def test_messages_published_just_before_close_arrive(nats_url: str) -> None:
    topic = a_topic()
    async with nodes(nats_url, nats_url) as (publisher, subscriber):
        await subscriber.subscribe(topic)
        for number in range(1000):
            publisher.publish(topic, str(number))
        await publisher.bus.close()
        await until(lambda: len(subscriber.received) == 1000)


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


async def test_unusual_topics_are_distinct_and_unchanged(nats_url: str) -> None:
    async with nodes(nats_url, nats_url) as (publisher, subscriber):
        await subscriber.subscribe(*ODD_TOPICS)
        for topic in ODD_TOPICS:
            publisher.publish(topic, repr(topic))
        await until(lambda: len(subscriber.received) >= len(ODD_TOPICS))
        assert subscriber.received == [
            (t, BusMessage("test", repr(t).encode())) for t in ODD_TOPICS
        ]
        assert subscriber.gaps == 0


async def test_a_topic_too_long_for_nats_works_locally(nats_url: str) -> None:
    topic = a_topic()
    async with nodes(nats_url, nats_url) as (publisher, subscriber):
        for too_long in (Topic("é" * 5000), Topic("")):
            for one in (publisher, subscriber):
                await one.subscribe(too_long, topic)
            publisher.publish(too_long, "here only")
        publisher.publish(topic, "everywhere")
        await until(lambda: subscriber.received)
        assert subscriber.received == [(topic, BusMessage("test", b"everywhere"))]
        assert len(publisher.received) == 3


@given(st.text(min_size=1).map(Topic))
def test_a_subject_is_valid_and_maps_back_to_its_topic(topic: Topic) -> None:
    subject = subject_of(topic)
    assert topic_of(subject) == topic
    assert subject.isascii()
    assert all(token and token.replace("%", "").isprintable() for token in subject.split("."))
    assert not set(subject) & set(" *>$\t\r\n")


def test_plain_topics_are_plain_subjects() -> None:
    assert subject_of(user_topic(UserId("usr_01h"))) == "greenroom.user.usr_01h"
    assert subject_of(ALL_NODES) == "greenroom.all"


async def test_five_thousand_subscriptions_are_fast_and_create_no_tasks(
    nats_url: str,
) -> None:
    topics = [a_topic() for _ in range(5000)]
    async with nodes(nats_url, nats_url) as (publisher, subscriber):
        before = len(asyncio.all_tasks())
        async with asyncio.timeout(30):
            await subscriber.subscribe(*topics)
        assert len(asyncio.all_tasks()) < before + 20
        for topic in topics:
            publisher.publish(topic, topic)
        await until(lambda: len(subscriber.received) == 5000)
        assert [topic for topic, _ in subscriber.received] == topics
        for topic in topics:
            subscriber.bus.unsubscribe(topic)
        await subscriber.subscribe(last := a_topic())
        publisher.bus.publish([*topics, last], WHOLE)
        await until(lambda: subscriber.received[-1] == (last, WHOLE))
        assert len(subscriber.received) == 5001

"""The event log on both engines: every event once, in order per thread, with its data."""

import asyncio
from collections import defaultdict

from greenroom.background.progress import load_state
from greenroom.ids import ThreadId
from greenroom.messaging import (
    delete,
    draft,
    edit,
    edit_metadata,
    items,
    lock,
    open as opening,
    participants,
    react,
    read,
    rename,
    respond,
    send,
    set_status,
    withdraw_request,
)
from greenroom.messaging.block import block_person, unblock_person
from greenroom.messaging.change_role import change_role
from greenroom.messaging.models import Kind, Role, Status
from greenroom.messaging.outgoing import Held, Outgoing
from greenroom.messaging.post_system import SystemMessage, post_system
from greenroom.messaging.records import MESSAGING
from greenroom.people.actor import SYSTEM, Actor, Scope
from greenroom.safety.claim import claim
from greenroom.safety.decide import decide
from greenroom.safety.models import Decision
from greenroom.safety.queue import queue
from greenroom.store.base import Put
from greenroom.webhooks import Webhooks
from greenroom.webhooks.event_log import MAX_PAGE_BYTES, follower_name
from greenroom.webhooks.events import read_events
from greenroom.webhooks.records import EVENTS, log_partition
from tests.messaging.world import MessagingWorld
from tests.webhooks.fixtures import SOURCE, differences, events, follow, kinds, runner_on

SERVICE = Actor(SYSTEM, frozenset({Scope.SERVICE}))


async def test_a_conversation_is_told_in_order(world: MessagingWorld) -> None:
    thread = await world.inquiry()
    ana, ben = world.actors["ana"], world.actors["ben"]
    first = await world.say("ana", thread.id, "Are you free in March?")
    await world.say("ben", thread.id, "Yes")
    await edit.edit(world.messaging, ana, thread.id, first.id, "Are you free in April?")
    await react.react(world.messaging, ben, thread.id, first.id, "👍")
    await react.remove_reaction(world.messaging, ben, thread.id, first.id, "👍")
    await edit_metadata.edit_metadata(world.messaging, ana, thread.id, first.id, '{"a":1}')
    await delete.delete(world.messaging, ana, thread.id, first.id)
    await follow(world)
    found = await events(world)
    asked = found[1].data
    gate = asked["requestId"]
    assert [(one.kind, one.actor, dict(one.data)) for one in found] == [
        ("thread.created", ana.user, {"kind": "inquiry"}),
        (
            "request.created",
            ana.user,
            {"requestId": gate, "targetUserId": ben.user, "expiresAtMs": asked["expiresAtMs"]},
        ),
        ("request.accepted", ben.user, {"requestId": gate, "targetUserId": ben.user}),
        ("message.created", ana.user, {"messageId": first.id, "seq": 1}),
        ("message.created", ben.user, {"messageId": found[4].data["messageId"], "seq": 2}),
        ("message.edited", ana.user, {"messageId": first.id, "seq": 1, "fields": ["text"]}),
        ("reaction.changed", ben.user, reaction(first.id, added=True)),
        ("reaction.changed", ben.user, reaction(first.id, added=False)),
        ("message.edited", ana.user, {"messageId": first.id, "seq": 1, "fields": ["metadata"]}),
        ("message.deleted", ana.user, {"messageId": first.id, "seq": 1}),
    ]
    assert [one.number for one in found] == list(range(1, 11))
    assert len({one.id for one in found}) == 10
    assert {one.subject for one in found} == {thread.id}
    assert all(one.id.startswith("evt_") and len(one.id) == 30 for one in found)
    assert await differences(world) == []


def reaction(message: str, *, added: bool) -> dict[str, object]:
    return {"messageId": message, "seq": 1, "emoji": "👍", "added": added}


async def test_a_group_is_told_with_who_did_what(world: MessagingWorld) -> None:
    ana, ben, cleo, dan = [await world.person(name) for name in ("ana", "ben", "cleo", "dan")]
    moderator = await world.person("mod", Scope.MODERATOR)
    group = opening.Opening(kind=Kind.GROUP, others=(opening.Invited(ben.user),))
    thread = await opening.open_thread(world.messaging, ana, group)
    await respond.accept(world.messaging, ben, thread.gates[ben.user].id)
    await participants.add(world.messaging, ana, thread.id, opening.Invited(cleo.user))
    await participants.add(world.messaging, ana, thread.id, opening.Invited(dan.user))
    head = await world.messaging.thread_cache.read(thread.id)
    assert head is not None
    dans = head.gates[dan.user].id
    await withdraw_request.withdraw_request(world.messaging, ana, dans)
    await respond.decline(world.messaging, cleo, head.gates[cleo.user].id)
    await rename.rename(world.messaging, ana, thread.id, "A secret name")
    await lock.lock(world.messaging, moderator, thread.id)
    await lock.unlock(world.messaging, moderator, thread.id)
    change = set_status.ThreadChange(status=Status.PENDING_DECISION, leg_id="leg_1", metadata="{}")
    await set_status.set_status(world.messaging, SERVICE, thread.id, change)
    await change_role(world.messaging, SERVICE, thread.id, ben.user, Role.HOST)
    note = SystemMessage("n1", "It is on its way", "order.shipped")
    await post_system(world.messaging, SERVICE, thread.id, note)
    await participants.leave(world.messaging, ben, thread.id)
    await follow(world)
    found = await events(world)
    assert [
        (one.kind, one.actor, *one.data.values())
        for one in found
        if one.kind.split(".")[0] not in ("message", "request")
    ] == [
        ("thread.created", ana.user, "group"),
        ("participant.added", ana.user, cleo.user),
        ("participant.added", ana.user, dan.user),
        ("participant.removed", ana.user, dan.user),
        ("subject.changed", ana.user),
        ("thread.locked", moderator.user),
        ("thread.unlocked", moderator.user),
        ("status.changed", SYSTEM, "open", "pending_decision"),
        ("booking.changed", SYSTEM),
        ("thread.updated", SYSTEM, ["metadata"]),
        ("role.changed", SYSTEM, ben.user, "host"),
        ("participant.left", ben.user, ben.user),
    ]
    requests = [(one.kind, one.actor) for one in found if one.kind.startswith("request")]
    assert requests == [
        ("request.created", ana.user),
        ("request.accepted", ben.user),
        ("request.created", ana.user),
        ("request.created", ana.user),
        ("request.withdrawn", ana.user),
        ("request.declined", cleo.user),
    ]
    created = [one.data for one in found if one.kind == "message.created"]
    assert [data["seq"] for data in created] == list(range(1, len(created) + 1))
    assert "order.shipped" in [data.get("event") for data in created]
    assert await differences(world) == []


async def test_events_have_no_texts(world: MessagingWorld) -> None:
    thread = await world.inquiry()
    message = await world.say("ana", thread.id, "CONFIDENTIAL words")
    ana = world.actors["ana"]
    await edit.edit(world.messaging, ana, thread.id, message.id, "CONFIDENTIAL too")
    await rename.rename(world.messaging, ana, thread.id, "CONFIDENTIAL name")
    await edit_metadata.edit_metadata(
        world.messaging, ana, thread.id, message.id, '{"x":"CONFIDENTIAL"}'
    )
    await follow(world)
    found = await events(world)
    assert kinds(found)[-3:] == ["message.created", "subject.changed", "message.edited"]
    assert "CONFIDENTIAL" not in repr(found)
    page = await world.store.query(EVENTS, log_partition("messaging"), limit=100)
    assert "CONFIDENTIAL" not in repr(page.items)


async def test_private_changes_are_not_told(world: MessagingWorld) -> None:
    thread = await world.inquiry()
    await world.say("ana", thread.id, "Hello")
    await follow(world)
    before = await events(world)
    ben = world.actors["ben"]
    await read.mark_read(world.messaging, ben, thread.id, 1)
    await draft.save_draft(world.messaging, ben, thread.id, "I would")
    await follow(world)
    assert await events(world) == before


async def test_operators_learn_what_the_others_must_not(world: MessagingWorld) -> None:
    """Ben leaves silently, is asked back and returns; then he blocks Ana and lifts the block."""
    thread = await world.inquiry()
    ana, ben = world.actors["ana"], world.actors["ben"]
    await participants.leave(world.messaging, ben, thread.id)
    await world.say("ana", thread.id, "Are you there?")
    head = await world.messaging.thread_cache.read(thread.id)
    assert head is not None
    await respond.accept(world.messaging, ben, head.gates[ben.user].id)
    await block_person(world.messaging, ben, ana.user)
    await unblock_person(world.messaging, ben, ana.user)
    await follow(world)
    found = [(one.kind, one.actor, *one.data.values()) for one in await events(world)][3:]
    assert [one[0] for one in found] == [
        "participant.left",
        "message.created",
        "request.created",
        "request.accepted",
        "participant.left",
        "participant.returned",
    ]
    assert found[0] == ("participant.left", ben.user, ben.user, "left")
    assert found[4] == ("participant.left", ben.user, ben.user, "blocked")


async def test_a_held_message_is_told_when_it_is_released(world: MessagingWorld) -> None:
    thread = await world.inquiry()
    outgoing = Outgoing("h1", "Send me the six digit code you just received by text.")
    held = await send.send(world.messaging, world.actors["ana"], thread.id, outgoing)
    assert isinstance(held, Held)
    await follow(world)
    assert "message.created" not in kinds(await events(world))
    moderator = await world.person("mod", Scope.MODERATOR)
    (case,) = (await queue(world.safety, moderator)).cases
    case = await claim(world.safety, moderator, case.id)
    await decide(world.safety, moderator, case.id, Decision.RELEASE, version=case.version)
    await follow(world)
    last = (await events(world))[-1]
    assert (last.kind, last.actor) == ("message.created", world.user("ana"))


async def test_messages_that_are_sent_at_once_are_told_by_seq(world: MessagingWorld) -> None:
    threads = [await world.inquiry("ana", name) for name in ("ben", "cleo")]
    await asyncio.gather(*(world.say("ana", threads[n % 2].id, f"message {n}") for n in range(120)))
    await follow(world)
    found = await events(world)
    by_thread: defaultdict[str, list[object]] = defaultdict(list)
    for one in found:
        if one.kind == "message.created":
            by_thread[one.subject].append(one.data["seq"])
    assert by_thread == {thread.id: list(range(1, 61)) for thread in threads}
    assert [one.number for one in found] == list(range(1, len(found) + 1))


async def test_pages_stay_small(world: MessagingWorld) -> None:
    thread = await world.inquiry()
    await asyncio.gather(*(world.say("ana", thread.id, f"message {n}") for n in range(900)))
    await follow(world)
    page = await world.store.query(EVENTS, log_partition("messaging"), limit=100)
    assert len(page.items) > 2
    sizes = [len(item["events"]) for item in page.items]  # type: ignore[arg-type]
    assert max(sizes) <= MAX_PAGE_BYTES + 100
    assert len(await events(world)) == 903


async def test_a_server_without_changes_writes_nothing(world: MessagingWorld) -> None:
    runner = runner_on(world)
    await runner.catch_up()
    state = await load_state(world.store, follower_name(SOURCE))
    with world.store.counting() as cost:
        await runner.catch_up()
    assert cost.write_units == 0
    assert state == await load_state(world.store, follower_name(SOURCE))


async def test_an_expired_request_is_told_and_can_be_restored(world: MessagingWorld) -> None:
    ana, ben = await world.person("ana"), await world.person("ben")
    asks = opening.Opening(kind=Kind.INQUIRY, others=(opening.Invited(ben.user),))
    thread = await opening.open_thread(world.messaging, ana, asks)
    await world.say("ana", thread.id, "Hello!")
    world.clock.advance(days=14)
    await world.run_timers()
    await follow(world)
    assert (await events(world))[-1].kind == "request.expired"
    assert await differences(world) == []


async def test_expired_events_are_gone_and_numbers_go_on(world: MessagingWorld) -> None:
    thread = await world.inquiry()
    await follow(world)
    assert kinds(await events(world)) == ["thread.created", "request.created", "request.accepted"]
    world.clock.advance(seconds=31 * 86_400)
    assert await events(world) == []
    await world.say("ana", thread.id, "Hello again")
    await follow(world)
    webhooks = Webhooks(world.store, world.clock)
    oldest = await read_events(webhooks, SOURCE, 0, 10)
    assert [(one.number, one.kind) for one in oldest.events] == [(4, "message.created")]
    assert (await read_events(webhooks, SOURCE, 1, 10)).is_gap
    assert not (await read_events(webhooks, SOURCE, 3, 10)).is_gap


async def test_two_nodes_write_each_event_once(world: MessagingWorld) -> None:
    thread = await world.inquiry()
    nodes = [runner_on(world, max_batch=7) for _ in range(2)]
    running = [asyncio.create_task(node.run()) for node in nodes]
    try:
        for n in range(60):
            await world.say("ana", thread.id, f"message {n}")
        async with asyncio.timeout(50):
            while len(await events(world)) < 63:  # noqa: ASYNC110
                await asyncio.sleep(0.05)
    finally:
        for task in running:
            task.cancel()
        await asyncio.gather(*running, return_exceptions=True)
    found = await events(world)
    assert [one.data["seq"] for one in found[3:]] == list(range(1, 61))
    assert len({one.id for one in found}) == len(found)


async def test_an_older_head_without_events_tells_nothing(world: MessagingWorld) -> None:
    """A store that was there before the log: what happened then is not told."""
    thread = await world.inquiry()
    old = items.head_item(thread)
    await world.store.write(Put(MESSAGING, dict(old) | {"pk": "THR#thr_old"}))
    await follow(world)
    assert ThreadId("thr_old") not in {one.subject for one in await events(world)}

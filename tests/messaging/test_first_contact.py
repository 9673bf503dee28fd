"""Requests of strangers stay pending, and the sender learns nothing else."""

import asyncio

import pytest

from greenroom.ids import RequestId
from greenroom.messaging import block, inbox, participants, read, respond, row_settings
from greenroom.messaging.block import block_person
from greenroom.messaging.history import History, Seen, history
from greenroom.messaging.models import Folder, GateStatus, Kind, Role, Thread
from greenroom.messaging.open import Invited, Opening, open_thread
from greenroom.messaging.problems import (
    AcceptFirst,
    ConversationClosed,
    InvalidThread,
    PlainTextOnly,
    RequestNotFound,
    RequestPending,
    ThreadNotFound,
)
from greenroom.messaging.react import react
from greenroom.messaging.rename import rename
from greenroom.messaging.rules import gate_as_sender_sees, known_gates
from greenroom.people.actor import Actor
from tests.messaging.world import MessagingWorld


async def _asked(world: MessagingWorld, *words: str) -> tuple[Thread, RequestId]:
    """Cleo, a stranger, has written to Ana."""
    ana, cleo = await world.person("ana"), await world.person("cleo")
    thread = await open_thread(
        world.messaging, cleo, Opening(kind=Kind.INQUIRY, others=(Invited(ana.user),))
    )
    for word in words:
        await world.say("cleo", thread.id, word)
    return thread, thread.gates[ana.user].id


async def _as_cleo_sees(world: MessagingWorld, thread: Thread) -> tuple[object, ...]:
    """All that the sender of a request can find out about it."""
    cleo = world.actors["cleo"]
    page: History = await history(world.messaging, cleo, thread.id)
    head = page.view.thread
    gate = head.gates[world.user("ana")]
    row = (await inbox.inbox(world.messaging, cleo)).rows[0]
    return (
        gate_as_sender_sees(gate, world.clock.now_ms()),
        set(head.members),
        [(message.seq, message.event, message.body) for message in page.messages],
        [Seen(head, page.members).by(message) for message in page.messages],
        [(one.user, one.read_seq, one.read_ms, one.delivered_seq) for one in page.members],
        (row.state, row.rank, head.changed_ms),
    )


async def test_a_strangers_first_message_is_among_the_requests(world: MessagingWorld) -> None:
    thread, _ = await _asked(world, "Hello!")
    page = await inbox.inbox(world.messaging, world.actors["ana"], Folder.REQUESTS)
    assert [(row.thread.id, row.state.unread) for row in page.rows] == [(thread.id, 1)]
    assert (await inbox.inbox(world.messaging, world.actors["cleo"])).rows[0].state.folder in (
        Folder.OFFERS,
        Folder.ACTION,
    )


async def test_a_request_holds_three_messages_and_no_link(
    world: MessagingWorld,
) -> None:
    thread, gate = await _asked(world, "Hello!", "It is about Friday.")
    with pytest.raises(PlainTextOnly):
        await world.say("cleo", thread.id, "Look at https://example.com/friday")
    await world.say("cleo", thread.id, "Do you have time?")
    with pytest.raises(RequestPending):
        await world.say("cleo", thread.id, "Hello?")
    with pytest.raises(RequestPending):
        await rename(world.messaging, world.actors["cleo"], thread.id, "HELLO?")
    await respond.accept(world.messaging, world.actors["ana"], gate)
    await world.say("cleo", thread.id, "Thank you.")


async def test_a_node_with_a_stale_cache_lets_the_accepted_sender_write(
    world: MessagingWorld,
) -> None:
    thread, gate = await _asked(world, "1", "2", "3")
    await respond.accept(world.another_node().messaging, world.actors["ana"], gate)
    await world.say("cleo", thread.id, "4")


async def test_a_person_who_has_not_accepted_cannot_write_or_change_anything(
    world: MessagingWorld,
) -> None:
    thread, gate = await _asked(world, "Hello!")
    ana = world.actors["ana"]
    message = (await history(world.messaging, ana, thread.id)).messages[0]
    ben = await world.person("ben")
    for doing in (
        world.say("ana", thread.id, "Who are you?"),
        react(world.messaging, ana, thread.id, message.id, "👍"),
        rename(world.messaging, ana, thread.id, "What is this?"),
        participants.add(world.messaging, ana, thread.id, Invited(ben.user)),
    ):
        with pytest.raises(AcceptFirst):
            await doing
    await respond.accept(world.messaging, ana, gate)
    await world.say("ana", thread.id, "Who are you?")


@pytest.mark.parametrize(
    "way", ["read", "spam", "decline", "block", "block from the side", "leave"]
)
async def test_the_sender_sees_no_difference(world: MessagingWorld, way: str) -> None:
    thread, gate = await _asked(world, "Hello!")
    ana, messaging = world.actors["ana"], world.messaging
    world.clock.advance(seconds=3600)
    before = await _as_cleo_sees(world, thread)
    match way:
        case "read":
            await read.mark_delivered(messaging, ana, thread.id, 1)
            await read.mark_read(messaging, ana, thread.id, 1)
        case "spam":
            await row_settings.mark_spam(messaging, ana, thread.id, True)
        case "decline":
            await respond.decline(messaging, ana, gate)
        case "block":
            await block.block_sender(messaging, ana, gate)
        case "block from the side":
            await block_person(messaging, ana, world.user("cleo"), thread_id=thread.id)
        case "leave":
            await participants.leave(messaging, ana, thread.id)
    assert await _as_cleo_sees(world, thread) == before
    await world.say("cleo", thread.id, "Are you there?")
    if way in ("decline", "block", "block from the side", "leave"):
        assert await _folders(world, ana) == {}
        with pytest.raises(ThreadNotFound):
            await history(messaging, ana, thread.id)
    world.clock.advance(days=14)
    with pytest.raises(ConversationClosed):
        await world.say("cleo", thread.id, "Hello?")


async def _folders(world: MessagingWorld, actor: Actor) -> dict[str, str]:
    found: dict[str, str] = {}
    for folder in (Folder.ALL, Folder.ARCHIVED, Folder.SPAM):
        for row in (await inbox.inbox(world.messaging, actor, folder)).rows:
            found[row.thread.id] = str(row.state.folder)
    return found


async def test_a_request_expires_exactly_and_leaves_nothing_behind(
    world: MessagingWorld,
) -> None:
    thread, gate = await _asked(world, "Hello!")
    ana = world.actors["ana"]
    expires = thread.gates[ana.user].expires_ms
    world.clock.advance(ms=expires - world.clock.now_ms() - 1)
    assert (await inbox.counts(world.messaging, ana)).badge == 1
    world.clock.advance(ms=1)
    assert (await inbox.counts(world.messaging, ana)).badge == 0
    assert await _folders(world, ana) == {}
    for doing in (
        respond.accept(world.messaging, ana, gate),
        respond.decline(world.messaging, ana, gate),
        block.block_sender(world.messaging, ana, gate),
    ):
        with pytest.raises(RequestNotFound):
            await doing
    for gone in (
        history(world.messaging, ana, thread.id),
        read.mark_read(world.messaging, ana, thread.id, 1),
    ):
        with pytest.raises(ThreadNotFound):
            await gone


async def test_a_request_marked_as_spam_expires_too(world: MessagingWorld) -> None:
    thread, _ = await _asked(world, "Hello!")
    ana = world.actors["ana"]
    await row_settings.mark_spam(world.messaging, ana, thread.id, True)
    assert await _folders(world, ana) == {thread.id: "spam"}
    world.clock.advance(days=14)
    assert await _folders(world, ana) == {}


async def test_expired_requests_leave_the_active_index(world: MessagingWorld) -> None:
    await _asked(world, "Hello!")
    ana = world.actors["ana"]
    world.clock.advance(days=15)
    await inbox.inbox(world.messaging, ana)
    await world.messaging.deferred.run()
    with world.store.counting() as cost:
        await inbox.counts(world.messaging, ana)
    assert cost.read_units <= 1, "two empty partitions"


async def test_an_answer_is_final_and_repeating_it_changes_nothing(world: MessagingWorld) -> None:
    _, gate = await _asked(world)
    ana, node = world.actors["ana"], world.another_node().messaging
    await respond.accept(world.messaging, ana, gate)
    await respond.accept(node, ana, gate)
    with pytest.raises(RequestNotFound):
        await respond.decline(node, ana, gate)
    with pytest.raises(RequestNotFound):
        await respond.accept(world.messaging, world.actors["cleo"], gate)


async def test_a_request_is_answered_on_a_node_with_a_stale_cache(
    world: MessagingWorld,
) -> None:
    thread = await world.inquiry()
    node = world.another_node()
    await node.say("ben", thread.id, "Hello.")
    cleo = await world.person("cleo")
    grown = await participants.add(
        world.messaging, world.actors["ana"], thread.id, Invited(cleo.user, Role.BUYER)
    )
    gate = grown.gates[cleo.user]
    assert gate.status is GateStatus.PENDING
    accepted = await respond.accept(node.messaging, cleo, gate.id)
    assert accepted.gates == {}


async def test_a_pending_member_hides_nobody_elses_receipts(world: MessagingWorld) -> None:
    thread = await world.inquiry()
    cleo = await world.person("cleo")
    await participants.add(
        world.messaging, world.actors["ana"], thread.id, Invited(cleo.user, Role.BUYER)
    )
    for name in ("ben", "cleo"):
        await read.mark_read(world.messaging, world.actors[name], thread.id, 1)
    for viewer, seen in (("ana", {"ben"}), ("ben", set()), ("cleo", {"cleo"})):
        page = await history(world.messaging, world.actors[viewer], thread.id)
        by = Seen(page.view.thread, page.members).by(page.messages[0])
        assert set(by) - {world.user(viewer)} == {world.user(n) for n in seen - {viewer}}


async def test_the_recipient_of_a_request_sees_policy_hints_about_the_sender(
    world: MessagingWorld,
) -> None:
    await _asked(world, "Write me at cleo at example dot com instead")
    ana = world.actors["ana"]
    found = await inbox.inbox(world.messaging, ana, Folder.REQUESTS)
    assert found.rows[0].thread.gates[ana.user].reason == "OFF_PLATFORM"


async def test_users_cannot_set_a_booking_id(world: MessagingWorld) -> None:
    ana, ben = await world.person("ana"), await world.person("ben")
    await world.inquiry("ben", "ana")
    others = (Invited(ben.user),)
    for named in (
        Opening(kind=Kind.INQUIRY, others=others, booking_id="bkg_made_up"),
        Opening(kind=Kind.INQUIRY, others=others, leg_id="leg_made_up"),
        Opening(kind=Kind.BOOKING, others=others, lbg_id="lbg_made_up"),
    ):
        with pytest.raises(InvalidThread):
            await open_thread(world.messaging, ana, named)


async def test_a_node_with_an_older_head_repeats_an_answer_of_one_who_has_gone(
    world: MessagingWorld,
) -> None:
    thread, gate = await _asked(world, "Hello")
    ana, node = world.actors["ana"], world.another_node()
    await node.messaging.thread_cache.load(thread.id)
    await respond.accept(world.messaging, ana, gate)
    await participants.leave(world.messaging, ana, thread.id)
    again = await respond.accept(node.messaging, ana, gate)
    assert (again.id, known_gates(again)) == (thread.id, {})


async def test_what_is_accepted_on_two_nodes_at_once_is_accepted(world: MessagingWorld) -> None:
    thread, gate = await _asked(world, "Hello")
    ana, nodes = world.actors["ana"], [world, world.another_node(), world.another_node()]
    for node in nodes:
        await node.messaging.thread_cache.load(thread.id)
    given = await asyncio.gather(*(respond.accept(node.messaging, ana, gate) for node in nodes))
    assert {head.id for head in given} == {thread.id}
    for node in nodes:
        for late in (respond.decline, block.block_sender):
            with pytest.raises(RequestNotFound):
                await late(node.messaging, ana, gate)
    assert (
        world.user("cleo") in (await history(world.messaging, ana, thread.id)).view.thread.members
    )


async def test_a_person_removed_before_answering_has_no_request_any_more(
    world: MessagingWorld,
) -> None:
    thread = await world.inquiry()
    ana, cleo = world.actors["ana"], await world.person("cleo")
    grown = await participants.add(world.messaging, ana, thread.id, Invited(cleo.user, Role.BUYER))
    await participants.remove(world.messaging, ana, thread.id, cleo.user)
    with pytest.raises(RequestNotFound):
        await respond.accept(world.messaging, cleo, grown.gates[cleo.user].id)

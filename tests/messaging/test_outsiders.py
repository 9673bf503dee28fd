"""Outsiders learn nothing: neither from the cost of a refusal nor from a retry."""

from collections.abc import Awaitable, Callable

import pytest

from greenroom.files.set_band import apply_band
from greenroom.ids import MessageId, ThreadId
from greenroom.messaging import (
    history,
    lock,
    participants,
    presence,
    react,
    read,
    rename,
    row_settings,
    thread,
)
from greenroom.messaging.block import block_person, unblock_person
from greenroom.messaging.edit import edit
from greenroom.messaging.enforce import Enforcement
from greenroom.messaging.file_audience import MessageAudience
from greenroom.messaging.models import Kind, Message, NewAttachment, Role
from greenroom.messaging.open import Invited, Opening, open_direct, open_thread
from greenroom.messaging.outgoing import Outgoing, Sent
from greenroom.messaging.pairs import direct_id
from greenroom.messaging.preview import preview
from greenroom.messaging.problems import ThreadNotFound
from greenroom.messaging.respond import accept
from greenroom.messaging.send import send
from greenroom.people.actor import Actor
from greenroom.safety.models import Case, SentMessage, case_id
from tests.messaging.file_steps import announce, follow_files, settle, stored
from tests.messaging.world import MessagingWorld

_NOWHERE = ThreadId("thr_01k75q8h3c0000000000000000")
_MESSAGE = MessageId("msg_01k75q8j5d0000000000000000")
_WAYS: dict[str, Callable[[MessagingWorld, Actor, ThreadId], Awaitable[object]]] = {
    "view": lambda w, a, t: thread.details(w.messaging, a, t),
    "history": lambda w, a, t: history.history(w.messaging, a, t),
    "send": lambda w, a, t: send(w.messaging, a, t, Outgoing("c", "Hello")),
    "edit": lambda w, a, t: edit(w.messaging, a, t, _MESSAGE, "Hello"),
    "react": lambda w, a, t: react.react(w.messaging, a, t, _MESSAGE, "👍"),
    "read": lambda w, a, t: read.mark_read(w.messaging, a, t, 1),
    "unread": lambda w, a, t: read.mark_unread(w.messaging, a, t),
    "pin": lambda w, a, t: row_settings.pin(w.messaging, a, t, True),
    "leave": lambda w, a, t: participants.leave(w.messaging, a, t),
    "add": lambda w, a, t: participants.add(w.messaging, a, t, Invited(a.user, Role.MEMBER)),
    "rename": lambda w, a, t: rename.rename(w.messaging, a, t, "Mine"),
    "lock": lambda w, a, t: lock.lock(w.messaging, a, t),
    "appear": lambda w, a, t: presence.start_viewing(w.messaging, a, t),
    "type": lambda w, a, t: presence.set_typing(w.messaging, a, t, on=True),
    "preview": lambda w, a, t: preview(w.messaging, a, "Hello", thread_id=t),
}


@pytest.mark.parametrize("way", _WAYS)
@pytest.mark.parametrize("node", ["that knows it", "that does not"])
async def test_an_existing_thread_costs_an_outsider_as_much_as_a_missing_one(
    unlimited_world: MessagingWorld, way: str, node: str
) -> None:
    """The same reads and units, so that the time reveals nothing. This head is so large that
    reading it costs more than reading nothing."""
    ana, cleo = await unlimited_world.person("ana"), await unlimited_world.person("cleo")
    others = [Invited((await unlimited_world.person(f"p{n}")).user) for n in range(70)]
    opening = Opening(kind=Kind.GROUP, others=tuple(others))
    there = await open_thread(unlimited_world.messaging, ana, opening)
    await unlimited_world.say("ana", there.id, "Hello")
    asked = unlimited_world if node == "that knows it" else unlimited_world.another_node()
    spent = []
    for thread_id in (_NOWHERE, there.id, _NOWHERE, there.id):
        with unlimited_world.store.counting() as cost, pytest.raises(ThreadNotFound):
            await _WAYS[way](asked, cleo, thread_id)
        spent.append(repr(cost.by_source))
    assert len(set(spent)) == 1
    with unlimited_world.store.counting() as cost:
        await unlimited_world.messaging.thread_cache.read(there.id)
    assert cost.read_units > 1


async def test_the_id_of_another_pairs_thread_cannot_be_computed(world: MessagingWorld) -> None:
    ana, ben = await world.person("ana"), await world.person("ben")
    found = await open_direct(world.messaging, ana, ben.user)
    for node in (world, world.another_node()):
        for pair in ((ana.user, ben.user), (ben.user, ana.user)):
            assert await direct_id(node.messaging, *pair) == found.id
    world.messaging.secrets.update(dict.fromkeys(world.messaging.secrets, b"another store's key"))
    assert await direct_id(world.messaging, ana.user, ben.user) != found.id


async def test_a_retry_shows_a_removed_member_the_first_ack_and_no_more(
    world: MessagingWorld,
) -> None:
    there, cleo = await world.inquiry(), await world.person("cleo")
    ana, messaging = world.actors["ana"], world.messaging
    grown = await participants.add(messaging, ana, there.id, Invited(cleo.user, Role.MEMBER))
    await accept(messaging, cleo, grown.gates[cleo.user].id)
    outgoing = Outgoing("c", "Here I am.")
    first = await send(messaging, cleo, there.id, outgoing)
    assert isinstance(first, Sent)
    await participants.remove(messaging, ana, there.id, cleo.user)
    await react.react(messaging, ana, there.id, first.message.id, "👎")
    again = await send(world.another_node().messaging, cleo, there.id, outgoing)
    assert isinstance(again, Sent)
    assert again.again
    assert again.message == first.message


async def _remove(world: MessagingWorld, message: Message) -> None:
    subject = SentMessage(message.thread, message.id)
    case = Case(id=case_id(subject), subject=subject, opened_ms=world.clock.now_ms())
    await Enforcement(world.messaging).remove(case)


async def _band(world: MessagingWorld, message: Message) -> None:
    [attachment] = message.attachments
    assert attachment.file is not None
    now_ms, mod = world.clock.now_ms(), await world.person("mod")
    await apply_band(world.messaging.files, attachment.file, 2, mod.user, now_ms)
    file = await stored(world, attachment.file)
    await MessageAudience(world.messaging).show_band(file)


@pytest.mark.parametrize("change", [_remove, _band], ids=["removed", "band"])
@pytest.mark.parametrize("waits", [False, True])
async def test_a_retry_of_a_picture_shows_nothing_that_happened_after_its_sender_had_left(
    world: MessagingWorld,
    change: Callable[[MessagingWorld, Message], Awaitable[None]],
    waits: bool,
) -> None:
    thread = await world.inquiry()
    ana = world.actors["ana"]
    file = await announce(world, "ana", thread.id)
    if not waits:
        await settle(world, file, band=1)
    outgoing = Outgoing(
        "f1", " Look ", metadata='{"a":1}', attachments=(NewAttachment(file, " A roof "),)
    )
    await send(world.messaging, ana, thread.id, outgoing)
    if waits:
        await settle(world, file, band=1)
        await follow_files(world)
    [first] = (await history.history(world.messaging, ana, thread.id)).messages
    assert (first.body, first.band, first.attachments[0].alt) == ("Look", 1, "A roof")
    await participants.leave(world.messaging, ana, thread.id)
    await change(world, first)
    ben = world.actors["ben"]
    [now] = (await history.history(world.messaging, ben, thread.id)).messages
    assert now.attachments != first.attachments
    again = await send(world.another_node().messaging, ana, thread.id, outgoing)
    assert isinstance(again, Sent)
    assert again.message == first


async def test_seen_by_names_only_people_whom_the_message_reached(
    world: MessagingWorld,
) -> None:
    """Neither later members, nor those who were away when it was sent."""
    direct = await world.inquiry("ana", "ben")
    messaging, ana, ben = world.messaging, world.actors["ana"], world.actors["ben"]
    await world.say("ana", direct.id, "Seen")
    await read.mark_read(messaging, ben, direct.id, 1)
    await block_person(messaging, ben, ana.user)
    await world.say("ana", direct.id, "MissedRange")
    await unblock_person(messaging, ben, ana.user)
    await world.say("ben", direct.id, "Back")
    await world.inquiry("cleo", "ana")
    cleo = world.actors["cleo"]
    await participants.add(messaging, ana, direct.id, Invited(cleo.user, Role.MEMBER))
    await read.mark_read(messaging, cleo, direct.id, 4)
    page = await history.history(messaging, ana, direct.id)
    seen = history.Seen(page.view.thread, page.members)
    shown = [set(seen.by(message)) - {ana.user} for message in page.messages]
    assert shown == [{ben.user}, set(), set(), {cleo.user}]

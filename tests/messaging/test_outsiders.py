"""An outsider learns nothing: not by what a refusal costs, nor by trying something again."""

from collections.abc import Awaitable, Callable

import pytest

from greenroom.ids import MessageId, ThreadId
from greenroom.messaging import arrange, history, lock, presence, react, read, rename, seats, thread
from greenroom.messaging.answer import accept
from greenroom.messaging.block import block_person, unblock_person
from greenroom.messaging.edit import edit
from greenroom.messaging.models import Kind, Role
from greenroom.messaging.open import Invited, Opening, open_direct, open_thread
from greenroom.messaging.pairs import direct_id
from greenroom.messaging.preview import preview
from greenroom.messaging.problems import ThreadNotFound
from greenroom.messaging.send import Outgoing, Sent, send
from greenroom.people.actor import Actor
from tests.messaging.world import World

_NOWHERE = ThreadId("thr_01k75q8h3c0000000000000000")
_MESSAGE = MessageId("msg_01k75q8j5d0000000000000000")
_WAYS: dict[str, Callable[[World, Actor, ThreadId], Awaitable[object]]] = {
    "view": lambda w, a, t: thread.view(w.messaging, a, t),
    "history": lambda w, a, t: history.history(w.messaging, a, t),
    "send": lambda w, a, t: send(w.messaging, a, t, Outgoing("c", "Hello")),
    "edit": lambda w, a, t: edit(w.messaging, a, t, _MESSAGE, "Hello"),
    "react": lambda w, a, t: react.react(w.messaging, a, t, _MESSAGE, "👍"),
    "read": lambda w, a, t: read.mark_read(w.messaging, a, t, 1),
    "unread": lambda w, a, t: read.mark_unread(w.messaging, a, t),
    "pin": lambda w, a, t: arrange.pin(w.messaging, a, t, True),
    "leave": lambda w, a, t: seats.leave(w.messaging, a, t),
    "add": lambda w, a, t: seats.add(w.messaging, a, t, Invited(a.user, Role.MEMBER)),
    "rename": lambda w, a, t: rename.rename(w.messaging, a, t, "Mine"),
    "lock": lambda w, a, t: lock.lock(w.messaging, a, t),
    "appear": lambda w, a, t: presence.appear(w.messaging, a, t),
    "type": lambda w, a, t: presence.type_in(w.messaging, a, t, on=True),
    "preview": lambda w, a, t: preview(w.messaging, a, "Hello", thread_id=t),
}


@pytest.mark.parametrize("way", _WAYS)
@pytest.mark.parametrize("node", ["that knows it", "that does not"])
async def test_what_is_there_costs_an_outsider_what_is_not(
    roomy: World, way: str, node: str
) -> None:
    """The same reads with the same units: else the time that it takes would tell. The head of this
    thread is so large that reading it costs more than reading nothing."""
    ana, cleo = await roomy.person("ana"), await roomy.person("cleo")
    others = [Invited((await roomy.person(f"p{n}")).user) for n in range(70)]
    opening = Opening(kind=Kind.GROUP, others=tuple(others))
    there = await open_thread(roomy.messaging, ana, opening)
    await roomy.say("ana", there.id, "Hello")
    asked = roomy if node == "that knows it" else roomy.another_node()
    spent = []
    for thread_id in (_NOWHERE, there.id, _NOWHERE, there.id):
        with roomy.store.counting() as cost, pytest.raises(ThreadNotFound):
            await _WAYS[way](asked, cleo, thread_id)
        spent.append(repr(cost.by_source))
    assert len(set(spent)) == 1
    with roomy.store.counting() as cost:
        await roomy.messaging.heads.read(there.id)
    assert cost.read_units > 1


async def test_nobody_works_out_the_id_of_another_pairs_thread(world: World) -> None:
    ana, ben = await world.person("ana"), await world.person("ben")
    found = await open_direct(world.messaging, ana, ben.user)
    for node in (world, world.another_node()):
        for pair in ((ana.user, ben.user), (ben.user, ana.user)):
            assert await direct_id(node.messaging, *pair) == found.id
    world.messaging.secrets.update(dict.fromkeys(world.messaging.secrets, b"another store's key"))
    assert await direct_id(world.messaging, ana.user, ben.user) != found.id


async def test_a_retry_shows_a_removed_member_the_first_ack_and_no_more(world: World) -> None:
    there, cleo = await world.inquiry(), await world.person("cleo")
    ana, messaging = world.actors["ana"], world.messaging
    grown = await seats.add(messaging, ana, there.id, Invited(cleo.user, Role.MEMBER))
    await accept(messaging, cleo, grown.gates[cleo.user].id)
    outgoing = Outgoing("c", "Here I am.")
    first = await send(messaging, cleo, there.id, outgoing)
    assert isinstance(first, Sent)
    await seats.remove(messaging, ana, there.id, cleo.user)
    await react.react(messaging, ana, there.id, first.frame.id, "👎")
    again = await send(world.another_node().messaging, cleo, there.id, outgoing)
    assert isinstance(again, Sent)
    assert again.again
    assert again.frame == first.frame


async def test_nobody_is_named_as_having_seen_what_never_reached_them(world: World) -> None:
    """Neither who joined later, nor who was away when it was sent."""
    direct = await world.inquiry("ana", "ben")
    messaging, ana, ben = world.messaging, world.actors["ana"], world.actors["ben"]
    await world.say("ana", direct.id, "Seen")
    await read.mark_read(messaging, ben, direct.id, 1)
    await block_person(messaging, ben, ana.user)
    await world.say("ana", direct.id, "Missed")
    await unblock_person(messaging, ben, ana.user)
    await world.say("ben", direct.id, "Back")
    await world.inquiry("cleo", "ana")
    cleo = world.actors["cleo"]
    await seats.add(messaging, ana, direct.id, Invited(cleo.user, Role.MEMBER))
    await read.mark_read(messaging, cleo, direct.id, 4)
    page = await history.history(messaging, ana, direct.id)
    seen = history.Seen(page.side.thread, page.members)
    shown = [set(seen.by(frame)) - {ana.user} for frame in page.frames]
    assert shown == [{ben.user}, set(), set(), {cleo.user}]

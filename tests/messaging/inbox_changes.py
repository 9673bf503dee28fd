"""Every kind of change to an inbox, by name; test_sync.py runs all of them.

Add a new kind to `CHANGES`, and to `NOTHING_TO_SEE` if Ana must not notice it.
"""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import TypeAlias

from greenroom.ids import RequestId, ThreadId, UserId
from greenroom.messaging import (
    Messaging,
    change_role,
    delete,
    draft,
    edit,
    history,
    inbox,
    lock,
    open as opening,
    participants,
    post_system,
    react,
    read,
    read_all,
    rename,
    respond,
    row_settings,
    set_status,
)
from greenroom.messaging.block import block_person, block_sender
from greenroom.messaging.models import Kind, Message, Role, Status
from greenroom.messaging.panel.edit_tab import edit_tab
from greenroom.messaging.panel.models import END, Add, ObjectKind
from greenroom.messaging.withdraw_request import withdraw_request
from greenroom.people.actor import Actor, Scope
from tests.messaging.world import MessagingWorld

_SERVICE = Actor(UserId("shop"), frozenset({Scope.SERVICE}))
FRIENDS = ("ben", "eve", "finn", "gus", "hal")
ASKING = ("cleo", "carl", "cora", "cy")
ASKED = ("dora", "dirk")


@dataclass
class BusyInbox:
    """Ana's inbox: contacts she writes with, requests from strangers, and requests of her own."""

    world: MessagingWorld
    threads: dict[str, ThreadId] = field(default_factory=dict)
    gates: dict[str, RequestId] = field(default_factory=dict)

    @property
    def messaging(self) -> Messaging:
        return self.world.messaging

    @property
    def ana(self) -> Actor:
        return self.world.actors["ana"]

    def other(self, name: str) -> Actor:
        return self.world.actors[name]

    async def messages(self, name: str) -> tuple[Message, ...]:
        return (await history.history(self.messaging, self.ana, self.threads[name])).messages

    async def set_up(self) -> "BusyInbox":
        ana = await self.world.person("ana")
        for name in FRIENDS:
            await self._talks(name)
        for name in ASKING:
            await self.opens(name, "ana", "Hello!")
        for name in ASKED:
            await self.opens("ana", name, "Hello!")
        ben, zoe = self.other("ben"), await self.world.person("zoe")
        group = opening.Opening(
            kind=Kind.BOOKING,
            role=Role.SELLER,
            others=(opening.Invited(ana.user, Role.BUYER), opening.Invited(zoe.user, Role.SELLER)),
        )
        thread = await opening.open_thread(self.messaging, ben, group)
        if ana.user in thread.gates:
            await respond.accept(self.messaging, ana, thread.gates[ana.user].id)
        self.threads["group"] = thread.id
        return self

    async def _talks(self, name: str) -> None:
        thread = await self.world.inquiry("ana", name)
        self.threads[name] = thread.id
        for who, body in (("ana", "Is Friday free?"), (name, "Why?"), ("ana", "So.")):
            await self.world.say(who, thread.id, body)

    async def opens(self, name: str, other: str, body: str) -> None:
        actor, target = await self.world.person(name), await self.world.person(other)
        invited = (opening.Invited(target.user),)
        thread = await opening.open_thread(
            self.messaging, actor, opening.Opening(kind=Kind.INQUIRY, others=invited)
        )
        stranger = other if name == "ana" else name
        self.threads[stranger] = thread.id
        if target.user in thread.gates:
            self.gates[stranger] = thread.gates[target.user].id
        await self.world.say(name, thread.id, body)

    async def comes_to_rest(self) -> None:
        """Everybody but Finn has read everything, and the rows are inactive."""
        for name, actor in self.world.actors.items():
            page = await inbox.inbox(self.messaging, actor, limit=50)
            for row in page.rows if name != "finn" else ():
                await read.mark_read(self.messaging, actor, row.thread.id, row.thread.last_seq)
        self.world.clock.advance(days=3)
        for actor in self.world.actors.values():
            for _ in range(2):
                await inbox.inbox(self.messaging, actor, limit=50)
                await self.messaging.deferred.run()
        self.world.clock.advance(days=7)


Change: TypeAlias = Callable[[BusyInbox], Awaitable[object]]


def a_message(s: BusyInbox) -> Awaitable[object]:
    return s.world.say("ben", s.threads["ben"], "Are you there?")


def ones_own_message_from_another_device(s: BusyInbox) -> Awaitable[object]:
    return s.world.say("ana", s.threads["ben"], "From my phone.")


async def an_answer(s: BusyInbox) -> None:
    first = (await s.messages("ben"))[1]
    await s.world.say("ana", s.threads["ben"], "May it?", reply_to=first.id)


async def an_edit(s: BusyInbox) -> None:
    message = (await s.messages("ben"))[1]
    await edit.edit(s.messaging, s.other("ben"), s.threads["ben"], message.id, "It is!")


async def a_deletion(s: BusyInbox) -> None:
    message = (await s.messages("ben"))[1]
    await delete.delete(s.messaging, s.other("ben"), s.threads["ben"], message.id)


async def a_reaction(s: BusyInbox) -> None:
    message = (await s.messages("eve"))[0]
    await react.react(s.messaging, s.other("eve"), s.threads["eve"], message.id, "🎉")


async def a_reaction_taken_back(s: BusyInbox) -> None:
    await a_reaction(s)
    message = (await s.messages("eve"))[0]
    await react.remove_reaction(s.messaging, s.other("eve"), s.threads["eve"], message.id, "🎉")


def the_other_one_reads(s: BusyInbox) -> Awaitable[object]:
    return read.mark_read(s.messaging, s.other("finn"), s.threads["finn"], 3)


def the_other_one_receives(s: BusyInbox) -> Awaitable[object]:
    return read.mark_delivered(s.messaging, s.other("finn"), s.threads["finn"], 3)


def reading_on_another_device(s: BusyInbox) -> Awaitable[object]:
    return read.mark_read(s.messaging, s.ana, s.threads["cleo"], 1)


def marking_as_unread(s: BusyInbox) -> Awaitable[object]:
    return read.mark_unread(s.messaging, s.ana, s.threads["eve"], 2)


def a_mute(s: BusyInbox) -> Awaitable[object]:
    until = s.world.clock.now_ms() + 3_600_000
    return row_settings.mute(s.messaging, s.ana, s.threads["eve"], until)


def a_pin(s: BusyInbox) -> Awaitable[object]:
    return row_settings.pin(s.messaging, s.ana, s.threads["eve"], True)


def going_to_the_archive(s: BusyInbox) -> Awaitable[object]:
    return row_settings.archive(s.messaging, s.ana, s.threads["eve"], True)


def hiding(s: BusyInbox) -> Awaitable[object]:
    return row_settings.change_row(
        s.messaging, s.ana, s.threads["eve"], row_settings.RowChanges(hidden=True)
    )


async def hiding_undone(s: BusyInbox) -> None:
    await hiding(s)
    wish = row_settings.RowChanges(hidden=False)
    await row_settings.change_row(s.messaging, s.ana, s.threads["eve"], wish)


def a_request_archived(s: BusyInbox) -> Awaitable[object]:
    return row_settings.archive(s.messaging, s.ana, s.threads["cleo"], True)


async def coming_back_from_the_archive(s: BusyInbox) -> None:
    await row_settings.archive(s.messaging, s.ana, s.threads["group"], True)
    await row_settings.archive(s.messaging, s.ana, s.threads["group"], False)


def reading_everything(s: BusyInbox) -> Awaitable[object]:
    return read_all.mark_all_read(s.messaging, s.ana)


async def a_draft_that_is_sent(s: BusyInbox) -> None:
    await draft.save_draft(s.messaging, s.ana, s.threads["finn"], "I would")
    await s.world.say("ana", s.threads["finn"], "I would like to.")


def a_role(s: BusyInbox) -> Awaitable[object]:
    user = s.other("zoe").user
    return change_role.change_role(s.messaging, _SERVICE, s.threads["group"], user, Role.HOST)


def ones_own_role(s: BusyInbox) -> Awaitable[object]:
    user = s.ana.user
    return change_role.change_role(s.messaging, _SERVICE, s.threads["group"], user, Role.HOST)


def a_booking(s: BusyInbox) -> Awaitable[object]:
    change = set_status.ThreadChange(status=Status.CONFIRMED, booking_id="bkg_1", leg_id="leg_1")
    return set_status.set_status(s.messaging, _SERVICE, s.threads["ben"], change)


def metadata(s: BusyInbox) -> Awaitable[object]:
    change = set_status.ThreadChange(metadata='{"order":17}')
    return set_status.set_status(s.messaging, _SERVICE, s.threads["eve"], change)


def a_service_message(s: BusyInbox) -> Awaitable[object]:
    message = post_system.SystemMessage("once", "Your prints are on their way.")
    return post_system.post_system(s.messaging, _SERVICE, s.threads["ben"], message)


def a_request_withdrawn(s: BusyInbox) -> Awaitable[object]:
    return withdraw_request(s.messaging, s.ana, s.gates["dirk"])


def the_other_one_withdraws(s: BusyInbox) -> Awaitable[object]:
    return withdraw_request(s.messaging, s.other("cy"), s.gates["cy"])


async def a_request_with_more_than_it_shows(s: BusyInbox) -> None:
    """Zoe has not accepted; the group has more messages than she sees."""
    for n in range(4):
        await s.world.say("ana", s.threads["group"], f"word {n}")


async def somebody_accepts_in_a_group(s: BusyInbox) -> None:
    await a_request_with_more_than_it_shows(s)
    head = await s.messaging.thread_cache.read(s.threads["group"])
    zoe = s.other("zoe")
    assert head is not None
    if zoe.user in head.gates:
        await respond.accept(s.messaging, zoe, head.gates[zoe.user].id)


def spam(s: BusyInbox) -> Awaitable[object]:
    return row_settings.mark_spam(s.messaging, s.ana, s.threads["eve"], True)


def a_draft(s: BusyInbox) -> Awaitable[object]:
    return draft.save_draft(s.messaging, s.ana, s.threads["finn"], "I would")


def a_name(s: BusyInbox) -> Awaitable[object]:
    return rename.rename(s.messaging, s.ana, s.threads["ben"], "Friday")


def a_lock(s: BusyInbox) -> Awaitable[object]:
    moderator = Actor(s.other("zoe").user, frozenset({Scope.MODERATOR}))
    return lock.lock(s.messaging, moderator, s.threads["ben"])


def somebody_added(s: BusyInbox) -> Awaitable[object]:
    invited = opening.Invited(s.other("eve").user)
    return participants.add(s.messaging, s.other("ben"), s.threads["group"], invited)


def being_removed(s: BusyInbox) -> Awaitable[object]:
    return participants.remove(s.messaging, s.other("ben"), s.threads["group"], s.ana.user)


async def being_added_again(s: BusyInbox) -> None:
    group = s.threads["group"]
    page = await history.history(s.messaging, s.other("ben"), group)
    if s.ana.user in page.view.thread.members:
        await being_removed(s)
    await s.world.say("ben", group, "While she is out.")
    invited = opening.Invited(s.ana.user, Role.BUYER)
    await participants.add(s.messaging, s.other("ben"), group, invited)


def the_other_one_leaves(s: BusyInbox) -> Awaitable[object]:
    return participants.leave(s.messaging, s.other("eve"), s.threads["eve"])


def leaving(s: BusyInbox) -> Awaitable[object]:
    return participants.leave(s.messaging, s.ana, s.threads["finn"])


def blocking(s: BusyInbox) -> Awaitable[object]:
    user = s.other("gus").user
    return block_person(s.messaging, s.ana, user, thread_id=s.threads["gus"])


def being_blocked(s: BusyInbox) -> Awaitable[object]:
    thread = s.threads["hal"]
    return block_person(s.messaging, s.other("hal"), s.ana.user, thread_id=thread)


def a_new_thread(s: BusyInbox) -> Awaitable[object]:
    return s.opens("ben", "ana", "Another thing.")


def a_request(s: BusyInbox) -> Awaitable[object]:
    return s.opens("stranger", "ana", "Hello!")


def a_word_more_with_a_request(s: BusyInbox) -> Awaitable[object]:
    return s.world.say("cleo", s.threads["cleo"], "It is about Friday.")


def accepting(s: BusyInbox) -> Awaitable[object]:
    return respond.accept(s.messaging, s.ana, s.gates["cleo"])


def declining(s: BusyInbox) -> Awaitable[object]:
    return respond.decline(s.messaging, s.ana, s.gates["carl"])


def blocking_at_the_gate(s: BusyInbox) -> Awaitable[object]:
    return block_sender(s.messaging, s.ana, s.gates["cora"])


def being_accepted(s: BusyInbox) -> Awaitable[object]:
    return respond.accept(s.messaging, s.other("dora"), s.gates["dora"])


def being_declined(s: BusyInbox) -> Awaitable[object]:
    return respond.decline(s.messaging, s.other("dirk"), s.gates["dirk"])


def an_edit_of_the_panel(s: BusyInbox) -> Awaitable[object]:
    new = Add(kind=ObjectKind.SHOT, fields={"title": "The gate"}, after=END)
    return edit_tab(s.messaging, s.other("ben"), s.threads["group"], "shotlist", "p1", new)


async def a_request_that_runs_out(s: BusyInbox) -> None:
    s.world.clock.advance(days=14)


async def a_request_that_expires(s: BusyInbox) -> None:
    s.world.clock.advance(days=14)
    await s.world.run_timers()


async def rows_that_settle(s: BusyInbox) -> None:
    await s.comes_to_rest()


CHANGES: tuple[Change, ...] = (
    a_message,
    ones_own_message_from_another_device,
    an_answer,
    an_edit,
    a_deletion,
    a_reaction,
    a_reaction_taken_back,
    the_other_one_reads,
    the_other_one_receives,
    reading_on_another_device,
    marking_as_unread,
    a_mute,
    a_pin,
    going_to_the_archive,
    coming_back_from_the_archive,
    a_request_archived,
    hiding,
    hiding_undone,
    reading_everything,
    spam,
    a_draft,
    a_draft_that_is_sent,
    a_name,
    a_role,
    ones_own_role,
    a_booking,
    metadata,
    a_service_message,
    a_request_with_more_than_it_shows,
    somebody_accepts_in_a_group,
    a_lock,
    somebody_added,
    being_removed,
    being_added_again,
    the_other_one_leaves,
    leaving,
    blocking,
    being_blocked,
    a_new_thread,
    a_request,
    a_word_more_with_a_request,
    accepting,
    declining,
    blocking_at_the_gate,
    being_accepted,
    being_declined,
    a_request_withdrawn,
    the_other_one_withdraws,
    an_edit_of_the_panel,
    a_request_that_runs_out,
    a_request_that_expires,
    rows_that_settle,
)


NOTHING_TO_SEE = (
    coming_back_from_the_archive,
    hiding_undone,
    reading_everything,
    a_reaction_taken_back,
    reading_on_another_device,
    being_declined,
    being_blocked,
    the_other_one_leaves,
    rows_that_settle,
)
"""Reading a request twice changes nothing, and the sender never learns of a decline, block or
leave.
"""

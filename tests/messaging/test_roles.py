"""The role table, cell by cell: every role, in every kind of thread, tries every operation."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import TypeAlias
from uuid import uuid4

import pytest

from greenroom.ids import MessageId, ThreadId
from greenroom.messaging import delete, lock, open as opening, participants, react, rename, send
from greenroom.messaging.change_role import change_role
from greenroom.messaging.history import history
from greenroom.messaging.models import Kind, Role, Status, Thread
from greenroom.messaging.outgoing import Outgoing
from greenroom.messaging.post_system import SystemMessage, post_system
from greenroom.messaging.problems import (
    ConversationLocked,
    InvalidThread,
    NotYours,
    RoleNotAllowed,
    ThreadNotFound,
)
from greenroom.messaging.roles import CREATION, TABLE, Creation, Operation, Part
from greenroom.messaging.set_status import ThreadChange, set_status
from greenroom.people.actor import Actor, Scope
from tests.messaging.world import MessagingWorld

_ROLES = {
    "buyer": Role.BUYER,
    "seller": Role.SELLER,
    "host": Role.HOST,
    "member": Role.MEMBER,
    "support": Role.SUPPORT,
    "admin": Role.ADMIN,
    "colleague": Role.SUPPORT,
    "other": Role.MEMBER,
}
_OUTSIDE = {Part.MODERATOR: Scope.MODERATOR, Part.SERVICE: Scope.SERVICE}
_REFUSALS = (RoleNotAllowed, NotYours, ConversationLocked, ThreadNotFound)
_DIRECT = (Part.OPENER, Part.MEMBER, *_OUTSIDE)
"""In a direct thread there are two members, and nobody has another role."""


@dataclass
class Cell:
    """A thread of one kind, and a person with one role in it."""

    world: MessagingWorld
    thread: Thread
    actor: Actor

    @property
    def place(self) -> tuple[Actor, ThreadId]:
        return self.actor, self.thread.id

    async def said_by_another(self) -> MessageId:
        by = "colleague"
        if self.thread.kind is Kind.DIRECT:
            by = "member" if self.actor.user == self.world.user("opener") else "opener"
        return (await self.world.say(by, self.thread.id, "Good morning.")).id

    @property
    def another(self) -> str:
        """Neither staff nor the opener, nor the actor."""
        return "other" if self.thread.kind is not Kind.DIRECT else "member"


Deed: TypeAlias = Callable[[Cell], Awaitable[object]]


def _send(cell: Cell) -> Awaitable[object]:
    return send.send(cell.world.messaging, *cell.place, Outgoing(uuid4().hex, "Good morning."))


async def _send_locked(cell: Cell) -> None:
    moderator = Actor(cell.world.user("newcomer"), frozenset({Scope.MODERATOR}))
    await lock.lock(cell.world.messaging, moderator, cell.thread.id)
    await _send(cell)


async def _react(cell: Cell) -> None:
    message = await cell.said_by_another()
    await react.react(cell.world.messaging, *cell.place, message, "👍")


async def _delete_others(cell: Cell) -> None:
    message = await cell.said_by_another()
    await delete.delete(cell.world.messaging, *cell.place, message)


def _rename(cell: Cell) -> Awaitable[object]:
    return rename.rename(cell.world.messaging, *cell.place, "Another name")


def _add(cell: Cell) -> Awaitable[object]:
    invited = opening.Invited(cell.world.user("newcomer"))
    return participants.add(cell.world.messaging, *cell.place, invited)


def _remove(name: str | None = None) -> Deed:
    def deed(cell: Cell) -> Awaitable[object]:
        user = cell.world.user(name or cell.another)
        return participants.remove(cell.world.messaging, *cell.place, user)

    return deed


def _change_role(role: Role) -> Deed:
    def deed(cell: Cell) -> Awaitable[object]:
        user = cell.world.user(cell.another)
        return change_role(cell.world.messaging, *cell.place, user, role)

    return deed


def _lock(cell: Cell) -> Awaitable[object]:
    return lock.lock(cell.world.messaging, *cell.place)


def _leave(cell: Cell) -> Awaitable[object]:
    return participants.leave(cell.world.messaging, *cell.place)


def _set_status(cell: Cell) -> Awaitable[object]:
    change = ThreadChange(status=Status.COMPLETED)
    return set_status(cell.world.messaging, *cell.place, change)


def _post_system(cell: Cell) -> Awaitable[object]:
    message = SystemMessage("once", "Your prints are on their way.")
    return post_system(cell.world.messaging, *cell.place, message)


DEEDS: Mapping[Operation, Deed] = {
    Operation.SEND: _send,
    Operation.SEND_LOCKED: _send_locked,
    Operation.REACT: _react,
    Operation.RENAME: _rename,
    Operation.ADD: _add,
    Operation.REMOVE: _remove(),
    Operation.REMOVE_OPENER: _remove("opener"),
    Operation.REMOVE_STAFF: _remove("colleague"),
    Operation.CHANGE_ROLE: _change_role(Role.HOST),
    Operation.GRANT_STAFF: _change_role(Role.ADMIN),
    Operation.DELETE_OTHERS: _delete_others,
    Operation.LOCK: _lock,
    Operation.LEAVE: _leave,
    Operation.SET_STATUS: _set_status,
    Operation.POST_SYSTEM: _post_system,
}


def _makes_sense(operation: Operation, kind: Kind, part: Part) -> bool:
    """Nobody removes themselves or an impossible member; only members can leave."""
    if kind is Kind.DIRECT:
        missing = (Operation.REMOVE_STAFF,)
        return part in _DIRECT and operation not in missing and not _is_self(operation, part, kind)
    return not _is_self(operation, part, kind)


def _is_self(operation: Operation, part: Part, kind: Kind) -> bool:
    if operation is Operation.REMOVE_OPENER:
        return part is Part.OPENER
    return kind is Kind.DIRECT and operation is Operation.REMOVE and part is Part.MEMBER


async def _people(world: MessagingWorld) -> None:
    for name in ("opener", "newcomer", *_ROLES):
        await world.person(name)
    for name in _ROLES:
        await world.inquiry("opener", name)
        await world.inquiry(name, "newcomer")
    await world.inquiry("opener", "newcomer")


async def _opened(world: MessagingWorld, kind: Kind) -> Thread:
    opener = world.actors["opener"]
    if kind is Kind.DIRECT:
        invited: tuple[opening.Invited, ...] = (opening.Invited(world.user("member")),)
    else:
        invited = tuple(opening.Invited(world.user(name), role) for name, role in _ROLES.items())
    staff = Actor(opener.user, frozenset({Scope.USER, Scope.SERVICE}))
    return await opening.open_thread(
        world.messaging, staff, opening.Opening(kind=kind, others=invited)
    )


def _actor(world: MessagingWorld, part: Part) -> Actor:
    if part in _OUTSIDE:
        return Actor(world.user("newcomer"), frozenset({_OUTSIDE[part]}))
    return world.actors[part.value]


@pytest.mark.timeout(600)
@pytest.mark.parametrize("kind", Kind)
async def test_every_role_may_do_what_the_table_says_and_nothing_else(
    unlimited_world: MessagingWorld, kind: Kind
) -> None:
    await _people(unlimited_world)
    assert set(DEEDS) == set(Operation)
    wrong, tried = [], 0
    for operation, deed in DEEDS.items():
        for part in Part:
            if not _makes_sense(operation, kind, part):
                continue
            thread = await _opened(unlimited_world, kind)
            if kind is Kind.DIRECT:
                assert set(thread.members) == {
                    unlimited_world.user("opener"),
                    unlimited_world.user("member"),
                }
            actor = _actor(unlimited_world, part)
            allowed = await _is_allowed(deed, Cell(unlimited_world, thread, actor))
            if allowed is not (part in TABLE[operation][kind]):
                wrong.append((operation.value, part.value, allowed))
            tried += 1
            if kind is Kind.DIRECT:
                await _as_it_was(unlimited_world, thread)
    assert wrong == []
    assert tried > 40


async def _is_allowed(deed: Deed, cell: Cell) -> bool:
    try:
        await deed(cell)
    except _REFUSALS:
        return False
    return True


async def _as_it_was(world: MessagingWorld, thread: Thread) -> None:
    """Two people have one direct thread: unlocked, with both in it."""
    moderator = Actor(world.user("newcomer"), frozenset({Scope.MODERATOR}))
    await lock.unlock(world.messaging, moderator, thread.id)
    world.clock.advance(days=30)


async def test_a_moderator_can_add_support_and_sees_no_earlier_messages(
    unlimited_world: MessagingWorld,
) -> None:
    thread = await unlimited_world.inquiry("ana", "ben")
    await unlimited_world.say("ana", thread.id, "A secret")
    moderator = await unlimited_world.person("mod", Scope.MODERATOR)
    colleague, newcomer = (
        await unlimited_world.person("colleague"),
        await unlimited_world.person("newcomer"),
    )
    with pytest.raises(ThreadNotFound):
        await participants.add(
            unlimited_world.messaging, moderator, thread.id, opening.Invited(colleague.user)
        )
    for user in (colleague.user, moderator.user):
        invited = opening.Invited(user, Role.SUPPORT)
        added = await participants.find_or_add(
            unlimited_world.messaging, moderator, thread.id, invited
        )
        assert added.created
        assert added.thread.members[user].role is Role.SUPPORT
        page = await history(unlimited_world.messaging, Actor(user), thread.id)
        assert {message.body for message in page.messages} == {""}
        assert {message.event for message in page.messages} == {"participant.added"}
    with pytest.raises(ThreadNotFound):
        await participants.add(unlimited_world.messaging, newcomer, thread.id, invited)


@pytest.mark.parametrize("bound", [False, True])
@pytest.mark.parametrize("kind", [kind for kind in Kind if kind is not Kind.DIRECT])
async def test_who_may_open_what(unlimited_world: MessagingWorld, kind: Kind, bound: bool) -> None:
    cleo, ben = await unlimited_world.person("cleo"), await unlimited_world.person("ben")
    wanted = opening.Opening(
        kind=kind,
        others=(opening.Invited(ben.user),),
        booking_id="bkg_1" if bound else None,
    )
    rights = CREATION[Creation.KIND][kind] and (not bound or CREATION[Creation.BOUND][kind])
    if rights:
        await opening.open_thread(unlimited_world.messaging, cleo, wanted)
    else:
        with pytest.raises(InvalidThread):
            await opening.open_thread(unlimited_world.messaging, cleo, wanted)
    for scope in (Scope.MODERATOR, Scope.SERVICE):
        staff = Actor(cleo.user, frozenset({Scope.USER, scope}))
        assert (await opening.open_thread(unlimited_world.messaging, staff, wanted)).kind is kind

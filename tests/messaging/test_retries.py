"""Repeated operations publish their events once, also when many come at once."""

import asyncio
import dataclasses
from collections.abc import Awaitable, Callable
from contextlib import suppress
from pathlib import Path
from typing import TypeAlias

import pytest

from greenroom.errors import Problem
from greenroom.ids import UserId
from greenroom.messaging import (
    delete,
    edit,
    lock,
    open as opening,
    participants,
    react,
    read,
    rename,
    respond,
    row_settings,
    send,
    set_status,
    start,
)
from greenroom.messaging.block import block_person
from greenroom.messaging.models import Kind, Role, Status
from greenroom.messaging.outgoing import Outgoing
from greenroom.people.actor import Actor, Scope
from tests.messaging.inbox_changes import BusyInbox
from tests.messaging.test_events import RecordedEvents
from tests.messaging.world import MessagingWorld, world_on
from tests.stores import SQLITE
from tests.world import UNLIMITED

Deed: TypeAlias = Callable[[BusyInbox], Awaitable[object]]
TIMES = 20


def _message(s: BusyInbox) -> Awaitable[object]:
    return send.send(s.messaging, s.ana, s.threads["ben"], Outgoing("same", "Friday?"))


async def _held(s: BusyInbox) -> object:
    text = "Write me at ana@example.com, or pay by Western Union"
    return await send.send(s.messaging, s.ana, s.threads["ben"], Outgoing("held", text))


async def _reaction(s: BusyInbox) -> object:
    message = (await s.messages("ben"))[0]
    return await react.react(s.messaging, s.ana, s.threads["ben"], message.id, "🎉")


async def _reaction_taken_back(s: BusyInbox) -> object:
    message = (await s.messages("ben"))[0]
    return await react.remove_reaction(s.messaging, s.ana, s.threads["ben"], message.id, "🎉")


async def _edit(s: BusyInbox) -> object:
    message = (await s.messages("ben"))[0]
    return await edit.edit(s.messaging, s.ana, s.threads["ben"], message.id, "Is Monday?")


async def _deletion(s: BusyInbox) -> object:
    message = (await s.messages("ben"))[0]
    return await delete.delete(s.messaging, s.ana, s.threads["ben"], message.id)


def _accepting(s: BusyInbox) -> Awaitable[object]:
    return respond.accept(s.messaging, s.ana, s.gates["cleo"])


def _declining(s: BusyInbox) -> Awaitable[object]:
    return respond.decline(s.messaging, s.ana, s.gates["carl"])


def _adding(s: BusyInbox) -> Awaitable[object]:
    invited = opening.Invited(s.other("eve").user)
    return participants.add(s.messaging, s.other("ben"), s.threads["group"], invited)


def _removing(s: BusyInbox) -> Awaitable[object]:
    user = s.other("zoe").user
    return participants.remove(s.messaging, s.other("ben"), s.threads["group"], user)


def _leaving(s: BusyInbox) -> Awaitable[object]:
    return participants.leave(s.messaging, s.ana, s.threads["group"])


def _reading(s: BusyInbox) -> Awaitable[object]:
    return read.mark_read(s.messaging, s.other("finn"), s.threads["finn"], 3)


def _receiving(s: BusyInbox) -> Awaitable[object]:
    return read.mark_delivered(s.messaging, s.other("finn"), s.threads["finn"], 3)


def _marking_unread(s: BusyInbox) -> Awaitable[object]:
    return read.mark_unread(s.messaging, s.ana, s.threads["eve"], 2)


def _pinning(s: BusyInbox) -> Awaitable[object]:
    return row_settings.pin(s.messaging, s.ana, s.threads["eve"], True)


def _muting(s: BusyInbox) -> Awaitable[object]:
    return row_settings.mute(s.messaging, s.ana, s.threads["eve"], 4_200_000_000_000)


def _archiving(s: BusyInbox) -> Awaitable[object]:
    return row_settings.archive(s.messaging, s.ana, s.threads["eve"], True)


def _filing_as_spam(s: BusyInbox) -> Awaitable[object]:
    return row_settings.mark_spam(s.messaging, s.ana, s.threads["eve"], True)


def _naming(s: BusyInbox) -> Awaitable[object]:
    return rename.rename(s.messaging, s.other("ben"), s.threads["group"], "Friday")


def _locking(s: BusyInbox) -> Awaitable[object]:
    moderator = Actor(s.other("zoe").user, frozenset({Scope.MODERATOR}))
    return lock.lock(s.messaging, moderator, s.threads["ben"])


def _blocking(s: BusyInbox) -> Awaitable[object]:
    user = s.other("gus").user
    return block_person(s.messaging, s.ana, user, thread_id=s.threads["gus"])


def _opening(s: BusyInbox) -> Awaitable[object]:
    invited = (opening.Invited(s.other("ben").user, Role.SELLER),)
    wanted = opening.Opening(kind=Kind.INQUIRY, others=invited)
    return opening.open_thread(s.messaging, s.ana, wanted, key="one")


def _starting(s: BusyInbox) -> Awaitable[object]:
    invited = (opening.Invited(s.other("ben").user, Role.SELLER),)
    wanted = opening.Opening(kind=Kind.INQUIRY, others=invited)
    return start.start(s.messaging, s.ana, wanted, "Hello!", key="two")


def _opening_direct(s: BusyInbox) -> Awaitable[object]:
    return opening.open_direct(s.messaging, s.ana, s.other("ben").user)


def _changing(change: set_status.ThreadChange, name: str) -> Deed:
    """By a service."""
    service = Actor(UserId("shop"), frozenset({Scope.SERVICE}))

    def deed(s: BusyInbox) -> Awaitable[object]:
        return set_status.set_status(s.messaging, service, s.threads["ben"], change)

    deed.__name__ = name
    return deed


DEEDS: tuple[Deed, ...] = (
    _changing(set_status.ThreadChange(status=Status.CONFIRMED), "_confirming"),
    _changing(set_status.ThreadChange(booking_id="bkg_9", leg_id="leg_9"), "_booking"),
    _changing(set_status.ThreadChange(metadata='{"order":9}'), "_setting_metadata"),
    _message,
    _held,
    _reaction,
    _reaction_taken_back,
    _edit,
    _deletion,
    _accepting,
    _declining,
    _adding,
    _removing,
    _leaving,
    _reading,
    _receiving,
    _marking_unread,
    _pinning,
    _muting,
    _archiving,
    _filing_as_spam,
    _naming,
    _locking,
    _blocking,
    _opening,
    _starting,
    _opening_direct,
)
SILENT = (_held, _reaction_taken_back)
"""Publishes nothing, even the first time."""
ONE_BY_ONE = (_reading, _receiving, _marking_unread, _pinning, _muting, _archiving, _filing_as_spam)
"""Private changes without a version: two devices at once both publish."""


async def _repeated(deed: Deed, busy: BusyInbox) -> None:
    """May be refused the second time: there is nobody to remove any more."""
    with suppress(Problem):
        await deed(busy)


async def _recorded(world: MessagingWorld) -> tuple[BusyInbox, RecordedEvents]:
    busy = await BusyInbox(world).set_up()
    recorded = RecordedEvents(world)
    world.messaging = dataclasses.replace(world.messaging, publish=recorded)
    return busy, recorded


@pytest.mark.parametrize("deed", DEEDS, ids=lambda deed: deed.__name__[1:])
async def test_a_repeated_operation_is_published_once(
    unlimited_world: MessagingWorld, deed: Deed
) -> None:
    busy, recorded = await _recorded(unlimited_world)
    await deed(busy)
    once = recorded.take()
    assert bool(once) == (deed not in SILENT)
    for _ in range(TIMES):
        unlimited_world.clock.advance(seconds=1)
        await _repeated(deed, busy)
    assert recorded.take() == []


@pytest.mark.parametrize(
    "deed", [deed for deed in DEEDS if deed not in ONE_BY_ONE], ids=lambda deed: deed.__name__[1:]
)
async def test_concurrent_repetitions_are_published_once(
    unlimited_world: MessagingWorld, tmp_path: Path, deed: Deed
) -> None:
    busy, recorded = await _recorded(unlimited_world)
    await deed(busy)
    once = sorted(map(_shown, recorded.take()))
    async with world_on(f"{SQLITE}{tmp_path}/another.db", UNLIMITED) as another:
        busy, recorded = await _recorded(another)
        await asyncio.gather(*(_repeated(deed, busy) for _ in range(TIMES)))
        assert sorted(map(_shown, recorded.take())) == once


def _shown(event: tuple[str, set[str]]) -> str:
    return f"{event[0]} to {sorted(event[1])}"

"""A release that becomes impossible after the moderator's check: the notice says so."""

import dataclasses

import pytest

from greenroom.ids import ThreadId
from greenroom.messaging.edit import edit
from greenroom.messaging.enforce import Enforcement
from greenroom.messaging.held import HeldStatus, own_held
from greenroom.messaging.history import history
from greenroom.messaging.lock import lock
from greenroom.messaging.outgoing import Held, Outgoing
from greenroom.messaging.rename import rename
from greenroom.messaging.send import send
from greenroom.people.actor import Scope, system
from greenroom.safety.claim import claim
from greenroom.safety.decide import decide
from greenroom.safety.enforce import enforce_pending
from greenroom.safety.events import NoticeCreated
from greenroom.safety.models import Case, Decision, NoticeKind, RatedFile, SomePerson
from greenroom.safety.notices import notices
from greenroom.safety.queue import queue
from tests.messaging.world import MessagingWorld

HELD = "You have won the lottery, send a processing fee to claim your prize"
KINDS = ("message", "edit", "name")


class _LocksAfterTheCheck(Enforcement):
    async def check_release(self, case: Case) -> None:
        await super().check_release(case)
        assert not isinstance(case.subject, SomePerson | RatedFile)
        await lock(self.messaging, system(), case.subject.thread)


class _DiesAfterwards(_LocksAfterTheCheck):
    async def release(self, case: Case) -> bool:
        await super().release(case)
        raise ConnectionError


async def _hold(world: MessagingWorld, kind: str) -> ThreadId:
    thread = await world.inquiry()
    ana, message = world.actors["ana"], await world.say("ana", thread.id, "Hello Ben")
    if kind == "message":
        held = await send(world.messaging, ana, thread.id, Outgoing("h1", HELD, metadata="{}"))
        assert isinstance(held, Held)
    elif kind == "edit":
        await edit(world.messaging, ana, thread.id, message.id, HELD)
    else:
        await rename(world.messaging, ana, thread.id, HELD[:60])
    return thread.id


async def _release(world: MessagingWorld, enforcer: Enforcement) -> list[NoticeKind]:
    """The events that Ana gets."""
    heard: list[object] = []
    safety = dataclasses.replace(world.messaging.safety, enforcer=enforcer, publish=heard.append)
    mod = await world.person("mod", Scope.MODERATOR)
    [case] = (await queue(safety, mod)).cases
    case = await claim(safety, mod, case.id)
    await decide(safety, mod, case.id, Decision.RELEASE, version=case.version)
    return [event.notice.kind for event in heard if isinstance(event, NoticeCreated)]


async def _noticed(world: MessagingWorld) -> list[NoticeKind]:
    found = await notices(world.messaging.safety, world.actors["ana"])
    return [notice.kind for notice in found.notices]


@pytest.mark.parametrize("kind", KINDS)
async def test_a_release_that_nothing_blocks_is_announced_as_released(
    world: MessagingWorld, kind: str
) -> None:
    await _hold(world, kind)
    assert await _release(world, Enforcement(world.messaging)) == [NoticeKind.RELEASED]
    assert await _noticed(world) == [NoticeKind.RELEASED]


@pytest.mark.parametrize("kind", KINDS)
async def test_a_release_that_is_blocked_late_is_announced_as_rejected(
    world: MessagingWorld, kind: str
) -> None:
    thread = await _hold(world, kind)
    heard = await _release(world, _LocksAfterTheCheck(world.messaging))
    assert heard == await _noticed(world) == [NoticeKind.REJECTED]
    page = await history(world.messaging, world.actors["ben"], thread)
    assert [message.body for message in page.messages if message.event is None] == ["Hello Ben"]
    if kind == "message":
        own = await own_held(world.messaging, world.actors["ana"], thread, "h1")
        assert own.status is HeldStatus.REJECTED


@pytest.mark.parametrize("kind", KINDS)
async def test_a_crash_before_the_notice_is_corrected_is_repaired(
    world: MessagingWorld, kind: str
) -> None:
    await _hold(world, kind)
    with pytest.raises(ConnectionError):
        await _release(world, _DiesAfterwards(world.messaging))
    assert await _noticed(world) == [NoticeKind.RELEASED]
    assert await enforce_pending(world.messaging.safety) == 1
    assert await _noticed(world) == [NoticeKind.REJECTED]

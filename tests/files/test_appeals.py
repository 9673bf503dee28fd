"""Appeals against a band: once each, decided by a moderator, recorded, and told to the owner."""

import asyncio
import dataclasses

import pytest

from greenroom.files.appeal import MAX_NOTE, appeal
from greenroom.files.events import FileBanded
from greenroom.files.judge_band import judge_band
from greenroom.files.models import File, FileState, Variant
from greenroom.files.moderator_urls import moderator_urls
from greenroom.files.problems import (
    AlreadyAppealed,
    FileNotFound,
    FileNotReady,
    InvalidFile,
    NothingToAppeal,
)
from greenroom.messaging import access
from greenroom.people.actor import Actor
from greenroom.safety.access import case as case_for
from greenroom.safety.audit import audit_of_case
from greenroom.safety.claim import claim
from greenroom.safety.decide import decide
from greenroom.safety.enforce import enforce_pending
from greenroom.safety.events import NoticeCreated
from greenroom.safety.models import AuditEntry, CaseId, Decision, NoticeKind, RatedFile, case_id
from greenroom.safety.notices import held_texts, notices
from greenroom.safety.problems import (
    CaseNotFound,
    DecisionDoesNotFit,
    InvalidDecision,
)
from greenroom.safety.queue import queue
from tests.files.ready_files import picture, stored
from tests.files.world import FilesWorld


async def _blurred(world: FilesWorld, band: int = 1) -> File:
    file = picture(world.files, world.ana, band=band, labels={"sexy": 0.7})
    await stored(world.files, file)
    return file


def _case(file: File, band: int | None = None) -> CaseId:
    return case_id(RatedFile(file.id, file.owner, file.band if band is None else band))


async def _decide(
    world: FilesWorld, moderator: Actor, case: CaseId, decision: Decision, band: int | None = None
) -> AuditEntry:
    await claim(world.safety, moderator, case)
    return await decide(
        world.safety, moderator, case, decision, version=1, reason="We looked.", band=band
    )


async def test_an_appeal_is_a_case_in_the_queue(world: FilesWorld) -> None:
    file = await _blurred(world)
    after = await appeal(world.files, world.ana, file.id, "It is a painting.")
    assert after.appealed == (1,)
    assert not after.can_appeal
    [case] = (await queue(world.safety, world.mod)).cases
    assert case.subject == RatedFile(file.id, world.ana.user, 1)
    assert (case.id, case.text, case.files) == (_case(file), "It is a painting.", (file.id,))
    [entry] = (await audit_of_case(world.safety, world.mod, case.id)).entries
    assert (entry.decision, entry.by, entry.file) == (Decision.APPEAL, world.ana.user, file.id)
    assert (await held_texts(world.safety, world.ana)).held == ()


async def test_a_moderator_sees_the_picture_of_an_appeal(world: FilesWorld) -> None:
    file = await _blurred(world, 2)
    await appeal(world.files, world.ana, file.id)
    blurred = await moderator_urls(world.files, world.mod, file.id, _case(file))
    assert set(blurred.urls) == {Variant.BLURRED}
    assert (await moderator_urls(world.files, world.mod, file.id, _case(file), reveal=True)).urls


async def test_an_appeal_that_is_granted_changes_the_band(world: FilesWorld) -> None:
    thread = await world.inquiry()
    file, message = await world.send_picture("ana", thread.id, band=1)
    await appeal(world.files, world.ana, file.id)
    entry = await _decide(world, world.mod, _case(file), Decision.BAND, 0)
    after = await world.file(file.id)
    assert (after.band, after.banded_by) == (0, world.mod.user)
    assert (entry.file, entry.band) == (file.id, 0)
    await world.run_timers()
    view = await access.thread(world.messaging, world.ben, thread.id)
    [attachment] = (await access.message(world.messaging, view, message.id)).attachments
    assert attachment.band == 0
    [notice] = (await notices(world.safety, world.ana)).notices
    assert (notice.kind, notice.file, notice.band) == (NoticeKind.BANDED, file.id, 0)
    assert notice.reason == "We looked."


async def test_an_appeal_that_is_dismissed_keeps_the_band(world: FilesWorld) -> None:
    file = await _blurred(world)
    await appeal(world.files, world.ana, file.id)
    await _decide(world, world.mod, _case(file), Decision.DISMISS)
    after = await world.file(file.id)
    assert (after.band, after.banded_by) == (1, None)
    [notice] = (await notices(world.safety, world.ana)).notices
    assert (notice.kind, notice.file, notice.band) == (NoticeKind.BAND_KEPT, file.id, None)
    assert world.safety_events[-1] == NoticeCreated(notice)
    assert (await queue(world.safety, world.mod)).cases == ()


async def test_an_appeal_leads_to_no_sanctions(world: FilesWorld) -> None:
    file = await _blurred(world)
    await appeal(world.files, world.ana, file.id)
    await claim(world.safety, world.mod, _case(file))
    for decision in (Decision.WARN, Decision.SUSPEND, Decision.REMOVE, Decision.RELEASE):
        with pytest.raises(DecisionDoesNotFit):
            await decide(world.safety, world.mod, _case(file), decision, version=1)


async def test_the_decision_and_its_band_must_fit(world: FilesWorld) -> None:
    file = await _blurred(world)
    await appeal(world.files, world.ana, file.id)
    await claim(world.safety, world.mod, _case(file))
    for decision, band in ((Decision.BAND, None), (Decision.BAND, 1), (Decision.DISMISS, 0)):
        with pytest.raises(InvalidDecision):
            await decide(world.safety, world.mod, _case(file), decision, version=1, band=band)


async def test_a_reported_message_is_not_decided_with_a_band(world: FilesWorld) -> None:
    thread = await world.inquiry()
    _, message = await world.send_picture("ana", thread.id)
    case = await world.claimed(world.mod, await world.reported("ben", message))
    with pytest.raises(DecisionDoesNotFit):
        await decide(world.safety, world.mod, case, Decision.BAND, version=1, band=1)
    for decision in (Decision.REVEAL, Decision.APPEAL):
        with pytest.raises(DecisionDoesNotFit):
            await decide(world.safety, world.mod, case, decision, version=1)


async def test_an_appeal_is_not_decided_beside_its_case(world: FilesWorld) -> None:
    file = await _blurred(world)
    await appeal(world.files, world.ana, file.id)
    await claim(world.safety, world.mod, _case(file))
    with pytest.raises(InvalidDecision):
        await judge_band(world.files, world.mod, file.id, 0, case_id=_case(file))


async def test_a_band_is_appealed_against_once(world: FilesWorld) -> None:
    file = await _blurred(world)
    await appeal(world.files, world.ana, file.id)
    with pytest.raises(AlreadyAppealed):
        await appeal(world.files, world.ana, file.id)
    await _decide(world, world.mod, _case(file), Decision.DISMISS)
    with pytest.raises(AlreadyAppealed):
        await appeal(world.files, world.ana, file.id)


async def test_another_band_can_be_appealed_against_again(world: FilesWorld) -> None:
    file = await _blurred(world)
    await appeal(world.files, world.ana, file.id)
    await _decide(world, world.mod, _case(file), Decision.BAND, 2)
    after = await appeal(world.files, world.ana, file.id)
    assert after.appealed == (1, 2)
    assert _case(file, 1) != _case(file, 2)
    await _decide(world, world.mod, _case(file, 2), Decision.BAND, 1)
    with pytest.raises(AlreadyAppealed):
        await appeal(world.files, world.ana, file.id)


async def test_of_appeals_at_once_one_is_made(world: FilesWorld) -> None:
    file = await _blurred(world)
    made = await asyncio.gather(
        *(appeal(world.files, world.ana, file.id) for _ in range(4)), return_exceptions=True
    )
    assert sum(isinstance(one, File) for one in made) == 1
    assert all(isinstance(one, File | AlreadyAppealed) for one in made)
    assert len((await queue(world.safety, world.mod)).cases) == 1


async def test_only_the_owner_of_a_blurred_file_appeals(world: FilesWorld) -> None:
    file = await _blurred(world)
    clear = picture(world.files, world.ana)
    checking = picture(world.files, world.ana, state=FileState.CHECKING, band=1)
    await stored(world.files, clear, checking)
    for actor in (world.ben, world.mod):
        with pytest.raises(FileNotFound):
            await appeal(world.files, actor, file.id)
    with pytest.raises(NothingToAppeal):
        await appeal(world.files, world.ana, clear.id)
    with pytest.raises(FileNotReady):
        await appeal(world.files, world.ana, checking.id)
    with pytest.raises(InvalidFile):
        await appeal(world.files, world.ana, file.id, "x" * (MAX_NOTE + 1))


async def test_a_moderator_does_not_see_their_own_appeal(world: FilesWorld) -> None:
    file = picture(world.files, world.mod, band=1)
    await stored(world.files, file)
    await appeal(world.files, world.mod, file.id)
    assert (await queue(world.safety, world.mod)).cases == ()
    with pytest.raises(CaseNotFound):
        await case_for(world.safety, world.mod, _case(file))
    mona = world.actors["mona"]
    with pytest.raises(CaseNotFound):
        await case_for(world.safety, mona, _case(file))
    assert (await case_for(world.safety, world.adi, _case(file))).about == world.mod.user


async def test_a_decision_that_a_crash_interrupted_is_enforced_later(world: FilesWorld) -> None:
    file = await _blurred(world)
    await appeal(world.files, world.ana, file.id)
    alone = dataclasses.replace(world.safety, enforcer=None)
    await claim(alone, world.mod, _case(file))
    await decide(alone, world.mod, _case(file), Decision.BAND, version=1, band=0)
    assert (await world.file(file.id)).band == 1
    assert await enforce_pending(world.safety) == 1
    after = await world.file(file.id)
    assert after.band == 0
    assert await enforce_pending(world.safety) == 0


async def test_a_decision_that_is_enforced_late_does_not_undo_a_later_one(
    world: FilesWorld,
) -> None:
    thread = await world.inquiry()
    file, message = await world.send_picture("ana", thread.id, band=1)
    reported = await world.claimed(world.mod, await world.reported("ben", message))
    await appeal(world.files, world.ana, file.id)
    alone = dataclasses.replace(world.safety, enforcer=None)
    await claim(alone, world.mod, _case(file))
    await decide(alone, world.mod, _case(file), Decision.BAND, version=1, band=0)
    world.clock.advance(seconds=1)
    await judge_band(world.files, world.mod, file.id, 2, case_id=reported)
    assert await enforce_pending(world.safety) == 1
    assert (await world.file(file.id)).band == 2


async def test_enforcing_twice_changes_and_tells_once(world: FilesWorld) -> None:
    file = await _blurred(world)
    await appeal(world.files, world.ana, file.id)
    entry = await _decide(world, world.mod, _case(file), Decision.BAND, 0)
    before = await world.file(file.id)
    enforcer = world.safety.enforcer
    assert enforcer is not None
    await enforcer.set_band(file.id, 0, entry.by, entry.at_ms)
    assert await world.file(file.id) == before


async def test_the_owner_is_told_of_the_band_by_an_event(world: FilesWorld) -> None:
    """Through the contexts as they are composed, with the enforcer of messaging."""
    thread = await world.inquiry()
    file, message = await world.send_picture("ana", thread.id)
    case = await world.claimed(world.mod, await world.reported("ben", message))
    await judge_band(world.files, world.mod, file.id, 1, case_id=case)
    [event] = world.file_events
    assert isinstance(event, FileBanded)
    assert event.file.owner == world.ana.user


async def test_suspending_the_owner_closes_the_appeal(world: FilesWorld) -> None:
    thread = await world.inquiry()
    file, message = await world.send_picture("ana", thread.id, band=1)
    await appeal(world.files, world.ana, file.id)
    world.clock.advance(seconds=1)
    case = await world.claimed(world.mod, await world.reported("ben", message))
    await decide(world.safety, world.mod, case, Decision.SUSPEND, version=1)
    assert (await queue(world.safety, world.mod)).cases == ()

"""Moderators look at files and set their bands: who may, what is recorded, who learns of it."""

import asyncio
import dataclasses

import pytest

from greenroom.background.models import Timer
from greenroom.files.case_files import files_of_cases
from greenroom.files.events import FileBanded
from greenroom.files.file_urls import Wanted, file_urls
from greenroom.files.judge_band import judge_band
from greenroom.files.models import FileState, FileUse, Media, Shown, Variant
from greenroom.files.moderator_urls import moderator_urls
from greenroom.files.problems import FileNotFound, FileNotReady
from greenroom.files.set_band import BANDED, apply_band, show_band
from greenroom.ids import FileId
from greenroom.messaging import access
from greenroom.messaging.block import block_person
from greenroom.messaging.delete import delete
from greenroom.messaging.events import PersonUpdated, ThreadUpdated
from greenroom.messaging.models import Message, NewAttachment
from greenroom.messaging.outgoing import Held, Outgoing, Sent
from greenroom.messaging.pictures import (
    AVATAR,
    THREAD_PICTURE,
    AvatarAudience,
    ThreadPictureAudience,
)
from greenroom.messaging.report import report_person, report_thread
from greenroom.messaging.send import send
from greenroom.messaging.set_avatar import set_avatar
from greenroom.messaging.set_thread_picture import set_thread_picture
from greenroom.messaging.sync import cursor_now, sync
from greenroom.people import directory
from greenroom.people.actor import StaffRole, with_role
from greenroom.safety.access import find
from greenroom.safety.audit import audit_log, audit_of_case, audit_of_person
from greenroom.safety.decide import decide
from greenroom.safety.events import NoticeCreated
from greenroom.safety.models import (
    CaseId,
    Decision,
    HeldMessage,
    NoticeKind,
    Reason,
    SomePerson,
    WholeThread,
    case_id,
)
from greenroom.safety.notices import notices
from greenroom.safety.problems import (
    AdminsOnly,
    CaseClosed,
    CaseNotClaimed,
    CaseNotFound,
    InvalidDecision,
    ModeratorsOnly,
    OwnCase,
)
from tests.files.ready_files import document, picture, stored, used_in
from tests.files.world import FilesWorld

CLEAR = {Variant.SMALL, Variant.MEDIUM, Variant.LARGE}


async def _reported(world: FilesWorld) -> tuple[FileId, Message, CaseId]:
    """Ana has sent a picture to Ben, who has reported it."""
    thread = await world.inquiry()
    file, message = await world.send_picture("ana", thread.id)
    return file.id, message, await world.reported("ben", message)


async def _shown(world: FilesWorld, name: str, file: FileId) -> Shown:
    [found] = await file_urls(world.files, world.actors[name], Wanted(files=(file,)))
    return found.shown


async def test_a_moderator_sets_the_band_of_a_reported_picture(world: FilesWorld) -> None:
    file, _, case = await _reported(world)
    await world.claimed(world.mod, case)
    after = await judge_band(
        world.files, world.mod, file, 1, case_id=case, reason="Nudity.", note="Mild."
    )
    assert (after.band, after.banded_by) == (1, world.mod.user)
    assert after == await world.file(file)
    assert await _shown(world, "ben", file) is Shown.BLURRED
    assert await _shown(world, "ana", file) is Shown.CLEAR
    assert world.file_events == [FileBanded(after)]


async def test_the_message_shows_the_new_band_after_the_timer_has_run(world: FilesWorld) -> None:
    file, message, case = await _reported(world)
    await world.claimed(world.mod, case)
    await judge_band(world.files, world.mod, file, 2, case_id=case)
    await world.run_timers()
    view = await access.thread(world.messaging, world.ben, message.thread)
    seen = await access.message(world.messaging, view, message.id)
    [attachment] = seen.attachments
    assert (attachment.band, attachment.rated, seen.band) == (2, True, 2)
    assert seen.version == message.version + 1
    await world.run_timers()
    assert (await access.message(world.messaging, view, message.id)).version == seen.version


async def test_setting_a_band_is_recorded_and_the_owner_is_told(world: FilesWorld) -> None:
    file, _, case = await _reported(world)
    await world.claimed(world.mod, case)
    await judge_band(world.files, world.mod, file, 1, case_id=case, reason="Why.", note="Note.")
    for page in (
        await audit_of_case(world.safety, world.mod, case),
        await audit_of_person(world.safety, world.mod, world.ana.user),
        await audit_log(world.safety, world.mod, limit=1),
    ):
        [entry] = page.entries
        assert (entry.decision, entry.by, entry.about) == (
            Decision.BAND,
            world.mod.user,
            world.ana.user,
        )
        assert (entry.file, entry.band, entry.reason, entry.note) == (file, 1, "Why.", "Note.")
    [notice] = (await notices(world.safety, world.ana)).notices
    assert (notice.kind, notice.file, notice.band) == (NoticeKind.BANDED, file, 1)
    assert notice.reason == "Why."
    assert world.safety_events[-1] == NoticeCreated(notice)
    assert (await notices(world.safety, world.ben)).notices == ()


async def test_setting_the_same_band_again_changes_nothing(world: FilesWorld) -> None:
    file, _, case = await _reported(world)
    await world.claimed(world.mod, case)
    first = await judge_band(world.files, world.mod, file, 1, case_id=case)
    again = await judge_band(world.files, world.mod, file, 1, case_id=case)
    assert first == again
    assert len((await audit_of_case(world.safety, world.mod, case)).entries) == 1


async def test_confirming_the_models_band_counts_as_a_rating_and_tells_nobody(
    world: FilesWorld,
) -> None:
    file, _, case = await _reported(world)
    await world.claimed(world.mod, case)
    after = await judge_band(world.files, world.mod, file, 0, case_id=case)
    assert after.is_rated
    assert after.banded_by == world.mod.user
    assert (await notices(world.safety, world.ana)).notices == ()
    assert len((await audit_of_case(world.safety, world.mod, case)).entries) == 1


async def test_many_bands_at_once_leave_one_of_them_and_an_entry_for_each(
    world: FilesWorld,
) -> None:
    file, _, case = await _reported(world)
    await world.claimed(world.mod, case)
    bands = (1, 2, 0, 1)
    await asyncio.gather(
        *(judge_band(world.files, world.mod, file, band, case_id=case) for band in bands),
        return_exceptions=True,
    )
    entries = (await audit_of_case(world.safety, world.mod, case)).entries
    assert (await world.file(file)).band == entries[0].band
    assert len({(entry.at_ms, entry.id) for entry in entries}) == len(entries)


async def test_only_a_moderator_who_has_claimed_the_case_sets_a_band(world: FilesWorld) -> None:
    file, _, case = await _reported(world)
    for actor, refusal in (
        (world.mod, CaseNotClaimed),
        (world.ben, ModeratorsOnly),
        (world.ana, ModeratorsOnly),
    ):
        with pytest.raises(refusal):
            await judge_band(world.files, actor, file, 1, case_id=case)
    await world.claimed(world.mod, case)
    with pytest.raises(CaseNotClaimed):
        await judge_band(world.files, world.adi, file, 1, case_id=case)
    assert (await world.file(file)).banded_by is None


async def test_nobody_judges_their_own_file(world: FilesWorld) -> None:
    thread = await world.inquiry("mod", "ben")
    file, message = await world.send_picture("mod", thread.id)
    case = await world.reported("ben", message)
    with pytest.raises(CaseNotFound):
        await judge_band(world.files, world.mod, file.id, 0, case_id=case)
    with pytest.raises(CaseNotFound):
        await moderator_urls(world.files, world.mod, file.id, case, reveal=True)


async def test_the_files_of_staff_are_judged_by_admins(world: FilesWorld) -> None:
    thread = await world.inquiry("mona", "ben")
    file, message = await world.send_picture("mona", thread.id)
    case = await world.reported("ben", message)
    with pytest.raises(CaseNotFound):
        await moderator_urls(world.files, world.mod, file.id, case)
    await world.claimed(world.adi, case)
    assert (await judge_band(world.files, world.adi, file.id, 1, case_id=case)).band == 1


async def test_in_a_reported_conversation_each_file_is_judged_by_its_owner(
    world: FilesWorld,
) -> None:
    thread = await world.inquiry("ana", "mona")
    of_staff, _ = await world.send_picture("mona", thread.id)
    of_user, _ = await world.send_picture("ana", thread.id)
    await report_thread(world.messaging, world.ana, thread.id, Reason.SCAM)
    case = case_id(WholeThread(thread.id))
    found = await moderator_urls(world.files, world.mod, of_user.id, case)
    assert set(found.urls) == {Variant.BLURRED}
    with pytest.raises(AdminsOnly):
        await moderator_urls(world.files, world.mod, of_staff.id, case)
    assert (await moderator_urls(world.files, world.adi, of_staff.id, case)).urls
    with pytest.raises(CaseNotFound):
        await moderator_urls(world.files, world.actors["mona"], of_user.id, case)


async def test_a_support_agent_in_a_reported_conversation_does_not_judge_their_own_file(
    world: FilesWorld,
) -> None:
    """They are not involved in the conversation, but in their file."""
    thread = await world.inquiry("ana", "ben")
    file = picture(world.files, world.mod, thread=thread.id, use=used_in(thread.id, "message"))
    await stored(world.files, file)
    await report_thread(world.messaging, world.ana, thread.id, Reason.SCAM)
    with pytest.raises(OwnCase):
        await moderator_urls(world.files, world.mod, file.id, case_id(WholeThread(thread.id)))


async def test_a_moderators_role_opens_no_file_outside_a_case(world: FilesWorld) -> None:
    file, message, case = await _reported(world)
    other, _ = await world.send_picture("ana", message.thread)
    unused = picture(world.files, world.ana)
    await stored(world.files, unused)
    await world.claimed(world.mod, case)
    for one in (other.id, unused.id, FileId("fil_nonsense"), world.files.ids.file()):
        with pytest.raises(FileNotFound):
            await moderator_urls(world.files, world.mod, one, case, reveal=True)
        with pytest.raises(FileNotFound):
            await judge_band(world.files, world.mod, one, 1, case_id=case)
    with pytest.raises(CaseNotFound):
        await moderator_urls(world.files, world.mod, file, CaseId("cas_unknown"))


async def test_nothing_is_shown_once_the_case_is_closed(world: FilesWorld) -> None:
    file, _, case = await _reported(world)
    await world.claimed(world.mod, case)
    await decide(world.safety, world.mod, case, Decision.DISMISS, version=1)
    with pytest.raises(CaseClosed):
        await moderator_urls(world.files, world.mod, file, case)
    with pytest.raises(CaseClosed):
        await judge_band(world.files, world.mod, file, 1, case_id=case)


async def test_who_reported_a_file_does_not_judge_it(world: FilesWorld) -> None:
    thread = await world.inquiry("ana", "mod")
    file, message = await world.send_picture("ana", thread.id)
    case = await world.reported("mod", message)
    with pytest.raises(OwnCase):
        await moderator_urls(world.files, world.mod, file.id, case)


async def test_moderators_get_the_blurred_version_until_they_ask_for_more(
    world: FilesWorld,
) -> None:
    file, _, case = await _reported(world)
    seen = await moderator_urls(world.files, world.mod, file, case)
    assert (seen.shown, seen.can_reveal, set(seen.urls)) == (
        Shown.BLURRED,
        True,
        {Variant.BLURRED},
    )
    assert (await audit_of_case(world.safety, world.mod, case)).entries == ()
    revealed = await moderator_urls(world.files, world.mod, file, case, reveal=True)
    assert set(revealed.urls) == CLEAR


async def test_looking_at_a_clear_picture_is_recorded_once_for_each_moderator(
    world: FilesWorld,
) -> None:
    file, _, case = await _reported(world)
    for actor in (world.mod, world.mod, world.adi):
        await moderator_urls(world.files, actor, file, case, reveal=True)
    entries = (await audit_of_case(world.safety, world.adi, case)).entries
    assert {(one.decision, one.by, one.file) for one in entries} == {
        (Decision.REVEAL, world.mod.user, file),
        (Decision.REVEAL, world.adi.user, file),
    }
    assert len(entries) == 2
    assert (await notices(world.safety, world.ana)).notices == ()


async def test_entries_of_the_same_moment_are_all_in_the_log(world: FilesWorld) -> None:
    """Its pages go on after the last entry, so no two may have the same place."""
    file, _, case = await _reported(world)
    await world.claimed(world.mod, case)
    for actor in (world.mod, world.adi):
        await moderator_urls(world.files, actor, file, case, reveal=True)
    for band in (1, 2):
        await judge_band(world.files, world.mod, file, band, case_id=case)
    found, cursor = [], None
    for _ in range(10):
        page = await audit_log(world.safety, world.adi, limit=1, cursor=cursor)
        found += [entry for entry in page.entries if entry.case == case]
        cursor = page.next
        if cursor is None:
            break
    assert sorted(entry.decision for entry in found) == ["band", "band", "reveal", "reveal"]


async def test_a_case_that_is_decided_afterwards_keeps_all_its_entries(world: FilesWorld) -> None:
    file, _, case = await _reported(world)
    await world.claimed(world.mod, case)
    await moderator_urls(world.files, world.mod, file, case, reveal=True)
    await judge_band(world.files, world.mod, file, 2, case_id=case)
    await decide(world.safety, world.mod, case, Decision.DISMISS, version=1)
    entries = (await audit_of_case(world.safety, world.mod, case)).entries
    assert entries[0].decision is Decision.DISMISS
    assert sorted(entry.decision for entry in entries) == ["band", "dismiss", "reveal"]


async def test_a_file_that_is_not_ready_is_shown_to_no_moderator(world: FilesWorld) -> None:
    thread = await world.inquiry()
    infected = picture(
        world.files, world.ana, state=FileState.INFECTED, use=used_in(thread.id, "message")
    )
    await stored(world.files, infected)
    await report_thread(world.messaging, world.ben, thread.id, Reason.SCAM)
    case = await world.claimed(world.mod, case_id(WholeThread(thread.id)))
    with pytest.raises(FileNotReady):
        await moderator_urls(world.files, world.mod, infected.id, case, reveal=True)
    with pytest.raises(FileNotReady):
        await judge_band(world.files, world.mod, infected.id, 1, case_id=case)


async def test_the_picture_of_a_reported_person_can_be_judged(world: FilesWorld) -> None:
    avatar = picture(world.files, world.ana, use=FileUse(kind="avatar", target=world.ana.user))
    await stored(world.files, avatar)
    await report_person(world.messaging, world.ben, world.ana.user, Reason.NSFW)
    case = await world.claimed(world.mod, case_id(SomePerson(world.ana.user)))
    assert (await judge_band(world.files, world.mod, avatar.id, 2, case_id=case)).band == 2


async def test_the_picture_of_a_reported_person_is_in_the_case(world: FilesWorld) -> None:
    """The present one: another may have been deleted since."""
    await report_person(world.messaging, world.ben, world.ana.user, Reason.NSFW)
    subject = case_id(SomePerson(world.ana.user))
    for _ in range(2):
        avatar = picture(world.files, world.ana)
        await stored(world.files, avatar)
        await set_avatar(world.messaging, world.ana, avatar.id)
        case = await find(world.safety, subject)
        assert case is not None
        [shown] = (await files_of_cases(world.files, (case,)))[subject]
        assert shown.id == avatar.id
    await world.claimed(world.mod, subject)
    await decide(world.safety, world.mod, subject, Decision.DISMISS, version=1)
    closed = await find(world.safety, subject)
    assert closed is not None
    assert await files_of_cases(world.files, (closed,)) == {subject: ()}


async def test_the_files_of_a_held_message_are_in_its_case(world: FilesWorld) -> None:
    thread = await world.inquiry()
    file = picture(
        world.files, world.ana, thread=thread.id, resembles=FileId("fil_removed"), band=0
    )
    await stored(world.files, file)
    outgoing = Outgoing("held-1", "", attachments=(NewAttachment(file.id, ""),))
    outcome = await send(world.messaging, world.ana, thread.id, outgoing)
    assert isinstance(outcome, Held)
    case = case_id(HeldMessage(thread.id, world.ana.user, "held-1"))
    assert await file_urls(world.files, world.ben, Wanted(files=(file.id,))) == ()
    found = await moderator_urls(world.files, world.mod, file.id, case, reveal=True)
    assert set(found.urls) == CLEAR
    await world.claimed(world.mod, case)
    await judge_band(world.files, world.mod, file.id, 1, case_id=case)
    await decide(world.safety, world.mod, case, Decision.RELEASE, version=1)
    assert await _shown(world, "ben", file.id) is Shown.BLURRED


async def test_a_band_outside_the_three_is_refused(world: FilesWorld) -> None:
    file, _, case = await _reported(world)
    await world.claimed(world.mod, case)
    for band in (-1, 3):
        with pytest.raises(InvalidDecision):
            await judge_band(world.files, world.mod, file, band, case_id=case)


async def test_a_file_without_anything_to_see_has_no_band(world: FilesWorld) -> None:
    """Such as a video without a poster: it would be shown as before, and its owner told."""
    thread = await world.inquiry()
    video = {"media": Media.VIDEO, "type": "video/mp4", "name": "clip.mp4"}
    unseen = document(world.files, world.ana, thread=thread.id, **video)
    await stored(world.files, unseen)
    outgoing = Outgoing("v-1", "", attachments=(NewAttachment(unseen.id, ""),))
    sent = await send(world.messaging, world.ana, thread.id, outgoing)
    assert isinstance(sent, Sent)
    case = await world.claimed(world.mod, await world.reported("ben", sent.message))
    for band in (0, 2):
        with pytest.raises(InvalidDecision, match="remove its message instead"):
            await judge_band(world.files, world.mod, unseen.id, band, case_id=case)
    assert (await notices(world.safety, world.ana)).notices == ()
    assert (await audit_of_case(world.safety, world.mod, case)).entries == ()


async def test_a_deleted_message_takes_its_picture_out_of_the_case(world: FilesWorld) -> None:
    file, message, case = await _reported(world)
    await delete(world.messaging, world.ana, message.thread, message.id)
    with pytest.raises(FileNotFound):
        await moderator_urls(world.files, world.mod, file, case, reveal=True)


async def test_a_band_set_before_the_message_was_deleted_harms_nothing(world: FilesWorld) -> None:
    file, message, case = await _reported(world)
    await world.claimed(world.mod, case)
    await judge_band(world.files, world.mod, file, 2, case_id=case)
    await delete(world.messaging, world.ana, message.thread, message.id)
    await world.run_timers()
    view = await access.thread(world.messaging, world.ben, message.thread)
    assert (await access.message(world.messaging, view, message.id)).attachments == ()


async def test_removing_a_message_remembers_its_picture(world: FilesWorld) -> None:
    thread = await world.inquiry()
    file, message = await world.send_picture("ana", thread.id, perceptual_hash="f0" * 32)
    case = await world.claimed(world.mod, await world.reported("ben", message))
    await decide(world.safety, world.mod, case, Decision.REMOVE, version=1)
    assert (await world.file(file.id)).state is FileState.DELETED
    world.clock.advance(seconds=5)
    removed = world.files.pipeline.removed
    assert removed is not None
    assert await removed.resembling(["f0" * 31 + "f1"]) == file.id


async def test_removing_a_picture_removes_no_other_with_the_same_caption(
    world: FilesWorld,
) -> None:
    thread = await world.inquiry()
    bad, removed = await world.send_picture("ana", thread.id, caption="Look at this!")
    good, kept = await world.send_picture("ana", thread.id, caption="Look at this!")
    case, other = await world.reported("ben", removed), await world.reported("ben", kept)
    await world.claimed(world.mod, case)
    await decide(world.safety, world.mod, case, Decision.REMOVE, version=1)
    assert (await world.file(bad.id)).state is FileState.DELETED
    assert (await world.file(good.id)).state is FileState.READY
    found = await find(world.safety, other)
    assert found is not None
    assert found.is_open


async def test_a_former_moderator_gets_nothing(world: FilesWorld) -> None:
    file, _, case = await _reported(world)
    former = with_role(world.mod, None)
    assert StaffRole.MODERATOR.value not in former.scopes
    with pytest.raises(ModeratorsOnly):
        await moderator_urls(world.files, former, file, case)


async def test_somebody_who_blocked_the_owner_still_cannot_be_told_apart(
    world: FilesWorld,
) -> None:
    """After a block the conversation is gone for the one who blocked, and so are its files."""
    file, _, _ = await _reported(world)
    assert await _shown(world, "ben", file) is Shown.CLEAR
    await block_person(world.messaging, world.ben, world.ana.user)
    assert await file_urls(world.files, world.ben, Wanted(files=(file,))) == ()
    [own] = await file_urls(world.files, world.ana, Wanted(files=(file,)))
    assert own.urls


async def test_viewers_of_an_avatar_hear_that_its_band_is_set(world: FilesWorld) -> None:
    thread = await world.inquiry()
    await world.say("ana", thread.id, "Hello")
    avatar = picture(world.files, world.ana)
    await stored(world.files, avatar)
    before = await set_avatar(world.messaging, world.ana, avatar.id)
    await report_person(world.messaging, world.ben, world.ana.user, Reason.NSFW)
    case = await world.claimed(world.mod, case_id(SomePerson(world.ana.user)))
    await judge_band(world.files, world.mod, avatar.id, 2, case_id=case)
    assert (await directory.by_id(world.people, world.ana.user)).version == before.version
    told = await _announced_by_timer(world, avatar.id)
    [event] = [one for one in told if isinstance(one, PersonUpdated)]
    assert set(event.shown_to) == {world.ana.user, world.ben.user}
    assert event.person.version == before.version + 1
    stored_person = await directory.by_id(world.people, world.ana.user)
    assert stored_person.avatar == event.person.avatar
    assert before.avatar is not None
    assert event.person.avatar is not None
    assert event.person.avatar.version > before.avatar.version
    assert await _announced_by_timer(world, avatar.id) == [], "told once"


async def test_viewers_of_a_thread_picture_hear_that_its_band_is_set(world: FilesWorld) -> None:
    thread = await world.inquiry()
    shown = picture(world.files, world.ana, thread=thread.id)
    await stored(world.files, shown)
    before = await set_thread_picture(world.messaging, world.ana, thread.id, shown.id)
    await report_thread(world.messaging, world.ben, thread.id, Reason.NSFW)
    case = await world.claimed(world.mod, case_id(WholeThread(thread.id)))
    await judge_band(world.files, world.mod, shown.id, 1, case_id=case)
    cursor = cursor_now(world.messaging)
    assert await _announced_by_timer(world, shown.id) == [ThreadUpdated()]
    view = await access.thread(world.another_node().messaging, world.ben, thread.id)
    assert before.picture is not None
    assert view.thread.picture is not None
    assert view.thread.picture.file == shown.id
    assert view.thread.picture.version > before.picture.version
    synced = await sync(world.messaging, world.ben, cursor)
    assert [one.view.thread.picture for one in synced.threads] == [view.thread.picture]
    assert await _announced_by_timer(world, shown.id) == [], "told once"


async def test_a_node_that_knew_the_thread_before_its_picture_announces_the_band(
    world: FilesWorld,
) -> None:
    thread = await world.inquiry()
    await access.thread(world.messaging, world.ben, thread.id)
    shown = picture(world.files, world.ana, thread=thread.id)
    await stored(world.files, shown)
    elsewhere = world.another_node().messaging
    await set_thread_picture(elsewhere, world.ana, thread.id, shown.id)
    await apply_band(world.files, shown.id, 2, world.mod.user, world.clock.now_ms())
    assert await _announced_by_timer(world, shown.id) == [ThreadUpdated()]


async def test_a_picture_that_was_replaced_before_the_timer_runs_is_left_alone(
    world: FilesWorld,
) -> None:
    old, new = [picture(world.files, world.ana) for _ in range(2)]
    for one in (old, new):
        await stored(world.files, one)
    await set_avatar(world.messaging, world.ana, old.id)
    await report_person(world.messaging, world.ben, world.ana.user, Reason.NSFW)
    case = await world.claimed(world.mod, case_id(SomePerson(world.ana.user)))
    await judge_band(world.files, world.mod, old.id, 2, case_id=case)
    after = await set_avatar(world.messaging, world.ana, new.id)
    assert await _announced_by_timer(world, old.id) == []
    assert await directory.by_id(world.people, world.ana.user) == after


async def _announced_by_timer(world: FilesWorld, file: FileId) -> list[object]:
    """What the timer of the band publishes. Run in the world as it is composed."""
    told = list[object]()
    messaging = dataclasses.replace(
        world.messaging,
        publish=lambda _, event: told.append(event),
        publish_person=told.append,
    )
    audiences = {
        **world.files.audiences,
        AVATAR: AvatarAudience(messaging),
        THREAD_PICTURE: ThreadPictureAudience(messaging),
    }
    files = dataclasses.replace(world.files, audiences=audiences)
    await show_band(files, Timer(BANDED, file, 0))
    return told
